# SPDX-License-Identifier: BSD-3-Clause
"""The pages of docs/elements, written from the declarations: ``make pages`` builds them.

Read in this order: ``families`` (which pages there are), ``texts`` (what each element is good
for), ``facts`` (what a declaration says), ``formulas`` (its shape functions), ``svg``, ``cells``,
``cell_picture``, ``bands`` and ``shape_picture`` (the pictures), ``build`` (all of it together). A
test compares what is built with the files in the repository.
"""
