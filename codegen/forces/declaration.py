# SPDX-License-Identifier: BSD-3-Clause
"""A law of force between two markers, as text: a model file is checked without SymPy.

The law knows how the second marker moves relative to the first, in axes of the first: its place
``x y z`` with the rates ``x_dot ..``, the angular velocity ``wx wy wz``, the direction ``nx ny nz``
of its axis z, and the time ``t``. Force and moment act on the second link at its marker; the first
link gets the opposite ones at the same place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

#: Coordinates of a relative motion that variables are; and whether they are their rates.
VARIABLES: Mapping[str, tuple[str, bool]] = {
    "x": ("slide", False), "y": ("second_slide", False), "z": ("third_slide", False),
    "x_dot": ("slide", True), "y_dot": ("second_slide", True), "z_dot": ("third_slide", True),
    "wx": ("turn", True), "wy": ("second_turn", True), "wz": ("third_turn", True),
    "nx": ("tilt", False), "ny": ("second_tilt", False), "nz": ("third_tilt", False),
}  # fmt: skip
#: Coordinates along which the components of force and moment act.
EFFORTS = ("slide", "second_slide", "third_slide", "turn", "second_turn", "third_turn")
#: Variables that are constant in a plane which the axis z of the markers is normal to, or along.
IN_PLANE: Mapping[str, Mapping[str, int]] = {
    "spatial": {},
    "normal": dict.fromkeys(("z", "z_dot", "wx", "wy", "nx", "ny"), 0) | {"nz": 1},
    "along": dict.fromkeys(("y", "y_dot", "wx", "wz", "ny"), 0),
}
#: Variables of a force along a coordinate of a joint, which is x.
ALONG_JOINT = ("x", "x_dot")
#: Components of force and moment that motions in a plane do not have.
_ACROSS = {"spatial": (), "normal": (2, 3, 4), "along": (1, 3, 5)}
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
ZERO = "0"
#: The force between shapes that rest on each other, or that holds a speed of a law of ones own, in
#: formulas, and those that stick across it.
HELD, GRIPS = "held", ("grip_1", "grip_2")
#: Most of what native code has room for (``ff_force.h``): variables besides the time, constants
#: with kept numbers, formulas of events.
MOST_VARIABLES, MOST_CONSTANTS, MOST_SWITCHES = 32, 64, 64


@dataclass(frozen=True, slots=True)
class Kept:
    """A number of a law that only its events change.

    Attributes
    ----------
    name : str
        As formulas have it.
    start : str
        A formula of its value at the start of a motion.
    rest : float, optional
        Its value where there is no motion, as in equilibria; by default a gate is open where the
        gap of the law is negative.
    told : bool
        Whether a run tells it at its end.
    """

    name: str
    start: str
    rest: float | None = 0.0
    told: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """What changes numbers that a law keeps; of several at one time the first in their order does.

    Attributes
    ----------
    name : str
        What happens.
    when : str
        A formula; the event is where it falls below zero.
    sets : tuple of pairs of str
        Kept numbers and formulas of their new values, all of the old ones.
    strikes : tuple of str
        Forces of the speeds that jump, of those that the law holds.
    at_once : bool
        Whether the event is also where the formula is below zero right after another one.
    crosses : bool
        Whether the formula is not below zero before; otherwise the event is also where it is below
        zero by round-off, and falls.
    """

    name: str
    when: str
    sets: tuple[tuple[str, str], ...]
    strikes: tuple[str, ...] = ()
    at_once: bool = False
    crosses: bool = False


@dataclass(frozen=True, slots=True)
class Hold:
    """A speed that a law keeps at zero now and then, by a force along it.

    Attributes
    ----------
    force : str
        The name of that force in formulas.
    speed : str
        A formula that is linear in the rates.
    during : str
        The kept number that is not zero while it holds.
    to : str
        A formula of the speed right after an event that strikes.
    pushes : bool
        Whether its force is never negative.
    most : str
        A formula of its largest force, of which it takes its share where several hold one motion.
    yields : bool
        Whether impacts of others let it go, as its force is limited by one that takes time.
    jumps : bool
        Whether events that strike change the speed, and take energy; otherwise it is zero there.
    """

    force: str
    speed: str
    during: str
    to: str = ZERO
    pushes: bool = False
    most: str = ZERO
    yields: bool = False
    jumps: bool = True


@dataclass(frozen=True, slots=True)
class ForceLaw:
    """A law of force.

    Attributes
    ----------
    name : str
        Name of the law, an identifier of C.
    parameters : tuple of str
        Its constants.
    where : tuple of pairs of str
        Names and formulas of intermediate quantities, in order; each may use those before it, and
        nothing needs to depend on it.
    force, moment : tuple of str
        Three formulas each, N and N m, in axes of the first marker.
    gap : str
        A formula of place and direction, m; where it is not negative, nothing acts. Empty: the
        law acts everywhere.
    states : tuple of str
        Names of states of first order that it knows.
    plane : str
        ``spatial``, or how the axes z of the markers are in a planar model: ``normal`` to the plane
        or ``along`` it.
    kept : tuple of Kept
        Numbers that only events change, which formulas know.
    events : tuple of Event
        What changes these.
    gate : str
        The kept number that is zero where nothing acts; empty: none is.
    holds : tuple of Hold
        Speeds that it keeps at zero now and then.
    grip : str
        The parameter that limits impulses along held speeds across the one that pushes, by the
        impulse of that one; empty: there are none.
    """

    name: str
    parameters: tuple[str, ...]
    where: tuple[tuple[str, str], ...]
    force: tuple[str, str, str]
    moment: tuple[str, str, str]
    gap: str = ""
    states: tuple[str, ...] = ()
    plane: str = "spatial"
    kept: tuple[Kept, ...] = ()
    events: tuple[Event, ...] = ()
    gate: str = ""
    holds: tuple[Hold, ...] = ()
    grip: str = ""

    @property
    def constants(self) -> tuple[str, ...]:
        """Names of what is constant between events: parameters, then what is kept."""
        return (*self.parameters, *(one.name for one in self.kept))

    @property
    def switches(self) -> tuple[tuple[str, str], ...]:
        """Where all formulas that events need stand, and these; empty without any.

        When each event is; of each, the new value of every kept number; the speeds that are
        struck; the largest forces that hold them; the kept numbers at the start.
        """
        when = tuple((f"events[{k}].when", one.when) for k, one in enumerate(self.events))
        after = tuple(
            (f"events[{k}].sets.{one.name}", dict(event.sets).get(one.name, one.name))
            for k, event in enumerate(self.events)
            for one in self.kept
        )
        struck = tuple(
            (f"hold.{what}", getattr(one, what)) for what in ("to", "most") for one in self.holds
        )
        starts = tuple((f"kept.{one.name}", one.start) for one in self.kept)
        return (*when, *after, *struck, *starts)

    @property
    def efforts(self) -> dict[str, str]:
        """Formulas of the components that act, by the coordinate along which they do."""
        across = _ACROSS[self.plane]
        both = enumerate(zip(EFFORTS, (*self.force, *self.moment), strict=True))
        return {name: text for k, (name, text) in both if text != ZERO and k not in across}

    @property
    def variables(self) -> tuple[str, ...]:
        """Names that change during a motion and occur, ``t`` not among them."""
        used = self.used
        still = IN_PLANE[self.plane]
        moving = (name for name in VARIABLES if name in used and name not in still)
        return (*moving, *(name for name in self.states if name in used))

    @property
    def is_rigid(self) -> bool:
        """Whether its shapes are rigid: impacts are instants."""
        return any(one.pushes for one in self.holds)

    @property
    def moves(self) -> bool:
        """Whether it depends on how fast its links move relative to each other."""
        return any(VARIABLES[name][1] for name in self.variables if name in VARIABLES)

    @property
    def used(self) -> frozenset[str]:
        """Names on which forces and gap depend, those of functions among them."""
        defined = dict(self.where)
        pending = [self.gap, *self.efforts.values(), *(text for _, text in self.switches)]
        pending += [one.speed for one in self.holds]
        seen: set[str] = set()
        while pending:
            new = set(_NAME.findall(pending.pop())) - seen
            seen |= new
            pending += [defined[name] for name in new if name in defined]
        return frozenset(seen)
