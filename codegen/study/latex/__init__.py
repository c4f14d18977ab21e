# SPDX-License-Identifier: BSD-3-Clause
"""Derivations in LaTeX: every formula is printed from an expression that was derived.

Read in this order: ``notation`` (names and the plain notation of docstrings), ``printer`` (an
expression as pieces between which a line may break), ``layout`` (pieces in lines that fit), then
``formulas`` (what the document and the Markdown pages have in common) and ``document``.
"""
