# SPDX-License-Identifier: BSD-3-Clause
"""Masses and connectors: ``[[masses]]`` and ``[[connectors]]``."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from flexforge.runtime.model.angles import OR_DEGREES, Angle
from flexforge.runtime.model.base import (
    LARGEST,
    Count,
    FilePath,
    GroupName,
    Name,
    NonNegative,
    Number,
    Positive,
    Table,
    Vector,
    is_list,
    is_number,
    problem,
    refuse_no_direction,
)
from flexforge.runtime.model.schema_bearing import (
    ACROSS,
    Across,
    BearingTable,
    Matrix,
    TransferSpec,
    kind_of_table,
)
from flexforge.runtime.model.schema_frame import FRAME, Frame
from flexforge.runtime.model.schema_spin import SpinSpec
from pydantic import AfterValidator, Discriminator, Field, PlainValidator, Tag, model_validator

NAME = "a name of letters, digits, spaces and _ . + -"
NODE = "the name of a group of one node, or of a point of mesh.points"
_CLOSE = 1e-9
_RIGHT = 0.5 * np.pi


def check_tensor(given: tuple[float, ...]) -> tuple[float, ...]:
    """Refuse a tensor that no mass distribution can have."""
    if len(given) not in (1, 3, 6):
        raise problem(
            f"found {len(given)} numbers; expected [Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Iyz, Ixz, Ixy] "
            "or, in the plane, [Izz]"
        )
    moments = np.sort(np.linalg.eigvalsh(tensor_of(given))) if len(given) > 1 else np.array(given)
    scale = float(np.abs(moments).max())
    if moments[0] < -_CLOSE * scale:
        raise problem(f"found a principal moment of {moments[0]:g}; expected none below 0")
    if len(given) > 1 and moments[2] > (1 + _CLOSE) * (moments[0] + moments[1]):
        shown = ", ".join(f"{m:g}" for m in moments)
        raise problem(
            f"found the principal moments {shown}; expected each at most the sum of the others"
        )
    return given


def tensor_of(given: tuple[float, ...]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the tensor of moments and products of inertia, (3, 3)."""
    xx, yy, zz, yz, xz, xy = (*given, 0.0, 0.0, 0.0)[:6]
    return np.array([[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]])


class MassSpec(Table):
    """``[[masses]]``: a point mass, or a rigid body, at a node."""

    name: Name = Field(description=NAME)
    group: GroupName = Field(description=NODE)
    mass: NonNegative = Field(description="the mass, a number >= 0 (kg)")
    inertia: Annotated[tuple[Number, ...], AfterValidator(check_tensor)] | None = Field(
        default=None,
        description="a list of 3 moments of inertia about the centre of mass, or of these and 3 "
        "products of inertia, or of 1 in the plane (kg m^2)",
    )
    centre: Vector = Field(
        default=(0.0, 0.0, 0.0),
        description="the centre of mass from the node, three numbers [x, y, z] (m)",
    )
    frame: Frame | None = Field(default=None, description=f"{FRAME}, at a node of no body")
    spin: SpinSpec | None = Field(
        default=None,
        description="a table with its rotation about its axis, in axes that do not turn; by "
        "default that of the body at its node",
    )

    @property
    def turns(self) -> bool:
        """Whether it has moments of inertia or an offset, not only a mass at the node."""
        return self.inertia is not None or any(self.centre)

    @model_validator(mode="after")
    def _something(self) -> MassSpec:
        if not self.mass and not any(self.inertia or ()):
            raise problem("found neither mass nor inertia; expected a mass above 0 (kg)", "mass")
        if not self.mass and any(self.centre):
            raise problem("found a centre without a mass; expected a mass above 0 (kg)", "mass")
        return self


