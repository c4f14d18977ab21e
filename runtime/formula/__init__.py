# SPDX-License-Identifier: BSD-3-Clause
"""Formulas of the model file, parsed by a whitelist, never executed as code.

Reading order: ``functions`` (the functions allowed), ``program`` (a parsed formula) and
``expressions`` (from text to program).
"""
