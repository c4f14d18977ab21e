# SPDX-License-Identifier: BSD-3-Clause
"""``kept``, ``events`` and ``hold`` of ``[[forces]]``: laws of one's own that switch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeAlias

from flexforge.codegen.errors import nearest
from flexforge.codegen.forces.declaration import HELD, Event, Hold, Kept
from flexforge.runtime.model.base import Name, Number, Table, Text, problem, text_or, toml_type
from flexforge.runtime.model.schema_ties import FormulaName
from pydantic import Discriminator, Field, Tag

#: A number, or a formula of what the law knows.
Value: TypeAlias = Annotated[
    Annotated[Number, Tag("<number>")] | Annotated[Text, Tag("<formula>")],
    text_or("<formula>", "<number>"),
]


def _number(value: float | str) -> float | None:
    """Return a value that is a number, as such or as a text; of other formulas none."""
    try:
        return float(value)
    except ValueError:
        return None


def _formula(value: float | str) -> str:
    return value if isinstance(value, str) else repr(float(value))


class KeptSpec(Table):
    """``NAME = {...}`` of ``kept``: a number that only events change."""

    start: Value = Field(
        description="the number where a motion starts, a number or a formula of what the law knows"
    )
    rest: Number | None = Field(
        default=None, description="the number in equilibria and modes, by default start"
    )


def _what(given: Any) -> str:
    if isinstance(given, KeptSpec):
        return "<both>"
    kinds = {"table": "<both>", "text": "<formula>"}
    return kinds.get(toml_type(given), "<number>")


#: What a law keeps: its start, or start and rest.
KeptValue: TypeAlias = Annotated[
    Annotated[Number, Tag("<number>")]
    | Annotated[Text, Tag("<formula>")]
    | Annotated[KeptSpec, Tag("<both>")],
    Discriminator(_what),
]
KEPT = (
    "a table of numbers that only events change, NAME = a number or a formula, where a motion "
    "starts, or NAME = {start, rest}"
)


class EventSpec(Table):
    """``[[forces.events]]``: what changes numbers that a law keeps."""

    name: Name = Field(description="what happens, a name of its own, as in events.csv")
    when: Text = Field(
        description="a formula of what the law knows; the event is where it falls below zero"
    )
    sets: dict[FormulaName, Value] = Field(
        default={},
        description="a table of kept numbers with their new values, numbers or formulas, which "
        "know the values before the event",
    )
    strikes: bool | None = Field(
        default=None,
        description="true or false: whether the speed of hold jumps; by default where the event "
        "begins to hold it",
    )
    at_once: bool = Field(
        default=False,
        description="true or false: whether the event is also where its formula is below zero "
        "at the start or right after another event",
    )


class HoldSpec(Table):
    """``hold = {...}`` of ``[[forces]]``: a speed that a law keeps at zero now and then."""

    speed: Text = Field(
        description="a formula of a speed that is held at zero, linear in the rates"
    )
    during: FormulaName = Field(
        description="the name of the kept number that is not zero while the speed is held"
    )
    to: Value = Field(
        default=0.0,
        description="a number or a formula of the speed right after an event that strikes",
    )
    pushes: bool = Field(
        default=False, description="true or false: whether the force that holds is never negative"
    )


def declared_kept(kept: Mapping[str, float | str | KeptSpec]) -> tuple[Kept, ...]:
    """Return the numbers of a law as it declares them; at rest 0 where that is not known."""
    both = [(name, *_both(one)) for name, one in kept.items()]
    return tuple(Kept(name, _formula(start), rest or 0.0, told=True) for name, start, rest in both)


def unknown_at_rest(kept: Mapping[str, float | str | KeptSpec]) -> list[str]:
    """Return the names of numbers whose value at rest is not known."""
    return [name for name, one in kept.items() if _both(one)[1] is None]


def _both(one: float | str | KeptSpec) -> tuple[float | str, float | None]:
    """Return the start, and the value at rest as far as known."""
    if isinstance(one, KeptSpec):
        return one.start, _number(one.start) if one.rest is None else one.rest
    return one, _number(one)


def declared_events(events: Sequence[EventSpec], hold: HoldSpec | None) -> tuple[Event, ...]:
    """Return the events of a law as it declares them.

    What strikes leaves its formula at zero but for round-off, and has to strike again from there.
    """
    found: list[Event] = []
    for one in events:
        sets = tuple((name, _formula(value)) for name, value in one.sets.items())
        strikes = _begins(one, hold) if one.strikes is None else one.strikes
        struck = (HELD,) if strikes else ()
        found.append(Event(one.name, one.when, sets, struck, one.at_once, crosses=not strikes))
    return tuple(found)


def declared_holds(hold: HoldSpec | None) -> tuple[Hold, ...]:
    """Return the speed that a law holds as it declares it."""
    if hold is None:
        return ()
    return (Hold(HELD, hold.speed, hold.during, _formula(hold.to), pushes=hold.pushes),)


def _begins(event: EventSpec, hold: HoldSpec | None) -> bool:
    """Return whether a speed may be held from an event on."""
    return hold is not None and _number(event.sets.get(hold.during, 0.0)) != 0.0


def check_switching(
    kept: Mapping[str, float | str | KeptSpec],
    events: Sequence[EventSpec],
    hold: HoldSpec | None,
) -> None:
    """Refuse names of numbers that are not kept, and what does not fit together."""
    for k, one in enumerate(events):
        for name in one.sets:
            _known(name, kept, ("events", k, "sets", name))
        if one.name in (other.name for other in events[:k]):
            raise problem(f"found '{one.name}' twice; expected names that differ",
                          "events", k, "name")  # fmt: skip
        if one.strikes and hold is None:
            raise problem("found true without hold, a speed; expected hold", "events", k, "strikes")
        if one.strikes is False and _begins(one, hold):
            text = f"found false where '{hold.during}' is set and a speed is held" if hold else ""
            raise problem(f"{text}; expected true, which makes the speed that of hold.to",
                          "events", k, "strikes")  # fmt: skip
    if hold is not None:
        _known(hold.during, kept, ("hold", "during"))
    for name in kept:
        if not any(name in one.sets for one in events):
            raise problem("found a number that no event sets; expected it in sets of one of "
                          "[[forces.events]], or among parameters", "kept", name)  # fmt: skip


def _known(name: str, kept: Mapping[str, Any], key: tuple[str | int, ...]) -> None:
    if name not in kept:
        known = f"one of {', '.join(kept)}" if kept else "a number of kept"
        raise problem(f"found '{name}', which is not kept; expected {known}{nearest(name, kept)}",
                      *key)  # fmt: skip
