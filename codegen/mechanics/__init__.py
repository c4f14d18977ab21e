# SPDX-License-Identifier: BSD-3-Clause
"""Analytical mechanics in SymPy: from an element in a moving frame to its equations of motion.

Reading order: ``frames``, ``kinematics`` with ``field_kinematics``, ``shape_symbols`` and
``points`` (one material point), ``ledger`` (cost of a derivation), ``formalisms`` (the ways to
the equations), ``polynomials`` and ``equations`` (sorted into terms, without remainder),
``derivation`` (all steps in order). Of elements with an energy: ``invariants``, ``convected`` and
``combinations`` (derivatives of invariants, in few products).
"""
