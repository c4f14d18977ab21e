# SPDX-License-Identifier: BSD-3-Clause
"""The audit of the printed equations: equations of the papers compared with SymPy's derivations.

Reading order: ``notation`` (the text of a printed form and its parser), ``instant`` (a generic
motion frozen at one instant, on which both sides are exact polynomials), ``evaluate`` (a printed
form at that instant; indices and shapes that do not fit), ``parts`` and ``linear``, ``difference``
(by what two sides differ), ``equation`` (an equation, its prints and readings), ``reading``,
``verdict`` (the audit of one equation), ``derivations`` (the right sides, by differentiation),
``matrix_form``, the papers, one folder each, ``library`` (all papers), ``latex`` and ``report``
(text and Markdown).
"""
