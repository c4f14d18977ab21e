# SPDX-License-Identifier: BSD-3-Clause
"""Formulas of the model file, parsed by a whitelist, never executed as code.

Reading order: ``jets`` (a function with its derivatives), ``functions``, ``program`` and
``expressions``.
"""
