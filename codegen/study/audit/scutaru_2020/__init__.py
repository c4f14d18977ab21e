# SPDX-License-Identifier: BSD-3-Clause
"""Scutaru, Vlase, Marin and Modrea 2020: the printed equations, in matrix notation.

Reading order: ``symbols`` (what its symbols stand for), ``constraints`` (2)-(14), ``kinematics``
(15)-(24), ``energy`` (27)-(31), (39)-(42) and A.1, ``element`` (33)-(38) and (44)-(46),
``assembly`` (48)-(49), ``system`` (50)-(57), ``appendix`` (B.1)-(B.18), ``paper`` (all).
"""
