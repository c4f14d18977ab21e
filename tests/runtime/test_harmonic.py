# SPDX-License-Identifier: BSD-3-Clause
"""Harmonic vibrations and modal transients of an oscillator and a bar, in closed form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, FlexforgeError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.run import run_model
from flexforge.runtime.vibration.harmonic import swept

MASS, STIFFNESS, DAMPING = 2.0, 800.0, 4.0  # omega = 20 rad/s, zeta = 0.05
OMEGA, ZETA = 20.0, 0.05
MOTION: dict[str, Any] = {"kind": "transient", "duration": 1.0, "steps": 2}
PLACE = {"name": "x", "group": "mass", "component": "x"}


def oscillator(analysis: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a mass on a spring and a damper along x, between which and the ground it hangs."""
    return {
        "mesh": {"points": {"mass": [0, 0, 0], "ground": [1, 0, 0]}},
        "masses": [{"name": "mass", "group": "mass", "mass": MASS}],
        "connectors": [{"name": "spring", "kind": "spring", "between": ["ground", "mass"],
                        "stiffness": STIFFNESS, "damping": DAMPING}],
        "supports": [{"group": "ground"}, {"group": "mass", "components": ["y", "z"]}],
        "loads": [{"kind": "force", "group": "mass", "total": [3, 0, 0]}],
        "probes": [PLACE, {**PLACE, "name": "v", "quantity": "velocity"}],
        "analysis": analysis,
        "output": {"formats": ["csv"]},
    } | changes  # fmt: skip


def run(tables: dict[str, Any], folder: Path) -> Outcome:
    """Run a model."""
    return run_model(model_from_dict(tables), output=folder)


def response(folder: Path) -> np.ndarray:
    """Return frequency, and the complex amplitude of every probe."""
    rows = np.loadtxt(folder / "response.csv", delimiter=",", skiprows=1, ndmin=2)
    values = rows[:, 1::2] * np.exp(1j * np.radians(rows[:, 2::2]))
    return np.column_stack([rows[:, 0], values])


def exact(frequencies: np.ndarray, force: complex = 3.0) -> np.ndarray:
    """Return the amplitude of the oscillator."""
    w = 2 * np.pi * frequencies
    return np.asarray(force / (STIFFNESS - MASS * w**2 + 1j * w * DAMPING))


@pytest.mark.parametrize("modes", [None, 1])
def test_an_oscillator_answers_as_its_formula(tmp_path: Path, modes: int | None) -> None:
    analysis: dict[str, Any] = {"kind": "harmonic", "frequencies": "0:6:13"}
    analysis |= {"modes": modes} if modes else {}
    outcome = run(oscillator(analysis), tmp_path)
    found = response(tmp_path)
    f = found[:, 0].real
    assert np.allclose(f, np.linspace(0, 6, 13))
    assert np.allclose(found[:, 1], exact(f), rtol=1e-12)
    assert np.allclose(found[:, 2], 2j * np.pi * f * exact(f), rtol=1e-12)
    peak = np.abs(exact(f)).max()
    assert outcome.figures["x, largest amplitude"] == [pytest.approx(peak), "m"]


def test_phases_of_loads_add_up(tmp_path: Path) -> None:
    one = {"kind": "force", "group": "mass", "total": [3, 0, 0]}
    loads = [one, one | {"phase": "90 deg"}]
    run(oscillator({"kind": "harmonic", "frequencies": [2.0]}, loads=loads), tmp_path)
    found = response(tmp_path)
    assert found[0, 1] == pytest.approx(exact(np.array([2.0]), 3.0 + 3.0j)[0], rel=1e-12)


@pytest.mark.parametrize("modes", [None, 1])
def test_a_base_that_moves_carries_the_mass(tmp_path: Path, modes: int | None) -> None:
    """u = g (k + i w c) / (k - m w^2 + i w c)."""
    analysis: dict[str, Any] = {"kind": "harmonic", "frequencies": [1.0, 3.0, 9.0]}
    analysis |= {"modes": modes} if modes else {}
    supports = [{"group": "ground", "displacement": {"x": 0.01}},
                {"group": "mass", "components": ["y", "z"]}]  # fmt: skip
    run(oscillator(analysis, supports=supports, loads=[]), tmp_path)
    found = response(tmp_path)
    w = 2 * np.pi * found[:, 0].real
    moved = 0.01 * (STIFFNESS + 1j * w * DAMPING)
    assert np.allclose(found[:, 1], moved / (STIFFNESS - MASS * w**2 + 1j * w * DAMPING))


