# SPDX-License-Identifier: BSD-3-Clause
"""A scene as plain data for the page of the report.

Arrays are base64 text of little-endian numbers. Displacements and stresses are 16-bit integers with
a common factor, so that they are exact to 1/32767 of the largest; peaks are given in full.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.results.scene import COLOURS, QUANTITIES, Scene, State, peak_of
from flexforge.runtime.results.units import prefix
from numpy.typing import ArrayLike

#: Largest number of nodal vectors of all frames and modes together: about 3.7 MB of text.
MOST_VALUES = 350_000
_FULL = 32767


def packed(scene: Scene) -> dict[str, Any] | None:
    """Return a scene as plain data, or None if it shows nothing.

    Parameters
    ----------
    scene : Scene
        The scene.
    """
    if not scene.pieces or not (scene.frames or scene.modes):
        return None
    columns = [piece.rows for piece in scene.pieces]
    first = np.cumsum([0, *map(len, columns)])
    shapes, vertex = _shapes(scene, columns, first)
    marks = [
        {
            "name": one.name,
            "kind": one.kind,
            "ground": one.ground,
            "column": int(first[one.piece] + np.searchsorted(columns[one.piece], one.row)),
            "rest": scene.pieces[one.piece].points[one.row].tolist(),
        }
        for one in scene.joints
    ]
    symbols = [
        {
            "kind": one.kind,
            "name": one.name,
            "column": int(first[one.piece] + np.searchsorted(columns[one.piece], one.row)),
            "rest": scene.pieces[one.piece].points[one.row].tolist(),
            "direction": list(one.direction),
            "fixed": one.fixed,
        }
        for one in scene.symbols
    ]
    points = [
        {"name": piece.name, "column": int(first[k]), "rest": piece.points[0].tolist()}
        for k, piece in enumerate(scene.pieces)
        if piece.shape is None
    ]
    sets = [
        _states(scene, states, columns, kind)
        for states, kind in ((scene.frames, "time"), (scene.modes, "mode"))
        if states
    ]
    return {
        "names": [piece.name for piece in scene.pieces],
        "owner": _text(np.repeat(np.arange(len(columns)), list(map(len, columns))), "<i4"),
        "row": _text(np.concatenate(columns), "<i4"),
        **shapes,
        "vertices": vertex,
        "joints": marks,
        "symbols": symbols,
        "points": points,
        "sets": sets,
        "scale": scene.scale,
        "size": scene.size,
        "flat": scene.flat,
        "deforms": any(piece.coloured for piece in scene.pieces),
        "eye": scene.eye.tolist(),
        "colours": [[i / (len(COLOURS) - 1), one] for i, one in enumerate(COLOURS)],
        "notes": list(scene.notes),
    }


def _shapes(scene: Scene, columns: Sequence[Ints], first: Ints) -> tuple[dict[str, str], int]:
    """Return the surfaces of all pieces together, and their number of vertices."""
    rest, column, edges = [np.empty((0, 3))], [np.empty(0, int)], [np.empty((0, 2), int)]
    triangles: dict[bool, list[Ints]] = {True: [], False: []}
    count = 0
    for k, piece in enumerate(scene.pieces):
        if piece.shape is None:
            continue
        rest.append(piece.shape.rest)
        column.append(first[k] + np.searchsorted(columns[k], piece.shape.node))
        triangles[piece.coloured].append(count + piece.shape.triangles)
        edges.append(count + piece.shape.edges)
        count += len(piece.shape.node)
    none = np.empty((0, 3), dtype=np.int64)
    return {
        "rest": _text(np.concatenate(rest), "<f4"),
        "column": _text(np.concatenate(column), "<i4"),
        "coloured": _text(np.concatenate([none, *triangles[True]]), "<i4"),
        "plain": _text(np.concatenate([none, *triangles[False]]), "<i4"),
        "edges": _text(np.concatenate(edges), "<i4"),
    }, count


def _states(
    scene: Scene, states: Sequence[State], columns: Sequence[Ints], kind: str
) -> dict[str, Any]:
    moves = np.stack([
        np.concatenate([one.moves[k][rows] for k, rows in enumerate(columns)]) for one in states
    ])  # fmt: skip
    quantities = scene.quantities if kind == "time" else scene.quantities[:1]
    found: dict[str, Any] = {
        "kind": kind,
        "told": scene.told[kind == "mode"],
        "labels": [one.label for one in states],
        "moves": _quantized(moves),
        "turns": _text(np.array([one.turns for one in states]), "<f4"),
        "origins": _text(np.array([one.origins for one in states]), "<f4"),
        "quantities": [_quantity(scene, states, one, kind) for one in quantities],
    }
    if "von_mises" in quantities:
        stress = np.stack([
            np.concatenate([one.values(k, "von_mises")[rows] for k, rows in enumerate(columns)])
            for one in states
        ])  # fmt: skip
        found["von_mises"] = _quantized(stress)
    return found


def _quantity(scene: Scene, states: Sequence[State], name: str, kind: str) -> dict[str, Any]:
    """Return label, unit, factor and the peak of each state of a quantity."""
    title, unit = QUANTITIES[name] if kind == "time" else ("Amplitude", "")
    peaks = [peak_of(scene, one, name) for one in states]
    top = max(value for _, _, value in peaks)
    factor, prefixed = prefix(top, unit, scene.units)
    return {
        "name": name,
        "title": title,
        "unit": prefixed,
        "factor": factor,
        "top": top / factor,
        "peaks": [
            {
                "body": k,
                "row": row,
                "value": value / factor,
                "rest": scene.pieces[k].points[row].tolist(),
                "move": one.moves[k][row].tolist(),
            }
            for (k, row, value), one in zip(peaks, states, strict=True)
        ],
    }


def _quantized(values: Floats) -> dict[str, Any]:
    factor = float(np.abs(values).max(initial=0.0)) / _FULL or 1.0
    return {"factor": factor, "data": _text(np.rint(values / factor), "<i2")}


def _text(values: ArrayLike, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()