def _law(value: Any) -> Matrix:
    """Return a list of numbers, or rows of numbers, as a symmetric matrix."""
    rows = value if is_list(value) else ()
    diagonal = not any(map(is_list, rows))
    entries = rows if diagonal else [entry for row in rows if is_list(row) for entry in row]
    if not entries or not all(map(is_number, entries)):
        raise ValueError("no numbers")
    if not all(abs(e) <= LARGEST for e in entries):
        raise ValueError("not finite, or too large")
    if len(rows) not in (2, 3, 6) or (not diagonal and len(entries) != len(rows) ** 2):
        raise ValueError("no square matrix")
    matrix = np.diag(rows).astype(float) if diagonal else np.array(value, dtype=float)
    scale = float(np.abs(matrix).max())
    if np.abs(matrix - matrix.T).max() > _CLOSE * scale:
        raise problem("found a matrix that is not symmetric; expected a symmetric one")
    lowest = float(np.linalg.eigvalsh(matrix)[0])
    if lowest < -_CLOSE * scale:
        found = "a negative number" if diagonal else f"an eigenvalue of {lowest:g}"
        raise problem(f"found {found}; expected none below 0")
    return tuple(map(tuple, matrix.tolist()))


_ROWS = (
    "a list of 3 (x, y, z) or 6 (x, y, z, rx, ry, rz) numbers from 0, in the plane of 2 (x, y) or "
    "3 (x, y, rz), or a symmetric matrix of as many rows"
)
Law: TypeAlias = Annotated[Matrix, PlainValidator(_law)]


class _Connector(Table):
    """Common keys of all connectors."""

    name: Name = Field(description=NAME)
    between: tuple[GroupName, GroupName] | None = Field(
        default=None, description=f"a list of two nodes, each {NODE}"
    )
    at: GroupName | None = Field(default=None, description=f"{NODE}, tied to the frame")
    axis: Vector | None = Field(
        default=None, description="the direction of its axis x, three numbers, body components"
    )

    @property
    def ends(self) -> tuple[tuple[str, str], ...]:
        """Groups of its nodes, and their keys."""
        if self.at is not None:
            return ((self.at, "at"),)
        assert self.between is not None
        return tuple((group, f"between[{i}]") for i, group in enumerate(self.between))

    @model_validator(mode="after")
    def _tied(self) -> _Connector:
        if (self.between is None) == (self.at is None):
            found = "neither between nor at" if self.at is None else "both between and at"
            raise problem(f"found {found}; expected one of them")
        if self.axis is not None:
            refuse_no_direction(self.axis, "axis")
        return self


class SpringSpec(_Connector):
    """``kind = "spring"``: along the line between two nodes, or along an axis."""

    kind: Literal["spring"] = Field(description='"spring"')
    stiffness: NonNegative | None = Field(
        default=None, description="the stiffness, a number >= 0 (N/m)"
    )
    forces: Annotated[tuple[tuple[Number, Number], ...], Field(min_length=2)] | None = Field(
        default=None,
        description="a list of [elongation, force], of rising elongations, through [0, 0] (m, N)",
    )
    damping: NonNegative = Field(default=0.0, description="the damping, a number >= 0 (N s/m)")

    @model_validator(mode="after")
    def _one_law(self) -> SpringSpec:
        if (self.stiffness is None) == (self.forces is None):
            found = "neither stiffness nor forces" if self.forces is None else "both of them"
            raise problem(f"found {found}; expected stiffness or forces")
        if self.forces is None:
            return self
        places, values = np.array(self.forces).T
        if not (np.diff(places) > 0.0).all():
            raise problem("found elongations that do not rise; expected rising ones", "forces")
        if not places[0] <= 0.0 <= places[-1]:
            raise problem("found a table without elongation 0; expected [0, 0] in it", "forces")
        at_rest = float(np.interp(0.0, places, values))
        if abs(at_rest) > _CLOSE * float(np.abs(values).max()):
            raise problem(f"found {at_rest:g} N at rest; expected a table through [0, 0]", "forces")
        if self.damping or self.axis is not None or self.at is not None:
            raise problem(
                "found with damping, axis or at; expected between two nodes alone, and a damper "
                "beside it",
                "forces",
            )
        return self


