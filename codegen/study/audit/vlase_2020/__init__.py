# SPDX-License-Identifier: BSD-3-Clause
"""Vlase, Negrean, Marin and Scutaru 2020: the printed equations, in matrix notation.

Reading order: ``symbols`` (what its symbols stand for, the right sides), ``kinematics`` (3)-(6)
and the notations (10)-(14), ``energies`` (19)-(30), ``motion`` (31)-(42), ``hamilton`` (43)-(45),
``paper`` (all).
"""
