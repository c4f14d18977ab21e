# SPDX-License-Identifier: BSD-3-Clause
"""Derivations in LaTeX: every formula is printed from a derived expression.

Read in this order: ``notation`` (names and the plain notation of docstrings), ``printer`` (an
expression as pieces between which a line may break), ``layout`` (line breaks), then
``formulas`` (shared by the document and the Markdown pages) and ``document``.
"""
