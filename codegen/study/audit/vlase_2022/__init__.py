# SPDX-License-Identifier: BSD-3-Clause
"""Vlase, Marin and Negrean 2022, a review: the printed equations, in matrix notation.

Reading order: ``symbols`` (what its symbols stand for), ``kinematics`` (1)-(15), ``energies``
(19)-(33), ``motion`` (34)-(45), ``hamilton`` (46)-(48), ``paper`` (all). Most right sides are
shared with ``vlase_2020``, whose sections the review takes up.
"""
