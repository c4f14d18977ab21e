# SPDX-License-Identifier: BSD-3-Clause
"""Make the mesh of the blade from its sections, with Gmsh: ``python make_mesh.py [SIZE] [FILE]``.

The blade is a loft through aerofoil sections (NACA 4-digit thickness and camber) whose chord,
thickness and pitch change along the span. x runs along the span, z is the axis of rotation.
SIZE is the length of an edge in metres (default 0.0075), FILE the mesh (default blade.msh).
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import gmsh

# span position (m), chord (m), thickness / chord, pitch (degrees)
SECTIONS = (
    (0.05, 0.050, 0.20, 38.0),
    (0.12, 0.058, 0.15, 28.0),
    (0.20, 0.052, 0.12, 20.0),
    (0.28, 0.042, 0.10, 15.0),
    (0.35, 0.030, 0.09, 12.0),
)
CAMBER, CAMBER_PLACE = 0.04, 0.4
POINTS = 24  # on each side of a section
TRAILING_EDGE = 0.25  # least half thickness, of the largest one: an edge that can be milled


def section(chord: float, thickness: float) -> list[tuple[float, float]]:
    """Return the outline from the trailing edge over the upper side and the nose to below."""
    upper, lower = [], []
    for i in range(POINTS + 1):
        s = 0.5 * (1.0 - math.cos(math.pi * i / POINTS))
        half = (
            5
            * thickness
            * (0.2969 * math.sqrt(s) - 0.1260 * s - 0.3516 * s**2 + 0.2843 * s**3 - 0.1015 * s**4)
        )
        if s > 0.3:
            half = max(half, TRAILING_EDGE * thickness / 2)
        p = CAMBER_PLACE
        if s < p:
            line = CAMBER / p**2 * (2 * p * s - s * s)
        else:
            line = CAMBER / (1 - p) ** 2 * (1 - 2 * p + 2 * p * s - s * s)
        upper.append(((s - 0.35) * chord, (line + half) * chord))
        lower.append(((s - 0.35) * chord, (line - half) * chord))
    return upper[::-1] + lower[1:]


def wire(x: float, chord: float, thickness: float, pitch: float) -> int:
    """Add a section's outline: two splines that meet at the nose, and the blunt trailing edge."""
    cos, sin = math.cos(math.radians(pitch)), math.sin(math.radians(pitch))
    kernel = gmsh.model.occ
    points = [
        kernel.addPoint(x, cos * y - sin * z, sin * y + cos * z)
        for y, z in section(chord, thickness)
    ]
    upper = kernel.addSpline(points[: POINTS + 1])
    lower = kernel.addSpline(points[POINTS:])
    edge = kernel.addLine(points[-1], points[0])
    return kernel.addWire([upper, lower, edge])


def make(size: float, path: Path) -> None:
    """Loft, name the faces, mesh with quadratic tetrahedra and write."""
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.model.add("blade")
    loft = gmsh.model.occ.addThruSections([wire(*row) for row in SECTIONS], makeSolid=True)
    gmsh.model.occ.synchronize()
    solid = [tag for dimension, tag in loft if dimension == 3]
    faces = gmsh.model.getBoundary([(3, solid[0])], oriented=False)
    boxes = {tag: gmsh.model.getBoundingBox(2, tag) for _, tag in faces}
    groups: dict[str, list[int]] = {
        "root": [],
        "tip": [],
        "suction": [],
        "pressure": [],
        "edge": [],
    }
    sides = []
    for tag, (x0, _, _, x1, _, _) in boxes.items():
        if x1 - x0 < 1e-6:
            groups["root" if x0 < 0.1 else "tip"].append(tag)
        else:
            sides.append(tag)
    # The trailing edge is the narrowest of the long faces; of the others the upper one is suction.
    sides.sort(key=lambda t: gmsh.model.occ.getMass(2, t))
    groups["edge"] = [sides[0]]
    upper = sorted(sides[1:], key=lambda t: gmsh.model.occ.getCenterOfMass(2, t)[2])
    groups["pressure"], groups["suction"] = [upper[0]], [upper[-1]]
    gmsh.model.addPhysicalGroup(3, solid, name="blade")
    for name, tags in groups.items():
        gmsh.model.addPhysicalGroup(2, tags, name=name)
    gmsh.option.setNumber("Mesh.MeshSizeMax", size)
    gmsh.option.setNumber("Mesh.MeshSizeMin", 0.4 * size)
    gmsh.option.setNumber("Mesh.MeshSizeFromCurvature", 12)
    gmsh.option.setNumber("Mesh.Binary", 1)
    gmsh.option.setNumber("Mesh.MshFileVersion", 2.2)
    gmsh.model.mesh.generate(3)
    gmsh.model.mesh.optimize("Netgen")
    gmsh.model.mesh.setOrder(2)
    gmsh.model.mesh.optimize("HighOrderElastic")
    gmsh.write(str(path))
    nodes = len(gmsh.model.mesh.getNodes()[0])
    cells = sum(len(tags) for tags in gmsh.model.mesh.getElements(3)[1])
    print(f"{path}: {nodes} nodes, {cells} tetrahedra, {path.stat().st_size / 1e3:.0f} kB")
    gmsh.finalize()


if __name__ == "__main__":
    chosen = float(sys.argv[1]) if len(sys.argv) > 1 else 0.0075
    default = Path(__file__).parent / "blade.msh"
    make(chosen, Path(sys.argv[2]) if len(sys.argv) > 2 else default)
