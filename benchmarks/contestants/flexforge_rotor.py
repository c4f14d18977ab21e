# SPDX-License-Identifier: BSD-3-Clause
"""Rotors of examples: roots, unbalance responses and motions, and the time that they take."""

from __future__ import annotations

import csv
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from support.contestant import serve
from support.rotors import (
    CAMPBELL,
    SWEEP,
    Rotor,
    campbell,
    lateral,
    motion,
    response,
    roots,
    rotors,
    speeds_of,
)

#: Phases that are of the analysis itself, and not of reading, numbering and the report.
ANALYSIS = ("steady", "solve", "speeds", "factor", "steps", "write")
FOLDER = Path(tempfile.mkdtemp())


def _run(model: Any) -> Any:
    return model.run(FOLDER / "results", overwrite=True)


def job(model: Any) -> dict[str, float]:
    """Run a model; return the seconds of its analysis without what comes before and after."""
    timings = _run(model).timings
    return {"analysis, s": sum(t for name, t in timings.items() if name.startswith(ANALYSIS))}


def figures(rotor: Rotor) -> dict[str, Any]:
    """Return the roots at the speeds of a rotor, 1/s, and its response to unbalances, m."""
    import flexforge as ff

    found: dict[str, Any] = {"roots": []}
    for speed in rotor["speeds"]:
        model = lateral(rotor, speed) | {"analysis": {"kind": "modes", "count": 18}}
        found["roots"].append(roots(_run(ff.load_model(model)).figures))
    if "unbalance" not in rotor:
        return found
    outcome = _run(ff.load_model(response(rotor, speeds_of(rotor, SWEEP))))
    with open(outcome.folder / "response.csv") as file:
        rows = np.array([[float(x) for x in row] for row in list(csv.reader(file))[1:]])
    values = rows[:, 2::2] * np.exp(1j * np.radians(rows[:, 3::2]))
    found["response"] = [values.real.tolist(), values.imag.tolist()]
    return found


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Read the models and compute what is compared, which is not timed; analyses are."""
    import flexforge as ff

    compared, timed = (text.split(",") for text in sys.argv[1:3])
    facts = {one["name"]: figures(one) for one in rotors(compared)}
    jobs: dict[str, Any] = {}
    for one in rotors(timed):
        models = {"campbell": campbell(one, speeds_of(one, CAMPBELL)), "time": motion(one),
                  "unbalance": response(one, speeds_of(one, SWEEP))}  # fmt: skip
        for kind, model in models.items():
            jobs[f"{one['name']} {kind}"] = partial(job, ff.load_model(model))
    return jobs, facts


if __name__ == "__main__":
    serve(prepare)