@pytest.mark.parametrize(
    "damping", [ZETA, [ZETA], {"alpha": DAMPING / MASS}, {"beta": DAMPING / STIFFNESS}]
)
def test_the_damping_of_modes_is_that_of_a_damper(tmp_path: Path, damping: Any) -> None:
    spring = {"name": "spring", "kind": "spring", "between": ["ground", "mass"],
              "stiffness": STIFFNESS}  # fmt: skip
    analysis = {"kind": "harmonic", "frequencies": [1.0, 3.2], "modes": 1}
    analysis["modal_damping"] = damping
    run(oscillator(analysis, connectors=[spring]), tmp_path)
    found = response(tmp_path)
    assert np.allclose(found[:, 1], exact(found[:, 0].real), rtol=1e-12)


def test_a_sweep_gathers_at_resonances(tmp_path: Path) -> None:
    found = swept(np.array([1.0, 20.0]), 0.0, 10.0, 5, 3.0)
    assert found[[0, 4, 8]].tolist() == [0.0, 1.0, 10.0]
    assert np.allclose(found[1:4], 0.5 + 0.5 * np.array([-(0.5 ** (1 / 3)), 0, 0.5 ** (1 / 3)]))
    analysis = {"kind": "harmonic", "between": [1, 6], "points": 9, "modes": 1}
    outcome = run(oscillator(analysis), tmp_path)
    assert outcome.figures["x, frequency of it"][0] == pytest.approx(OMEGA / (2 * np.pi))
    assert outcome.figures["frequencies"] == 17


@pytest.mark.parametrize("scale", [1e-6, 1.0])
def test_modal_steps_are_exact(tmp_path: Path, scale: float) -> None:
    """A force that appears at once: u = f/k (1 - exp(-zeta w t) (cos + zeta/r sin)), any step."""
    analysis = {"kind": "transient", "method": "modal", "modes": 1, "duration": 2.0, "steps": 10}
    loads = [{"kind": "force", "group": "mass", "total": [3 * scale, 0, 0]}]
    outcome = run(oscillator(analysis, loads=loads), tmp_path)
    history = outcome.probes["x"]
    t, r = np.asarray(history.time), np.sqrt(1 - ZETA**2)
    decay = np.exp(-ZETA * OMEGA * t)
    w = r * OMEGA * t
    expected = 3 * scale / STIFFNESS * (1 - decay * (np.cos(w) + ZETA / r * np.sin(w)))
    assert np.allclose(history.values, expected, rtol=1e-12, atol=1e-15 * scale)


