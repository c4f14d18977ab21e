# SPDX-License-Identifier: BSD-3-Clause
"""Shells and beams expanded into solids, as CalculiX does: a step from mesh to mesh.

Every node of a shell gets nodes below, on and above the surface, along its normal; every node of a
beam gets those of its cross section. Where elements disagree on the directions at a node, it is a
knot: each gets nodes of its own, and all of them move with the node. Linear relations lead from the
nodes of the file, which supports, loads and tables mean, to those of the solids.

Read in this order: ``members`` (cells to expand, with thickness and directions), ``sections``
(the distinct ones at every node), ``solids`` (points and cells), ``relations``, ``tables`` (of the
model), ``plies`` (laminates), ``build`` (all of it); ``own_points`` says where the solids of beams
and plies have their points of integration.
"""
