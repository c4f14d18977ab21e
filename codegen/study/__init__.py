# SPDX-License-Identifier: BSD-3-Clause
"""What looks at the compiler: derivations for people, the papers' equations, comparisons, checks.

Reading order: ``verification`` (what every element must satisfy), ``report``, ``latex`` and
``pages`` (a derivation as text, formulas and web pages), ``written_equations``, ``as_written`` and
``comparison`` (what the formalisms cost), ``explain`` (what each pass saved), ``claims`` and
``audit`` (the papers held against all of it).

Nothing in the compiler imports this folder. It enters no cache key and no build: changing a word of
a page derives no kernel again.
"""
