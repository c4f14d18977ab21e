# SPDX-License-Identifier: BSD-3-Clause
"""Rows of linear equations and of supports in local axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_equations import EquationSpec
from flexforge.runtime.model.schema_loads import SupportSpec
from flexforge.runtime.motion.build import build_profile
from flexforge.runtime.motion.coordinate import Coordinate
from flexforge.runtime.system.components import component_places
from flexforge.runtime.system.local_axes import local_axes
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.rows import Rows
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ZERO = 1e-14  # round-off of direction cosines


def equation_rows(
    model: ModelSpec, places: NameTable, frames: Ints, functions: list[Coordinate]
) -> Iterator[Rows]:
    """Yield the rows of ``[[equations]]``.

    Parameters
    ----------
    model : ModelSpec
        With the equations.
    places : NameTable
        Its names in the system.
    frames : ndarray of int64, (N,)
        Number of the frame that every node is in.
    functions : list of Coordinate
        Right-hand sides; new ones are appended.

    Raises
    ------
    InputError
        When nodes are missing, in different frames, or more than one term has several.
    """
    d = places.system.dimension
    for index, spec in enumerate(model.equations):
        key = f"equations[{index}]"
        found = _broadcast(spec, places, key)
        if len(np.unique(frames[found // d])) > 1:
            raise InputError(
                f"{key}.terms: found nodes in different frames; expected one frame, as frames move "
                "relative to each other"
            )
        factors: Floats = np.broadcast_to([term.factor for term in spec.terms], found.shape)
        number, given = np.zeros(0, dtype=np.int64), np.zeros((len(found), 0))
        if spec.value != 0.0:
            number, given = np.array([len(functions)]), np.ones((len(found), 1))
            functions.append(Coordinate(build_profile(spec.value, model.span or 1.0)))
        yield Rows(key, found, factors, number, given)


def _broadcast(spec: EquationSpec, places: NameTable, key: str) -> Ints:
    """Return the places of the terms, a row for every node of the term that has several."""
    columns = [
        component_places(term, places, f"{key}.terms[{i}]") for i, term in enumerate(spec.terms)
    ]
    several = [i for i, one in enumerate(columns) if len(one) > 1]
    if len(several) > 1:
        i, j = several[:2]
        raise InputError(
            f"{key}.terms[{j}].group: found {len(columns[j])} nodes and {len(columns[i])} in "
            f"terms[{i}]; expected groups of one node, and at most one of several"
        )
    return np.stack(np.broadcast_arrays(*columns), axis=1)


def support_rows(
    model: ModelSpec, places: NameTable, functions: list[Coordinate]
) -> Iterator[Rows]:
    """Yield the rows of supports in local axes.

    Parameters are those of :func:`equation_rows`.

    Raises
    ------
    InputError
        When nodes are missing, or have no such axes.
    """
    d = places.system.dimension
    for index, spec in enumerate(model.supports):
        if spec.axes is None:
            continue
        key = f"supports[{index}]"
        pairs = places.nodes(spec.group, spec.body, f"{key}.group")
        points = [body.part.points[nodes, :d] for body, nodes in pairs]
        vectors = [body.nodes[nodes] for body, nodes in pairs]
        turning = [k for k, (body, _) in enumerate(pairs) if body.turns and d == 3]
        moving = [name for name in spec.displacement if d == 3 or name != "rz"]
        numbers = {str(name): len(functions) + k for k, name in enumerate(moving)}
        functions += [
            Coordinate(build_profile(spec.displacement[name], model.span or 1.0)) for name in moving
        ]
        yield from _along(key, spec, "", vectors, points, numbers)
        if turning:
            vectors = [pairs[k][0].rotations[pairs[k][1]] for k in turning]
            yield from _along(key, spec, "r", vectors, [points[k] for k in turning], numbers)


def _along(
    key: str,
    spec: SupportSpec,
    kind: str,
    vectors: Sequence[Ints],
    points: Sequence[Floats],
    numbers: Mapping[str, int],
) -> Iterator[Rows]:
    """Yield the rows that hold components of the vectors of nodes, each node once."""
    assert spec.axes is not None
    nodes, first = np.unique(np.concatenate(vectors), return_index=True)
    axes = local_axes(spec.axes, np.concatenate(points)[first], f"{key}.axes")
    d = points[0].shape[1]
    axes = axes[:, :d, :d]
    held = [i for i, axis in enumerate("xyz"[:d]) if f"{kind}{axis}" in spec.components]
    if not held:
        return
    moving = [name for name in numbers if name[:-1] == kind]
    moved = [held.index("xyz".index(name[-1])) for name in moving]
    factors: Floats = axes[:, held]
    given: Floats = np.broadcast_to(np.eye(len(held))[:, moved], (len(axes), len(held), len(moved)))
    if len(held) > 1:  # each equation is solved for a component that the others do not have
        chosen = factors[np.arange(len(axes))[:, None], :, _pivots(axes, held)].swapaxes(1, 2)
        solved = np.linalg.solve(chosen, np.concatenate([factors, given], axis=2))
        factors = np.where(np.abs(solved[:, :, :d]) <= _ZERO, 0.0, solved[:, :, :d])
        given = solved[:, :, d:]
    count = len(axes) * len(held)
    columns = np.broadcast_to((nodes[:, None] * d + np.arange(d))[:, None], factors.shape)
    yield Rows(
        key,
        columns.reshape(count, d),
        factors.reshape(count, d),
        np.array([numbers[name] for name in moving], dtype=np.int64),
        given.reshape(count, len(moving)),
    )


def _pivots(axes: Floats, held: Sequence[int]) -> Ints:
    """Return components (n, k) to solve for; the one left is the largest of the free axis."""
    d = axes.shape[1]
    if len(held) == d:
        return np.broadcast_to(np.arange(d), (len(axes), d))
    (free,) = set(range(d)) - set(held)
    largest = np.abs(axes[:, free]).argmax(axis=1)
    others: Ints = np.array([[j for j in range(d) if j != i] for i in range(d)])
    return np.asarray(others[largest])
