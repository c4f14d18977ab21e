# SPDX-License-Identifier: BSD-3-Clause
"""The stiffness about which bodies vibrate: the derivative of the balance of forces.

By differences: of elements, of rotation and of loads that follow, turn with nodes, or heat.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
import pytest
from flexforge.runtime.finite.deformed_states import stresses_of
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.statics.tied_balance import balance_of
from flexforge.runtime.system.combinations import elastic_of
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.vibration.modes import solve_modes
from large import run
from scipy.linalg import eigvals

SPIN = {"axis": [0.0, 0.6, 0.8], "velocity": 15.0}
WEIGHT = [{"kind": "gravity", "acceleration": [0, -9.81, -9.81]}]
Model = dict[str, Any]


def model(block: Model, body: Model, material: Model, loads: list[Model]) -> Model:
    """Return a cantilever along x of a body from 0.1 m on."""
    return {
        "mesh": {"block": block},
        "materials": {"m": material},
        "bodies": [{"name": "body", "material": "m"} | body],
        "supports": [{"group": "xmin"}],
        "loads": loads,
        "analysis": {"kind": "modes", "count": 3},
    }


def rod(loads: list[Model], **body: Any) -> Model:
    section = {"shape": "rectangle", "width": 0.02, "height": 0.01}
    block = {"cell": "line3", "corners": [[0.1, 0, 0], [1.1, 0, 0]], "divisions": [3]}
    law = {"young": 2e9, "poisson": 0.3, "density": 2000}
    return model(block, {"element": "simo_beam3", "section": section} | body, law, loads)


def solid(loads: list[Model], **body: Any) -> Model:
    sides = ((0.1, 0.0), (0.5, 0.0), (0.5, 0.1), (0.1, 0.1))
    corners = [[x, y, z] for z in (0.0, 0.1) for x, y in sides]
    block = {"cell": "hex8", "corners": corners, "divisions": [2, 1, 1]}
    law = {"energy": "neo_hookean", "parameters": {"mu": 4e5, "lame": 2e6}}
    return model(
        block, {"element": "hex8"} | law | body, {"density": 1e3, "expansion": 1e-3}, loads
    )


def shell(loads: list[Model], **body: Any) -> Model:
    corners = [[0.1, 0, 0], [1.1, 0, 0], [1.1, 0.2, 0], [0.1, 0.2, 0]]
    block = {"cell": "tri3", "corners": corners, "divisions": [3, 1]}
    law = {"young": 2e9, "poisson": 0.3, "density": 2000}
    kind = {"element": "dkt3", "thickness": 0.01, "large_rotations": True}
    return model(block, kind | body, law, loads)


def at_end(kind: str, total: list[float], follows: bool = False) -> list[Model]:
    return [{"kind": kind, "group": "xmax", "total": total, "follows": follows}]


#: The model, and whether its loads have a potential.
CASES: dict[str, tuple[Model, bool]] = {
    "rod that turns": (rod(WEIGHT, frame=SPIN), True),
    "rod under a moment": (rod(at_end("moment", [3.0, 2.0, 4.0])), False),
    "rod under forces that follow": (rod(at_end("force", [-5.0, 1.0, 2.0], True)), False),
    "rod under moments that follow": (rod(at_end("moment", [3.0, 2.0, 4.0], True)), False),
    "solid that turns": (solid(WEIGHT, frame=SPIN), True),
    "solid under a pressure": (
        solid([{"kind": "pressure", "group": "zmax", "value": 500.0}], frame=SPIN), False,
    ),
    "solid that is heated": (solid([*WEIGHT, {"kind": "temperature", "change": 80.0}]), True),
    "shell under a moment": (shell(at_end("moment", [0.0, 5.0, 1.0])), False),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_it_is_the_derivative_of_the_balance(case: str) -> None:
    tables, conserves = CASES[case]
    system, stiffness, wanted = both(tables)
    assert np.abs(stiffness - wanted).max() < 1e-9 * np.abs(wanted).max()
    off = np.linalg.solve(wanted, stiffness - wanted)  # in soft motions too
    assert np.abs(np.linalg.eigvals(off)).max() < 1e-5
    assert system.is_symmetric == conserves


def both(tables: Model) -> tuple[Any, np.ndarray, np.ndarray]:
    """Return the deformed system, its stiffness, and that of the balance by differences."""
    spec = model_from_dict(tables)
    places = build_system(spec, build_mesh(spec))
    loads = Loads(spec, places)
    state = stresses_of(places.system, loads, "auto").find(0.0, places.system)
    balance = balance_of(places.system, loads, 0.0)
    q = places.system.map.sample(state.displacement)
    step = 1e-6

    def left(change: np.ndarray) -> np.ndarray:
        moved = balance.moved(q, change)
        return balance.residual(moved, balance.displacement(moved, 1.0), 1.0)[0]

    columns = [left(-step * one) - left(step * one) for one in np.eye(len(q))]
    found = state.system.matrix(elastic_of(state.system.spins(0.0))).toarray()
    return state.system, found, np.array(columns).T / (2.0 * step)


def test_out_of_balance_the_symmetric_part_is_solved_with() -> None:
    """Of a rod that is turned by chance: factors of symmetric matrices read one half of them."""
    spec = model_from_dict(rod(WEIGHT))
    places = build_system(spec, build_mesh(spec))
    balance = balance_of(places.system, Loads(spec, places), 0.0)
    turned = 0.05 * np.random.default_rng(1).standard_normal(places.system.unknowns)
    q = balance.moved(np.zeros_like(turned), turned)
    u = balance.displacement(q, 1.0)
    whole = balance.at(u).matrix(balance.elastic(1.0)).toarray()
    assert balance.is_symmetric
    assert np.abs(whole - whole.T).max() > 1e-3 * np.abs(whole).max()
    solved = balance.tangent(balance.at(u), q, u, 1.0).toarray()
    np.testing.assert_allclose(solved, 0.5 * (whole + whole.T), atol=1e-12 * np.abs(whole).max())


def test_modes_have_it() -> None:
    """Roots of a rod under a moment, beside those of the derivative: one vibration grows."""
    system, _, stiffness = both(rod(at_end("moment", [3.0, 2.0, 4.0]), rotary_inertia=False))
    motions = system.expand(np.eye(system.unknowns))
    mass = np.array([system.restrict(system.mass_times(one)) for one in motions])
    squares = eigvals(-stiffness, mass)
    lowest = squares[np.argsort(np.abs(squares))][:3]
    found = solve_modes(system, 3, None, 0.0, "auto").values
    assert np.sort_complex(found**2) == pytest.approx(np.sort_complex(lowest), rel=1e-5)


def test_linear_bodies_have_the_stresses_of_the_state(tmp_path: Path) -> None:
    """A thin beam that rubber pushes, compressed by 30 %: Euler's beam under the rubber's force.

    A block of area A between rollers has ``A (mu (s - 1/s) + lame log(s)/s)`` at the stretch s;
    its tangent times the way would be half again as much, and buckle the beam.
    """
    count, mu, lame, side = 8, 5e3, 1e4, 0.1
    line = [[x, 0.0, 0.0] for x in np.linspace(0.0, 1.0, count + 1)]
    faces = ((1.0, -0.5), (1.2, -0.5), (1.2, 0.5), (1.0, 0.5))
    block = [[x, side * y, side * z] for z in (-0.5, 0.5) for x, y in faces]
    first = len(line)
    cells = {"line2": [[k, k + 1] for k in range(count)], "hex8": [[first + k for k in range(8)]]}
    near, far = ([first + k for k in some] for some in ((0, 3, 4, 7), (1, 2, 5, 6)))
    groups = {"beam": {"line2": list(range(count))}, "rubber": {"hex8": [0]}, "left": [0],
              "tip": [count], "near": near, "far": far}  # fmt: skip
    free = {
        "mesh": ff.mesh_from_arrays(np.array(line + block), cells, groups),
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800},
                      "rubber": {"density": 1e3}},
        "bodies": [
            {"name": "beam", "cells": "beam", "element": "euler_beam", "material": "steel",
             "section": {"shape": "rectangle", "width": 0.01, "height": 0.004}},
            {"name": "rubber", "cells": "rubber", "element": "hex8", "material": "rubber",
             "energy": "neo_hookean", "parameters": {"mu": mu, "lame": lame}},
        ],
        "equations": [{"terms": [{"group": "tip", "component": "x"},
                                 {"group": "near", "component": "x", "factor": -1.0}]}],
        "analysis": {"kind": "modes", "count": 1},
        "output": {"formats": ["csv"]},
    }  # fmt: skip
    held = [
        {"group": "left", "components": ["x", "y", "z", "rx"]},
        *({"group": one, "components": ["y", "z"]} for one in ("tip", "near", "far")),
    ]
    found = []
    for way in (0.0, 0.06):
        pushed = {"group": "far", "components": ["x"], "displacement": {"x": -way}}
        outcome = run(free | {"supports": [*held, pushed]}, tmp_path / str(way))
        found.append(outcome.figures["mode 1"][0])
    stretch = 1.0 - 0.06 / 0.2
    push = -(side**2) * (mu * (stretch - 1 / stretch) + lame * np.log(stretch) / stretch)
    euler = np.pi**2 * 2e11 * 0.01 * 0.004**3 / 12
    assert 0.8 < push / euler < 0.9
    assert found[1] / found[0] == pytest.approx(np.sqrt(1.0 - push / euler), rel=1e-3)
