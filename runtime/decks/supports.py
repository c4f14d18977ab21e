# SPDX-License-Identifier: BSD-3-Clause
"""``*BOUNDARY`` and ``*EQUATION`` as supports and linear equations."""

from __future__ import annotations

from typing import Any

from flexforge.codegen.errors import InputError
from flexforge.runtime.decks.acting import Acting, Entry
from flexforge.runtime.decks.amplitudes import Amplitudes
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


def take_boundary(translation: Translation, card: Card, acting: Acting, order: int) -> None:
    """Take a ``*BOUNDARY`` card.

    Raises
    ------
    InputError
        For parameters that are not supported.
    """
    for option in ("USER", "SUBMODEL", "FIXED", "LOAD CASE", "TIME DELAY"):
        if option in card.options:
            raise InputError(f"{card.where}: {option} is not supported with *BOUNDARY")
    if card.options.get("OP", "MOD").upper() == "NEW":
        acting.clear()
    for fields, where in card.rows():
        with translation.trying():
            first = whole(fields, 1, where)
            last = whole(fields, 2, where, first)
            value = number(fields, 3, where, 0.0)
            amplitude = card.options.get("AMPLITUDE", "")
            for dof in range(first, last + 1):
                group, nodes, own = translation.place(fields[0], dof, where)
                what = component(own, where)
                if not (translation.deck.is_planar and what in _OUT_OF_PLANE):
                    acting.add(Entry(group, what, value, where, order, amplitude, nodes))


def supports(
    translation: Translation, acting: Acting, axes: Transforms, factors: Amplitudes
) -> None:
    """Translate what boundary conditions hold: components of a set together."""
    together: dict[tuple[str, tuple[str, ...]], list[Entry]] = {}
    for one in acting.entries:
        together.setdefault((one.group, tuple(one.steps)), []).append(one)
    for held in together.values():
        with translation.trying():
            first = held[0]
            table: dict[str, Any] = {"group": first.group}
            table["components"] = [one.what for one in held]
            moved = {
                one.what: factors.profile(one.value, one.amplitude, one.where)
                for one in held
                if one.value
            }
            table |= {"displacement": moved} if moved else {}
            local = axes.of(first.places, first.where)
            table |= {"axes": local} if local else {}
            table |= in_steps(translation, first.steps)
            translation.add("supports", table, line_of(first.where))


def equations(translation: Translation, axes: Transforms) -> None:
    """Translate the linear equations of a deck, which hold in all steps."""
    for card in translation.deck.cards:
        if card.keyword == "EQUATION":
            with translation.trying():
                if card.options:
                    given = ", ".join(card.options)
                    raise InputError(f"{card.where}: {given} is not supported with *EQUATION")
                _equations(translation, card, axes)


def _equations(translation: Translation, card: Card, axes: Transforms) -> None:
    """Translate a card of equations, each a number of terms and the terms."""
    rows = iter(card.rows())
    for fields, where in rows:
        count = whole(fields, 0, where)
        entries: list[str] = []
        while len(entries) < 3 * count:
            more = next(rows, None)
            if more is None:
                raise InputError(
                    f"{where}: found {len(entries) // 3} terms of an equation; expected {count}"
                )
            entries += more[0] if more[0][-1] else more[0][:-1]
        terms = []
        for place in range(0, 3 * count, 3):
            group, nodes = translation.deck.nodes(entries[place], where)
            dof, factor = whole(entries, place + 1, where), number(entries, place + 2, where)
            what = component(dof, where)
            if translation.deck.is_planar and what in _OUT_OF_PLANE:
                continue
            if len(nodes) == 1:
                local = axes.directions(int(nodes[0]), translation.deck.mesh, where)
            elif axes.of(nodes, where):
                raise InputError(f"{where}: found a set of nodes with local axes; expected a node")
            else:
                local = None
            if local is None:
                terms.append({"group": group, "component": what, "factor": factor})
                continue
            # A component along a local axis is a sum of those along the axes of the body.
            about = "r" if what.startswith("r") else ""
            terms += [
                {"group": group, "component": f"{about}{axis}", "factor": factor * float(part)}
                for axis, part in zip("xyz", local["xyz".index(what[-1])], strict=True)
                if part
            ]
        if terms:
            translation.add("equations", {"terms": terms}, line_of(where))
