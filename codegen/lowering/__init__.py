# SPDX-License-Identifier: BSD-3-Clause
"""Lowering: densities at a material point become programs over elements.

Read in this order: ``structure`` (what the density's block looks like), ``tables`` (shape
functions at the quadrature points), ``geometry`` (Jacobian, gradients and volume at a point),
``terms`` (matrices and loads of the element equations), ``stress`` (stress, and the geometric
stiffness that needs it), ``surface`` (pressure on facets), ``sweep`` and ``action`` (matrices times
vectors, without the matrix), ``lumped`` (lumped masses).
"""
