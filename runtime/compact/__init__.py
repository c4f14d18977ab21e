# SPDX-License-Identifier: BSD-3-Clause
"""Small systems of tied bodies at native speed: what depends on time alone is computed ahead.

The motion of every frame is known, so for many steps at once NumPy computes what no state enters:
factors of the constant matrices (``motion``), forces (``forces``) and A with its rates. A step is
then arithmetic on a few hundred numbers, and runs without Python (``_steps``, ``steps``).
"""
