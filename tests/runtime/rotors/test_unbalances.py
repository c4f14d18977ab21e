# SPDX-License-Identifier: BSD-3-Clause
"""Unbalances over the speed, in time, and while the speed varies, beside beam theory.

Amplitudes are those of ``Re(q exp(i w t))``; motions are integrated by SciPy, with the Euler term.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.vibration.speed_terms import SpeedTerms
from rotor_equations import Array, Bearing, Rotor, Turned
from scipy.linalg import eig
from shafts import (
    PROGRESS,
    SOFT,
    TWO_DISCS,
    Tables,
    histories,
    on,
    probes,
    response,
    run,
    tables,
    unbalance,
)

COUPLED = on(TWO_DISCS, [[1e6, 1e5], [-2e5, 8e5]], [[1e3, 2e2], [0.0, 2e3]])
SPEEDS = np.array([30.0, 86.0, 150.0, 280.0, 420.0])


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_several_unbalances_over_the_speed(sense: float, tmp_path: Path) -> None:
    """Amplitudes and phases of all nodes: 8e-12 of them are measured.

    Phases count towards the sense of the axis, also where the shaft turns against it: the force is
    along ``phase - W t`` then, the conjugate of one that is along ``W t - phase``.
    """
    data = tables(
        COUPLED, sense, loads=[unbalance(2, 1e-3, 0.4), unbalance(4, 2e-3, "-50 deg")],
        probes=probes(0, 2, 4), analysis={"kind": "harmonic", "speeds": SPEEDS.tolist()},
    )  # fmt: skip
    speeds, found = response(data, tmp_path)
    force = COUPLED.unbalanced(2, 1e-3, 0.4) + COUPLED.unbalanced(4, 2e-3, np.radians(-50.0))
    every = [COUPLED.vibration(sense * w, w * w * force) for w in speeds]
    expected = np.array([q[np.r_[*(COUPLED.at(n) for n in (0, 2, 4))]] for q in every])
    assert speeds.tolist() == SPEEDS.tolist()
    assert np.allclose(found, expected if sense > 0 else expected.conj(), rtol=5e-11, atol=0.0)


def test_what_is_written_of_a_response_over_the_speed(tmp_path: Path) -> None:
    """Speeds beside frequencies, in tables and figures; the largest amplitude with its speed."""
    data = tables(
        COUPLED, "300 rpm", loads=[unbalance(2, 1e-3)], probes=probes(2)[:1],
        analysis={"kind": "harmonic", "speeds": "600:1200:3 rpm"},
    )  # fmt: skip
    outcome = run(data, tmp_path)
    head, *rows = (tmp_path / "response.csv").read_text().splitlines()
    assert head == "speed [rad/s],frequency [Hz],x2 [m],x2 phase [deg]"
    values = np.array([row.split(",") for row in rows], dtype=float)
    assert values[:, 0] == pytest.approx(np.pi / 30 * np.array([600.0, 900.0, 1200.0]))
    assert values[:, 1] == pytest.approx([10.0, 15.0, 20.0])
    peak = int(values[:, 2].argmax())
    assert outcome.figures["speeds"] == 3
    assert outcome.figures["x2, largest amplitude"] == [values[peak, 2], "m"]
    assert outcome.figures["x2, speed of it"] == [values[peak, 0], "rad/s"]
    told = json.loads((tmp_path / "summary.json").read_text())["response"]
    assert told["speed_rad_s"] == values[:, 0].tolist()
    assert told["frequency_Hz"] == values[:, 1].tolist()


@pytest.mark.parametrize("small", [True, False])
def test_forces_of_any_order_of_the_speed(
    small: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A force with twice the frequency of the speed, and one that is constant: gyroscopes at W.

    Of small systems, and of those of many unknowns, whose matrices are made for every speed.
    """
    if not small:
        monkeypatch.setattr(SpeedTerms, "of", classmethod(lambda cls, *_: None))
    given: Tables = {"probes": probes(0, 4)}
    given["loads"] = [{"kind": "force", "group": "#2", "total": [3, 4, 0], "phase": "20 deg"}]
    force = np.zeros(len(COUPLED.matrices(0.0)[0]), dtype=complex)
    force[COUPLED.at(2)] = np.exp(1j * np.radians(20.0)) * np.array([3.0, 4.0])
    for order in (0, 2):
        analysis = {"kind": "harmonic", "speeds": SPEEDS.tolist(), "order": order}
        _, found = response(tables(COUPLED, 1.0, analysis=analysis, **given), tmp_path)
        every = [COUPLED.vibration(w, force, order * w) for w in SPEEDS]
        expected = np.array([q[np.r_[*(COUPLED.at(n) for n in (0, 4))]] for q in every])
        assert np.allclose(found, expected, rtol=2e-12, atol=0.0), order


