# SPDX-License-Identifier: BSD-3-Clause
"""Small systems at native speed: what depends on time alone is computed ahead.

The motion of every frame is known, so for many steps at once NumPy computes what no state enters:
factors of the constant matrices (``matrices``), forces (``forces``) and the rows of joints
(``ties``). A step is then arithmetic on a few hundred numbers, in the C that exported solvers carry
too. ``ahead`` hands the steps out one by one: those of ``free`` for bodies in prescribed frames, of
``tied`` for those on links.
"""
