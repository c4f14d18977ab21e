# SPDX-License-Identifier: BSD-3-Clause
"""Matrices over the speed as sums of constant ones, and parts of small problems."""

from __future__ import annotations

from typing import Any

import flexforge as ff
import numpy as np
import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.statics.stress_state import StressSolver
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.combinations import elastic_of, viscous_of
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.vibration.gyroscopic import definite_pairs, gyroscopic_pairs
from flexforge.runtime.vibration.speed_terms import SpeedTerms
from flexforge.runtime.vibration.steady_speeds import turned, turning_axes
from flexforge.runtime.vibration.uncoupled import largest, uncoupled
from models import build

TABLE = {"speed": [0.0, 50.0, 200.0], "kxx": [2e6, 3e6, 5e6], "kxy": [1e5, 3e5, 2e5],
         "kyx": [-1e5, -4e5, -9e5], "kyy": [2e6, 1e6, 4e6], "cxx": [9e2, 5e2, 3e2],
         "cyy": [8e2, 7e2, 2e2]}  # fmt: skip


def rotor(**damping: float) -> dict[str, Any]:
    """Return a shaft with a disc on one bearing with a table and one without."""
    points = np.column_stack([np.zeros((5, 2)), 0.25 * np.arange(5)])
    section = {"area": 2e-3, "inertia_y": 3e-7, "inertia_z": 3e-7, "torsion": 6e-7,
               "orientation": [1, 0, 0]}  # fmt: skip
    steel = {"density": 7800.0, "young": 2e11, "poisson": 0.3}
    steel |= {"damping": damping} if damping else {}
    return {
        "mesh": ff.mesh_from_arrays(points, {"line2": np.array([[k, k + 1] for k in range(4)])}),
        "materials": {"steel": steel},
        "bodies": [{"name": "shaft", "element": "euler_beam", "material": "steel",
                    "section": section, "spin": {"axis": [0, 0, 1], "velocity": 1.0}}],
        "masses": [{"name": "disc", "group": "#2", "mass": 30.0, "inertia": [0.2, 0.2, 0.35]}],
        "connectors": [
            {"name": "left", "kind": "bearing", "at": "#0", "orientation": [1, 0, 0],
             "table": TABLE},
            {"name": "right", "kind": "bearing", "at": "#4", "orientation": [1, 0, 0],
             "stiffness": [[1e6, 2e5], [-2e5, 3e6]], "damping": [[4e2, 0], [0, 5e2]]},
        ],
        "supports": [{"group": "#0", "components": ["z"]}],
        "analysis": {"kind": "modes"},
    }  # fmt: skip


@pytest.mark.parametrize("damping", [{}, {"alpha": 3.0, "beta": 1e-5}])
@pytest.mark.parametrize("speed", [20.0, 130.0])
def test_sums_are_the_matrices_assembled_at_the_speed(
    damping: dict[str, float], speed: float
) -> None:
    """Stiffness, gyroscopic and damping, and mass, by the bodies at that speed."""
    spec = model_from_dict(rotor(**damping))
    places = build(spec)
    system = places.system
    stresses = StressSolver(system, Loads(spec, places), "modes", "auto")
    axes = turning_axes(system)
    terms = SpeedTerms.of(system, axes, stresses, 0.0)
    assert terms is not None
    found = terms.problem(speed)
    assert found is not None
    there = stresses.find(0.0, turned(system, axes, speed)).system
    spins = there.spins(0.0)
    unit = Combination(0.0, np.eye(3), np.zeros(0))
    known = (elastic_of(spins), viscous_of(there.bodies, spins), [unit] * len(there.bodies))
    for matrix, combinations in zip(
        (found.stiffness, found.viscous, found.mass), known, strict=True
    ):
        expected = there.matrix(combinations).toarray()
        assert np.abs(matrix - expected).max() <= 1e-14 * np.abs(expected).max()
    stiffness, dynamic = terms.dynamic(np.array([speed]), 2)
    w = 2.0 * speed
    expected = found.stiffness + 1j * w * found.viscous - w * w * found.mass
    assert np.allclose(dynamic[0], expected, rtol=1e-13)
    assert np.array_equal(stiffness[0], found.stiffness)
    assert sorted(map(len, terms.parts)) == [4, 5, 20], "tension, torsion, bending"


def test_parts_are_what_nothing_but_round_off_couples() -> None:
    """Two pairs of unknowns in any order, of sizes that differ by 1e12."""
    matrix = np.zeros((4, 4))
    matrix[0, 2] = matrix[2, 0] = 1.0
    matrix[1, 3] = matrix[3, 1] = 1e12
    matrix[0, 1] = 1e-10
    parts = uncoupled((matrix, largest(matrix)))
    assert [part.tolist() for part in parts] == [[0, 2], [1, 3]]
    matrix[0, 1] = 1e-6
    assert len(uncoupled((matrix, largest(matrix)))) == 1


def test_a_stiff_support_takes_no_digits() -> None:
    """Foucault's oscillator, w = sqrt(k/m + g^2/4) -+ g/2, beside a spring of 1e20 N/m."""
    k, m, g = 100.0, 2.0, 3.0
    stiffness = np.diag([k, k, 1e20])
    stiffness[:2, 2] = stiffness[2, :2] = -1.0
    skew = np.array([[0.0, -g * m, 0.0], [g * m, 0.0, 0.0], [0.0, 0.0, 0.0]])
    mass = m * np.eye(3)
    mass[0, 2] = mass[2, 0] = 0.5
    found = definite_pairs(stiffness, skew, mass, 2)
    assert found is not None
    values, vectors = found
    root = np.sqrt(k / m + g * g / 4.0)
    assert np.sort(values.imag) == pytest.approx([root - g / 2.0, root + g / 2.0], rel=1e-13)
    assert np.sum(vectors.conj() * (mass @ vectors), axis=0) == pytest.approx(1.0)


@pytest.mark.parametrize("below", [1e-6, 1e-9, 1e-12])
def test_frequencies_keep_their_digits_beside_one_near_zero(below: float) -> None:
    """In a frame that turns at W an oscillator of w0 has w0 - W, near zero, and w0 + W."""
    speed = 10.0 - below
    skew = 2.0 * speed * np.array([[0.0, -1.0], [1.0, 0.0]])
    values, vectors = gyroscopic_pairs((100.0 - speed**2) * np.eye(2), skew, 2)
    assert values.imag == pytest.approx([below, 10.0 + speed], rel=1e-14, abs=1e-14)
    assert np.abs(vectors[1] / vectors[0]) == pytest.approx([1.0, 1.0], rel=1e-9)
