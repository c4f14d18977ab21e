# SPDX-License-Identifier: BSD-3-Clause
"""A rotor of solids at many speeds, and the same at some of them one by one."""

from __future__ import annotations

import sys
import tempfile
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from support.contestant import serve
from support.rotors import CAMPBELL, SWEEP
from support.rotors import roots as roots_of

FOLDER = Path(tempfile.mkdtemp())
Model = dict[str, Any]
ALIKE: Model = tomllib.loads(
    (Path(__file__).parents[1] / "rotors" / "solid.toml").read_text("utf-8")
)
#: The same on bearings that differ along x and y: coefficients vary with the angle.
UNLIKE = ALIKE | {
    "connectors": [
        one | {"table": one["table"] | {"kyy": [0.6 * k for k in one["table"]["kxx"]]}}
        for one in ALIKE["connectors"]
    ]
}
MODELS = {"alike": ALIKE, "unlike": UNLIKE}
LOW, HIGH, MODES = 20.0, 500.0, 8
#: Places among the speeds of a response, and of a diagram, that are solved by themselves too.
ALONE = (0, 20, 45, 70, 90, 110, 130, 155, 180, 199), (0, 30, 59)
UNBALANCE = {"kind": "unbalance", "group": "rotor.disc", "unbalance": 1e-3}


def response(model: Model, speeds: list[float]) -> Model:
    """Return the model of a response to an unbalance, of order 0 in axes that turn."""
    analysis = {"kind": "harmonic", "speeds": speeds, "order": 0}
    return model | {"loads": [UNBALANCE], "analysis": analysis}


def campbell(model: Model, speeds: list[float]) -> Model:
    """Return the model of a Campbell diagram."""
    analysis = {"kind": "modes", "speeds": speeds, "count": MODES, "orders": [1]}
    return model | {"analysis": analysis}


def run(model: Model) -> Any:
    """Return the outcome of a model."""
    import flexforge as ff

    return ff.load_model(model).run(FOLDER / "results", overwrite=True)


def amplitudes(model: Model, speeds: list[float]) -> np.ndarray:
    """Return the amplitudes of the probes, m, (S, 2)."""
    outcome = run(response(model, speeds))
    rows = np.loadtxt(outcome.folder / "response.csv", delimiter=",", skiprows=1, ndmin=2)
    return np.asarray(rows[:, 2::2] * np.exp(1j * np.radians(rows[:, 3::2])))


def roots(model: Model, speeds: list[float]) -> np.ndarray:
    """Return the roots of modes at speeds, 1/s, ascending in frequency, (S, modes)."""
    found = run(campbell(model, speeds)).campbell
    growth, frequency = (
        np.array([one[key] for one in found["modes"]], dtype=float)
        for key in ("growth_1_s", "frequency_Hz")
    )
    values = growth + 2j * np.pi * frequency
    places = [found["speeds_rad_s"].index(speed) for speed in speeds]
    return np.array([values[np.argsort(values[:, k].imag), k][:MODES] for k in places])


def alone(model: Model, speed: float) -> np.ndarray:
    """Return the roots of modes at a speed, 1/s, ascending in frequency."""
    (shaft,) = model["shafts"]
    there = model | {"shafts": [shaft | {"spin": {"velocity": speed}}]}
    found = run(there | {"analysis": {"kind": "modes", "count": MODES}}).figures
    return np.array([complex(*one) for one in roots_of(found)])


def timed(of: Any, speeds: list[float]) -> dict[str, float]:
    """Run a model that is read; return its number of unknowns."""
    outcome = of.run(FOLDER / "results", overwrite=True)
    return {"unknowns": outcome.figures["unknowns"], "speeds": len(speeds)}


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Compare with speeds by themselves, which is not timed."""
    import flexforge as ff

    many, few = (np.linspace(LOW, HIGH, count).tolist() for count in (SWEEP, CAMPBELL))
    facts, jobs = dict[str, Any](), dict[str, Any]()
    for name, model in MODELS.items():
        all_, found = amplitudes(model, many), roots(model, few)
        each = zip(ALONE[0], [amplitudes(model, [many[k]])[0] for k in ALONE[0]], strict=True)
        errors = [np.abs(all_[k] - one).max() / np.abs(one).max() for k, one in each]
        each = zip(ALONE[1], [alone(model, few[k]) for k in ALONE[1]], strict=True)
        apart = [(np.abs(found[k] - one) / np.abs(one)).max() for k, one in each]
        facts |= {f"response {name}": float(max(errors)), f"roots {name}": float(max(apart))}
        jobs[f"response {name}"] = partial(timed, ff.load_model(response(model, many)), many)
        jobs[f"campbell {name}"] = partial(timed, ff.load_model(campbell(model, few)), few)
    return jobs, facts


if __name__ == "__main__":
    serve(prepare)
