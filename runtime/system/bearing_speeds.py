# SPDX-License-Identifier: BSD-3-Clause
"""Speeds of shafts that tables of bearings are asked for: what they do not have is told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import (
    HarmonicAnalysis,
    ModesAnalysis,
    TransientAnalysis,
)
from flexforge.runtime.system.bearing import BearingBody
from flexforge.runtime.system.bearing_analyses import unsuited
from flexforge.runtime.system.bearing_frequencies import FrequencyLaw
from flexforge.runtime.system.body import Body

#: Methods of steps whose matrix is put together for every step.
METHODS = ("generalized_alpha", "newmark", "hht")


def require_tables(model: ModelSpec, bodies: Iterable[Body]) -> None:
    """Refuse tables of bearings at a speed that varies in time where nothing follows it.

    Parameters
    ----------
    model : ModelSpec
        The model.
    bodies : iterable of Body
        All bodies.

    Raises
    ------
    InputError
        Naming the connector, and the key that does not go with it.
    """
    analysis = model.analysis
    for body in bodies:
        if body.vibrates:
            _require_vibrations(model, body.name)
        if not body.varies:
            continue
        assert isinstance(body, BearingBody)
        if body.swings:
            _require_swinging(model, body.name)
            continue
        if not isinstance(analysis, TransientAnalysis):
            raise InputError(
                f"connector '{body.name}': table: found a shaft at a varying speed with analysis "
                f"{analysis.kind}; expected a constant one, or constant coefficients"
            )
        found = f"connector '{body.name}', whose table is of a speed that varies in time"
        _require_followed(analysis, found, reduced=model.reduction is not None)
        speeds = body.speeds_over(model.span)
        body.bearing.over(speeds[[int(speeds.argmin())]])  # refuses those against its sense


def _require_vibrations(model: ModelSpec, name: str) -> None:
    """Refuse analyses that have no frequency."""
    found = f"connector '{name}': table: found a column frequency with "
    if isinstance(model.analysis, TransientAnalysis):
        raise InputError(
            f"{found}a transient analysis, whose motions have no single one; expected a transfer "
            "function that fits the table (transfer)"
        )
    text = unsuited(model)
    if text:
        raise InputError(f"{found}{text}")


def _require_swinging(model: ModelSpec, name: str) -> None:
    """Refuse what knows no coefficients that vary with the angle of a frame."""
    analysis = model.analysis
    unlike = f"connector '{name}', whose coefficients differ along x and y in a frame that turns"
    if isinstance(analysis, TransientAnalysis):
        _require_followed(analysis, unlike, reduced=model.reduction is not None)
        return
    known = isinstance(analysis, ModesAnalysis)
    if isinstance(analysis, HarmonicAnalysis) and analysis.speeds is not None:
        return
    wanted = "modes, harmonic with speeds, or transient"
    found = f"analysis {analysis.kind}"
    for key in ("shift", "nodal_diameters") if known else ():
        if getattr(analysis, key) is not None:
            known, found, wanted = False, f"analysis.{key}", "none"
    if isinstance(analysis, ModesAnalysis) and not analysis.damped:
        known, found, wanted = False, "analysis.damped: found false", "true"
    if model.reduction is not None:
        known, found, wanted = False, "reduction", "none"
    if not known:
        raise InputError(
            f"{found.removeprefix('found ')}: found with {unlike}; expected {wanted}, kxx = kyy "
            "and kxy = -kyx (so of damping and mass), or a body with spin in place of frame"
        )


def _require_followed(analysis: TransientAnalysis, unlike: str, *, reduced: bool) -> None:
    """Refuse steps of constant matrices, and those whose longest stable one would vary."""
    if reduced:
        found, wanted = "reduction: found one", "none"
    elif analysis.method not in METHODS:
        found = f"analysis.method: found {analysis.method}"
        wanted = f"one of {', '.join(METHODS)}"
    elif analysis.is_conditional:
        found = (
            f"analysis.beta: found {analysis.beta:g}, of steps that are not stable at any length,"
        )
        wanted = f"at least {0.5 * (analysis.gamma or 0.0):g}"
    else:
        return
    raise InputError(f"{found} with {unlike}; expected {wanted}, or constant coefficients")


def vibrated_at(model: ModelSpec) -> list[float]:
    """Return the frequencies of an analysis that are known before it, rad/s; none of modes."""
    analysis = model.analysis
    if analysis.kind != "harmonic":
        return []
    if analysis.speeds is not None:
        return [analysis.order * speed for speed in analysis.speeds]
    return [2.0 * np.pi * one for one in analysis.frequencies or ()]


def beyond_frequencies(bodies: Iterable[Body], frequencies: Sequence[float]) -> list[str]:
    """Return what to tell of frequencies that tables of bearings do not cover.

    Parameters
    ----------
    bodies : iterable of Body
        All bodies.
    frequencies : sequence of float
        Of vibrations, rad/s.
    """
    found = []
    for body in bodies:
        if not isinstance(body, BearingBody) or not isinstance(body.bearing, FrequencyLaw):
            continue
        missing = body.bearing.beyond_frequencies(frequencies)
        if missing:
            first, last = body.bearing.frequencies[[0, -1]] / (2.0 * np.pi)
            found.append(
                f"connector '{body.name}': its table is for {first:g} to {last:g} Hz; at "
                f"{len(missing)} of {len(frequencies)} frequencies it holds the coefficients of "
                "its end"
            )
    return found


def beyond_tables(
    bodies: Iterable[Body], speeds: Sequence[float] | None = None, duration: float = 0.0
) -> list[str]:
    """Return what to tell of speeds that tables of bearings do not cover.

    Parameters
    ----------
    bodies : iterable of Body
        All bodies.
    speeds : sequence of float, optional
        Speeds of an analysis, rad/s; by default those of the shafts themselves.
    duration : float
        The time over which speeds vary, s.
    """
    found, each = [], list(bodies)
    # Links have no steady speed, and to ask whether one rotates runs a mechanism that may lock.
    turning = (b.motion for b in each if b.motion.link is None and b.motion.rotates)
    first = next((float(np.linalg.norm(motion.at(0.0).w)) for motion in turning), 1.0)
    for body in each:
        if not isinstance(body, BearingBody):
            continue
        if speeds is not None:
            asked = [body.speed / first * one for one in speeds]
        elif body.varies:
            asked = body.speeds_over(duration).tolist()
        else:
            asked = [body.speed]
        missing = body.bearing.beyond(asked)
        if missing:
            first, last = body.bearing.speeds[[0, -1]]
            found.append(
                f"connector '{body.name}': its table is for {first:g} to {last:g} rad/s; at "
                f"{len(missing)} of {len(asked)} speeds it holds the coefficients of its end"
            )
    return found
