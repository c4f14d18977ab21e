# SPDX-License-Identifier: BSD-3-Clause
"""Lowering: densities at a material point become programs over elements.

Read in this order: ``lowered`` (what comes out), ``lower`` (the way in), ``continuum`` and
``field_terms`` (a function per term of each kind of element). Then what these are made of:
``structure`` (what the density's block looks like), ``tables`` (shape functions at the quadrature
points), ``sums`` (over points or nodes), ``geometry`` (Jacobian, gradients and volume at a point),
``terms`` (matrices and loads of the element equations), ``stress`` (stress, and the geometric
stiffness that needs it), ``surface`` (pressure on facets), ``sweep`` and ``action`` (matrices times
vectors, without the matrix), ``lumped`` (lumped masses); of beams, shells and connectors
``stations``, ``fields``, ``field_stress``, ``own_stress``.
"""
