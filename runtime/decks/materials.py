# SPDX-License-Identifier: BSD-3-Clause
"""``*MATERIAL`` and the cards below it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.decks import keywords
from flexforge.runtime.decks.fields import number, numbers, plain_name
from flexforge.runtime.decks.temperatures import Temperatures
from flexforge.runtime.decks.translation import Translation, line_of
from flexforge.runtime.elasticity import anisotropic
from flexforge.runtime.mesh.abaqus_cards import Card

# Our order of stresses is xx yy zz yz xz xy, that of decks xx yy zz xy xz yz; the entries of a
# symmetric matrix are given by columns of its upper triangle there, and by rows here.
_TO_DECK = (0, 1, 2, 5, 4, 3)
#: The temperature before the first step and that of all steps; none where nothing depends on it.
_At = tuple[float, float] | None
#: Terms of Ogden's law.
_OGDEN = 3


def materials(translation: Translation) -> None:
    """Translate the materials of a deck."""
    found = translation.tables.setdefault("materials", {})
    own: dict[str, Any] | None = None
    name = ""
    for card in translation.deck.cards:
        if card.keyword == "MATERIAL":
            own = {}
            with translation.trying():
                name = plain_name(card.need("NAME"))
                found[name] = own
                translation.notes["materials", name] = line_of(card.where)
        elif card.keyword in keywords.OF_MATERIALS:
            with translation.trying():
                if own is None:
                    raise InputError(f"{card.where}: *{card.keyword} before a *MATERIAL")
                if card.keyword in _ENERGIES:
                    translation.energies[name] = _ENERGIES[card.keyword](card)
                else:
                    own |= _TRANSLATED[card.keyword](card, None)
                    if _depends(card):
                        translation.dependent.setdefault(name, []).append(card)


def at_temperature(
    translation: Translation, warmth: Temperatures, name: str, body: str, nodes: Ints
) -> str:
    """Return the name of a material at the temperature of a body, which is one in all steps.

    Parameters
    ----------
    translation : Translation
        What is being made.
    warmth : Temperatures
        The temperatures.
    name : str
        The material.
    body : str
        The set of elements, for messages.
    nodes : ndarray of int64
        Their nodes.

    Raises
    ------
    InputError
        When the material depends on a temperature that varies.
    """
    cards = translation.dependent.get(name, [])
    if not cards:
        return name
    initial, end = warmth.initial[nodes], warmth.uniform(nodes)
    if end is None or np.ptp(initial):
        raise InputError(
            f"{cards[0].where}: *{cards[0].keyword} depends on temperature, which varies within "
            f"'{body}' or from step to step; expected one temperature of it"
        )
    known = translation.tables["materials"]
    own = f"{name} at {end:g}"[:64]
    known[own] = dict(known[name])
    for card in cards:
        known[own] |= _TRANSLATED[card.keyword](card, (float(initial[0]), end))
    return own


def _elastic_kind(card: Card) -> str:
    return card.options.get("TYPE", "ISOTROPIC").upper()[:4]


def _elastic_count(card: Card) -> int:
    counts = {"ISO": 2, "ISOT": 2, "ORTH": 9, "ORTHO": 9, "ENGI": 9, "ANIS": 21}
    kind = _elastic_kind(card)
    if kind not in counts:
        raise InputError(
            f"{card.where}: found TYPE={card.options['TYPE']}; expected ISO, ORTHO, ENGINEERING "
            "CONSTANTS or ANISO"
        )
    return counts[kind]


def _elastic(card: Card, at: _At) -> dict[str, Any]:
    values, kind = _constants(card, _elastic_count(card), at and at[1]), _elastic_kind(card)
    if kind in ("ISO", "ISOT"):
        return {"young": values[0], "poisson": values[1]}
    if kind == "ENGI":
        names = ("E1", "E2", "E3", "nu12", "nu13", "nu23", "G12", "G13", "G23")
        return {"orthotropic": dict(zip(names, values, strict=True))}
    if kind == "ORTH":
        xx, xy, yy, xz, yz, zz, g12, g13, g23 = values
        upper = [xx, xy, xz, 0, 0, 0, yy, yz, 0, 0, 0, zz, 0, 0, 0, g23, 0, 0, g13, 0, g12]
        return _by_constants([float(one) for one in upper])
    matrix = [[0.0] * 6 for _ in range(6)]
    entries = iter(values)
    for column in range(6):
        for row in range(column + 1):
            matrix[row][column] = matrix[column][row] = next(entries)
    places = [(i, j) for i in range(6) for j in range(i, 6)]
    return _by_constants([matrix[_TO_DECK[i]][_TO_DECK[j]] for i, j in places])


def _by_constants(upper: list[float]) -> dict[str, Any]:
    """Return a law by its 21 constants, and that some strains store no energy, where it is so."""
    try:
        anisotropic(upper)
    except InputError:
        with suppress(InputError):  # else the model file says what is wrong with it
            anisotropic(upper, semidefinite=True)
            return {"anisotropic": upper, "semidefinite": True}
    return {"anisotropic": upper}


def _rows(card: Card, count: int) -> tuple[Floats, Floats]:
    """Return the constants of a law, (T, count), and their temperatures, (T,)."""
    values = numbers(card)
    block = count + 1
    if len(values) == count:
        return np.array([values]), np.zeros(1)
    if not values or len(values) % block:
        raise InputError(f"{card.where}: found {len(values)} values; expected {count}")
    table = np.array(values).reshape(-1, block)
    if (np.diff(table[:, -1]) <= 0.0).any():
        raise InputError(f"{card.where}: found temperatures that do not rise; expected rising ones")
    return table[:, :-1], table[:, -1]


def _depends(card: Card) -> bool:
    """Whether the constants of a card depend on temperature."""
    match card.keyword:
        case "ELASTIC":
            count = _elastic_count(card)
        case "EXPANSION":
            count = _expansion_count(card)
        case "DENSITY":
            count = 1
        case _:
            return False
    return bool(np.ptp(_rows(card, count)[0], axis=0).any())


def _constants(card: Card, count: int, temperature: float | None) -> list[float]:
    """Return the constants of a law at a temperature, the first ones without it."""
    rows, temperatures = _rows(card, count)
    if temperature is None:
        return [float(one) for one in rows[0]]
    return [float(np.interp(temperature, temperatures, column)) for column in rows.T]


def _density(card: Card, at: _At) -> dict[str, Any]:
    return {"density": _constants(card, 1, at and at[1])[0]}


def _expansion_count(card: Card) -> int:
    kind = card.options.get("TYPE", "ISO").upper()[:3]
    if kind not in ("ISO", "ORT"):
        raise InputError(f"{card.where}: found TYPE={card.options['TYPE']}; expected ISO or ORTHO")
    return 1 if kind == "ISO" else 3


def _expansion(card: Card, at: _At) -> dict[str, Any]:
    """Return the secant of the strain from the initial temperature to that at the end."""
    count = _expansion_count(card)
    if at is None or at[0] == at[1]:
        values = _constants(card, count, None)
    else:
        zero = number([card.options.get("ZERO", "0")], 0, card.where)
        begin, end = (np.array(_constants(card, count, t)) * (t - zero) for t in at)
        values = ((end - begin) / (at[1] - at[0])).tolist()
    return {"expansion": values[0] if count == 1 else values}


def _damping(card: Card, _: _At) -> dict[str, Any]:
    given = {
        key.lower(): number([card.options[key]], 0, card.where)
        for key in ("ALPHA", "BETA")
        if key in card.options
    }
    return {"damping": given}


#: Poisson's ratio by which CalculiX squeezes a law without D1.
_NEARLY_INCOMPRESSIBLE = 0.475


def _hyperelastic(card: Card) -> dict[str, Any]:
    """Return an energy and its parameters: ``kappa/2 (J - 1)^2`` with ``kappa = 2 / D1``.

    Shear moduli at rest are ``2 C10``, ``2 (C10 + C01)`` and the sum of Ogden's.
    """
    terms = int(number([card.options.get("N", "1")], 0, card.where))
    counts = {"NEO HOOKE": 2, "MOONEY-RIVLIN": 3, "OGDEN": 3 * terms}
    law = next((one for one in counts if one in card.options), "")
    if not law or not 1 <= terms <= _OGDEN:
        raise InputError(
            f"{card.where}: *HYPERELASTIC without one of {', '.join(counts)}, of at most {_OGDEN} "
            "terms, is not supported"
        )
    constants = _one_set(card, counts[law])
    if law == "NEO HOOKE":
        (c10, squeeze), shear = constants, 2.0 * constants[0]
        named, parameters = "neo_hookean_isochoric", {"mu": 2.0 * c10}
    elif law == "MOONEY-RIVLIN":
        (c10, c01, squeeze), shear = constants, 2.0 * (constants[0] + constants[1])
        named, parameters = "mooney_rivlin", {"c10": c10, "c01": c01}
    else:
        moduli, powers = constants[0 : 2 * terms : 2], constants[1 : 2 * terms : 2]
        (squeeze, *others), shear = constants[2 * terms :], sum(moduli)
        if any(others) or not all(powers):
            raise InputError(f"{card.where}: found D2, D3 or an exponent 0; expected D1 alone")
        named, parameters = "ogden", _ogden(moduli, powers)
    if squeeze < 0.0:
        raise InputError(f"{card.where}: found D1 = {squeeze:g}; expected none below 0")
    nu = _NEARLY_INCOMPRESSIBLE
    kappa = 2.0 / squeeze if squeeze else 2.0 * shear * (1.0 + nu) / (3.0 * (1.0 - 2.0 * nu))
    return {"energy": named, "parameters": {**parameters, "kappa": kappa}}


def _one_set(card: Card, count: int) -> list[float]:
    """Return the constants of an energy, which are the same at all temperatures."""
    rows, _ = _rows(card, count)
    if len(rows) > 1:
        raise InputError(
            f"{card.where}: *{card.keyword} depends on temperature; expected one set of constants"
        )
    return [float(one) for one in rows[0]]


def _hyperfoam(card: Card) -> dict[str, Any]:
    """Return the energy of compressible foam, a formula, and its parameters.

    ``sum 2 mu/alpha^2 (sum_k stretch_k^alpha - 3 + (J^(-alpha beta) - 1)/beta)`` with
    ``beta = nu/(1 - 2 nu)``; without beta the last term is its limit, ``-alpha log J``.
    Source: Ogden, Proc. R. Soc. A 328 (1972); Storakers, J. Mech. Phys. Solids 34 (1986).
    """
    terms = int(number([card.options.get("N", "1")], 0, card.where))
    if not 1 <= terms <= _OGDEN:
        raise InputError(f"{card.where}: found N={terms}; expected 1 to {_OGDEN}")
    constants = _one_set(card, 3 * terms)
    parameters: dict[str, float] = {}
    formula = []
    for n in range(terms):
        mu, alpha, nu = constants[2 * n], constants[2 * n + 1], constants[2 * terms + n]
        if not alpha or not -1.0 < nu < 0.5:
            raise InputError(
                f"{card.where}: found an exponent {alpha:g} and a ratio {nu:g}; expected no 0, and "
                "a ratio of Poisson above -1 and below 0.5"
            )
        k = n + 1
        stretches = " + ".join(f"stretch{axis}^alpha{k}" for axis in (1, 2, 3))
        parameters |= {f"mu{k}": mu, f"alpha{k}": alpha}
        volume = f"alpha{k}*log(J)"
        if nu:
            parameters[f"beta{k}"] = nu / (1.0 - 2.0 * nu)
            volume = f"(1 - J^(-alpha{k}*beta{k}))/beta{k}"
        formula.append(f"2*mu{k}/alpha{k}^2*({stretches} - 3 - {volume})")
    return {"energy": " + ".join(formula), "parameters": parameters}


_ENERGIES = {"HYPERELASTIC": _hyperelastic, "HYPERFOAM": _hyperfoam}


def _ogden(moduli: list[float], powers: list[float]) -> dict[str, float]:
    """Return the parameters of Ogden's law, of which terms that are not needed have modulus 0."""
    found = {}
    for place in range(_OGDEN):
        given = place < len(moduli)
        found[f"mu{place + 1}"] = 2.0 * moduli[place] / powers[place] if given else 0.0
        found[f"alpha{place + 1}"] = powers[place] if given else 2.0
    return found


_TRANSLATED = {
    "ELASTIC": _elastic,
    "DENSITY": _density,
    "EXPANSION": _expansion,
    "DAMPING": _damping,
}


def orientations(cards: Sequence[Card]) -> dict[str, dict[str, Any]]:
    """Return the axes of every ``*ORIENTATION``, by its name in capitals."""
    found = {}
    for card in cards:
        if card.keyword != "ORIENTATION":
            continue
        name = card.need("NAME").upper()
        system = card.options.get("SYSTEM", "RECTANGULAR").upper()
        if system != "RECTANGULAR":
            raise InputError(f"{card.where}: found SYSTEM={system}; expected RECTANGULAR")
        rows = list(card.rows())
        if not rows:
            raise InputError(f"{card.where}: found no axes; expected two points")
        fields, where = rows[0]
        points = [number(fields, place, where) for place in range(6)]
        found[name] = {"axis1": points[:3], "axis2": points[3:]}
        if len(rows) > 1:
            fields, where = rows[1]
            turned, angle = number(fields, 0, where), number(fields, 1, where, 0.0)
            if angle:
                raise InputError(
                    f"{where}: found a further turn of {angle:g} degrees about axis {turned:g}; "
                    "expected none"
                )
    return found