class WithoutEuler(Rotor):
    """A rotor whose moments do not know that the speed varies."""

    def matrices(self, speed: float, growth: float = 0.0) -> tuple[Array, Array, Array]:
        return super().matrices(speed, 0.0 * growth)


def spun(rotor: Rotor, spin: Tables, **others: Any) -> Tables:
    """Return the model of a rotor with an unbalance in the middle and a spin of its own."""
    data = tables(rotor, 0.0, loads=[unbalance(1, 1e-3, 0.4)], probes=probes(0, 1), **others)
    for body in data["bodies"]:
        body["spin"] = {"axis": [0, 0, 1]} | spin
    return data


def ramp(to: float, duration: float) -> Turned:
    """Return angle, speed and acceleration of a ramp from rest: ``s - sin(2 pi s) / 2 pi``."""

    def at(t: float) -> tuple[float, float, float]:
        s, over = min(t / duration, 1.0), max(t - duration, 0.0)
        x = 2 * np.pi * s
        turned = to * duration * (s * s / 2 + (np.cos(x) - 1) / (4 * np.pi**2)) + to * over
        return turned, to * (s - np.sin(x) / (2 * np.pi)), to / duration * (1 - np.cos(x))

    return at


def slowed(t: float) -> tuple[float, float, float]:
    """Return angle, speed and acceleration of a shaft that is turned back."""
    return 0.3 + 3.0 * t - 300.0 * t * t, 3.0 - 600.0 * t, -600.0


RAMP: Tables = {"velocity": {"ramp": {"to": 120.0, "duration": 0.18}}}
SLOWED: Tables = {"angle0": 0.3, "velocity0": 3.0, "acceleration": -600.0}


@pytest.mark.parametrize(
    ("spin", "angle", "euler"),
    [(RAMP, ramp(120.0, 0.18), True), (SLOWED, slowed, True), (SLOWED, slowed, False)],
)
def test_a_critical_speed_is_passed_while_the_speed_varies(
    spin: Tables, angle: Turned, euler: bool, tmp_path: Path
) -> None:
    """From rest, forward and backward: 1.2e-5 with 2 ms, 16 times less with 1 ms.

    Without the Euler term ``W' G / 2``, also of the model, it is another motion.
    """
    analysis = PROGRESS | {"duration": 0.2}
    data = spun(SOFT, spin, analysis=analysis, include={"euler": euler})
    found = histories(data, tmp_path)
    apart = []
    for rotor in (SOFT, WithoutEuler(**vars(SOFT))):
        q = rotor.motion(found[:, 0], angle, rotor.unbalanced(1, 1e-3, 0.4))
        expected = np.column_stack([q[:, rotor.at(0)], q[:, rotor.at(1)]])
        apart.append(np.abs(found[:, 1:] - expected).max() / np.abs(expected).max())
    assert apart[1 - euler] < 1e-4 and apart[euler] > 2e-3


