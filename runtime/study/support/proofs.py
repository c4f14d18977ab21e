# SPDX-License-Identifier: BSD-3-Clause
"""Proofs that a tiny model does what a column promises: it runs, and its equations balance."""

from __future__ import annotations

import ctypes
import json
import math
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from flexforge.codegen.errors import InputError
from flexforge.runtime.export.fmu import fmu as fmu_of
from flexforge.runtime.export.library import header, sources
from flexforge.runtime.export.platforms import compile_shared, here
from flexforge.runtime.export.solver import Solver, build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.machine.launcher import mpirun
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.run import run_model
from flexforge.runtime.study.support import together

Tables = dict[str, Any]

#: Largest relative residual, and difference of an exported solver and a run.
RESIDUAL, SAME = 1e-7, 1e-9
#: Largest error of energy and momentum, which a few steps keep to their own accuracy only.
BALANCE = 1e-3
#: A run takes no time, its compilation with optimization many seconds.
_FLAGS = ("-std=c99", "-O0", "-ffp-contract=off", "-shared", "-fPIC")
_MOVED = "largest displacement at the end"
_ESTIMATE = "error of the shapes"  # which is no residual: few shapes have a large one


def _require(holds: bool, otherwise: str) -> None:
    """Raise AssertionError unless something holds, also where Python leaves assertions out."""
    if not holds:
        raise AssertionError(otherwise)


def run(tables: Tables) -> Outcome:
    """Run a model in a scratch folder, and require that its equations balance."""
    with tempfile.TemporaryDirectory() as folder:
        outcome = run_model(model_from_dict(tables), output=Path(folder) / "results")
        balance = outcome.results.summary["provenance"].get("balance", {})
        for name, value in balance.items():
            number = value[0] if isinstance(value, list) else value
            if not name.startswith(_ESTIMATE):
                most = BALANCE if "balance" in name else RESIDUAL
                _require(number < most, f"{name}: {number:.1e}")
        _require(bool(balance), "no residual")
        return outcome


def figures_of(tables: Tables) -> dict[str, Any]:
    """Run a model that has no forces, and return its figures."""
    with tempfile.TemporaryDirectory() as folder:
        return run_model(model_from_dict(tables), output=Path(folder) / "results").figures


def _number(outcome: Outcome, name: str) -> float:
    value = outcome.figures[name]
    found = float(value[0] if isinstance(value, list) else value)
    _require(math.isfinite(found), f"{name} is not finite")
    return found


def deformed(tables: Tables) -> None:
    """Prove that something deforms."""
    _require(_number(run(tables), "largest displacement") > 0.0, "nothing deforms")


def stressed(tables: Tables) -> None:
    """Prove that there is a stress, and that it stiffens."""
    _require("prestress" in run(tables).theory, "no prestress")


def vibrates(tables: Tables) -> None:
    """Prove that the second mode vibrates."""
    _require(_number(run(tables), "mode 2") > 0.0, "mode 2 does not vibrate")


def over_speeds(tables: Tables) -> None:
    """Prove that there are frequencies at each speed, and at those between that were needed."""
    outcome = run(tables)
    modes = (outcome.campbell or {"modes": []})["modes"]
    found = [frequency for one in modes for frequency in one["frequency_Hz"]]
    _require(len(found) >= 4 and min(found) > 0.0, f"frequencies {found}")


def moved(tables: Tables) -> Outcome:
    """Prove that something moves, in as many steps as asked for; return the outcome."""
    outcome = run(tables)
    _require(_number(outcome, _MOVED) > 0.0, "nothing moves")
    _require(outcome.figures["steps"] >= tables["analysis"]["steps"], "steps are missing")
    return outcome


def shared(tables: Tables) -> None:
    """Prove that two processes move it as one does."""
    wanted = _number(moved(tables), _MOVED)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model"
        file.write_bytes(pickle.dumps(tables))
        command = [*mpirun(2), sys.executable, "-m", together.__name__, str(file)]
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
    found = json.loads(done.stdout.strip() or "{}")
    if "refused" in found:
        raise InputError(found["refused"])
    _require("figures" in found, f"mpirun, which `make test-mpi` installs: {done.stderr[-500:]}")
    moves = found["figures"][_MOVED][0]
    _require(abs(moves - wanted) <= SAME * wanted, f"{moves} instead of {wanted}")


def native(tables: Tables) -> None:
    """Prove that it moves in steps in C."""
    _require(str(moved(tables).figures["solver"]).startswith("native"), "not in C")


def not_native(tables: Tables) -> None:
    """Prove that it moves, and is too large for steps in C."""
    _require(not str(moved(tables).figures["solver"]).startswith("native"), "in C")


def tied(tables: Tables) -> None:
    """Prove that it moves, and has constraints that are kept."""
    _require(_number(moved(tables), "constraints") > 0, "no constraints")


def placed(tables: Tables) -> None:
    """Prove that the links are placed at all times."""
    found = figures_of(tables)
    _require(found["times"] == tables["analysis"]["steps"] + 1, "times are missing")


def library(tables: Tables) -> None:
    """Prove that a compiled library, from matrices, gives the probe of the run."""
    solver = build_solver(model_from_dict(tables), "tiny")
    _require(solver.mesh is None, "element by element")
    _same(tables, _stepped(solver))


def mesh_library(tables: Tables) -> None:
    """Prove that a compiled library, element by element, gives the probe of the run."""
    solver = build_solver(model_from_dict(tables), "tiny")
    _require(solver.mesh is not None, "not element by element")
    _same(tables, _stepped(solver))


def fmu(tables: Tables) -> None:
    """Prove that an FMU, simulated by FMPy, gives the probe of the run."""
    from fmpy import simulate_fmu

    solver = build_solver(model_from_dict(tables), "tiny")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tiny.fmu"
        path.write_bytes(fmu_of(solver, 2, [here()], _FLAGS))
        rows = simulate_fmu(
            str(path), stop_time=solver.duration, step_size=solver.step,
            output_interval=solver.step, output=["tip"], fmi_type="CoSimulation",
        )  # fmt: skip
    _same(tables, float(rows["tip"][-1]))


def _same(tables: Tables, found: float) -> None:
    expected = _number(run(tables), "tip, at the end")
    close = abs(expected) > 0.0 and abs(found - expected) <= SAME * abs(expected)
    _require(close, f"found {found!r}; a run gives {expected!r}")


def _stepped(solver: Solver) -> float:
    """Return the first output of an exported solver at the end, compiled and run here."""
    texts = sources(solver) | {f"{solver.name}.h": header(solver)}
    with tempfile.TemporaryDirectory() as folder:
        platform = here()
        path = Path(folder) / f"tiny{platform.ending}"
        path.write_bytes(compile_shared(texts, f"{solver.name}.c", solver.name, platform, _FLAGS))
        library = ctypes.CDLL(str(path))
        library.tiny_create.restype = ctypes.c_void_p
        library.tiny_get.restype = ctypes.c_double
        instance = ctypes.c_void_p(library.tiny_create())
        _require(bool(instance), "no instance")
        code = library.tiny_advance(instance, ctypes.c_double(solver.duration))
        _require(code == 0, f"code {code} of a step")
        found = float(library.tiny_get(instance, 0))
        library.tiny_free(instance)
    return found
