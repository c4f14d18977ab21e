# SPDX-License-Identifier: BSD-3-Clause
"""Elements as declarations.

Read in this order: ``declaration`` (what an element is), ``interpolation`` (shape functions from
a space and nodes), ``strain`` and ``constitutive`` (what it is made of), ``quadrature``, and
``facts`` (names, cells and families of all of the library) and ``library`` (the standard solids).
A new element is a new declaration and a line in ``facts``.

Elements with a field of their own: ``field`` and ``stiffening`` (what they are), ``user_files`` and
``user_fields`` (the files that declare them; ``declared``: those of the library), ``field_scope``
and ``calls`` (names in formulas), ``field_axes``, ``field_conditions`` and ``field_strains`` (what
a file says). Masses and connectors are declared in Python.
"""
