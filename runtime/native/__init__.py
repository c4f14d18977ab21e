# SPDX-License-Identifier: BSD-3-Clause
"""Small systems at native speed: the tables that exported solvers carry, stepped in memory.

``constants`` has what never changes of a system: ``matrices``, ``forces`` (constant vectors) and
what joints demand (``ties``). ``build`` makes the tables of ``runtime.tables`` of it, with its
functions of time (``inputs``) and frames (``motions``). ``steps`` takes the steps in C.
"""
