# SPDX-License-Identifier: BSD-3-Clause
"""Joints between two links: from constraints, written once, to compiled kernels.

Read in this order: ``markers`` (the relative position of two markers and its rates), ``table``
(list of joints) and ``kinds`` (their constraint and coordinate expressions), ``derive``
(Jacobians, their rates, accelerations) and ``lower`` (the kernels of a joint).
"""
