# SPDX-License-Identifier: BSD-3-Clause
"""Whole runs of tiny models: what finishes has finite figures, probes and results."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from flexforge.runtime.loading.load import load_model_file
from flexforge.runtime.results.read import Results
from flexforge.runtime.run import run_model

from fuzzing.models import model_seeds, put_beside, small
from fuzzing.tables import Table, mutate_tables, places, written
from fuzzing.target import (
    NonFinite,
    Target,
    nothing_derived,
    require_finite,
    require_finite_figures,
)

_OUT = Path("out")
#: Written as if no time had passed; what a run that divides by zero says of itself is not physics.
_TIMINGS = ("time per step",)


def _seeds() -> list[bytes]:
    return [written(_plain_output(tomllib.loads(seed.decode()))) for seed in model_seeds()]


def _change(rng: Random, seeds: Sequence[bytes]) -> bytes:
    """Return a model, small again after it was changed; often in its numbers alone."""
    return mutate_tables(rng, seeds, lambda table: small(_plain_output(_numbers(rng, table))))


def _numbers(rng: Random, table: Table) -> Table:
    """Change figures by powers of ten: models that stay valid, and whose results may not."""
    found = [(holder, key) for holder, key in places(table) if type(holder[key]) in (int, float)]
    if found and rng.random() < 0.5:
        for _ in range(rng.choice((1, 1, 2, 3))):
            holder, key = rng.choice(found)
            if isinstance(holder[key], float):
                holder[key] *= 10.0 ** rng.uniform(-150, 150) if rng.random() < 0.3 else 1e6
    return table


def _plain_output(table: Table) -> Table:
    """Leave the report and the folder out: pictures take most of the time of a tiny run."""
    output = table.get("output")
    if isinstance(output, dict):
        output.pop("folder", None)
        if isinstance(output.get("formats"), list) and "report" in output["formats"]:
            output["formats"] = [one for one in output["formats"] if one != "report"] + ["csv"]
    else:
        table["output"] = {"formats": ["csv", "hdf5"]}
    return table


def _run(path: Path) -> None:
    shutil.rmtree(_OUT, ignore_errors=True)
    with nothing_derived():
        outcome = run_model(load_model_file(path), output=_OUT)
    figures = {k: v for k, v in outcome.figures.items() if k not in _TIMINGS}
    require_finite_figures("figures", figures)
    require_finite_figures("campbell", _followed(outcome.campbell))
    results = Results(_OUT)
    require_finite_figures("summary", _known(results.summary.get("figures")))
    require_finite("probes", results.probe_table()[1])
    require_finite("times", results.times())
    for body in results.bodies():
        require_finite("points", body.points)
    if len(results.times()):
        for name, state in results.frame(-1).states.items():
            require_finite(f"displacement of {name!r}", state.displacement)
            for what in ("velocity", "stress"):
                if getattr(state, what) is not None:
                    require_finite(f"{what} of {name!r}", getattr(state, what))
    frequencies, shapes = results.modes()
    require_finite("frequencies", frequencies)
    for shape in shapes.values():
        require_finite("shapes", shape)


def _followed(diagram: Any) -> Any:
    """Return a Campbell diagram without what is empty by intention.

    A mode has neither frequency nor growth where it was not followed, and most have no frequency
    seen from outside.
    """
    if not diagram:
        return diagram
    modes = []
    for mode in diagram["modes"]:
        empty = np.isnan(mode["frequency_Hz"])
        if not np.array_equal(empty, np.isnan(mode["growth_1_s"])):
            raise NonFinite("campbell: a mode has a frequency without a growth")
        lists = {key: value for key, value in mode.items() if isinstance(value, list)}
        del lists["inertial_frequency_Hz"]
        kept = np.flatnonzero(~empty)
        modes.append({key: [value[i] for i in kept] for key, value in lists.items()})
    return diagram | {"modes": modes}


def _known(value: object) -> object:
    """Return figures with what JSON has as null made what it was: not finite."""
    if isinstance(value, dict):
        return {key: _known(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_known(one) for one in value]
    return float("nan") if value is None else value


TARGETS = (
    Target("run", "model.toml", _seeds, _change, _run, put_beside, share=6.0, count=10, limit=30.0),
)
