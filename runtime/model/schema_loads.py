# SPDX-License-Identifier: BSD-3-Clause
"""Supports, loads, initial state, and the inertia terms to include."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from flexforge.runtime.model.angles import OR_DEGREES, Angle, rotations_in_rad
from flexforge.runtime.model.base import (
    MOST,
    Flag,
    GroupName,
    Name,
    Number,
    PlaceFormula,
    Table,
    Vector,
    problem,
    text_or,
    three,
    toml_type,
)
from flexforge.runtime.model.schema_axes import AxesSpec
from flexforge.runtime.model.schema_balance import AmountSpec
from flexforge.runtime.model.schema_profile import PROFILE, ProfileSpec
from flexforge.runtime.model.schema_stepped import Stepped
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    Strict,
    Tag,
    model_validator,
)

Held: TypeAlias = Literal["x", "y", "z", "rx", "ry", "rz"]
BODY = "the name of a body of this file"
AMPLITUDE = f"a factor in time, {PROFILE}"


def _distinct(components: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(components)) != len(components):
        raise problem(f"found {list(components)}; expected each component once")
    return components


class SupportSpec(Stepped):
    """``[[supports]]``: held or prescribed displacements and rotations, in the body frame."""

    group: GroupName = Field(description="the name of a group of the mesh")
    components: Annotated[
        tuple[Held, ...], Field(min_length=1, max_length=6), AfterValidator(_distinct)
    ] = Field(
        default=("x", "y", "z", "rx", "ry", "rz"),
        description='a list of "x", "y", "z" and, of beams, "rx", "ry", "rz"',
    )
    displacement: Annotated[dict[Held, ProfileSpec], BeforeValidator(rotations_in_rad)] = Field(
        default_factory=dict,
        description='how components move (m; rad, or with a unit as in "15 deg"), zero where not '
        f"given: a table of components, each {PROFILE}",
    )
    axes: AxesSpec | None = Field(
        default=None, description='a table with x, or kind = "cylindrical"'
    )
    body: Name | None = Field(default=None, description=BODY)
    after: Name | None = Field(
        default=None,
        description="the name of an earlier step, static or transient: the components are held "
        "where that step has left them",
    )

    @model_validator(mode="after")
    def _stays_where_it_is(self) -> SupportSpec:
        other = "displacement" if self.displacement else "axes" if self.axes is not None else ""
        if self.after is not None and other:
            raise problem(f"found beside {other}; expected one of them", "after")
        return self

    @model_validator(mode="after")
    def _moves_what_it_holds(self) -> SupportSpec:
        for component in self.displacement:
            if component not in self.components:
                raise problem(
                    f"displacement: found '{component}', which is not held; expected one of "
                    f"{', '.join(self.components)}"
                )
        return self

    @model_validator(mode="after")
    def _has_the_axes(self) -> SupportSpec:
        axes = self.axes
        if axes is not None and axes.x is not None and axes.y is None:
            across = [one for one in self.components if one[-1] != "x"]
            if across and "components" in self.model_fields_set and across != ["rz"]:
                raise problem(
                    f"missing with component '{across[0]}'; expected a vector in the plane of the "
                    "first two axes",
                    "axes",
                    "y",
                )
        return self


def _once(sectors: tuple[int, ...]) -> tuple[int, ...]:
    if len(set(sectors)) != len(sectors):
        raise problem(f"found {list(sectors)}; expected each sector once")
    return sectors


class _Phased(Stepped):
    """A load that may vary with a phase, or be constant where others vary."""

    preload: Flag = Field(
        default=False,
        description="true or false: whether, where vibrations are about a state, in a harmonic "
        "analysis and in a transient one by modes, it is part of that state alone",
    )
    excitation: Name | None = Field(
        default=None,
        description="in a random analysis the name of the excitation whose density its factor has",
    )
    phase: Angle = Field(
        default=0.0,
        description="the phase in a harmonic analysis, by which it is ahead, a number (rad), "
        f"{OR_DEGREES}",
    )
    sectors: (
        Annotated[
            tuple[Annotated[int, Strict(), Field(ge=1, le=MOST)], ...],
            Field(min_length=1),
            AfterValidator(_once),
        ]
        | None
    ) = Field(
        default=None,
        description="of a wheel, [cyclic], whose motions are sums of modes: a list of the numbers "
        "of the sectors in which it acts, from 1, that of the mesh (by default all)",
    )


class NodalLoad(_Phased):
    """What forces and moments at the nodes of a group have in common."""

    group: GroupName = Field(description="the name of a group of the mesh")
    total: Vector | None = Field(
        default=None,
        description="the whole force or moment, [x, y, z] (N or N m), spread over the nodes",
    )
    each: Vector | None = Field(
        default=None,
        description="the force or moment at each node, three numbers [x, y, z] (N or N m)",
    )
    frame: Literal["body", "global"] = Field(default="body", description='"body" or "global"')
    follows: Flag = Field(
        default=False,
        description="true or false: whether it turns with the nodes, of beams with an energy",
    )
    axes: AxesSpec | None = Field(
        default=None, description='a table with x, or kind = "cylindrical"'
    )
    amplitude: ProfileSpec = Field(default=1.0, description=AMPLITUDE)
    body: Name | None = Field(default=None, description=BODY)

    @model_validator(mode="after")
    def _one_form(self) -> NodalLoad:
        if (self.total is None) == (self.each is None):
            found = "neither total nor each" if self.total is None else "both total and each"
            raise problem(f"found {found}; expected one of them")
        if self.follows and self.frame == "global":
            raise problem('found true with frame = "global"; expected one of them', "follows")
        if self.axes is not None and (self.follows or self.frame == "global"):
            other = "follows" if self.follows else "frame"
            raise problem(f"found beside {other}; expected local axes in the body frame", "axes")
        return self


class ForceLoad(NodalLoad):
    """``kind = "force"``: forces at the nodes of a group."""

    kind: Literal["force"] = Field(description='"force"')


class MomentLoad(NodalLoad):
    """``kind = "moment"``: moments at the nodes of a group, which have rotations."""

    kind: Literal["moment"] = Field(description='"moment"')


class PressureLoad(_Phased):
    """``kind = "pressure"``: normal to a surface, positive when it presses on it."""

    kind: Literal["pressure"] = Field(description='"pressure"')
    group: GroupName = Field(description="the name of a group of facets of the mesh")
    value: ProfileSpec = Field(description=f"the pressure (Pa), {PROFILE}")
    follows: Flag | None = Field(
        default=None,
        description="true or false: whether it stays normal to the surface as it turns and "
        "stretches (by default of bodies with an energy)",
    )
    body: Name | None = Field(default=None, description=BODY)


class GravityLoad(_Phased):
    """``kind = "gravity"``: a uniform acceleration with fixed direction in the global frame."""

    kind: Literal["gravity"] = Field(description='"gravity"')
    acceleration: Vector = Field(
        description="the acceleration of gravity, three global components [x, y, z] (m/s^2)"
    )
    amplitude: ProfileSpec = Field(default=1.0, description=AMPLITUDE)
    body: Name | None = Field(default=None, description=BODY)


class BodyForceLoad(_Phased):
    """``kind = "body_force"``: force per unit mass with fixed direction in the body frame."""

    kind: Literal["body_force"] = Field(description='"body_force"')
    acceleration: Vector = Field(
        description="the force per mass, three numbers [x, y, z] (N/kg), body components"
    )
    amplitude: ProfileSpec = Field(default=1.0, description=AMPLITUDE)
    body: Name | None = Field(default=None, description=BODY)


FieldSpec: TypeAlias = Annotated[
    Annotated[Number, Tag("<number>")] | Annotated[PlaceFormula, Tag("<formula>")],
    text_or("<formula>", "<number>"),
]
FieldVector: TypeAlias = Annotated[tuple[FieldSpec, FieldSpec, FieldSpec], BeforeValidator(three)]


class ChangeAtNodes(Table):
    """``{nodes = [[group, change], ...]}``: a change of temperature node by node."""

    nodes: tuple[tuple[GroupName, Number], ...] = Field(
        min_length=1,
        description="a list of [group, change]: the change at the nodes of each group (K), zero at "
        "all others; of a node of several groups that of the last",
    )


_ChangeSpec: TypeAlias = Annotated[
    Annotated[Number, Tag("<number>")]
    | Annotated[PlaceFormula, Tag("<formula>")]
    | Annotated[ChangeAtNodes, Tag("<table>")],
    Discriminator(lambda given: _kind_of_change(given)),
]


def _kind_of_change(given: Any) -> str:
    if isinstance(given, ChangeAtNodes) or toml_type(given) == "table":
        return "<table>"
    return "<formula>" if isinstance(given, str) else "<number>"


class UnbalanceLoad(_Phased):
    """``kind = "unbalance"``: the force of a mass beside the axis of a body that spins."""

    kind: Literal["unbalance"] = Field(description='"unbalance"')
    group: GroupName = Field(description="the name of a group of one node, on the axis")
    unbalance: AmountSpec = Field(
        description="mass times its distance from the axis, a number above 0 (kg m), or "
        '{grade = "G2.5", speed = ..} or {api617 = 1, speed = ..}, with mass and share'
    )
    orientation: Vector | None = Field(
        default=None,
        description="three numbers, the direction across the axis from which the phase counts at "
        "angle 0 of the spin",
    )
    body: Name | None = Field(default=None, description=BODY)


class TemperatureLoad(_Phased):
    """``kind = "temperature"``: a change of temperature, which strains a body."""

    kind: Literal["temperature"] = Field(description='"temperature"')
    change: _ChangeSpec = Field(
        description="the change of temperature (K): a number, a formula of x, y, z, or "
        "{nodes = [[group, change], ...]}"
    )
    amplitude: ProfileSpec = Field(default=1.0, description=AMPLITUDE)
    body: Name | None = Field(default=None, description=BODY)


class StressLoad(_Phased):
    """``kind = "stress"``: a stress that a body has before it deforms."""

    kind: Literal["stress"] = Field(description='"stress"')
    stress: tuple[Number, Number, Number, Number, Number, Number] = Field(
        description="six numbers [xx, yy, zz, yz, xz, xy], the stress of the undeformed body along "
        "the axes of its frame (Pa)"
    )
    amplitude: ProfileSpec = Field(default=1.0, description=AMPLITUDE)
    body: Name | None = Field(default=None, description=BODY)


LoadSpec: TypeAlias = Annotated[
    ForceLoad
    | MomentLoad
    | PressureLoad
    | GravityLoad
    | BodyForceLoad
    | UnbalanceLoad
    | TemperatureLoad
    | StressLoad,
    Field(discriminator="kind"),
]


class InitialSpec(Stepped):
    """``[[initial]]``: displacement and velocity at t = 0, relative to the body frame."""

    displacement: FieldVector | None = Field(
        default=None, description="three numbers or formulas of x, y, z (m), body components"
    )
    velocity: FieldVector | None = Field(
        default=None, description="three numbers or formulas of x, y, z (m/s), body components"
    )
    group: GroupName | None = Field(
        default=None, description="the name of a group of the mesh (by default the whole body)"
    )
    body: Name | None = Field(default=None, description=BODY)

    @model_validator(mode="after")
    def _something(self) -> InitialSpec:
        if self.displacement is None and self.velocity is None:
            raise problem("found neither displacement nor velocity; expected one or both")
        return self


class IncludeSpec(Table):
    """``[include]``: inertia terms, each of which can be left out to see its effect.

    Also the choice of the prestress theory.
    """

    coriolis: Flag = Field(default=True, description="true or false")
    euler: Flag = Field(default=True, description="true or false")
    centrifugal_stiffness: Flag = Field(default=True, description="true or false")
    centrifugal_load: Flag = Field(default=True, description="true or false")
    euler_load: Flag = Field(default=True, description="true or false")
    origin_load: Flag = Field(default=True, description="true or false")
    geometric: Flag | Literal["auto"] = Field(default="auto", description='true, false or "auto"')
    prestress: Literal["auto", "steady", "linear", "rigid_load"] = Field(
        default="auto", description='"auto", "steady", "linear" or "rigid_load"'
    )

    @model_validator(mode="after")
    def _stress_that_counts(self) -> IncludeSpec:
        if self.geometric is False and self.prestress != "auto":
            raise problem(
                f'found "{self.prestress}" with geometric = false, which excludes all prestress; '
                'expected "auto"',
                "prestress",
            )
        return self
