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
    "quad9": (2, 2, True), "hex27": (3, 2, True), "pyramid5": (3, 1, True), "wedge6": (3, 1, True),
    "wedge15": (3, 2, True),
}  # fmt: skip


def block(cell: str, dim: int, recombine: bool) -> None:
    """Make the geometry of the block, and say how it is to be cut."""
    extruded = cell.startswith("wedge")
    if extruded:
        base = gmsh.model.occ.addRectangle(0, 0, 0, 2, 1)
        gmsh.model.occ.extrude([(2, base)], 0, 0, 1, numElements=[1], recombine=True)
    elif dim == 3:
        gmsh.model.occ.addBox(0, 0, 0, 2, 1, 1)
    else:
        gmsh.model.occ.addRectangle(0, 0, 0, 2, 1)
    gmsh.model.occ.synchronize()
    for _, curve in gmsh.model.getEntities(1):
        box = gmsh.model.getBoundingBox(1, curve)
        gmsh.model.mesh.setTransfiniteCurve(curve, 3 if box[3] - box[0] > 1 else 2)
    for _, surface in gmsh.model.getEntities(2):
        gmsh.model.mesh.setTransfiniteSurface(surface)
        upright = (
            gmsh.model.getBoundingBox(2, surface)[5]
            > 0.5 + gmsh.model.getBoundingBox(2, surface)[2]
        )
        if recombine and (upright or not extruded):
            gmsh.model.mesh.setRecombine(2, surface)
    if dim == 3 and not extruded:
        gmsh.model.mesh.setTransfiniteVolume(gmsh.model.getEntities(3)[0][1])


def pyramids(cell: str, dim: int, recombine: bool) -> None:
    """Make two cubes of six pyramids: Gmsh makes no mesh of pyramids alone, but writes one."""
    place = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1, 2)]
    place += [(0.5, 0.5, 0.5), (1.5, 0.5, 0.5)]
    number = {point: i for i, point in enumerate(place, start=1)}
    cells, ends = [], {0: [], 2: []}
    for x in (0, 1):
        # Gmsh's node ordering: the base, its normal towards the apex, then the apex.
        unit = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1),
                (0, 1, 1)]  # fmt: skip
        corner = [number[x + a, b, c] for a, b, c in unit]
        for base in (
            (0, 1, 2, 3),
            (4, 7, 6, 5),
            (0, 4, 5, 1),
            (1, 5, 6, 2),
            (2, 6, 7, 3),
            (3, 7, 4, 0),
        ):
            cells.append([*(corner[i] for i in base), number[x + 0.5, 0.5, 0.5]])
            for at, face in ends.items():
                if all(place[corner[i] - 1][0] == at for i in base):
                    face += [corner[i] for i in reversed(base)]
    gmsh.model.addDiscreteEntity(0, 1)
    gmsh.model.addDiscreteEntity(2, 1)
    gmsh.model.addDiscreteEntity(2, 2)
    gmsh.model.addDiscreteEntity(3, 1, [1, 2])
    numbers = list(range(1, len(place) + 1))
    gmsh.model.mesh.addNodes(3, 1, numbers, [value for point in place for value in point])
    gmsh.model.mesh.addElementsByType(1, 15, [100], [1])
    for surface, nodes in enumerate(ends.values(), start=1):
        gmsh.model.mesh.addElementsByType(surface, 3, [200 + surface], nodes)
    gmsh.model.mesh.addElementsByType(1, 7, [], [node for one in cells for node in one])
    gmsh.model.mesh.reclassifyNodes()


def make(cell: str) -> None:
    """Mesh the block with one kind of cell and write it in every format."""
    dim, order, recombine = CELLS[cell]
    gmsh.clear()
    (pyramids if cell == "pyramid5" else block)(cell, dim, recombine)
    (_, body), *_ = gmsh.model.getEntities(dim)
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
    if cell != "pyramid5":
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
