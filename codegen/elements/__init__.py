# SPDX-License-Identifier: BSD-3-Clause
"""Elements as declarations.

Read in this order: ``declaration`` (what an element is), ``interpolation`` (shape functions from
a space and nodes), ``strain`` and ``constitutive`` (what it is made of), ``quadrature``, and
``library`` (the standard elements). A new element is a new declaration; nothing else changes.
"""
