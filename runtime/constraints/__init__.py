# SPDX-License-Identifier: BSD-3-Clause
"""Constraints between coordinates: one description, several ways through the equations of motion.

Read in this order: ``rows`` (what a constraint is), ``clusters`` (which of them hang together),
``generalized_speeds`` (those that each method chooses), ``basis`` (what of them never changes),
``null_space`` (``q' = A z + b``). For large bodies: ``span`` (what all rows are made of) and
``apart`` (which of that reaches the same bodies).
"""
