# SPDX-License-Identifier: BSD-3-Clause
"""The support table: what every element and every joint can do, as tiny runs show.

Reading order: ``models`` (a tiny model for each element), ``mechanisms`` (one for each joint),
``columns`` (what is done with a model), ``probe`` (one cell of the table), ``build`` (all cells),
``page`` (Markdown). ``python -m flexforge.runtime.study.support docs/support`` writes the page and
its data.
"""
