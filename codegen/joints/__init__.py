# SPDX-License-Identifier: BSD-3-Clause
"""Joints between two links: constraints written once, everything else derived and compiled.

Read in this order: ``markers`` (the relative place of two markers and its rates), ``table``
(which joints there are) and ``kinds`` (the expressions they hold and leave free), ``derive``
(Jacobians, their rates, accelerations) and ``lower`` (the kernels of a joint).
"""
