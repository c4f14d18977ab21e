# SPDX-License-Identifier: BSD-3-Clause
"""``*CLOAD`` and ``*DLOAD`` as forces, moments, pressures, gravity, and frames that turn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.decks.acting import Acting, Entry
from flexforge.runtime.decks.amplitudes import Amplitude, Amplitudes
from flexforge.runtime.decks.fields import number, whole
from flexforge.runtime.decks.parts import CENTRIFUGAL, GRAVITY, bodies_of
from flexforge.runtime.decks.supports import component
from flexforge.runtime.decks.transforms import Transforms
from flexforge.runtime.decks.translation import Translation, in_steps, line_of, nodes_of
from flexforge.runtime.mesh.abaqus_cards import Card
from flexforge.runtime.mesh.abaqus_faces import face_loads

#: Pressures: on a shell, along its normal; on faces of solids, and edges of plane elements.
SHELL = "P"
FACES = (SHELL, *(f"P{number}" for number in range(1, 7)))


def take_forces(translation: Translation, card: Card, acting: Acting, order: int) -> None:
    """Take a ``*CLOAD`` card.

    Raises
    ------
    InputError
        For parameters that are not supported.
    """
    _prepare(card, acting)
    for fields, where in card.rows():
        with translation.trying():
            given = whole(fields, 1, where)
            group, nodes, dof = translation.place(fields[0], given, where)
            what = component(dof, where)
            value = number(fields, 2, where)
            entry = Entry(group, what, value, where, order, Amplitude.of(card), nodes, _case(card))
            acting.add(replace(entry, sector=_sector(card)))


def take_distributed(translation: Translation, card: Card, acting: Acting, order: int) -> None:
    """Take a ``*DLOAD`` card.

    Raises
    ------
    InputError
        For parameters and labels that are not supported.
    """
    _prepare(card, acting)
    amplitude = Amplitude.of(card)
    for face in face_loads(card):
        with translation.trying():
            value = number([face.value], 0, face.where)
            entry = Entry(face.group, f"P{face.face[1:]}", value, face.where, order, amplitude)
            acting.add(replace(entry, vector=_case(card), sector=_sector(card)))
    for fields, where in card.rows():
        with translation.trying():
            label = (fields[1] if len(fields) > 1 else "").upper()
            if label in (GRAVITY, CENTRIFUGAL):
                names = bodies_of(translation, fields[0], where)
                end = 6 if label == GRAVITY else 9
                value = number(fields, 2, where)
                vector = tuple(number(fields, place, where) for place in range(3, end))
                for body in names or [""]:
                    acting.add(Entry(body, label, value, where, order, amplitude, vector=vector))
            elif label not in FACES:
                raise InputError(
                    f"{where}: found the load '{label}'; expected P, P1 to P6, GRAV or CENTRIF"
                )


def _prepare(card: Card, acting: Acting) -> None:
    """Refuse parameters that are not supported, and end what a card ends."""
    if card.options.get("LOAD CASE", "1") not in ("1", "2"):
        raise InputError(f"{card.where}: found LOAD CASE={card.options['LOAD CASE']}; expected 1")
    for option in ("USER", "SUBMODEL", "OMEGA0"):
        if option in card.options:
            raise InputError(f"{card.where}: {option} is not supported with *{card.keyword}")
    if card.options.get("OP", "MOD").upper() == "NEW":
        acting.clear()


def _sector(card: Card) -> int:
    """Return the sector of a wheel on which a load acts; 0 where the card does not say."""
    return whole([card.options.get("SECTOR", "0")], 0, card.where)


def on_sector(translation: Translation, entry: Entry) -> dict[str, Any]:
    """Return the key of the sector on which a load acts, of a deck whose wheel vibrates by modes.

    There a load acts on the first sector, if its card names no other; else on all.

    Raises
    ------
    InputError
        For a sector in steps in which all are loaded.
    """
    modal = [one for one in entry.steps if one in translation.waves]
    if len(modal) == len(entry.steps):
        return {"sectors": [entry.sector or 1]}
    if entry.sector or modal:
        raise InputError(
            f"{entry.where}: SECTOR is not supported in other steps than *MODAL DYNAMIC and "
            "*STEADY STATE DYNAMICS of a wheel, nor a load of these that acts in others too"
        )
    return {}


def _case(card: Card) -> tuple[float, ...]:
    """Return the phase of a load as part of its key: a quarter turn of an imaginary part."""
    return (math.pi / 2.0,) if card.options.get("LOAD CASE") == "2" else ()


def loads(translation: Translation, acting: Acting, axes: Transforms, factors: Amplitudes) -> None:
    """Translate forces and moments at nodes: components of a set together."""

    def together(one: Entry) -> tuple[int, str, tuple[str, ...], tuple[float, ...], int]:
        return one.order, one.group, tuple(one.steps), one.vector, one.sector

    for _, same in groupby(sorted(acting.entries, key=together), together):
        given = list(same)
        for turns in (False, True):
            parts = [one for one in given if one.what.startswith("r") == turns]
            with translation.trying():
                _forces(translation, parts, axes, factors)


def _forces(
    translation: Translation, parts: list[Entry], axes: Transforms, factors: Amplitudes
) -> None:
    """Translate the components of one force, or of one moment."""
    if not parts:
        return
    first = parts[0]
    vector = [sum(one.value for one in parts if one.what[-1] == axis) for axis in "xyz"]
    if not any(vector):
        return
    kind = "moment" if first.what.startswith("r") else "force"
    table: dict[str, Any] = {"kind": kind, "group": first.group, "each": [float(v) for v in vector]}
    if first.amplitude.name:
        table["amplitude"] = factors.profile(1.0, first.amplitude, first.where)
    local = axes.of(first.places, first.where)
    table |= {"axes": local} if local else {}
    table |= {"phase": first.vector[0]} if first.vector else {}
    table |= {"preload": True} if first.preload else on_sector(translation, first)
    translation.add("loads", table | in_steps(translation, first.steps), line_of(first.where))


def distributed(translation: Translation, acting: Acting, factors: Amplitudes) -> None:
    """Translate pressures and gravity."""
    for one in acting.entries:
        with translation.trying():
            table: dict[str, Any]
            if one.what == CENTRIFUGAL:
                continue
            if one.what == GRAVITY:
                size = one.value / math.hypot(*one.vector)
                table = {"kind": "gravity", "acceleration": [size * part for part in one.vector]}
                if one.amplitude.name:
                    table["amplitude"] = factors.profile(1.0, one.amplitude, one.where)
                table |= {"body": one.group} if one.group else {}
            else:
                # Ours acts against the normal of a shell.
                size = -one.value if one.what == SHELL else one.value
                value = factors.profile(size, one.amplitude, one.where)
                table = {"kind": "pressure", "group": one.group, "value": value}
                table |= {"phase": one.vector[0]} if one.vector else {}
            table |= {"preload": True} if one.preload else on_sector(translation, one)
            translation.add("loads", table | in_steps(translation, one.steps), line_of(one.where))


def turning_frames(translation: Translation, acting: list[Entry]) -> dict[str, Any]:
    """Return the frames in which centrifugal loads turn bodies, by name.

    Raises
    ------
    InputError
        For speeds and axes that are none, amplitudes, and sets that turn without their
        neighbours.
    """
    frames = {}
    for one in acting:
        if one.what != CENTRIFUGAL:
            continue
        point, axis = one.vector[:3], one.vector[3:]
        length = math.hypot(*axis)
        if one.amplitude.name:
            raise InputError(f"{one.where}: an amplitude of CENTRIF is not supported")
        if one.value < 0.0 or not length:
            raise InputError(f"{one.where}: expected the square of a speed, and an axis")
        frame = {"axis": [part / length for part in axis], "velocity": math.sqrt(one.value)}
        if any(abs(part) > 1e-9 * length * math.hypot(*point) for part in _cross(point, axis)):
            frame["point"] = list(point)
        every = [str(body["name"]) for body in translation.tables.get("bodies", [])]
        for name in [one.group] if one.group else every:
            frames[name] = frame
    _require_whole(translation, acting, frames)
    return frames


def _require_whole(
    translation: Translation, acting: list[Entry], frames: dict[str, dict[str, Any]]
) -> None:
    """Refuse rotations of elements that share nodes with others, which do not turn with them."""
    if not frames:
        return
    mesh = translation.deck.mesh
    nodes = {
        str(body["name"]): nodes_of(mesh, body["cells"]) for body in translation.tables["bodies"]
    }
    for name, frame in frames.items():
        for other, there in nodes.items():
            if frames.get(other) != frame and np.isin(there, nodes[name]).any():
                where = next(one.where for one in acting if one.what == CENTRIFUGAL)
                raise InputError(
                    f"{where}: CENTRIF of elements that share nodes with others is not supported; "
                    "expected the same rotation of all of them"
                )


def _cross(a: Sequence[float], b: Sequence[float]) -> tuple[float, float, float]:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