class DamperSpec(_Connector):
    """``kind = "damper"``: along the line between two nodes, or along an axis."""

    kind: Literal["damper"] = Field(description='"damper"')
    damping: NonNegative = Field(description="the damping, a number >= 0 (N s/m)")

    @property
    def stiffness(self) -> float:
        """None."""
        return 0.0


class BushingSpec(_Connector):
    """``kind = "bushing"``: stiffness and damping along and about three axes."""

    kind: Literal["bushing"] = Field(description='"bushing"')
    stiffness: Law | None = Field(default=None, description=f"{_ROWS} (N/m, N m)")
    damping: Law | None = Field(default=None, description=f"{_ROWS} (N s/m, N m s)")
    orientation: Vector = Field(
        default=(0.0, 1.0, 0.0),
        description="three numbers, a direction in the plane of its axes x and y",
    )
    location: Annotated[Number, Field(ge=0.0, le=1.0)] | None = Field(
        default=None,
        description="position between the nodes, 0 (the first) to 1 (the second)",
    )

    @model_validator(mode="after")
    def _something(self) -> BushingSpec:
        if self.stiffness is None and self.damping is None:
            raise problem("found neither stiffness nor damping; expected one or both")
        if self.at is not None and self.location is not None:
            raise problem("found one beside at; expected it with between only", "location")
        axis = self.axis or (1.0, 0.0, 0.0)
        normal = float(np.linalg.norm(np.cross(axis, self.orientation)))
        if normal <= _CLOSE * float(np.linalg.norm(axis) * np.linalg.norm(self.orientation)):
            raise problem("found a direction along axis; expected one across it", "orientation")
        return self


class BearingSpec(_Connector):
    """``kind = "bearing"``: linear forces across a shaft, constant or over its speed."""

    kind: Literal["bearing"] = Field(description='"bearing"')
    stiffness: Across | None = Field(default=None, description=f"{ACROSS} (N/m)")
    damping: Across | None = Field(default=None, description=f"{ACROSS} (N s/m)")
    mass: Across | None = Field(default=None, description=f"{ACROSS} (kg)")
    table: (
        Annotated[
            Annotated[BearingTable, Tag("<table>")] | Annotated[FilePath, Tag("<path>")],
            Discriminator(kind_of_table),
        ]
        | None
    ) = Field(
        default=None,
        description="the path of a CSV file with a column speed and columns kxx, kxy, .. myy, or "
        "a table of such lists",
    )
    transfer: TransferSpec | None = Field(
        default=None,
        description="a table of a numerator and a denominator, or of such tables xx .. yy",
    )
    speed: Name | None = Field(
        default=None,
        description="the name of the body or mass whose spin is the speed of the table; by default "
        "the one at its nodes",
    )
    orientation: Vector | None = Field(
        default=None, description="three numbers, a direction in the plane of its axes axis and x"
    )

    @model_validator(mode="after")
    def _one_law(self) -> BearingSpec:
        given = [key for key in ("stiffness", "damping", "mass") if getattr(self, key) is not None]
        alone = [key for key in ("table", "transfer") if getattr(self, key) is not None]
        if not alone and not given:
            raise problem(
                "found none of stiffness, damping, mass, table and transfer; expected some"
            )
        if alone and (alone[1:] or given):
            raise problem(f"found beside {(*alone[1:], *given)[0]}; expected either", alone[0])
        if self.speed is not None and self.table is None:
            raise problem("found one without a table; expected none", "speed")
        return self


