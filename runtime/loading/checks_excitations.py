# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with excitations by spectra and densities, and with what acts beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.checks_plies import known_name, out_of_plane
from flexforge.runtime.model.messages import Problem
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_excitation import OF_GRAVITY, SPECTRA, CurveSpec
from flexforge.runtime.model.schema_frame import is_free
from flexforge.runtime.model.schema_spectra import RandomAnalysis, SpectrumAnalysis
from flexforge.runtime.vibration.curves import build_curve
from flexforge.runtime.vibration.excitation import axis_of, correlation_matrix

#: Negative part of an eigenvalue of correlations that is round-off.
_NEGATIVE = 1e-12


def excitation_problems(model: ModelSpec) -> Iterator[Problem]:
    """Yield what is wrong with the excitations of a spectrum or random analysis."""
    analysis = model.analysis
    if analysis.kind == "random":
        yield from _gravities(model, [one.unit for one in analysis.excitations])
        yield from _random(model, analysis)
    else:
        for index, load in enumerate(model.loads):
            if load.excitation is not None:
                text = f"found with a {analysis.kind} analysis; expected it with a random one"
                yield Problem(("loads", index, "excitation"), text)
    if analysis.kind == "spectrum":
        yield from _gravities(model, [one.unit for one in analysis.excitations])
        for index, one in enumerate(analysis.excitations):
            key = ("analysis", "excitations", index)
            # At a period of zero only an acceleration tells how bodies move: with the base.
            still = one.over == "period" and SPECTRA[one.unit][0] != "acceleration"
            for place, curve in enumerate(one.curves):
                yield from _curve(curve, (*key, "curves", place), positive=still)
    if analysis.kind == "spectrum" or analysis.kind == "random":
        yield from _surroundings(model, analysis)


def _gravities(model: ModelSpec, units: Sequence[str]) -> Iterator[Problem]:
    """Yield values that are multiples of gravity where nothing tells how large that is."""
    for index, unit in enumerate(units):
        if unit in OF_GRAVITY and not model.unit_system.is_declared:
            text = f"found '{unit}' in a model of undeclared units; expected units of the model"
            yield Problem(("analysis", "excitations", index, "unit"), text)


def _random(model: ModelSpec, analysis: RandomAnalysis) -> Iterator[Problem]:
    names = {one.name for one in analysis.excitations if one.direction is None}
    used = set()
    for index, load in enumerate(model.loads):
        name = load.excitation
        if name is not None:
            used.add(name)
            yield from known_name(
                name, names, "excitation without direction", ("loads", index, "excitation")
            )
            if load.preload:
                text = "found with an excitation, which varies; expected one of them"
                yield Problem(("loads", index, "preload"), text)
            if load.kind == "temperature":
                text = "found with a temperature; expected it with forces and pressures"
                yield Problem(("loads", index, "excitation"), text)
    for index, one in enumerate(analysis.excitations):
        key = ("analysis", "excitations", index)
        if one.direction is None and one.name not in used:
            text = f"found '{one.name}', which no load names; expected direction, of a base, or a "
            yield Problem((*key, "name"), text + f'load with excitation = "{one.name}"')
        yield from _curve(one.density, (*key, "density"), positive=False)
    yield from _correlations(analysis)


def _curve(curve: CurveSpec, key: tuple[str | int, ...], *, positive: bool) -> Iterator[Problem]:
    try:
        found = build_curve(curve)
        if positive and found.x[0] <= 0.0:
            raise InputError("found a first number of 0; expected numbers above 0")
    except InputError as error:
        yield Problem(key, str(error))


def _correlations(analysis: RandomAnalysis) -> Iterator[Problem]:
    """Correlations of several excitations must be those of some signals."""
    least = float(np.linalg.eigvalsh(correlation_matrix(analysis)).min())
    if least < -_NEGATIVE:
        text = f"found coefficients that no signals have (an eigenvalue is {least:.3g}); expected "
        text += "a matrix of correlations without negative eigenvalues"
        yield Problem(("analysis", "correlations"), text)


def _surroundings(
    model: ModelSpec, analysis: SpectrumAnalysis | RandomAnalysis
) -> Iterator[Problem]:
    """Yield what acts beside excitations, or moves, and must not."""
    kind = analysis.kind
    if model.links or model.constraints:
        key = "links" if model.links else "constraints"
        yield Problem((key,), f"found with a {kind} analysis; expected bodies in frames at rest")
    for index, body in enumerate(model.bodies):
        if is_free(body.frame):
            text = f"found a free frame with a {kind} analysis; expected one at rest"
            yield Problem(("bodies", index, "frame"), text)
    if model.cyclic is not None:
        yield Problem(("cyclic",), f"found with a {kind} analysis; expected the whole wheel")
    revolved = any(body.is_revolved for body in model.bodies)
    directions = [one.direction for one in analysis.excitations]
    for index, direction in enumerate(directions):
        if model.is_planar and direction is not None:
            where = ("analysis", "excitations", index, "direction")
            yield from out_of_plane(axis_of(direction), where)
        if direction is not None and revolved and any(axis_of(direction)[::2]):
            across = "z" if axis_of(direction)[2] else "x"
            text = f"found {across} in a model of revolution, whose points are circles; expected y"
            yield Problem(("analysis", "excitations", index, "direction"), text)
    for index, equation in enumerate(model.equations):
        if equation.value != 0.0:
            text = f"found with a {kind} analysis, whose base moves by its excitations; expected 0"
            yield Problem(("equations", index, "value"), text)
    for index, support in enumerate(model.supports):
        if support.displacement:
            text = f"found with a {kind} analysis, whose base moves by its excitations; expected "
            yield Problem(("supports", index, "displacement"), text + "none")
    for index, load in enumerate(model.loads):
        if not load.preload and load.excitation is None:
            wanted = "preload = true, or none"
            if kind == "random" and load.kind != "temperature":
                wanted = "excitation, preload = true, or none"
            text = f"found a load that does not act in a {kind} analysis; expected {wanted}"
            yield Problem(("loads", index), text)
