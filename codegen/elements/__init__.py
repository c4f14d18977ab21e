# SPDX-License-Identifier: BSD-3-Clause
"""Elements as declarations.

Read in this order: ``declaration`` (what an element is), ``interpolation`` (shape functions from
nodes and a function space), ``strain`` and ``constitutive`` (strains and law), ``quadrature``, and
``facts`` (names, cells and families of all library elements) and ``library`` (standard solids).
To add an element, write its declaration and add a line to ``facts``.

Elements with an explicit displacement field: ``field`` and ``stiffening`` (their data),
``user_files`` and ``user_fields`` (the files that declare them; ``declared`` holds those of the
library), ``field_scope`` and ``calls`` (names in formulas), ``field_axes``, ``field_conditions``
and ``field_strains`` (the entries of a file). Masses and connectors are declared in Python.
"""
