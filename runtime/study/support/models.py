# SPDX-License-Identifier: BSD-3-Clause
"""A tiny model for each element: a few cells in a row, held at one end, pushed at the other."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

from flexforge.codegen.elements.facts import FACTS, REVOLVED, TORSION
from flexforge.runtime.mesh import structured

Tables = dict[str, Any]

#: Edge of a cell, m, and number of cells in a row.
EDGE, FEW = 0.1, 2
#: Systems with more unknowns than this are not integrated in C.
MANY = 1600
MATERIAL = {"young": 2e11, "poisson": 0.3, "density": 7800, "expansion": 1e-5}
SPEED = 10.0
LUMPED = ("point mass", "rigid body", "spring", "damper", "bushing")


@dataclass(frozen=True, slots=True)
class Row:
    """An element, or a kind of mass or connector, as a row of the table.

    Attributes
    ----------
    name : str
        Name in a model file.
    hypothesis : str
        Of a plane element.
    """

    name: str
    hypothesis: str = ""

    @property
    def title(self) -> str:
        """Name, and hypothesis where there are several."""
        return f"{self.name}, {self.hypothesis.replace('_', ' ')}" if self.hypothesis else self.name

    @property
    def lumped(self) -> bool:
        """Whether it is no element with cells."""
        return self.name in LUMPED

    @property
    def revolved(self) -> bool:
        """Whether its cells are the section of a body of revolution."""
        return self.hypothesis in REVOLVED

    @property
    def base(self) -> str:
        """Name without the ending for the plane."""
        return self.name.removesuffix("_plane")

    @property
    def family(self) -> str:
        """Family of the element."""
        return "lumped" if self.lumped else FACTS[self.base].family

    @property
    def force(self) -> list[float]:
        """Direction of the load: along bars, across all others (along the axis of revolution)."""
        if self.name.startswith("bar"):
            return [1.0, 0.0, 0.0]
        return [0.0, 0.0, 1.0] if self.family == "shell" else [0.0, 1.0, 0.0]


def rows() -> list[Row]:
    """Return all rows, in the order of the documentation."""
    found = []
    for name, facts in FACTS.items():
        if facts.family == "plane":
            found += [Row(name, hypothesis) for hypothesis in facts.hypotheses]
        else:
            found.append(Row(name))
        if facts.family == "rod":
            found.append(Row(f"{name}_plane"))
    return found + [Row(name) for name in LUMPED]


def model(row: Row, *, many: bool = False) -> Tables:
    """Return the tables of a model without its analysis.

    Parameters
    ----------
    row : Row
        The element.
    many : bool
        Whether there are more unknowns than small systems have.
    """
    found = _lumped(row, many) if row.lumped else _cells(row, many)
    return found | {
        "loads": [{"kind": "force", "group": "xmax", "total": row.force}],
        "probes": [{"name": "tip", "group": "xmax",
                    "component": "xyz"[row.force.index(1.0)]}],
        "output": {"formats": ["csv"]},
    }  # fmt: skip


def _cells(row: Row, many: bool) -> Tables:
    cell = FACTS[row.base].cell
    count = FEW
    if many:
        sizes = [len(structured(cell, *_block(row, cells)).points) for cells in (1, 2)]
        count = ceil(MANY / ((sizes[1] - sizes[0]) * _coordinates(row)))
    corners, divisions = _block(row, count)
    axis = [0, 1, 0] if row.revolved else [0, 0, 1]
    body: Tables = {"name": "bar", "element": row.name, "material": "steel",
                    "frame": {"axis": axis, "velocity": SPEED}}  # fmt: skip
    if row.hypothesis:
        body["hypothesis"] = row.hypothesis
    if row.family == "shell" or row.hypothesis in ("plane_stress", "plane_strain"):
        body["thickness"] = 0.01
    if row.family == "rod":
        body["section"] = {"shape": "round", "diameter": 0.02}
    supports: list[Tables] = [{"group": "xmin"}]
    if row.name.startswith("bar"):  # which resist tension alone
        across = ["y"] if row.name.endswith("_plane") else ["y", "z"]
        supports.append({"group": "all", "components": across})
    return {
        "mesh": {"block": {"cell": cell, "corners": corners, "divisions": divisions}},
        "materials": {"steel": MATERIAL}, "bodies": [body], "supports": supports,
    }  # fmt: skip


def _block(row: Row, count: int) -> tuple[list[list[float]], list[int]]:
    """Return corners and divisions of a row of cells."""
    length, h = EDGE * count, EDGE
    if row.family == "rod":
        flat = row.name.endswith("_plane")
        return [[0.0] * (3 - flat), [length, 0.0, 0.0][: 3 - flat]], [count]
    if row.revolved:
        return [[1 + h, 0.0], [1 + h, length], [1.0, length], [1.0, 0.0]], [count, 1]
    base = [[0.0, 0.0], [length, 0.0], [length, h], [0.0, h]]
    if row.family == "plane":
        return base, [count, 1]
    lower = [[x, y, 0.0] for x, y in base]
    if row.family == "shell":
        return lower, [count, 1]
    # A row of hex20r or hex20rm, one cell wide, has motions without strain.
    wide = 2 if row.name.startswith("hex20r") else 1
    return [*lower, *([x, y, h] for x, y in base)], [count, wide, wide]


def _coordinates(row: Row) -> int:
    """Return the free coordinates of a node."""
    if row.name.startswith("bar"):
        return 1
    facts = FACTS[row.base]
    within = row.family == "plane" and row.hypothesis != TORSION
    flat = within or row.name.endswith("_plane")
    return (2 if flat else 3) + (facts.carried - 1) * (1 if flat else 3)


def _lumped(row: Row, many: bool) -> Tables:
    """Return solids or beams with a mass or a connector at one node of the free end."""
    turning = row.name in ("rigid body", "bushing")
    host = _cells(Row("timoshenko_beam" if turning else "hex8"), many)
    node = "xmax" if turning else "corner2"
    match row.name:
        case "point mass":
            return host | {"masses": [{"name": "part", "group": node, "mass": 2.0}]}
        case "rigid body":
            mass = {"name": "part", "group": node, "mass": 2.0, "inertia": [0.1, 0.1, 0.1]}
            return host | {"masses": [mass]}
        case "spring":
            law: Tables = {"kind": "spring", "stiffness": 1e4, "axis": [0, 1, 0]}
        case "damper":
            law = {"kind": "damper", "damping": 10.0, "axis": [0, 1, 0]}
        case _:
            law = {"kind": "bushing", "stiffness": [1e4] * 6}
    return host | {"connectors": [{"name": "part", "at": node, **law}]}