def test_hilber_hughes_and_taylor_damp_by_alpha(tmp_path: Path) -> None:
    """alpha = 0 is the trapezoidal rule; their own steps by hand for -0.1."""
    alpha, h, steps = -0.1, 0.05, 20
    common = {"kind": "transient", "duration": h * steps, "steps": steps}
    none = run(oscillator(common | {"method": "hht", "alpha": 0.0}), tmp_path / "0")
    rule = run(oscillator(common | {"method": "newmark"}), tmp_path / "1")
    assert np.allclose(none.probes["x"].values, rule.probes["x"].values, rtol=1e-12, atol=1e-15)
    beta, gamma = 0.25 * (1 - alpha) ** 2, 0.5 - alpha
    u, v, a, found = 0.0, 0.0, 3.0 / MASS, [0.0]
    for _ in range(steps):
        guess, rate = u + h * v + h * h * (0.5 - beta) * a, v + h * (1 - gamma) * a
        left = MASS + (1 + alpha) * (gamma * h * DAMPING + beta * h * h * STIFFNESS)
        right = 3.0 - (1 + alpha) * (DAMPING * rate + STIFFNESS * guess)
        right += alpha * (DAMPING * v + STIFFNESS * u)
        a = right / left
        u, v = guess + beta * h * h * a, rate + gamma * h * a
        found.append(u)
    damped = run(oscillator(common | {"method": "hht", "alpha": alpha}), tmp_path / "2")
    assert np.allclose(damped.probes["x"].values, found, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("analysis", "said"),
    [
        ({"kind": "harmonic"}, "neither of frequencies and between"),
        ({"kind": "harmonic", "frequencies": [2, 1]}, "found 2 before 1"),
        ({"kind": "harmonic", "between": [1, 2]}, "expected the number of modes"),
        ({"kind": "harmonic", "frequencies": [1], "modal_damping": 0.1}, "found without modes"),
        ({"kind": "harmonic", "frequencies": "1:x"}, "expected A:B:N or A,B,C"),
        ({"kind": "transient", "duration": 1.0, "steps": 2, "method": "modal"}, "number of modes"),
        (
            {"kind": "transient", "duration": 1.0, "steps": 2, "modes": 3},
            "expected only with modal",
        ),
        (
            {"kind": "transient", "duration": 1.0, "steps": 2, "alpha": -0.1},
            "expected only with hht",
        ),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, analysis: dict[str, Any], said: str) -> None:
    with pytest.raises(FlexforgeError, match=said):
        run(
            oscillator({k: float(v) if k == "duration" else v for k, v in analysis.items()}),
            tmp_path,
        )


@pytest.mark.parametrize("modes", [{}, {"modes": 1}])
def test_an_undamped_resonance_has_no_amplitude(tmp_path: Path, modes: dict[str, int]) -> None:
    spring = {"name": "spring", "kind": "spring", "between": ["ground", "mass"],
              "stiffness": MASS * (2 * np.pi) ** 2}  # fmt: skip
    analysis = {"kind": "harmonic", "frequencies": [1.0], **modes}
    with pytest.raises(AnalysisError, match="no steady vibration at 1 Hz"):
        run(oscillator(analysis, connectors=[spring]), tmp_path)


@pytest.mark.parametrize("modes", [{}, {"modes": 1}])
def test_supports_bear_what_vibrates_alone(tmp_path: Path, modes: dict[str, int]) -> None:
    """The ground holds spring and damper, and a force on it with its phase; weight is not told.

    ``R = -(k + i w c) u - f``, in a probe and in tables of both parts.
    """
    weight = {"kind": "gravity", "acceleration": [0, 9.81, 0], "preload": True}
    push = {"kind": "force", "group": "mass", "total": [3, 0, 0], "phase": "40 deg"}
    other = {"kind": "force", "group": "ground", "total": [0.5, 0, 0], "phase": "90 deg"}
    tables = [{"group": group, "quantity": "reaction_force", "name": name}
              for group, name in (("ground", "R"), ("mass", "W"))]  # fmt: skip
    probe = {"name": "R", "body": "spring", "quantity": "reaction_force", "component": "x"}
    analysis = {"kind": "harmonic", "frequencies": [2.0, 3.1], **modes}
    run(oscillator(analysis, loads=[weight, push, other], tables=tables, probes=[PLACE, probe]),
        tmp_path)  # fmt: skip
    found = response(tmp_path)
    parts = [
        np.loadtxt(tmp_path / "tables" / f"R{end}.csv", delimiter=",", skiprows=1, usecols=2)
        for end in ("", " imaginary")
    ]
    held_across = np.loadtxt(tmp_path / "tables" / "W.csv", delimiter=",", skiprows=1)[:, 2:]
    assert np.abs(held_across).max() == 0.0
    for number, row in enumerate(found):
        f = row[0].real
        u = exact(f, 3.0 * np.exp(1j * np.radians(40)))
        assert row[1] == pytest.approx(u, rel=1e-10)
        held = -(STIFFNESS + 2j * np.pi * f * DAMPING) * u
        assert parts[0][number] + 1j * parts[1][number] == pytest.approx(held - 0.5j, rel=1e-9)
        # What holds the mass along x is the spring alone: its body has no part of the mass.
        assert row[2] == pytest.approx(held - 0.5j, rel=1e-9)


def test_modes_and_the_whole_equations_agree(tmp_path: Path) -> None:
    """A clamped bar of 40 elements with all its modes: to round-off, preloaded or not."""
    bar = {
        "mesh": {"block": {"cell": "quad4", "corners": [[0, 0], [1, 0], [1, 0.1], [0, 0.1]],
                           "divisions": [6, 1]}},
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0,
                                "damping": {"beta": 1e-5}}},
        "bodies": [{"name": "bar", "element": "quad4", "material": "steel", "thickness": 0.1}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "force", "group": "xmax", "total": [0, 1, 0]},
                  {"kind": "force", "group": "xmax", "total": [1e7, 0, 0], "preload": True}],
        "probes": [{"name": "tip", "group": "xmax", "component": "y"}],
        "output": {"formats": ["csv"]},
    }  # fmt: skip
    values = {}
    for name, modes in (("direct", {}), ("modes", {"modes": 24})):
        analysis = {"kind": "harmonic", "frequencies": [0.0, 80.0, 700.0], **modes}
        run(bar | {"analysis": analysis}, tmp_path / name)
        values[name] = response(tmp_path / name)[:, 1]
    assert np.allclose(values["direct"], values["modes"], rtol=1e-9)
    bar["loads"] = bar["loads"][:1]  # type: ignore[index]
    run(bar | {"analysis": {"kind": "harmonic", "frequencies": [0.0]}}, tmp_path / "slack")
    slack = response(tmp_path / "slack")[0, 1]
    assert abs(values["direct"][0]) < 0.95 * abs(slack)  # tension stiffens


