# SPDX-License-Identifier: BSD-3-Clause
"""Sections of a deck and the element types in them: the bodies of a model."""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.decks.deck import EXPANDED_PLANE
from flexforge.runtime.decks.expansions import SOLIDS, expands, of_shell
from flexforge.runtime.decks.fields import number, plain_name
from flexforge.runtime.decks.materials import at_temperature, orientations
from flexforge.runtime.decks.sections import SECTIONS, section_of
from flexforge.runtime.decks.temperatures import Temperatures
from flexforge.runtime.decks.translation import Translation, line_of, materials_of
from flexforge.runtime.mesh.abaqus_cards import Card

#: Shells that can have plies.
LAYERED = ("S8R",)
#: Element types of decks, and our elements with the same functions and points.
ELEMENTS = {
    "C3D4": {"element": "tet4"},
    "C3D6": {"element": "wedge6"},
    "C3D8": {"element": "hex8"},
    "C3D8I": {"element": "hex8i"},
    "C3D10": {"element": "tet10"},
    "C3D10T": {"element": "tet10"},
    "C3D15": {"element": "wedge15"},
    "C3D20": {"element": "hex20"},
    "C3D20R": {"element": "hex20rm"},
    "CPS3": {"element": "tri3", "hypothesis": "plane_stress"},
    "CPS4": {"element": "quad4", "hypothesis": "plane_stress"},
    "CPS6": {"element": "tri6", "hypothesis": "plane_stress"},
    "CPS8": {"element": "quad8", "hypothesis": "plane_stress"},
    "CPS8R": {"element": "quad8rm", "hypothesis": "plane_stress"},
    "CPE3": {"element": "tri3", "hypothesis": "plane_strain"},
    "CPE4": {"element": "quad4", "hypothesis": "plane_strain"},
    "CPE6": {"element": "tri6", "hypothesis": "plane_strain"},
    "CPE8": {"element": "quad8", "hypothesis": "plane_strain"},
    "CPE8R": {"element": "quad8rm", "hypothesis": "plane_strain"},
    "S3": {"element": "dkt3"},
    "S4": {"element": "mitc4"},
    "S4R": {"element": "mitc4"},
    "B31": {"element": "timoshenko_beam"},
    "B31R": {"element": "timoshenko_beam"},
    "B33": {"element": "euler_beam"},
    "T3D2": {"element": "bar2"},
    "CAX3": {"element": "tri3", "hypothesis": "axisymmetric"},
    "CAX4": {"element": "quad4", "hypothesis": "axisymmetric"},
    "CAX6": {"element": "tri6", "hypothesis": "axisymmetric"},
    "CAX8": {"element": "quad8", "hypothesis": "axisymmetric"},
    "CAX8R": {"element": "quad8rm", "hypothesis": "axisymmetric"},
}


def bodies(translation: Translation, warmth: Temperatures) -> None:
    """Translate the sections of a deck: a body for each element type of each section.

    Parameters
    ----------
    translation : Translation
        What is being made.
    warmth : Temperatures
        Temperatures, on which materials depend.
    """
    deck = translation.deck
    axes: dict[str, dict[str, Any]] = {}
    with translation.trying():
        axes = orientations(deck.cards)
    lumps = {card.options.get("ELSET", "").upper() for card in deck.lumps}
    sections = [
        card
        for card in deck.cards
        if card.keyword in SECTIONS and card.options.get("ELSET", "").upper() not in lumps
    ]
    held = [np.empty(0, dtype=np.int64)]
    for card in sections:
        with translation.trying():
            held.append(_section(translation, card, axes, warmth))
    used = {name for body in translation.tables.get("bodies", []) for name in materials_of(body)}
    for name in translation.dependent.keys() - used:
        del translation.tables["materials"][name]  # bodies have it at their temperatures
    covered = np.concatenate(held)
    for kind, labels in deck.types.items():
        bare = labels[~np.isin(labels, covered)]
        if len(bare) and not translation.problems:
            translation.problems.append(
                f"{deck.path}: element {bare[0]} of type {kind} has no section; expected a *SOLID "
                "SECTION, *SHELL SECTION or *BEAM SECTION with its set"
            )


