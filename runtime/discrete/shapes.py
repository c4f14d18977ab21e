# SPDX-License-Identifier: BSD-3-Clause
"""What a discrete system looks like in results: points and lines that move with frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy
from flexforge.codegen.systems.attached import Attached, attached
from flexforge.runtime.arrays import Floats
from flexforge.runtime.discrete.compiled import CompiledSystem
from flexforge.runtime.mechanism.mechanism import as_frame
from flexforge.runtime.results import BodyGeometry, BodyState


def shapes_of(compiled: CompiledSystem) -> list[BodyGeometry]:
    """Return the lines from a point to those at rest in a frame with it, or the point alone."""
    system = compiled.equations.system
    known = {symbol: sympy.Float(value) for symbol, value in system.constants.items()}
    return [_shape(one, known) for one in attached(system)]


def _shape(one: Attached, known: dict[sympy.Symbol, sympy.Float]) -> BodyGeometry:
    places = [[0.0, 0.0, 0.0]]
    places += [[float(x) for x in place.xreplace(known)] for place in one.places]
    if not one.places:
        return BodyGeometry(one.name, "point1", np.array(places), np.zeros((1, 1), dtype=np.int64))
    ends = np.arange(1, len(places))
    return BodyGeometry(
        one.name, "line2", np.array(places), np.column_stack([np.zeros_like(ends), ends])
    )


def frames_of(
    compiled: CompiledSystem, bodies: Sequence[BodyGeometry], times: Floats, states: Floats
) -> dict[str, BodyState]:
    """Return the states of the shapes over times: rigid, each in its frame.

    Parameters
    ----------
    compiled : CompiledSystem
        The system.
    bodies : sequence of BodyGeometry
        Its shapes.
    times : ndarray, (T,)
        s.
    states : ndarray, (T, size)
        Coordinates, then speeds.
    """
    n = len(compiled.coordinates)
    rates = compiled.evaluate("motion", times, states)[:, n:, 0]
    motions = compiled.evaluate("frames", times, states, rates).reshape(len(times), -1, 8, 3)
    return {
        body.name: BodyState(
            np.zeros((len(times), *body.points.shape)), frame=as_frame(motions[:, k])
        )
        for k, body in enumerate(bodies)
    }