class GearMeshSpec(_Connector):
    """``kind = "gear_mesh"``: teeth of two gears on parallel shafts; the first drives."""

    kind: Literal["gear_mesh"] = Field(description='"gear_mesh"')
    radii: tuple[Positive, Positive] = Field(
        description="a list of two numbers > 0, the pitch radii of the gears at both nodes (m)"
    )
    stiffness: Positive = Field(
        description="the stiffness of the teeth along the line of action, a number > 0 (N/m)"
    )
    damping: NonNegative = Field(
        default=0.0, description="the damping along the line of action, a number >= 0 (N s/m)"
    )
    pressure_angle: Angle = Field(
        default=np.pi / 9.0,
        description=f"the normal pressure angle, from 0 to below 90 deg (rad), {OR_DEGREES}",
    )
    helix_angle: Angle = Field(
        default=0.0,
        description="the helix angle on the pitch cylinder, positive where the first gear is "
        f"right-handed, within 90 deg (rad), {OR_DEGREES}",
    )

    @model_validator(mode="after")
    def _angles(self) -> GearMeshSpec:
        if self.at is not None:
            raise problem("found a node and the frame; expected two nodes (between)", "at")
        if not 0.0 <= self.pressure_angle < _RIGHT:
            raise problem(
                f"found {self.pressure_angle:g} rad; expected an angle from 0 to below 90 deg",
                "pressure_angle",
            )
        if not abs(self.helix_angle) < _RIGHT:
            raise problem(
                f"found {self.helix_angle:g} rad; expected an angle between -90 and 90 deg",
                "helix_angle",
            )
        return self


class GearRatioSpec(_Connector):
    """``kind = "gear_ratio"``: a gear box between two shafts, of which only torsion is coupled."""

    kind: Literal["gear_ratio"] = Field(description='"gear_ratio"')
    ratio: Number = Field(
        description="the speed of the shaft at the second node over that at the first, a number "
        "other than 0, negative where they turn opposite ways"
    )
    stiffness: Positive = Field(
        description="the torsional stiffness at the second shaft while the first is held, a number "
        "> 0 (N m)"
    )
    damping: NonNegative = Field(
        default=0.0, description="the torsional damping there, a number >= 0 (N m s)"
    )

    @model_validator(mode="after")
    def _two(self) -> GearRatioSpec:
        if self.at is not None:
            raise problem("found a node and the frame; expected two nodes (between)", "at")
        if self.ratio == 0.0:
            raise problem("found 0; expected another number", "ratio")
        return self


class PlanetarySpec(_Connector):
    """``kind = "planetary"``: a planetary stage of a sun, a ring and a carrier on one axis."""

    kind: Literal["planetary"] = Field(description='"planetary"')
    between: tuple[GroupName, GroupName, GroupName] | None = Field(  # type: ignore[assignment]
        default=None,
        description=f"a list of three nodes: of the sun, ring and carrier, each {NODE}",
    )
    radii: tuple[Positive, Positive] = Field(
        description="a list of two numbers > 0, the pitch radii of sun and ring (m)"
    )
    planets: Annotated[Count, Field(ge=1)] = Field(
        default=3, description="the number of planets, equally spaced, from 1"
    )
    stiffness: tuple[Positive, Positive] = Field(
        description="a list of two numbers > 0: stiffness of the teeth of one planet with the sun "
        "and with the ring, along the lines of action (N/m)"
    )
    damping: NonNegative = Field(
        default=0.0,
        description="the damping of both meshes of one planet together, a number >= 0 (N s/m)",
    )
    pressure_angle: Angle = Field(
        default=np.pi / 9.0,
        description=f"the transverse pressure angle, from 0 to below 90 deg (rad), {OR_DEGREES}",
    )

    @model_validator(mode="after")
    def _stage(self) -> PlanetarySpec:
        if self.at is not None:
            raise problem("found a node and the frame; expected three nodes (between)", "at")
        if not self.radii[0] < self.radii[1]:
            raise problem("found a sun as large as the ring; expected a smaller one", "radii")
        if not 0.0 <= self.pressure_angle < _RIGHT:
            raise problem(
                f"found {self.pressure_angle:g} rad; expected an angle from 0 to below 90 deg",
                "pressure_angle",
            )
        return self


ConnectorSpec: TypeAlias = Annotated[
    SpringSpec
    | DamperSpec
    | BushingSpec
    | BearingSpec
    | GearMeshSpec
    | GearRatioSpec
    | PlanetarySpec,
    Field(discriminator="kind"),
]
