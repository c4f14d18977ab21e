# SPDX-License-Identifier: BSD-3-Clause
"""Links with several frames: substructures of a link, each with small displacements in its own.

A body that bends by large angles is cut into pieces, each a link of its own, joined rigidly to the
next: the corotational substructures of a chain. Everything behind sees links, bodies and joints.

Reading order: ``cells`` (the cells on a link), ``chain`` and ``parts`` (which piece each belongs
to), ``cut`` (the mesh with a copy of shared nodes for every piece), ``seams`` (where pieces are
joined), ``tables`` (the model of pieces), ``build`` (all of it).
"""
