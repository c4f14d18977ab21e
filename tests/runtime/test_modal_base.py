# SPDX-License-Identifier: BSD-3-Clause
"""Transients by modes on bases that move: beside the whole equations, absolute and relative."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.run import run_model

MAST: dict[str, Any] = {
    "mesh": {"block": {"cell": "line2", "corners": [[0, 0, 0], [0, 0, 2]], "divisions": [4]}},
    "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7850.0,
                            "damping": {"alpha": 0.7, "beta": 3e-4}}},
    "bodies": [{"name": "mast", "element": "euler_beam", "material": "steel",
                "section": {"shape": "round", "diameter": 0.03}}],
    "probes": [
        {"name": "u", "group": "xmax", "component": "x"},
        {"name": "a", "group": "xmax", "component": "x", "quantity": "acceleration"},
        {"name": "M", "point": [0, 0, 0.3], "quantity": "section_force", "component": "My"},
        {"name": "R", "body": "mast", "quantity": "reaction_force", "component": "x"},
    ],
    "output": {"formats": ["csv"]},
}  # fmt: skip
ALL, DURATION, STEPS = 24, 0.15, 300


def run(tables: dict[str, Any], folder: Path) -> Outcome:
    """Run a model."""
    return run_model(model_from_dict(tables), output=folder)


def transient(**more: Any) -> dict[str, Any]:
    """Return a transient analysis."""
    return {"kind": "transient", "duration": DURATION, "steps": STEPS} | more


MODAL = transient(method="modal", modes=ALL)
MOVED = [
    {"displacement": {"x": "0.01*(1 - cos(20*t))"}},  # begins at rest
    {"displacement": {"x": "0.01*cos(20*t) - 0.01", "ry": "0.004*sin(15*t)**2"}},
    {"displacement": {"x": 0.005}},  # set aside at once: what is quasi-static never moves
]  # fmt: skip


@pytest.mark.parametrize("moved", MOVED)
def test_all_modes_on_a_base_that_moves_are_the_whole_equations(
    tmp_path: Path, moved: dict[str, Any]
) -> None:
    """Absolute displacements, accelerations, moments and reactions of full steps, to their order.

    With damping in proportion to mass, which brakes the base too, and a base that turns.
    """
    supports = [{"group": "xmin", **moved}]
    found = run(MAST | {"supports": supports, "analysis": MODAL}, tmp_path / "modal").probes
    whole = MAST | {"supports": supports, "analysis": transient(method="newmark")}
    expected = run(whole, tmp_path / "whole").probes
    for name, history in expected.items():
        if moved == MOVED[2] and name in "aRM":
            continue  # a jump: waves of the mesh that no steps follow
        values, other = np.asarray(history.values), np.asarray(found[name].values)
        later = slice(STEPS // 5, None)  # the first waves are those of the mesh
        size = np.abs(values).max()
        assert np.abs(values - other)[later].max() < 2e-2 * size, name


def test_a_step_of_acceleration_is_exact(tmp_path: Path) -> None:
    """An oscillator on a base with u0 = a t^2 / 2: relative -a/w^2 (1 - cos w t), in long steps."""
    w, a = 20.0, 3.0
    tables = {
        "mesh": {"points": {"mass": [0, 0, 0], "ground": [1, 0, 0]}},
        "masses": [{"name": "mass", "group": "mass", "mass": 2.0}],
        "connectors": [{"name": "k", "kind": "spring", "between": ["ground", "mass"],
                        "stiffness": 2.0 * w**2}],
        "supports": [{"group": "ground", "displacement": {"x": {"polynomial": [0, 0, a / 2]}}},
                     {"group": "mass", "components": ["y", "z"]}],
        "probes": [{"name": "u", "group": "mass", "component": "x"},
                   {"name": "a", "group": "mass", "component": "x", "quantity": "acceleration"}],
        "analysis": {"kind": "transient", "method": "modal", "modes": 1, "duration": 2.0,
                     "steps": 7},
        "output": {"formats": ["csv"]},
    }  # fmt: skip
    probes = run(tables, tmp_path).probes
    t = np.asarray(probes["u"].time)
    relative = -a / w**2 * (1 - np.cos(w * t))
    assert np.allclose(probes["u"].values, 0.5 * a * t**2 + relative, rtol=1e-11, atol=1e-14)
    assert np.allclose(probes["a"].values, a - a * np.cos(w * t), rtol=1e-10, atol=1e-12)


def test_a_frame_that_is_shaken_gives_what_is_relative(tmp_path: Path) -> None:
    """The same base as motion of the frame: displacements less those of the base, equal moments.

    Without damping in proportion to mass, which in a frame that moves acts on what is relative.
    """
    shaken = "0.01*(1 - cos(20*t))"
    steel = MAST["materials"]["steel"] | {"damping": {"beta": 3e-4}}
    unstressed = {"include": {"geometric": False}}  # by the acceleration of the frame at t = 0
    common = MAST | {"materials": {"steel": steel}, "analysis": MODAL, **unstressed}
    supports = [{"group": "xmin", "displacement": {"x": shaken}}]
    absolute = run(common | {"supports": supports}, tmp_path / "absolute").probes
    frame = {"origin": {"position": [shaken, 0, 0]}}
    body = MAST["bodies"][0] | {"frame": frame}
    held = common | {"bodies": [body], "supports": [{"group": "xmin"}]}
    relative = run(held, tmp_path / "relative").probes
    t = np.asarray(absolute["u"].time)
    base = 0.01 * (1 - np.cos(20 * t))
    size = np.abs(absolute["u"].values).max()
    assert np.allclose(absolute["u"].values - base, relative["u"].values, atol=1e-9 * size)
    for name in ("M", "R"):
        size = np.abs(absolute[name].values).max()
        assert np.allclose(absolute[name].values, relative[name].values, atol=1e-7 * size)


@pytest.mark.parametrize("damping", [{"alpha": 12.0}, 0.2])
def test_few_modes_take_the_base_along(tmp_path: Path, damping: Any) -> None:
    """Modal damping beside a harmonic analysis of the same modes, once the start has died away."""
    f = 4.0
    supports = [{"group": "xmin", "displacement": {"x": f"0.01*cos({2 * np.pi * f}*t) - 0.01"}}]
    common = MAST | {"probes": MAST["probes"][:1]}
    steel = common["materials"]["steel"] | {"damping": {}}
    common |= {"materials": {"steel": steel}}
    modal = {"modes": 4, "modal_damping": damping}
    analysis = {"kind": "transient", "method": "modal", "duration": 1.5, "steps": 600} | modal
    history = run(common | {"supports": supports, "analysis": analysis}, tmp_path / "t").probes["u"]
    still = [{"group": "xmin", "displacement": {"x": 0.01}}]
    harmonic = {"kind": "harmonic", "frequencies": [f]} | modal
    run(common | {"supports": still, "analysis": harmonic}, tmp_path / "h")
    _, size, phase = np.loadtxt(tmp_path / "h" / "response.csv", delimiter=",", skiprows=1)
    t = np.asarray(history.time)[-100:]
    expected = size * np.cos(2 * np.pi * f * t + np.radians(phase)) - 0.01
    assert np.allclose(np.asarray(history.values)[-100:], expected, atol=2e-3 * size)