def test_coriolis_terms_couple_what_vibrates_in_a_frame_that_turns(tmp_path: Path) -> None:
    """(k - m W^2 - m w^2) x - 2 i w m W y = f, and y alike: two equations by hand."""
    turning, f = 6.0, np.array([0.5, 2.0, 4.0])
    tables = oscillator(
        {"kind": "harmonic", "frequencies": f.tolist()},
        mesh={"points": {"mass": [0, 0, 0]}},
        masses=[{"name": "mass", "group": "mass", "mass": MASS,
                 "frame": {"axis": [0, 0, 1], "velocity": turning}}],
        connectors=[{"name": "spring", "kind": "bushing", "at": "mass",
                     "stiffness": [STIFFNESS] * 3, "damping": [DAMPING] * 3}],
        supports=[{"group": "mass", "components": ["z"]}],
        probes=[PLACE, {**PLACE, "name": "y", "component": "y"}],
    )  # fmt: skip
    run(tables, tmp_path)
    found = response(tmp_path)
    for row in found:
        w = 2 * np.pi * row[0].real
        own = STIFFNESS - MASS * (turning**2 + w**2) + 1j * w * DAMPING
        across = 2j * w * MASS * turning
        x, y = np.linalg.solve([[own, -across], [across, own]], [3.0, 0.0])
        assert np.allclose(row[1:], [x, y], rtol=1e-10)
    tables["analysis"] |= {"modes": 2}
    with pytest.raises(FlexforgeError, match="Coriolis terms couple the modes"):
        run(tables, tmp_path / "modes")


def test_a_motion_by_modes_ends_where_it_settles(tmp_path: Path) -> None:
    """Of a load that stays: at F/k, where a step changes less than a thousandth; else it warns."""
    damped: dict[str, Any] = {"kind": "transient", "method": "modal", "modes": 1, "steady": 1e-3}
    outcome = run(oscillator(damped | {"duration": 100.0, "steps": 10000}), tmp_path / "1")
    times, place = np.loadtxt(tmp_path / "1" / "probes.csv", delimiter=",", skiprows=1).T[:2]
    settled = np.abs(np.diff(place)) <= 1e-3 * np.abs(place[1:])
    assert settled[-1]
    assert not settled[:-1].any()
    assert times[-1] < 10.0
    assert not any("settled" in text for text in outcome.warnings)
    outcome = run(oscillator(damped | {"duration": 0.05, "steps": 5}), tmp_path / "2")
    assert any("has not settled at t = 0.05 s" in text for text in outcome.warnings)
