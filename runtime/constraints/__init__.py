# SPDX-License-Identifier: BSD-3-Clause
"""Constraints between coordinates: one description, several ways through the equations of motion.

Read in this order: ``rows`` (what a constraint is), ``clusters`` (which of them hang together),
``speeds`` (the generalized speeds that each way chooses), ``basis`` (what of them never changes),
``reduction`` (``q' = A z + b``). For large bodies: ``span`` (what all rows are made of) and
``apart`` (which of that reaches the same bodies).
"""