def test_a_steady_speed_settles_to_the_vibration_over_the_speed(tmp_path: Path) -> None:
    """From rest, backward, with enough damping: 4.4e-6 of the amplitude with 30 steps a turn."""
    rotor = replace(SOFT, beta=1e-3,
                    bearings=[*SOFT.bearings, Bearing(1, damping=4e3 * np.eye(2))])  # fmt: skip
    found = histories(
        spun(rotor, {"velocity": -100.0}, analysis=PROGRESS | {"duration": 0.36}), tmp_path
    )
    last = found[found[:, 0] > 0.3]
    data = spun(rotor, {"velocity": -1.0}, analysis={"kind": "harmonic", "speeds": [100.0]})
    _, steady = response(data, tmp_path)
    expected = (steady * np.exp(100j * last[:, :1])).real
    assert np.abs(last[:, 1:] - expected).max() < 4e-5 * np.abs(steady).max()


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"analysis": {"kind": "static"}},
         r"loads\[0\].kind: found unbalance with analysis static; expected transient, or harmonic "
         "with speeds"),
        ({"analysis": {"kind": "modes"}}, "found unbalance with analysis modes"),
        ({"analysis": {"kind": "harmonic", "frequencies": [1.0]}},
         "found unbalance with analysis harmonic"),
        ({"analysis": PROGRESS | {"method": "modal", "modes": 3, "duration": 0.1}},
         "found unbalance with analysis transient"),
        ({"analysis": {"kind": "harmonic", "speeds": [1.0], "order": 2}},
         r"analysis.order: found 2 with loads\[0\], an unbalance on body 'shaft0'; expected 1"),
        ({"analysis": {"kind": "harmonic", "frequencies": [1.0], "order": 1}},
         "analysis.order: found without speeds; expected speeds too"),
        ({"analysis": {"kind": "harmonic", "speeds": [1.0], "modes": 2}},
         "analysis.modes: found with speeds; expected none, as modes change with them"),
        ({"analysis": {"kind": "harmonic", "speeds": [1.0], "frequencies": [2.0]}},
         "analysis.frequencies: found with speeds; expected one of them"),
        ({"analysis": {"kind": "harmonic", "speeds": [1.0], "between": [1, 2]}},
         "analysis.between: found with speeds; expected one of them"),
        ({"analysis": {"kind": "harmonic", "speeds": [1.0], "nodal_diameter": 1}},
         r"analysis.nodal_diameter: found without \[cyclic\]"),
        ({"analysis": {"kind": "harmonic", "speeds": [2.0, 1.0]}}, "analysis.speeds"),
        ({"loads": [unbalance(2, -1e-3)]}, r"loads\[0\].unbalance: found -0.001"),
        ({"loads": [unbalance(2, 1e-3) | {"group": "part0"}]},
         r"loads\[0\].group: 'part0' has 7 nodes; expected one"),
        ({"loads": [unbalance(2, 1e-3) | {"orientation": [0, 0, 2]}]},
         r"loads\[0\].orientation: found the direction of the axis; expected another"),
    ],
)  # fmt: skip
def test_what_an_unbalance_cannot_be(changes: Tables, text: str, tmp_path: Path) -> None:
    analysis = {"kind": "harmonic", "speeds": [1.0]}
    data = tables(COUPLED, 1.0, loads=[unbalance(2, 1e-3)], analysis=analysis) | changes
    with pytest.raises(InputError, match=text):
        run(data, tmp_path)


def test_unbalances_turn_and_their_angles_are_known(tmp_path: Path) -> None:
    """A body at rest has none; an angle that is an integral of a formula cannot be derived."""
    data = tables(COUPLED, 1.0, loads=[unbalance(2, 1e-3)],
                  analysis=PROGRESS | {"duration": 4e-3})  # fmt: skip
    data["masses"].append({"name": "still", "group": "corner", "mass": 1.0})
    data["mesh"]["points"] = {"corner": [1, 0, 0]}
    still = unbalance(2, 1e-3) | {"group": "corner"}
    with pytest.raises(InputError, match="a node of body 'still', which does not turn; expected"):
        run(data | {"loads": [still]}, tmp_path)
    data = tables(COUPLED, "exp(sin(t))", loads=[unbalance(2, 1e-3)],
                  analysis=PROGRESS | {"duration": 4e-3})  # fmt: skip
    with pytest.raises(InputError, match="whose angle is an integral of a formula; expected a spi"):
        run(data, tmp_path)


@pytest.mark.parametrize("small", [True, False])
def test_an_undamped_critical_speed_has_no_steady_vibration(
    small: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named, in small systems and in the space of large ones; speeds beside it are there."""
    if not small:
        monkeypatch.setattr(SpeedTerms, "of", classmethod(lambda cls, *_: None))
    rotor = on(TWO_DISCS, 1e6)
    m, g, k = rotor.matrices(0.0)[0], rotor.matrices(1.0)[1], rotor.matrices(0.0)[2]
    squares, shapes = eig(k, m - 1j * g)
    forward = shapes[:, np.argsort(np.where(squares.real > 0.0, squares.real, np.inf))[1]]
    stiff, heavy = (np.vdot(forward, one @ forward).real for one in (k, m - 1j * g))
    critical = float(np.sqrt(stiff / heavy))  # of twice the digits of the eigenvalue
    analysis = {"kind": "harmonic", "speeds": (critical + np.linspace(-4.0, 4.0, 9)).tolist()}
    data = tables(rotor, 30.0, loads=[unbalance(4, 1e-3)], probes=probes(4), analysis=analysis)
    with pytest.raises(AnalysisError, match=f"at {critical:g} rad/s: .* no steady vibration"):
        run(data, tmp_path)
    rows = (tmp_path / "response.csv").read_text().splitlines()
    assert len(rows) == 5
