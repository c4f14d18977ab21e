# SPDX-License-Identifier: BSD-3-Clause
"""The linear systems of a step: matrices, their factors, and when these are made again.

Reading order: ``mass``, ``stepmatrix``, ``followed``, ``factors``; for joints ``directions``,
``drag``, ``condensed``, ``condensedmatrix``, ``masses`` and ``projected``.
"""