def _section(
    translation: Translation, card: Card, axes: dict[str, dict[str, Any]], warmth: Temperatures
) -> Ints:
    """Translate a section; return the numbers of its elements."""
    deck = translation.deck
    target = card.need("ELSET")
    group = deck.elements(target, card.where)
    every = np.concatenate([deck.mesh.blocks[b].labels[rows] for b, rows in group.cells.items()])
    labels = every[~np.isin(every, translation.removed)]
    if not len(labels):
        return every
    cells = group.name if len(labels) == len(every) else deck.mesh.numbered_cells(labels)
    inside = {k: numbers for k, numbers in deck.types.items() if np.isin(numbers, labels).any()}
    if len(inside) > 1:
        raise InputError(
            f"{card.where}: set '{target}' has elements of the types {' and '.join(inside)}; "
            "expected a section for each"
        )
    layered = "COMPOSITE" in card.options
    material = "" if layered else _material(translation, card, card.need("MATERIAL"), axes, warmth)
    for kind in inside:
        becomes = expands(deck, kind)
        if kind not in ELEMENTS and not becomes:
            raise InputError(
                f"{card.where}: elements of type {kind} are not supported in decks; expected one "
                f"of {', '.join(dict.fromkeys((*ELEMENTS, *SOLIDS)))}"
            )
        body: dict[str, Any] = {"name": plain_name(target), "cells": cells}
        body |= {"element": SOLIDS[kind]} if becomes else ELEMENTS[kind]
        body |= {} if layered else {"material": material}
        if layered:
            body |= _plies(translation, card, kind, warmth)
        elif material in translation.energies:
            body |= translation.energies[material]
        elif any(step.has("NLGEOM") for step in deck.steps):
            body |= _large(translation, material, card)
        body |= {} if layered else section_of(card, kind, expanded=becomes)
        if becomes:
            body |= {"expanded": True}
            body |= of_shell(deck, card, labels) if card.keyword == "SHELLSECTION" else {}
            if kind == EXPANDED_PLANE:  # the middle stays in the plane, and normals stay normal
                held = {"group": cells, "components": ["z", "rx", "ry"]}
                translation.add("supports", held, line_of(card.where))
        translation.add("bodies", body, f"{kind}, {line_of(card.where)}")
    return every


def _plies(translation: Translation, card: Card, kind: str, warmth: Temperatures) -> dict[str, Any]:
    """Return the plies of a composite shell, from its lower side on."""
    if kind not in LAYERED:
        raise InputError(
            f"{card.where}: COMPOSITE of elements of type {kind} is not supported; expected "
            f"{', '.join(LAYERED)}"
        )
    if any(step.has("NLGEOM") for step in translation.deck.steps):
        raise InputError(f"{card.where}: COMPOSITE with NLGEOM is not supported")
    plies = []
    for fields, where in card.rows():
        if len(fields) < 3 or len(fields) > 3 and fields[3]:
            raise InputError(
                f"{where}: found {len(fields)} values; expected a thickness, nothing, and a "
                "material without orientation"
            )
        material = _material(translation, card, fields[2], {}, warmth)
        plies.append({"material": material, "thickness": number(fields, 0, where)})
    return {"plies": plies}


def _large(translation: Translation, material: str, card: Card) -> dict[str, Any]:
    """Return the energy of a material whose strain is Green's and whose stress is Kirchhoff's."""
    known = translation.tables["materials"][material]
    if "young" not in known:
        raise InputError(
            f"{card.where}: NLGEOM with the anisotropic material '{material}' is not supported; "
            "expected an isotropic one"
        )
    young, poisson = known["young"], known["poisson"]
    shear = young / (2.0 * (1.0 + poisson))
    lame = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
    return {"energy": "st_venant_kirchhoff", "parameters": {"lame": lame, "mu": shear}}


def _material(
    translation: Translation,
    card: Card,
    named: str,
    axes: dict[str, dict[str, Any]],
    warmth: Temperatures,
) -> str:
    """Return the name of a material of a section; one with other axes is another material."""
    known = translation.tables["materials"]
    given = plain_name(named)
    name = next((one for one in known if one.upper() == given.upper()), "")
    if not name:
        raise InputError(
            f"{card.where}: no *MATERIAL named '{given}'; expected one of {', '.join(known)}"
        )
    target = card.need("ELSET")
    nodes = translation.deck.elements(target, card.where).nodes
    name = at_temperature(translation, warmth, name, target, nodes)
    orientation = card.options.get("ORIENTATION", "")
    if not orientation:
        return name
    if orientation.upper() not in axes:
        raise InputError(f"{card.where}: no *ORIENTATION named '{orientation}'")
    if "young" in known[name]:
        return name  # isotropic, with the same law along any axes
    turned = f"{name} along {plain_name(orientation)}"[:64]
    known[turned] = {**known[name], "orientation": axes[orientation.upper()]}
    return turned
