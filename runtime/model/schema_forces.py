# SPDX-License-Identifier: BSD-3-Clause
"""``[[forces]]``: what acts between two links by how they move relative to each other."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Literal, TypeAlias

from flexforge.codegen.errors import nearest
from flexforge.codegen.forces.contacts import (
    contact_law,
    declared,
    has_ends,
    is_dry,
    is_instant,
    parameters_of,
    rubbing_law,
    rubbing_parameters,
    stop_law,
    stop_parameters,
)
from flexforge.codegen.forces.declaration import ALONG_JOINT, HELD, ZERO, ForceLaw
from flexforge.codegen.forces.switching import SHORTEST, SLOWEST, SPEED, touching
from flexforge.runtime.model.base import Name, Number, Table, Text, is_list, problem
from flexforge.runtime.model.schema_lumped import NAME
from flexforge.runtime.model.schema_mechanism import (
    AT,
    AXIS,
    CONNECTION,
    COORDINATE,
    LINKS,
    CoordinateName,
    Directions,
    JointSpec,
    Places,
)
from flexforge.runtime.model.schema_switching import (
    KEPT,
    EventSpec,
    HoldSpec,
    KeptValue,
    check_switching,
    declared_events,
    declared_holds,
    declared_kept,
)
from flexforge.runtime.model.schema_ties import FormulaName
from pydantic import Discriminator, Field, Strict, Tag, model_validator

#: The shapes, normal laws and laws of friction of ``codegen/forces/declared``.
Shape: TypeAlias = Literal[
    "sphere_on_plane", "sphere_on_sphere", "sphere_in_sphere", "pin_in_bore",
    "cylinder_on_cylinder", "cylinder_on_plane", "disc_on_plane", "pin_through_bore",
    "sleeve_on_pole", "roller_on_roller",
]  # fmt: skip
Normal: TypeAlias = Literal[
    "linear", "hertz", "hunt_crossley", "lankarani_nikravesh", "flores", "impact"
]  # fmt: skip
Friction: TypeAlias = Literal["coulomb", "stribeck", "dry"]
#: Whether there are events, or those of a law of its own.
_Events: TypeAlias = Annotated[
    Annotated[bool, Strict(), Tag("<flag>")] | Annotated[tuple[EventSpec, ...], Tag("<tables>")],
    Discriminator(lambda value: "<tables>" if is_list(value) else "<flag>"),
]
_THREE = "a list of three formulas"
_KNOWN = "x y z, their rates x_dot .., wx wy wz, nx ny nz, t, parameters and controllers"


class ForceSpec(Table):
    """``[[forces]]``: a force between two links: a contact, or a law of its own."""

    name: Name = Field(description=NAME)
    links: tuple[Name, Name] | None = Field(default=None, description=LINKS)
    joint: Name | None = Field(
        default=None, description="the name of a joint, along a coordinate of which it acts"
    )
    coordinate: CoordinateName | None = Field(default=None, description=COORDINATE)
    at: Places = Field(default=((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), description=AT)
    axis: Directions = Field(default=((0.0, 0.0, 1.0), (0.0, 0.0, 1.0)), description=AXIS)
    across: Directions | None = Field(
        default=None,
        description="a direction across the axis, the axis x of the force, or a list of two",
    )
    connection: Literal["averaged", "rigid"] = Field(default="averaged", description=CONNECTION)
    contact: Shape | Literal["stop"] | None = Field(
        default=None,
        description=f"one of {', '.join(declared('shapes'))}, or stop of a joint",
    )
    normal: Normal | None = Field(
        default=None,
        description=f"the law of the force of a contact, one of {', '.join(declared('normals'))}",
    )
    friction: Friction | None = Field(
        default=None,
        description=f"the friction of a contact, one of {', '.join(declared('frictions'))}",
    )
    force: tuple[Text, Text, Text] | None = Field(
        default=None,
        description=f"{_THREE} of the force on the second link (N), along axes of the first: "
        f"of {_KNOWN}",
    )
    moment: tuple[Text, Text, Text] | None = Field(
        default=None, description=f"{_THREE} of the moment on the second link (N m), as of force"
    )
    where: dict[FormulaName, Text] = Field(
        default={},
        description="a table of formulas that force, moment and those behind may name",
    )
    gap: Text | None = Field(
        default=None,
        description="a formula of a distance (m); where it is not negative there is no force",
    )
    events: _Events = Field(
        default=True,
        description="true or false: whether steps end where shapes begin and cease to touch "
        "(gap = 0); those of impacts and of dry friction always do; or tables [[forces.events]] "
        "of a law of its own",
    )
    kept: dict[FormulaName, KeptValue] = Field(default={}, description=KEPT)
    hold: HoldSpec | None = Field(
        default=None,
        description="a table {speed, during, to, pushes}: a speed that a law of its own holds now "
        "and then, by a force that its formulas know as held",
    )
    parameters: dict[FormulaName, Number] = Field(
        default={}, description="a table of numbers, the constants of the formulas or of a contact"
    )

    def plane(self, *, planar: bool) -> str:
        """Return how its axes are to the plane of a planar model, as of `ForceLaw`."""
        if not planar or self.joint is not None:
            return "spatial"
        return "normal" if self.axis[0][2] else "along"

    @property
    def own_events(self) -> tuple[EventSpec, ...]:
        """Its events, if it is a law of its own that has some."""
        return () if isinstance(self.events, bool) else self.events

    @property
    def _has_events(self) -> bool:
        return self.events is not False

    @property
    def rubs(self) -> bool:
        """Whether it is the friction of a joint."""
        return self.joint is not None and self.friction is not None

    def rubbing(self, reactions: tuple[str, ...], *, turns: bool) -> ForceLaw:
        """Return the law of the friction of a joint; as of `rubbing_law`."""
        assert self.friction is not None
        return rubbing_law(self.friction, reactions, turns=turns)

    def law(self, plane: str, states: tuple[str, ...] = ()) -> ForceLaw:
        """Return its law, unless it is the friction of a joint.

        Parameters
        ----------
        plane : str
            As of `ForceLaw`.
        states : tuple of str
            Names of controllers, which its own formulas know.
        """
        if self.contact is not None:
            assert self.normal is not None
            measured = SLOWEST in self.parameters
            if self.contact == "stop":
                return stop_law(self.normal, events=self._has_events, measured=measured)
            return contact_law(
                self.contact, self.normal, self.friction, plane,
                events=self._has_events, measured=measured,
            )  # fmt: skip
        none = (ZERO, ZERO, ZERO)
        identifier = "".join(one if one.isalnum() else "_" for one in self.name)
        law = ForceLaw(
            f"force_{identifier}_{plane}",
            tuple(self.parameters),
            tuple(self.where.items()),
            self.force or none,
            self.moment or none,
            self.gap or "",
            states if self.hold is None else (*states, HELD),
            plane,
            declared_kept(self.kept),
            declared_events(self.own_events, self.hold),
            holds=declared_holds(self.hold),
        )
        return touching(law) if law.gap and self._has_events else law

    @property
    def relative(self) -> JointSpec | None:
        """What tells it how its links move, which holds nothing; none of a force along a joint."""
        if self.links is None:
            return None
        return JointSpec.model_construct(
            name=self.name,
            kind="relative",
            links=self.links,
            at=self.at,
            axis=self.axis,
            across=self.across,
            connection=self.connection,
        )

    @model_validator(mode="after")
    def _consistent(self) -> ForceSpec:
        if (self.links is None) == (self.joint is None):
            found = "neither links nor joint" if self.links is None else "both links and joint"
            raise problem(f"found {found}; expected one of them")
        if self.links is not None and self.links[0] == self.links[1]:
            raise problem(f"found '{self.links[0]}' twice; expected two links", "links")
        check_switching(self.kept, self.own_events, self.hold)
        if self.joint is not None:
            self._along_joint()
        elif self.coordinate is not None:
            raise problem("found without joint; expected it of a joint", "coordinate")
        if self.contact is not None:
            self._contact()
            return self
        if self.rubs:
            return self
        for key in ("normal", "friction"):
            if getattr(self, key) is not None:
                raise problem("found without contact; expected contact, a shape", key)
        if self.force is None and self.moment is None and self.hold is None:
            raise problem("found neither contact, force, moment nor hold; expected one of them")
        return self

    def _along_joint(self) -> None:
        """Refuse what a force along a coordinate of a joint does not have."""
        for key in ("at", "axis", "across", "connection"):
            if key in self.model_fields_set:
                raise problem("found beside joint; expected it of links", key)
        if self.rubs:
            self._rubbing()
            return
        if self.contact not in (None, "stop"):
            raise problem(f"found {self.contact} of a joint; expected stop, or links", "contact")
        if self.moment is not None or (self.force or ("",))[1:] not in ((), (ZERO, ZERO)):
            raise problem(
                'found components of the force across the coordinate; expected [formula, "0", "0"]'
            )
        for name in self.law("spatial").variables:
            if name not in (*ALONG_JOINT, HELD):
                raise problem(f"found {name} of a joint; expected x and x_dot, its coordinate")

    def _rubbing(self) -> None:
        """Refuse what the friction of a joint does not have."""
        self._no_law_of_its_own("friction of a joint", "contact", "normal")
        assert self.friction is not None
        known = rubbing_parameters(self.friction)
        self._check_parameters(known, tuple(known), ("radius",))
        self._check_rest()

    def _check_rest(self) -> None:
        """Refuse dry friction that is weaker at rest."""
        rest, sliding = (self.parameters.get(name) for name in ("rest_friction", "friction"))
        if self.friction != "dry" or rest is None or sliding is None or rest >= sliding:
            return
        text = f"found {rest:g} below friction, {sliding:g}: it would stick and slip at once"
        raise problem(f"{text}; expected at least that", "parameters", "rest_friction")

    def _no_law_of_its_own(self, what: str, *further: str) -> None:
        """Refuse what laws of their own have beside something else."""
        for key in (*further, "force", "moment", "where", "gap", "kept", "hold"):
            if key in self.model_fields_set:
                raise problem(f"found beside {what}; expected one of them", key)
        if self.own_events:
            raise problem(f"found tables beside {what}, which has events of its own; expected true "
                          "or false", "events")  # fmt: skip

    def _contact(self) -> None:
        assert self.contact is not None
        if self.contact == "stop":
            if self.joint is None:
                raise problem("found stop of links; expected joint", "contact")
            ends = [self.parameters.get(name) for name in ("lower", "upper")]
            if None not in ends and not ends[0] < ends[1]:  # type: ignore[operator]
                found = f"found lower {ends[0]:g} and upper {ends[1]:g}"
                raise problem(f"{found}; expected lower below upper", "parameters")
        self._no_law_of_its_own("contact")
        if self.normal is None:
            raise problem(f"missing; expected one of {', '.join(declared('normals'))}", "normal")
        self._impacts()
        law = self.law("spatial")
        known = (
            stop_parameters(self.normal)
            if self.contact == "stop"
            else parameters_of(self.contact, self.normal, self.friction)
        )
        self._check_parameters(known, law.parameters, (SHORTEST,))
        self._check_rest()
        if self.parameters.get("restitution", 0.5) > 1.0:
            raise problem("found more than 1; expected a number from 0 to 1", "parameters",
                          "restitution")  # fmt: skip

    def _impacts(self) -> None:
        """Refuse what impacts do not have, and speeds that are given twice."""
        assert self.normal is not None
        if self.friction is not None and is_dry(self.friction):
            if not self._has_events:
                text = "found false with dry friction, which is events; expected true"
                raise problem(text, "events")
            if has_ends(self.contact or ""):
                text = f"found dry of {self.contact}, which touches at two ends; expected another"
                raise problem(text, "friction")
        if is_instant(self.normal) and not self._has_events:
            raise problem("found false with impacts, which are events; expected true", "events")
        if self.contact != "stop" and has_ends(self.contact or ""):
            if is_instant(self.normal):
                text = (
                    f"found impact of {self.contact}, which touches at two ends; expected another"
                )
                raise problem(text, "normal")
            if SLOWEST in self.parameters:
                text = f"found {SLOWEST} of {self.contact}, which touches at two ends; expected"
                raise problem(f"{text} {SPEED}", "parameters", SLOWEST)
        if SLOWEST in self.parameters and SPEED in self.parameters:
            raise problem(f"found both {SPEED} and {SLOWEST}; expected one of them", "parameters")
        if SLOWEST in self.parameters and not self._has_events:
            text = f"found {SLOWEST} without events, which measure speeds; expected {SPEED}"
            raise problem(text, "parameters", SLOWEST)

    def _check_parameters(
        self, known: Collection[str], used: Collection[str], optional: Collection[str]
    ) -> None:
        """Refuse parameters that there are not, that are missing, and that have another sign."""
        for name in self.parameters:
            if name not in known:
                found = f"found '{name}', which this force does not have; expected "
                hint = nearest(name, known)
                raise problem(f"{found}{', '.join(known)}{hint}", "parameters", name)
        for name in used:
            if name not in self.parameters and name not in optional:
                raise problem(f"missing {name}; expected {', '.join(used)}", "parameters")
        for name, value in self.parameters.items():
            if value <= 0.0 and name in used and name not in (*_MAY_BE_ZERO, *_ENDS):
                raise problem(f"found {value:g}; expected a number above 0", "parameters", name)
            if value < 0.0 and name in _MAY_BE_ZERO:
                raise problem(f"found {value:g}; expected a number >= 0", "parameters", name)


#: Parameters that may have any sign, and those that may be zero.
_ENDS = ("lower", "upper")
_MAY_BE_ZERO = ("damping", "friction", "rest_friction", "viscous", "clearance", "restitution")
