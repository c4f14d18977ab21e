# SPDX-License-Identifier: BSD-3-Clause
"""Viscous materials: decay of a body of two of them, the stress of a rate, equality with beta k."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.observe.probes import stress_of
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.vibration.modes import solve_modes
from models import STEEL, build, model
from scipy.optimize import newton


def _column(path: Path, count: int) -> Path:
    """Write a column of quad8 along x, 1 m of one group and 1 m of another."""
    places = np.linspace(0, 2, 2 * count + 1)
    lines = ["*NODE"]
    for i, x in enumerate(places):
        rows = (0, 1, 2) if i % 2 == 0 else (0, 2)
        lines += [f"{3 * i + j + 1}, {x}, {0.05 * j}, 0.0" for j in rows]
    for half, name in enumerate(("first", "second")):
        lines.append(f"*ELEMENT, TYPE=CPS8, ELSET={name}")
        for e in range(half * count // 2, (half + 1) * count // 2):
            i = 2 * e
            around = ((i, 0), (i + 2, 0), (i + 2, 2), (i, 2), (i + 1, 0), (i + 2, 1), (i + 1, 2),
                      (i, 1))  # fmt: skip
            lines.append(f"{e + 1}, " + ", ".join(str(3 * a + b + 1) for a, b in around))
    lines += ["*NSET, NSET=wall", "1, 2, 3", "*NSET, NSET=every"]
    lines += [
        str(3 * i + j + 1)
        for i in range(2 * count + 1)
        for j in ((0, 1, 2) if i % 2 == 0 else (0, 2))
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_decay_of_a_body_of_two_materials(tmp_path: Path) -> None:
    """Waves along a column fixed at one end: Z1 cosh(k1) cosh(k2) + Z2 sinh(k1) sinh(k2) = 0.

    E (1 + tau s) takes the place of E, so ``k = s L / c`` with ``c^2 = E (1 + tau s) / rho`` and
    ``Z = sqrt(rho E (1 + tau s))``: continuity of displacement and force where they meet. Without
    Poisson's ratio nothing moves across.
    """
    young, density, tau = (2e11, 7e10), (7800.0, 2700.0), (2e-6, 3e-5)
    materials = {
        name: {"young": e, "poisson": 0.0, "density": r, "viscosity": t}
        for name, e, r, t in zip(("one", "two"), young, density, tau, strict=True)
    }
    common = {"element": "quad8", "thickness": 0.1}
    spec = model_from_dict({
        "mesh": {"file": str(_column(tmp_path / "column.inp", 20))},
        "materials": materials,
        "bodies": [{"name": "a", "cells": "first", "material": "one"} | common,
                   {"name": "b", "cells": "second", "material": "two"} | common],
        "supports": [{"group": "wall"}, {"group": "every", "components": ["y"]}],
        "analysis": {"kind": "modes"},
    })  # fmt: skip
    found = solve_modes(build(spec).system, 2, None, 0.0, "auto")

    def unbalanced(s: complex) -> complex:
        modulus = [e * (1 + t * s) for e, t in zip(young, tau, strict=True)]
        k = [s * np.sqrt(r / e) for r, e in zip(density, modulus, strict=True)]
        z = [np.sqrt(r * e) for r, e in zip(density, modulus, strict=True)]
        return z[0] * np.cosh(k[0]) * np.cosh(k[1]) + z[1] * np.sinh(k[0]) * np.sinh(k[1])

    for growth, frequency in zip(found.growth, found.frequencies, strict=True):
        exact = newton(unbalanced, growth + 2j * np.pi * frequency, tol=1e-9)
        assert growth == pytest.approx(exact.real, rel=1e-4)
        assert frequency == pytest.approx(exact.imag / (2 * np.pi), rel=1e-4)
        assert growth < -1.0


def test_a_rate_makes_stress() -> None:
    """sigma = H (eps + tau eps'): the stress of a state with a velocity, and tau counts as beta."""
    material = STEEL | {"viscosity": 2e-3, "damping": {"beta": 1e-3}}
    spec = model("quad4", materials={"steel": material})
    places = build(spec)
    body = places.system.bodies[0]
    assert body.beta == pytest.approx(3e-3)
    rng = np.random.default_rng(2)

    class State:
        displacement = 1e-4 * rng.standard_normal(body.points.shape)
        velocity = 1e-2 * rng.standard_normal(body.points.shape)
        acceleration = np.zeros(body.points.shape)

    expected = body.stress(State.displacement) + 2e-3 * body.stress(State.velocity)
    found = stress_of(body, State(), Loads(spec, places), 0.0)
    np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())
