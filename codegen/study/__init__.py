# SPDX-License-Identifier: BSD-3-Clause
"""Study of the compiler: readable derivations, equations of papers, comparisons, checks.

Reading order: ``verification`` (checks of every element), ``report``, ``latex`` and
``pages`` (a derivation as text, formulas and web pages), ``written_equations``, ``as_written`` and
``comparison`` (cost of the formalisms), ``ledgers`` (derivations as a table, ``tables``),
``explain`` (savings of each pass), ``claims`` and ``audit`` (comparison with the papers).

Nothing in the compiler imports this folder. It is not part of cache keys or builds: a changed text
does not cause kernels to be derived again.
"""
