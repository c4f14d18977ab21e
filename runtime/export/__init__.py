# SPDX-License-Identifier: BSD-3-Clause
"""Models as native solvers for other programs, without Python.

Read in this order: ``identifiers`` (names of the user become C), ``constants`` (of the model) and
``outputs``, ``solver`` (all of it), ``library`` (a C library) and ``fmu``. What is stepped, and
how, is in ``runtime/include``: the same headers that flexforge runs itself.
"""
