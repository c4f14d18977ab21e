# SPDX-License-Identifier: BSD-3-Clause
"""``*BOUNDARY`` as supports."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flexforge.codegen.errors import InputError
from flexforge.runtime.decks.acting import Acting, Entry
from flexforge.runtime.decks.amplitudes import Amplitude, Amplitudes
from flexforge.runtime.decks.fields import number, whole
from flexforge.runtime.decks.transforms import Transforms
from flexforge.runtime.decks.translation import Translation, in_steps, line_of
from flexforge.runtime.mesh.abaqus_cards import Card

COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")
_OUT_OF_PLANE = ("z", "rx", "ry")


def component(dof: int, where: str) -> str:
    """Return the component of a degree of freedom.

    Raises
    ------
    InputError
        When it is none of a displacement or a rotation.
    """
    if not 1 <= dof <= len(COMPONENTS):
        raise InputError(f"{where}: found degree of freedom {dof}; expected 1 to 6")
    return COMPONENTS[dof - 1]


def is_in_plane(translation: Translation, what: str) -> bool:
    """Whether a component is one of the deck: plane ones have none out of their plane."""
    return not (translation.deck.is_planar and what in _OUT_OF_PLANE)


def take_boundary(
    translation: Translation, card: Card, acting: Acting, order: int, before: str = ""
) -> None:
    """Take a ``*BOUNDARY`` card, within a step after the one before, at whose end nodes may stay.

    Raises
    ------
    InputError
        For parameters that are not supported.
    """
    for option in ("USER", "SUBMODEL", "LOAD CASE"):
        if option in card.options:
            raise InputError(f"{card.where}: {option} is not supported with *BOUNDARY")
    if "FIXED" in card.options and not before:
        raise InputError(
            f"{card.where}: FIXED without a *STATIC or *DYNAMIC step before; expected one, which "
            "says where nodes stay"
        )
    after = before if "FIXED" in card.options else ""
    if card.options.get("OP", "MOD").upper() == "NEW":
        acting.clear()
    for fields, where in card.rows():
        with translation.trying():
            first = whole(fields, 1, where)
            last = whole(fields, 2, where, first)
            value = number(fields, 3, where, 0.0)
            amplitude = Amplitude.of(card)
            for dof in range(first, last + 1):
                group, nodes, own = translation.place(fields[0], dof, where)
                what = component(own, where)
                if is_in_plane(translation, what):
                    entry = Entry(group, what, value, where, order, amplitude, nodes)
                    acting.add(replace(entry, after=after))


def supports(
    translation: Translation, acting: Acting, axes: Transforms, factors: Amplitudes
) -> None:
    """Translate what boundary conditions hold: components of a set together."""
    together: dict[tuple[str, tuple[str, ...], str], list[Entry]] = {}
    for one in acting.entries:
        together.setdefault((one.group, tuple(one.steps), one.after), []).append(one)
    for held in together.values():
        with translation.trying():
            first = held[0]
            table: dict[str, Any] = {"group": first.group}
            table["components"] = [one.what for one in held]
            moved = {
                one.what: factors.profile(one.value, one.amplitude, one.where)
                for one in held
                if one.value and not one.after
            }
            table |= {"displacement": moved} if moved else {}
            local = axes.of(first.places, first.where)
            table |= {"axes": local} if local else {}
            table |= {"after": first.after} if first.after else {}
            table |= in_steps(translation, first.steps)
            translation.add("supports", table, line_of(first.where))
