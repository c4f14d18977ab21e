# SPDX-License-Identifier: BSD-3-Clause
"""Recorded values: ``[[probes]]`` of bodies, links, joints and constraints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

from flexforge.codegen.errors import nearest
from flexforge.runtime.model.base import (
    GroupName,
    Name,
    Table,
    Text,
    Vector,
    problem,
    shown,
    toml_type,
)
from pydantic import Field, model_validator

VECTOR_COMPONENTS = ("x", "y", "z", "magnitude")
STRESS_COMPONENTS = (
    "xx", "yy", "zz", "xy", "yz", "zx", "von_mises", "principal1", "principal2", "principal3"
)  # fmt: skip

_OF_RODS = ("N", "Vy", "Vz", "T", "My", "Mz", "largest_normal_stress")
_OF_SHELLS = (
    "N11", "N22", "N12", "M11", "M22", "M12", "Q1", "Q2", "von_mises_top", "von_mises_bottom",
)  # fmt: skip
SECTION_COMPONENTS = (*_OF_RODS, *_OF_SHELLS)
Quantity: TypeAlias = Literal[
    "displacement",
    "position",
    "velocity",
    "acceleration",
    "stress",
    "section_force",
    "force",
    "moment",
    "multiplier",
    "torque",
    "coordinate",
    "reaction_force",
    "reaction_moment",
    "state",
    "angle",
]
#: Of nodes, and of bodies that supports hold.
OF_BODIES = (
    "displacement", "position", "velocity", "acceleration", "stress", "section_force",
    "reaction_force", "reaction_moment",
)  # fmt: skip
#: Quantities of points of links and, the first aside, of coordinates of joints.
MOTIONS = ("position", "velocity", "acceleration")
OF_COORDINATES = ("coordinate", "velocity", "acceleration")
#: What drivers exert: along an angle and along a slide.
EFFORTS = ("torque", "force")
OF_JOINTS = ("force", "moment", *OF_COORDINATES)
OF_CONSTRAINTS = ("multiplier", *EFFORTS)
OF_CONTROLLERS = ("state",)
OF_MACHINES = ("angle", "velocity", "acceleration", "torque")
COORDINATES = ("angle", "slide", "second_angle", "second_slide", "third_angle", "third_slide")
_COMPONENTS = {"stress": STRESS_COMPONENTS, "section_force": SECTION_COMPONENTS}
#: Quantities under the names that other tables have for them.
_ALIKE = {
    "torque": "moment",
    "moment": "torque",
    "position": "coordinate",
    "displacement": "position",
    "reaction_force": "force",
    "reaction_moment": "moment",
    "angle": "coordinate",
    "slide": "coordinate",
    "effort": "torque",
}
#: Quantities that nodes do not have.
_OF_OTHERS = ("force", "moment", "multiplier", "torque", "coordinate", "state", "angle")
#: What a probe may be of, by its key, with the quantities of each.
_OF = {
    "link": MOTIONS,
    "joint": OF_JOINTS,
    "constraint": OF_CONSTRAINTS,
    "controller": OF_CONTROLLERS,
    "machine": OF_MACHINES,
}


def _hint(quantity: str, known: Sequence[str]) -> str:
    """Return the quantity that was probably meant, as the end of a message, or nothing."""
    alike = _ALIKE.get(quantity, quantity)
    return nearest(alike if alike in known else quantity, known)


class ProbeSpec(Table):
    """``[[probes]]``: one value per step, of one node or reduced over a group."""

    name: Name = Field(description="a name of letters, digits, spaces and _ . + -")
    group: GroupName | None = Field(default=None, description="the name of a group of the mesh")
    point: Vector | None = Field(
        default=None, description="three numbers [x, y, z] (m), of which the nearest node is taken"
    )
    quantity: Quantity = Field(
        default="displacement",
        description='"displacement", "position", "velocity", "acceleration", "stress" or '
        '"section_force", or "reaction_force" or "reaction_moment" of a body, or '
        'of a link "position", "velocity" or "acceleration", or of a joint "force" or "moment", '
        '"coordinate", "velocity" or "acceleration", or of a constraint "multiplier", or of a '
        'driver "torque" or "force", or of a controller "state", or of a machine "angle", '
        '"velocity", "acceleration" or "torque"',
    )
    component: Text = Field(
        default="",
        description=f"one of {', '.join(VECTOR_COMPONENTS)}, or for stress one of "
        f"{', '.join(STRESS_COMPONENTS)}, or for section_force one of "
        f"{', '.join(SECTION_COMPONENTS)}, or for a coordinate of a joint one of "
        f"{', '.join(COORDINATES)}",
    )
    reduce: Literal["mean", "max"] = Field(default="mean", description='"mean" or "max"')
    body: Name | None = Field(default=None, description="the name of a body of this file")
    link: Name | None = Field(default=None, description="the name of a link of this file")
    joint: Name | None = Field(
        default=None, description="the name of a joint, or of a force between links, of this file"
    )
    constraint: Name | None = Field(
        default=None, description="the name of a constraint, driver or gear of this file"
    )
    controller: Name | None = Field(
        default=None, description="the name of a controller of this file"
    )
    machine: Name | None = Field(default=None, description="the name of a machine of this file")
    axes: Literal["global", "joint"] | None = Field(
        default=None, description='"global" or "joint", the axes of components of a reaction'
    )

    @model_validator(mode="before")
    @classmethod
    def _known(cls, data: Any) -> Any:
        """Refuse unknown quantities with those of what the probe is of, and drivers as keys."""
        if toml_type(data) != "table":
            return data
        for key in ("driver", "gear"):
            if key in data:
                raise problem(f'found one; expected constraint = "NAME", also of a {key}', key)
        quantity = data.get("quantity")
        if toml_type(quantity) == "text" and quantity not in get_args(Quantity):
            what = next((key for key in _OF if key in data), "body")
            known = _OF.get(what, OF_BODIES)
            text = f"found {shown(quantity)} of a {what}; expected one of {', '.join(known)}"
            raise problem(text + _hint(quantity, known), "quantity")
        return data

    @property
    def of_motion(self) -> bool:
        """Whether it is of the motion of links, which a kinematics analysis computes too."""
        return self.link is not None or self.of_coordinate

    @property
    def of_coordinate(self) -> bool:
        """Whether it is of a coordinate of a joint."""
        return self.joint is not None and self.quantity in OF_COORDINATES

    @model_validator(mode="after")
    def _consistent(self) -> ProbeSpec:
        if self.link is not None:
            return self._of_link()
        if self.controller is not None:
            return self._of_number("controller", "a controller", OF_CONTROLLERS)
        if self.machine is not None:
            return self._of_number("machine", "a machine", OF_MACHINES)
        if self.joint is not None or self.constraint is not None:
            return self._of_constraint()
        if self.quantity in _OF_OTHERS:
            of = {"state": "controller", "angle": "machine"}.get(
                self.quantity, "joint or constraint"
            )
            text = f"found {self.quantity} without {of}; expected it of one"
            raise problem(text, "quantity")
        if self.quantity in ("reaction_force", "reaction_moment"):
            return self._of_supports()
        if self.axes is not None:
            raise problem("found without joint; expected it of a reaction", "axes")
        if self.quantity == "section_force":
            self._require_stations()
        elif (self.group is None) == (self.point is None):
            found = "neither group nor point" if self.group is None else "both group and point"
            raise problem(f"found {found}; expected one of them")
        if self.point is not None and self.reduce == "max":
            what = "station" if self.quantity == "section_force" else "node"
            other = "body without point" if self.quantity == "section_force" else "group"
            raise problem(
                f"found max with a point, next to which one {what} is taken; expected it with "
                f"{other}",
                "reduce",
            )
        known = _COMPONENTS.get(self.quantity, VECTOR_COMPONENTS)
        self._require_component(known)
        return self

    def _require_stations(self) -> None:
        """Refuse a probe of sections that says neither which station nor all of which body."""
        if self.group is not None:
            text = "found with section_force; expected point, or body with reduce"
            raise problem(text, "group")
        if self.point is None and (self.body is None or "reduce" not in self.model_fields_set):
            text = (
                "missing; expected a point, next to which a station is taken, or body with reduce "
                '= "max" or "mean" for all its stations'
            )
            raise problem(text, "point")

    def _require_component(self, known: Sequence[str]) -> None:
        if self.component not in known:
            found = f"found '{self.component}' of" if self.component else "missing for"
            listed = f"one of {', '.join(known)}"
            if known is SECTION_COMPONENTS:
                listed = (
                    f"{', '.join(_OF_RODS)} of bars and beams, {', '.join(_OF_SHELLS)} of shells"
                )
            text = f"{found} {self.quantity}; expected {listed}"
            raise problem(text + nearest(self.component, known), "component")

    def _of_supports(self) -> ProbeSpec:
        """Check a probe of the reaction of a body's supports."""
        for key in ("group", "point", "axes"):
            if getattr(self, key) is not None:
                raise problem(f"found with {self.quantity}; expected body alone", key)
        if self.body is None:
            raise problem("missing; expected the body that supports hold", "body")
        self._require_component(VECTOR_COMPONENTS)
        return self

    def _of_number(self, own: str, what: str, known: Sequence[str]) -> ProbeSpec:
        """Check a probe of one number of a thing that has a name: a controller, a machine."""
        others = ("body", "group", "point", "joint", "constraint", "controller", "machine")
        for key in (*others, "component", "axes"):
            if key != own and getattr(self, key):
                raise problem(f"found beside {own}; expected none", key)
        self._require_quantity(what, known)
        return self

    def _of_constraint(self) -> ProbeSpec:
        """Check a probe of the force of a joint, or of the multiplier of a constraint."""
        for key in ("body", "group", "point"):
            if getattr(self, key) is not None:
                raise problem("found beside joint or constraint; expected none", key)
        if self.joint is not None and self.constraint is not None:
            raise problem("found both joint and constraint; expected one of them")
        if self.constraint is not None:
            self._require_quantity("a constraint", OF_CONSTRAINTS)
            for key in ("component", "axes"):
                if getattr(self, key):
                    text = f"found with {self.quantity} of a constraint, a number; expected none"
                    raise problem(text, key)
            return self
        self._require_quantity("a joint", OF_JOINTS)
        if not self.of_coordinate:
            self._require_component(VECTOR_COMPONENTS)
            return self
        if self.axes is not None:
            raise problem(f"found with {self.quantity}; expected it with force or moment", "axes")
        if self.component:  # may be left out of joints with one coordinate
            self._require_component(COORDINATES)
        return self

    def _require_quantity(self, what: str, known: Sequence[str]) -> None:
        """Refuse a quantity that a thing does not have, with those it has."""
        if self.quantity not in known:
            given = "quantity" in self.model_fields_set
            found = f"found {self.quantity}" if given else "missing"
            text = f"{found} of {what}; expected one of {', '.join(known)}"
            raise problem(text + (_hint(self.quantity, known) if given else ""), "quantity")

    def _of_link(self) -> ProbeSpec:
        """Check a probe of a point of a link."""
        self._require_quantity("a link", MOTIONS)
        self._require_component(VECTOR_COMPONENTS)
        for key in ("body", "group"):
            if getattr(self, key) is not None:
                raise problem("found beside link; expected point, or neither", key)
        return self
