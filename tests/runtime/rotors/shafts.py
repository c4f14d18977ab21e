# SPDX-License-Identifier: BSD-3-Clause
"""Models of rotors for the tests, and the same rotors by beam theory.

The two-disc rotor is that of Friswell, Penny, Garvey, Lees, Dynamics of Rotating Machines (2010),
example 5.9.1: its figures are those of the manual of ROSS 2.3.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.mesh.from_arrays import mesh_from_arrays
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.run import run_model
from flexforge.runtime.statics.stress_state import stress_at
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.vibration.modes import solve_modes
from models import build
from rotor_equations import Array, Bearing, Disc, Piece, Rotor

Tables = dict[str, Any]
SPEED = 4000.0 * np.pi / 30.0  # rad/s
_STEEL = 7810.0
#: Cowper's coefficient of a round section, 6 (1 + nu) / (7 + 6 nu).
_NU = 211e9 / (2 * 81.2e9) - 1
KAPPA = 6 * (1 + _NU) / (7 + 6 * _NU)


def _disc(node: int, outer: float, width: float = 0.07, inner: float = 0.05) -> Disc:
    mass = _STEEL * np.pi / 4 * (outer**2 - inner**2) * width
    squares = outer**2 + inner**2
    return Disc(node, mass, mass / 48 * (3 * squares + 4 * width**2), mass / 8 * squares)


#: Two discs on a shaft of 1.5 m, without bearings.
TWO_DISCS = Rotor([Piece(0.25, 0.05)] * 6, [_disc(2, 0.28), _disc(4, 0.35)], kappa=KAPPA)


def on(rotor: Rotor, stiffness: Any, damping: Any = 0.0, nodes: tuple[int, ...] = (0, 6)) -> Rotor:
    """Return a rotor on bearings at some nodes, all with a number, two, or a matrix."""
    k, c = (_matrix(one) for one in (stiffness, damping))
    return replace(rotor, bearings=[Bearing(node, k, c) for node in nodes])


def _matrix(given: Any) -> Array:
    values = np.array(given, dtype=float)
    return values if values.ndim == 2 else np.eye(2) * values


#: Of three nodes, whose fastest vibration has 870 rad/s; the first critical speed is 82 rad/s.
SOFT = on(
    Rotor([Piece(0.4, 0.03), Piece(0.5, 0.03)],
          [Disc(0, 3.0, 0.3, 0.5), Disc(1, 40.0, 1.0, 1.8), Disc(2, 2.0, 0.3, 0.5)],
          kappa=KAPPA, alpha=0.7, beta=1e-4),
    [[4e5, 5e4], [-3e4, 3e5]], [1e3, 2e3], nodes=(0, 2),
)  # fmt: skip
PROGRESS: Tables = {"kind": "transient", "method": "gauss4", "step": 2e-3}


def tables(
    rotor: Rotor,
    velocity: Any,
    *,
    turning: str = "spin",
    axis: Sequence[float] = (0.0, 0.0, 1.0),
    point: Sequence[float] = (0.0, 0.0, 0.0),
    **others: Any,
) -> Tables:
    """Return the model of a rotor; other tables replace or add to what it has.

    Parameters
    ----------
    rotor : Rotor
        The rotor.
    velocity : profile
        Angular velocity about the axis.
    turning : str
        "spin", or "frame" for axes that turn.
    axis, point : sequence of float
        Direction and beginning of the shaft; it is held along x, y and z if it lies along it.
    """
    points = np.array(point) + rotor.stations[:, None] * axis
    x = direction(axis)
    cells = np.arange(len(rotor.pieces))[:, None] + [0, 1]
    groups: dict[tuple[float, float], list[int]] = {}
    for number, piece in enumerate(rotor.pieces):
        groups.setdefault((piece.outer, piece.inner), []).append(number)
    named = {f"part{i}": {"line2": np.array(cells)} for i, cells in enumerate(groups.values())}
    moving = {turning: {"axis": list(axis), "point": list(point), "velocity": velocity}}
    arrays = mesh_from_arrays(points, {"line2": cells}, groups=named)
    carriers = {
        place(rotor, one.carrier): points[one.node].tolist()
        for one in rotor.bearings
        if one.carrier is not None
    }
    steel = {"young": rotor.young, "density": rotor.density}
    steel["poisson"] = rotor.young / (2 * rotor.shear) - 1
    if rotor.alpha or rotor.beta:
        steel |= {"damping": {"alpha": rotor.alpha, "beta": rotor.beta}}
    return {
        "mesh": {"arrays": arrays, "points": carriers} if carriers else {"arrays": arrays},
        "materials": {"steel": steel},
        "bodies": [
            {"name": f"shaft{i}", "cells": f"part{i}", "element": "timoshenko_beam",
             "material": "steel", "section": section(rotor, *key, x), **moving}
            for i, key in enumerate(groups)
        ],
        "masses": [
            {"name": f"disc{i}", "group": f"#{one.node}", "mass": one.mass,
             "inertia": inertia(one, axis)}
            for i, one in enumerate(rotor.discs)
        ] + [
            {"name": name, "group": name, "mass": mass}
            for name, mass in zip(carriers, rotor.carriers, strict=True)
        ],
        "connectors": [bearing(rotor, i, x) for i in range(len(rotor.bearings))],
        "supports": [
            {"group": one, "components": [along, f"r{along}"] if one == "#0" else [along]}
            for one in ("#0", *carriers)
            for along in [c for c, n in zip("xyz", axis, strict=True) if n == 1.0]
        ],
        "output": {"formats": ["csv"]},
    } | others  # fmt: skip


def inertia(disc: Disc, axis: Sequence[float]) -> list[float]:
    """Return the moments and products ``int y z dm``, .. of inertia of a disc."""
    products = (disc.diametral - disc.polar) * np.outer(axis, axis)
    moments = disc.diametral - np.diag(products)
    return [*moments.tolist(), *(float(products[i, j]) for i, j in ((1, 2), (0, 2), (0, 1)))]


def direction(axis: Sequence[float]) -> list[float]:
    """Return the direction x across an axis, from which bearings and unbalances count."""
    n = np.array(axis)
    x = np.array([1.0, 0.0, 0.0]) if abs(n[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    return list(x - (x @ n) * n)


def section(rotor: Rotor, outer: float, inner: float, x: list[float]) -> Tables:
    """Return a hollow round section of the shear coefficient of a rotor."""
    piece = Piece(1.0, outer, inner)
    return {"area": piece.area, "inertia_y": piece.second, "inertia_z": piece.second,
            "torsion": 2 * piece.second, "orientation": x,
            "shear_y": rotor.kappa, "shear_z": rotor.kappa}  # fmt: skip


def place(rotor: Rotor, node: int) -> str:
    """Return the group of a node of a rotor."""
    return f"#{node}" if node < len(rotor.stations) else f"mass{node}"


def bearing(rotor: Rotor, number: int, x: list[float]) -> Tables:
    """Return a bearing of the model file."""
    one = rotor.bearings[number]
    nodes = [place(rotor, n) for n in (one.node, one.carrier) if n is not None]
    laws = {"stiffness": one.stiffness, "damping": one.damping, "mass": one.mass}
    return {
        "name": f"bearing{number}", "kind": "bearing", "orientation": x,
        **({"at": nodes[0]} if one.carrier is None else {"between": nodes}),
        **{key: law.tolist() for key, law in laws.items() if law.any()},
    }  # fmt: skip


def unbalance(node: int, amount: float, phase: Any = 0.0) -> Tables:
    """Return an unbalance whose phase counts from x."""
    return {"kind": "unbalance", "group": f"#{node}", "unbalance": amount, "phase": phase,
            "orientation": [1, 0, 0]}  # fmt: skip


def probes(*nodes: int, quantity: str = "displacement") -> list[Tables]:
    """Return probes of x and y at nodes, with distinct names."""
    begin = "" if quantity == "displacement" else f"{quantity} "
    return [
        {"name": f"{begin}{c}{n}", "group": f"#{n}", "component": c, "quantity": quantity}
        for n in nodes
        for c in "xy"
    ]


def run(data: Tables, folder: Path) -> Outcome:
    """Run a model."""
    return run_model(model_from_dict(data, folder=folder), output=folder)


def histories(data: Tables, folder: Path) -> Array:
    """Run a model; return time, s, and its probes, (T, 1 + probes)."""
    run(data, folder)
    return np.loadtxt(folder / "probes.csv", delimiter=",", skiprows=1)


def response(data: Tables, folder: Path) -> tuple[Array, Array]:
    """Run steady vibrations over the speed; return speeds, and probes as complex amplitudes."""
    run(data, folder)
    rows = np.loadtxt(folder / "response.csv", delimiter=",", skiprows=1, ndmin=2)
    return rows[:, 0], rows[:, 2::2] * np.exp(1j * np.radians(rows[:, 3::2]))


def roots(data: Tables, count: int) -> Array:
    """Return the lowest roots of a model, 1/s, with positive imaginary parts, by these."""
    spec = model_from_dict(data | {"analysis": {"kind": "modes"}}, folder=Path())
    places = build(spec)
    stressed = stress_at(places.system, Loads(spec, places), "modes", "auto", 0.0)
    found = solve_modes(stressed.system, count, None, 0.0, "auto").values
    return np.asarray(found[np.argsort(found.imag)])


def apart(found: Array, expected: Array) -> float:
    """Return how far roots are from the nearest of others, relative to these."""
    nearest = expected[np.abs(found[:, None] - expected).argmin(axis=1)]
    return float(np.abs(found / nearest - 1.0).max())
