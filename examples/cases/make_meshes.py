# SPDX-License-Identifier: BSD-3-Clause
"""Make the meshes of the cases that are not blocks, most with Gmsh: ``python make_meshes.py``."""

from __future__ import annotations

import math
from pathlib import Path

import gmsh

HERE = Path(__file__).parent


def quarter_disc(path: Path, size: float) -> None:
    """Mesh a quarter of a disc of radius 1 with curved quadratic triangles."""
    gmsh.model.add("disc")
    geometry = gmsh.model.geo
    centre, right, top = (
        geometry.addPoint(*xy, 0, size) for xy in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
    )
    bottom = geometry.addLine(centre, right)
    rim = geometry.addCircleArc(right, centre, top)
    left = geometry.addLine(top, centre)
    surface = geometry.addPlaneSurface([geometry.addCurveLoop([bottom, rim, left])])
    geometry.synchronize()
    _write(path, {"disc": (2, surface), "bottom": (1, bottom), "rim": (1, rim), "left": (1, left)})


def ellipse_quarter(path: Path, across: int, along: int) -> None:
    """Mesh the quarter between the ellipses 2 x 1 and 3.25 x 2.75 with 8-node quadrilaterals."""
    gmsh.model.add("ellipse")
    geometry = gmsh.model.geo
    centre = geometry.addPoint(0, 0, 0)
    d, c = geometry.addPoint(2, 0, 0), geometry.addPoint(3.25, 0, 0)
    a, b = geometry.addPoint(0, 1, 0), geometry.addPoint(0, 2.75, 0)
    inner = geometry.addEllipseArc(d, centre, d, a)
    outer = geometry.addEllipseArc(c, centre, c, b)
    bottom, left = geometry.addLine(d, c), geometry.addLine(a, b)
    loop = geometry.addCurveLoop([bottom, outer, -left, -inner])
    surface = geometry.addPlaneSurface([loop])
    for curve in (inner, outer):
        geometry.mesh.setTransfiniteCurve(curve, along + 1)
    for curve in (bottom, left):
        geometry.mesh.setTransfiniteCurve(curve, across + 1)
    geometry.mesh.setTransfiniteSurface(surface)
    geometry.mesh.setRecombine(2, surface)
    geometry.synchronize()
    gmsh.option.setNumber("Mesh.SecondOrderIncomplete", 1)
    _write(
        path,
        {"membrane": (2, surface), "outer": (1, outer), "bottom": (1, bottom), "left": (1, left)},
    )


def curved_beam(path: Path, along: int, across: int) -> None:
    """Write the quarter of a ring between the radii 4.12 and 4.32 in the plane z = 0."""
    rows = range(across + 1)
    lines = ["*NODE"]
    for i in range(along + 1):
        angle = math.pi / 2 * i / along
        for j in rows:
            radius = 4.12 + 0.2 * j / across
            number = i * (across + 1) + j + 1
            x, y = radius * math.cos(angle), radius * math.sin(angle)
            lines.append(f"{number}, {x:.15g}, {y:.15g}, 0")
    lines.append("*ELEMENT, TYPE=S4, ELSET=BEAM")
    for i in range(along):
        for j in range(across):
            a, d = i * (across + 1) + j + 1, (i + 1) * (across + 1) + j + 1
            lines.append(f"{i * across + j + 1}, {a}, {a + 1}, {d + 1}, {d}")
    last = along * (across + 1)
    lines += ["*NSET, NSET=root", ", ".join(str(j + 1) for j in rows)]
    lines += ["*NSET, NSET=end", ", ".join(str(last + j + 1) for j in rows)]
    path.write_text("\n".join(lines) + "\n")


def _write(path: Path, groups: dict[str, tuple[int, int]]) -> None:
    for name, (dimension, tag) in groups.items():
        gmsh.model.addPhysicalGroup(dimension, [tag], name=name)
    gmsh.model.mesh.generate(2)
    gmsh.model.mesh.setOrder(2)
    gmsh.write(str(path))
    gmsh.model.remove()


if __name__ == "__main__":
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    quarter_disc(HERE / "m6_disc" / "disc.msh", 0.05)
    for number, (across, along) in enumerate(((3, 4), (6, 8), (12, 16))):
        ellipse_quarter(HERE / "e3_ellipse" / f"ellipse{number}.msh", across, along)
    gmsh.finalize()
    for name, along, across in (("coarse", 6, 1), ("quads", 24, 2)):
        curved_beam(HERE / "e5_curved_beam" / f"{name}.inp", along, across)
