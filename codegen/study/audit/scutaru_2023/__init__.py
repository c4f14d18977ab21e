# SPDX-License-Identifier: BSD-3-Clause
"""Scutaru, Vlase and Marin 2023: the printed equations, in index notation.

Reading order: ``symbols`` (what its symbols stand for), ``kinematics`` (2)-(9), (34), (35),
``energies`` (10)-(21), (36), ``lagrangian`` (25)-(31), ``lagrange`` (37)-(42), ``appell``
(43)-(51), ``hamilton`` (52)-(54), ``maggi_kane`` (56)-(65), ``appendix``, ``paper`` (all).
"""
