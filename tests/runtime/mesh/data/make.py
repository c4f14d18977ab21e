# SPDX-License-Identifier: BSD-3-Clause
"""Write the mesh files of this folder with Gmsh: a sheared 2 x 1 (x 1) block of every cell.

    python tests/runtime/mesh/data/make.py [CELL ...]

Gmsh (4.15.2) is a second opinion on the numbering of nodes: nothing of flexforge writes here.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import gmsh

SHEAR = [1.0, 0.3, 0.1, 0.5, 0.0, 0.9, 0.2, -0.25, 0.05, 0.0, 1.1, 0.125]  # rows of [A | b]
PLANE = [1.0, 0.3, 0.0, 0.5, 0.1, 0.9, 0.0, -0.25, 0.0, 0.0, 1.0, 0.0]
FORMATS = {
    "22.msh": {"Mesh.MshFileVersion": 2.2, "Mesh.Binary": 0},
    "22b.msh": {"Mesh.MshFileVersion": 2.2, "Mesh.Binary": 1},
    "40.msh": {"Mesh.MshFileVersion": 4.0, "Mesh.Binary": 0},
    "41.msh": {"Mesh.MshFileVersion": 4.1, "Mesh.Binary": 0},
    "41b.msh": {"Mesh.MshFileVersion": 4.1, "Mesh.Binary": 1},
    "inp": {"Mesh.SaveGroupsOfNodes": 1},
    "vtk": {"Mesh.Binary": 0},
    "b.vtk": {"Mesh.Binary": 1},
}
CELLS = {
    "tri3": (2, 1, False), "tri6": (2, 2, False), "quad4": (2, 1, True), "quad8": (2, 2, True),
    "tet4": (3, 1, False), "tet10": (3, 2, False), "hex8": (3, 1, True), "hex20": (3, 2, True),
    "quad9": (2, 2, True), "hex27": (3, 2, True),
}  # fmt: skip


def make(cell: str) -> None:
    """Mesh the block with one kind of cell and write it in every format."""
    dim, order, recombine = CELLS[cell]
    gmsh.clear()
    if dim == 3:
        gmsh.model.occ.addBox(0, 0, 0, 2, 1, 1)
    else:
        gmsh.model.occ.addRectangle(0, 0, 0, 2, 1)
    gmsh.model.occ.synchronize()
    (_, body), *_ = gmsh.model.getEntities(dim)
    for _, curve in gmsh.model.getEntities(1):
        box = gmsh.model.getBoundingBox(1, curve)
        gmsh.model.mesh.setTransfiniteCurve(curve, 3 if box[3] - box[0] > 1 else 2)
    for _, surface in gmsh.model.getEntities(2):
        gmsh.model.mesh.setTransfiniteSurface(surface)
        if recombine:
            gmsh.model.mesh.setRecombine(2, surface)
    if dim == 3:
        gmsh.model.mesh.setTransfiniteVolume(body)
    sides = gmsh.model.getEntities(dim - 1)
    boxes = {tag: gmsh.model.getBoundingBox(dim - 1, tag) for _, tag in sides}
    root = min(boxes, key=lambda tag: boxes[tag][3])
    end = max(boxes, key=lambda tag: boxes[tag][0])
    gmsh.model.addPhysicalGroup(dim, [body], 1, "part")
    gmsh.model.addPhysicalGroup(dim, [body], 2, "every thing")
    gmsh.model.addPhysicalGroup(dim - 1, [root], 3, "root")
    gmsh.model.addPhysicalGroup(dim - 1, [end], 77)
    gmsh.model.addPhysicalGroup(dim - 1, [root, end], 5, "shared")
    gmsh.model.addPhysicalGroup(dim, [body], 5, "shared")
    gmsh.model.addPhysicalGroup(0, [gmsh.model.getEntities(0)[0][1]], 9, "tip")
    gmsh.model.mesh.generate(dim)
    gmsh.option.setNumber("Mesh.SecondOrderIncomplete", cell not in ("quad9", "hex27"))
    gmsh.model.mesh.setOrder(order)
    gmsh.model.mesh.affineTransform(SHEAR if dim == 3 else PLANE)
    for ending, options in FORMATS.items():
        for name, value in options.items():
            gmsh.option.setNumber(name, value)
        separator = "." if ending in ("inp", "vtk") else "_"
        gmsh.write(f"{cell}{separator}{ending}")


os.chdir(Path(__file__).parent)  # Gmsh writes the name it is given into some files
gmsh.initialize()
gmsh.option.setNumber("General.Terminal", 0)
for each in sys.argv[1:] or CELLS:
    make(each)
gmsh.finalize()
