# SPDX-License-Identifier: BSD-3-Clause
"""Procedures of decks as analyses of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from flexforge.codegen.errors import InputError
from flexforge.runtime.decks.deck import DeckStep
from flexforge.runtime.decks.fields import number, whole
from flexforge.runtime.mesh.abaqus_cards import Card

#: Procedures that add up modes.
OF_MODES = ("MODALDYNAMIC", "STEADYSTATEDYNAMICS")
#: Points from one resonance to the next, and how they gather there, where a deck does not say.
_POINTS, _BIAS, _TERMS = 20, 3.0, 20
#: Hilber, Hughes and Taylor's alpha of CalculiX.
_ALPHA = -0.05
_STABLE = 0.9  # part of the longest stable step of explicit motions
_MOST_STEPS = 10_000_000
_SETTLED, _PATIENCE = 0.01, 100_000  # change in a step of a steady motion, and steps to wait for it


@dataclass(frozen=True, slots=True)
class Modal:
    """What a ``*FREQUENCY`` step has found for those after it.

    Attributes
    ----------
    count : int
        Number of modes; zero before such a step.
    preloaded : bool
        Whether the loads of a static step stress what vibrates.
    diameters : tuple of int
        Numbers of nodal diameters at which there are as many; none without a wheel.
    """

    count: int = 0
    preloaded: bool = False
    diameters: tuple[int, ...] = ()


def _procedure(step: DeckStep) -> Card:
    assert step.procedure is not None
    return step.procedure


def _data(step: DeckStep) -> tuple[list[str], str]:
    """Return the first line of a procedure, and where it is."""
    card = _procedure(step)
    return next(iter(card.rows()), ([], card.where))


def period(step: DeckStep) -> float:
    """Return the time that a step takes."""
    fields, where = _data(step)
    return number(fields, 1, where, 1.0)


def _static(step: DeckStep, _: Modal) -> dict[str, Any]:
    return {"kind": "static", "time": period(step)}


def _count(step: DeckStep) -> int:
    fields, where = _data(step)
    return whole(fields, 0, where, 1)


def _frequency(step: DeckStep, _: Modal) -> dict[str, Any]:
    return {"kind": "modes", "count": _count(step), "damped": False}


def _complex(step: DeckStep, modal: Modal) -> dict[str, Any]:
    card = _procedure(step)
    if "CORIOLIS" not in card.options:
        raise InputError(f"{card.where}: found *COMPLEX FREQUENCY without CORIOLIS; expected it")
    if not modal.preloaded:
        raise InputError(
            f"{card.where}: no *FREQUENCY step with PERTURBATION before, whose static step turns "
            "what vibrates; expected one"
        )
    return {"kind": "modes", "count": _count(step), "damped": False}


def _buckle(step: DeckStep, _: Modal) -> dict[str, Any]:
    return {"kind": "buckling", "count": _count(step)}


def _dynamic(step: DeckStep, _: Modal) -> dict[str, Any]:
    card = _procedure(step)
    if "RELATIVE TO ABSOLUTE" in card.options:
        raise InputError(f"{card.where}: RELATIVE TO ABSOLUTE is not supported with *DYNAMIC")
    if "EXPLICIT" in card.options:
        return _explicit(step)
    given = card.options.get("ALPHA")
    alpha = _ALPHA if given is None else number([given], 0, card.where)
    return {"kind": "transient", **_steps(step), "method": "hht", "alpha": alpha}


def _explicit(step: DeckStep) -> dict[str, Any]:
    """Return central differences with lumped masses, below the longest stable step."""
    card = _procedure(step)
    if card.options["EXPLICIT"].upper() not in ("", "1", "YES"):
        raise InputError(
            f"{card.where}: found EXPLICIT={card.options['EXPLICIT']}; expected EXPLICIT alone"
        )
    table = {"kind": "transient", **_steps(step), "method": "central_difference", "mass": "lumped"}
    if "DIRECT" not in card.options:
        table["stable_fraction"] = _STABLE
    return table


def _steps(step: DeckStep) -> dict[str, float]:
    """Return duration and step of a motion."""
    fields, where = _data(step)
    length, whole_time = number(fields, 0, where, 1.0), number(fields, 1, where, 1.0)
    if not length > 0.0 or not whole_time <= _MOST_STEPS * length:
        raise InputError(
            f"{where}: found increments of {length:g} in a time of {whole_time:g}; expected at "
            f"most {_MOST_STEPS} above 0"
        )
    return {"duration": whole_time, "step": min(length, whole_time)}


def _modes(step: DeckStep, modal: Modal) -> dict[str, Any]:
    """Return the modes that add up, and their damping."""
    card = _procedure(step)
    if not modal.count:
        raise InputError(f"{card.where}: no *FREQUENCY step before; expected one with the modes")
    table: dict[str, Any] = {"modes": modal.count}
    if modal.diameters:
        table["nodal_diameters"] = list(modal.diameters)
    for one in step.cards:
        if one.keyword == "MODALDAMPING":
            table["modal_damping"] = _modal_damping(one, modal.count)
    return table


def _modal_damping(card: Card, count: int) -> Any:
    rows = list(card.rows())
    if "RAYLEIGH" in card.options:
        if not rows:
            raise InputError(f"{card.where}: found no values; expected alpha and beta")
        fields, where = rows[0]
        return {"alpha": number(fields, 2, where, 0.0), "beta": number(fields, 3, where, 0.0)}
    ratios = [0.0] * count
    for fields, where in rows:
        first, last = whole(fields, 0, where), whole(fields, 1, where)
        ratio = number(fields, 2, where)
        for mode in range(max(first, 1), min(last, count) + 1):
            ratios[mode - 1] = ratio
    return ratios


def _modal_dynamic(step: DeckStep, modal: Modal) -> dict[str, Any]:
    card = _procedure(step)
    if ("CYCLIC SYMMETRY" in card.options) != bool(modal.diameters):
        raise InputError(
            f"{card.where}: expected CYCLIC SYMMETRY with *MODAL DYNAMIC exactly after a step with "
            "*SELECT CYCLIC SYMMETRY MODES"
        )
    motion: dict[str, Any] = _steps(step)
    if "STEADY STATE" in card.options:  # what is a time otherwise, is a share
        fields, where = _data(step)
        length, share = number(fields, 0, where, 1.0), number(fields, 1, where, _SETTLED)
        motion = {"duration": _PATIENCE * length, "step": length, "steady": share}
    return {"kind": "transient", **motion, "method": "modal", **_modes(step, modal)}


def _steady_state(step: DeckStep, modal: Modal) -> dict[str, Any]:
    card = _procedure(step)
    if card.options.get("HARMONIC", "YES").upper() == "NO":
        return _repeated(step, modal)
    fields, where = _data(step)
    return {"kind": "harmonic", **_swept(fields, where), **_modes(step, modal)}


def _swept(fields: Sequence[str], where: str) -> dict[str, Any]:
    """Return the frequencies of a sweep, or the one that both its ends are."""
    first, last = (number(fields, place, where) for place in (0, 1))
    if first == last:
        return {"frequencies": [first]}
    return {
        "between": [first, last],
        "points": whole(fields, 2, where, _POINTS),
        "bias": number(fields, 3, where, _BIAS),
    }


def _repeated(step: DeckStep, modal: Modal) -> dict[str, Any]:
    """Return the analysis of what repeats itself; as many instants are written as terms taken."""
    fields, where = _data(step)
    terms = whole(fields, 4, where, _TERMS)
    period = [number(fields, 5, where, 0.0), number(fields, 6, where, 1.0)]
    return {
        "kind": "periodic",
        **_swept(fields, where),
        "period": period,
        "terms": terms,
        "instants": terms,
        **_modes(step, modal),
    }


#: By procedure: returns the analysis of a step, after the modes that there are.
ANALYSES: dict[str, Callable[[DeckStep, Modal], dict[str, Any]]] = {
    "STATIC": _static,
    "FREQUENCY": _frequency,
    "COMPLEXFREQUENCY": _complex,
    "BUCKLE": _buckle,
    "DYNAMIC": _dynamic,
    "MODALDYNAMIC": _modal_dynamic,
    "STEADYSTATEDYNAMICS": _steady_state,
}
