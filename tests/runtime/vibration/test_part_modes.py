# SPDX-License-Identifier: BSD-3-Clause
"""Eigenvalues of parts over the speed, in a space of their shapes."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from flexforge import load_model
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.vibration import modes_over_speed
from flexforge.runtime.vibration.modes_over_speed import apart
from flexforge.runtime.vibration.part_modes import (
    ConstantModes,
    Matrices,
    Pairs,
    VaryingModes,
    only_decay,
)
from scipy.linalg import eig

COUNT = 6


def chain(speed: float, size: int = 30, cross: float = 0.0) -> Matrices:
    """Return masses in two directions on springs and dampers, with gyroscopic forces."""
    line = 2.0 * np.eye(size) - np.eye(size, k=1) - np.eye(size, k=-1)
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    stiffness = np.kron(line, np.diag([1.0, 1.3])) + cross * speed * np.kron(np.eye(size), turn)
    spread = np.diag(np.linspace(0.5, 2.0, size))
    viscous = 0.02 * np.kron(line, np.eye(2)) + speed * np.kron(spread, 0.3 * turn)
    return np.kron(np.eye(size), np.eye(2)), viscous, stiffness


def complete(
    matrices: Matrices, *, decaying: bool = False, asked: list[int] | None = None
) -> Pairs:
    """Solve a problem in first order, by SciPy; keep the size of what was asked for."""
    m, c, k = matrices
    n = len(m)
    if asked is not None:
        asked.append(n)
    first = np.block(
        [[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(m, k), -np.linalg.solve(m, c)]]
    )
    values, vectors = eig(first)
    upper = np.flatnonzero(values.imag > 0.0)
    some = upper[np.argsort(np.abs(values[upper]))[:COUNT]]
    if decaying:
        slow = np.abs(values) <= np.abs(values[some]).max()
        some = np.concatenate([some, np.flatnonzero(only_decay(values) & slow)])
    shapes: Complex = vectors[:n, some]
    masses: Floats = np.einsum("nk,nk->k", shapes.conj(), m @ shapes).real
    return values[some], shapes / np.sqrt(masses)


@pytest.mark.parametrize("cross", [0.0, 0.004])
def test_a_space_has_what_complete_solutions_have(cross: float) -> None:
    """Gyroscopic and circulatory forces that grow with the speed, solved beside SciPy."""
    speeds, way, asked = np.linspace(0.0, 1.0, 17).tolist(), VaryingModes(), list[int]()
    solve = partial(complete, asked=asked)
    for speed in apart(speeds):
        if way.is_settled:
            break
        way.solve(solve, partial(chain, speed, cross=cross))
    assert way.is_settled
    learned = len(asked)
    for speed in speeds:
        values, shapes = way.solve(solve, partial(chain, speed, cross=cross))
        expected, _ = complete(chain(speed, cross=cross))
        np.testing.assert_allclose(values, expected, rtol=1e-9)
        m, c, k = chain(speed, cross=cross)
        left = k @ shapes + values * (c @ shapes) + values**2 * (m @ shapes)
        assert np.linalg.norm(np.linalg.solve(k, left), axis=0).max() < 1e-8
    assert asked[learned:].count(60) < 4, "nearly all are solved in the space"


def test_a_motion_that_begins_to_vibrate_is_not_missed() -> None:
    """One direction, overdamped at both ends of the range, vibrates without the other between."""

    def damped(speed: float) -> Matrices:
        m, c, k = chain(0.0)
        c = c.copy()
        c[1::2, 1::2] += 40.0 * (speed - 0.5) ** 2 * np.eye(30)
        return m, c, k

    way = VaryingModes()
    speeds = np.linspace(0.0, 1.0, 9).tolist()
    for speed in (1.0, 0.0, 1.0, 0.0):
        way.solve(complete, partial(damped, speed))
    assert way.is_settled
    for speed in speeds:
        values, _ = way.solve(complete, partial(damped, speed))
        np.testing.assert_allclose(values, complete(damped(speed))[0], rtol=1e-7)


def test_what_the_space_does_not_have_is_solved_completely() -> None:
    """A settled space meets matrices of another kind: a spring that holds the middle."""
    way = VaryingModes()
    for speed in (0.5, 0.5, 0.5):
        way.solve(complete, partial(chain, speed))
    assert way.is_settled
    m, c, k = chain(0.5)
    k = k.copy()
    k[30, 30] += 5.0
    values, _ = way.solve(complete, lambda: (m, c, k))
    np.testing.assert_array_equal(values, complete((m, c, k))[0])


def test_a_constant_part_is_solved_once() -> None:
    """The second answer is the first, without a look at the matrices."""
    way, asked = ConstantModes(), list[int]()
    first = way.solve(partial(complete, asked=asked), partial(chain, 0.3, 4))
    again = way.solve(partial(complete, asked=asked), partial(chain, 0.9, 4))
    assert again is first and asked == [8]


def test_speeds_far_apart_come_first() -> None:
    """Ends, the middle, quarters; every one of them in the end."""
    speeds = [float(n) for n in range(9)]
    found = list(apart(speeds))
    assert found[:5] == [8.0, 0.0, 4.0, 2.0, 6.0]
    assert set(found) == set(speeds)
    assert list(apart([3.0]))[:1] == [3.0]


def test_bending_of_a_free_shaft_on_tables_is_solved_in_a_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Torsion and tension are free and constant; bending varies, and its tables may hold nothing.

    Every speed by itself is solved completely.
    """
    table = {"speed": [0, 600], "kxx": [1e6, 2e6], "kyy": [8e5, 1.6e6], "kxy": [1e5, 3e5],
             "cxx": [300, 200]}  # fmt: skip
    model = {
        "materials": {"steel": {"young": 211e9, "poisson": 0.3, "density": 7810.0}},
        "shafts": [{"name": "rotor", "material": "steel", "spin": {"velocity": 300.0},
                    "segments": [{"length": 1.2, "diameter": 0.05, "elements": 13}],
                    "discs": [{"at": 0.4, "mass": 20.0, "inertia": [0.2, 0.35]}],
                    "stations": {"left": 0.0, "right": 1.2}}],
        "connectors": [{"name": at, "kind": "bearing", "at": f"rotor.{at}", "table": table}
                       for at in ("left", "right")],
        "output": {"formats": ["csv"]},
        "analysis": {"kind": "modes", "count": 5, "speeds": np.linspace(50, 550, 16).tolist()},
    }  # fmt: skip
    seen: list[VaryingModes] = []
    begin = VaryingModes.__init__

    def counted(self: VaryingModes) -> None:
        begin(self)
        seen.append(self)

    monkeypatch.setattr(VaryingModes, "__init__", counted)
    found = load_model(model).run(tmp_path / "many").campbell
    assert len(seen) == 1 and seen[0].is_settled
    monkeypatch.setattr(modes_over_speed, "MANY", 1000)
    alone = load_model(model).run(tmp_path / "alone").campbell
    assert found is not None and alone is not None and len(seen) == 1
    for one, other in zip(found["modes"], alone["modes"], strict=True):
        for key in ("frequency_Hz", "growth_1_s"):
            np.testing.assert_allclose(one[key], other[key], rtol=1e-9, atol=1e-8)
