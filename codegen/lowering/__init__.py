# SPDX-License-Identifier: BSD-3-Clause
"""Lowering: from densities at a material point to programs over elements.

Read in this order: ``lowered`` (the result), ``lower`` (the entry point), ``continuum`` and
``field_terms`` (one function per term for each kind of element). Then the parts they use:
``structure`` (structure of the density's block), ``tables`` (shape functions at the quadrature
points), ``sums`` (over points or nodes), ``geometry`` (Jacobian, gradients and volume at a point),
``terms`` (matrices and loads of the element equations), ``stress`` (stress, and the geometric
stiffness that needs it), ``surface`` (pressure on facets), ``sweep`` and ``action`` (matrices times
vectors, without the matrix), ``lumped`` (lumped masses); of elements with an energy
``finite_point`` and ``finite`` (energy and forces), ``deformed``, ``pair_products``, ``moments``
and ``finite_tangent`` (the tangent), ``finite_nodes`` (another way to it); of beams, shells and
connectors ``stations``, ``fields``, ``field_stress``, ``own_stress``.
"""
