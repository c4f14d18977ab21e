# SPDX-License-Identifier: BSD-3-Clause
"""The source of the mesh: ``[mesh]``, a file or mapped blocks, and additional points."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from flexforge.codegen.elements.facts import FACTS, LARGE_IN_MODELS, LARGE_RODS, named
from flexforge.runtime.mesh.arcs import Arcs
from flexforge.runtime.mesh.mesh import Mesh
from flexforge.runtime.model.angles import OR_DEGREES, points_in_rad
from flexforge.runtime.model.base import (
    Count,
    FilePath,
    Flag,
    GroupName,
    Name,
    Number,
    Positive,
    Table,
    Vector,
    problem,
)
from pydantic import BeforeValidator, Field, InstanceOf, ValidationInfo, model_validator

LINE_CELLS = ("line2", "line3")
PLANAR_CELLS = ("tri3", "tri6", "quad4", "quad8", "quad9")
SPATIAL_CELLS = (
    "tet4", "tet10", "pyramid5", "wedge6", "wedge15", "hex8", "hex20", "hex27"
)  # fmt: skip
#: The hypotheses of plane elements; the first is the default.
HYPOTHESES = {name: FACTS[name].hypotheses for name in named("plane")}
PLANAR_ELEMENTS, SPATIAL_ELEMENTS = named("plane"), named("solid")
#: Bars and beams, and the cell of each; names that end in _plane are for models in the plane.
RODS = {f"{name}{end}": FACTS[name].cell for name in named("rod") for end in ("", "_plane")}
#: The same with large displacements and rotations.
LARGE = {
    f"{name}{end}": LARGE_RODS[name].cell for name in LARGE_IN_MODELS for end in ("", "_plane")
}
#: Shells in space, and the cell of each.
SHELLS = {name: FACTS[name].cell for name in named("shell")}
#: Beams whose section may vary along them.
TAPERED_BEAMS = tuple(
    f"{name}{end}" for name in named("rod") if FACTS[name].tapered for end in ("", "_plane")
)
#: Beams that may have plies.
LAMINATED_BEAMS = tuple(name for name in named("rod") if FACTS[name].laminated)
ELEMENTS = (*PLANAR_ELEMENTS, *SPATIAL_ELEMENTS, *RODS, *LARGE, *SHELLS)
#: The same in words, of which rods in the plane are too many.
NAMED_ELEMENTS = (
    ", ".join(one for one in ELEMENTS if not one.endswith(("_plane", "rm")))
    + " (of bars, beams and cables also with _plane)"
)


def cell_of(element: str) -> str:
    """Return the name of the mesh cell of a standard element or a variant of one."""
    plain = element.removesuffix("_plane")
    known = FACTS.get(plain) or LARGE_RODS.get(plain)
    return known.cell if known is not None else element


Cell: TypeAlias = Literal[
    "line2",
    "line3",
    "tri3",
    "tri6",
    "quad4",
    "quad8",
    "quad9",
    "tet4",
    "tet10",
    "pyramid5",
    "wedge6",
    "wedge15",
    "hex8",
    "hex20",
    "hex27",
]


def _angles(corners: Any, info: ValidationInfo) -> Any:
    """Return corners whose angles, if they have any, are in rad."""
    # Coordinates that were found wrong are absent: their angles are not to be mistakes, too.
    is_cartesian = info.data.get("coordinates") == "cartesian"
    return corners if is_cartesian else points_in_rad(corners, info)


class Arc(Table):
    """``[[mesh.block.arcs]]``: an edge of a block that is an arc of a circle."""

    corners: tuple[Count, Count] = Field(
        description="a list of the two corners of an edge, which count from 1"
    )
    through: tuple[Number, ...] = Field(
        description="a point of the arc between them, with as many coordinates as the corners (m)"
    )


class Block(Table):
    """``[mesh.block]``: a mapped block of cells, generated without a mesh file."""

    cell: Cell = Field(
        description=f"one of {', '.join((*LINE_CELLS, *PLANAR_CELLS, *SPATIAL_CELLS))}"
    )
    coordinates: Literal["cartesian", "cylindrical"] = Field(
        default="cartesian",
        description='"cartesian", or "cylindrical": corners are [radius, angle, z], the angle a '
        f"number (rad), {OR_DEGREES}",
    )
    corners: Annotated[tuple[tuple[Number, ...], ...], BeforeValidator(_angles)] = Field(
        description="a list of 2 (line), 4 (plane) or 8 (solid) points, each a list of numbers (m)"
    )
    divisions: tuple[Count, ...] = Field(
        description="a list of whole numbers from 1, the cells along the 1 (line), 2 (plane) or 3 "
        "(solid) sides"
    )
    arcs: tuple[Arc, ...] = Field(
        default=(), description="a list of tables {corners, through}, edges that are arcs"
    )

    @model_validator(mode="after")
    def _sizes(self) -> Block:
        sides = 1 if self.cell in LINE_CELLS else 2 if self.cell in PLANAR_CELLS else 3
        if len(self.divisions) != sides:
            raise problem(
                f"found {len(self.divisions)} divisions; expected {sides} for {self.cell}",
                "divisions",
            )
        if len(self.corners) != 2**sides:
            raise problem(
                f"found {len(self.corners)} corners; expected {2**sides} for {self.cell}",
                "corners",
            )
        for number, corner in enumerate(self.corners):
            if len(corner) in (2, 3) and sides < 3 and len(corner) != len(self.corners[0]):
                raise problem(
                    f"found {len(corner)} coordinates; expected {len(self.corners[0])}, as many as "
                    "corners[0] has",
                    "corners",
                    number,
                )
            if len(corner) not in ({3} if sides == 3 else {2, 3}):
                raise problem(
                    f"found {len(corner)} coordinates; expected {sides}", "corners", number
                )
        self._check_arcs()
        return self

    def _check_arcs(self) -> None:
        """Refuse arcs that cannot be."""
        if self.arcs and self.is_cylindrical:
            raise problem('found arcs; expected them with coordinates = "cartesian"', "arcs")
        seen: set[frozenset[int]] = set()
        for number, arc in enumerate(self.arcs):
            if max(arc.corners) > len(self.corners):
                raise problem(
                    f"found corner {max(arc.corners)}; expected 1 to {len(self.corners)}",
                    "arcs", number, "corners",
                )  # fmt: skip
            if len(arc.through) != len(self.corners[0]):
                raise problem(
                    f"found {len(arc.through)} coordinates; expected {len(self.corners[0])}, as "
                    "many as the corners have", "arcs", number, "through",
                )  # fmt: skip
            if frozenset(arc.corners) in seen:
                raise problem("found this edge before", "arcs", number, "corners")
            seen.add(frozenset(arc.corners))

    @property
    def is_cylindrical(self) -> bool:
        """Whether the corners are given by radii and angles."""
        return self.coordinates == "cylindrical"

    @property
    def bent_edges(self) -> Arcs:
        """The points of the arcs by their edges, whose corners count from 0."""
        return {
            (one.corners[0] - 1, one.corners[1] - 1): np.array(one.through) for one in self.arcs
        }


class MeshSpec(Table):
    """``[mesh]``: a file, arrays or blocks, with or without points; or points alone."""

    file: FilePath | None = Field(
        default=None, description="the path of a mesh file, relative to the model file"
    )
    block: Block | None = Field(default=None, description="a table {cell, corners, divisions}")
    blocks: dict[Name, Block] = Field(
        default={}, description="a table [mesh.blocks.NAME] {cell, corners, divisions} for each"
    )
    scale: Positive = Field(
        default=1.0,
        description="a factor on all coordinates that makes them metres, a number above 0",
    )

    straighten: Flag = Field(
        default=False,
        description="true or false: inverted cells of second order get straight edges",
    )
    merge: Flag = Field(
        default=False, description="true or false: nodes at the same place are one node"
    )
    points: dict[GroupName, Vector] = Field(
        default={}, description="a table of points, NAME = [x, y, z] (m)"
    )

    arrays: InstanceOf[Mesh] | None = Field(
        default=None,
        exclude=True,
        repr=False,
        description="in Python, a mesh from flexforge.mesh_from_arrays or flexforge.read_mesh",
    )

    @model_validator(mode="before")
    @classmethod
    def _mesh_itself(cls, value: Any) -> Any:
        return {"arrays": value} if isinstance(value, Mesh) else value

    @model_validator(mode="after")
    def _one_source(self) -> MeshSpec:
        given = {
            "file": self.file,
            "arrays": self.arrays,
            "block": self.block,
            "blocks": self.blocks or None,
        }
        found = [key for key, value in given.items() if value is not None]
        if len(found) > 1:
            raise problem(f"found both {' and '.join(found)}; expected one of them")
        if not found and not self.points:
            raise problem("found neither file nor block; expected one of them, or points")
        return self
