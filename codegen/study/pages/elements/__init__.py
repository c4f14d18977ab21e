# SPDX-License-Identifier: BSD-3-Clause
"""The pages of docs/elements, written from the declarations: ``make pages`` builds them.

Read in this order: ``families`` (list of pages), ``texts`` (recommended use of each element),
``facts`` (data of a declaration), ``formulas`` (shape functions), ``svg``, ``cells``,
``cell_picture``, ``bands`` and ``shape_picture`` (pictures), ``build`` (all together). A test
compares the result with the files in the repository.
"""
