# SPDX-License-Identifier: BSD-3-Clause
"""What flexforge itself has written and reads again: shapes of reduced models, results."""

from __future__ import annotations

import io
import json
import shutil
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from flexforge.runtime.constraints.build import build_ties, joints_of
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.reduction.make import make_basis
from flexforge.runtime.reduction.reduce import known_basis
from flexforge.runtime.results.hdf5 import repair
from flexforge.runtime.results.read import Results
from flexforge.runtime.results.report import write_report
from flexforge.runtime.results.summary import NAME
from flexforge.runtime.run import run_model
from flexforge.runtime.system.construct import build_mesh, build_system

from fuzzing.hdf5 import mutate_hdf5
from fuzzing.mutate import REALS, mutate_mixed, mutate_text
from fuzzing.target import EXAMPLES, OWN, Target, require_finite

_REDUCED = tomllib.loads((OWN / "reduced.toml").read_text())


@cache
def _places() -> tuple[Any, Any, Any]:
    """Return the reduced model, its system and its ties, built once."""
    spec = model_from_dict(_with_basis(), Path())
    places = build_system(spec, build_mesh(spec))
    return spec, places, joints_of(build_ties(spec, places))


def _with_basis() -> dict[str, Any]:
    return _REDUCED | {"reduction": _REDUCED["reduction"] | {"basis": "basis.h5"}}


def _bases() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "basis.h5"
        make_basis(model_from_dict(_with_basis(), Path()), path)
        return [path.read_bytes()]


def _read_basis(path: Path) -> None:
    spec, places, joints = _places()
    basis = known_basis(spec, places, joints)
    assert basis is not None
    require_finite("shapes", basis.matrix)
    require_finite("frequencies", basis.frequencies)


# Results ----------------------------------------------------------------------------------------

_MODELS = {
    "motion": (OWN / "hamilton.toml", {"output": {"formats": ["hdf5", "csv"], "every": 5}}),
    "paraview": (OWN / "newmark.toml", {"output": {"formats": ["vtu", "csv"], "every": 5}}),
    "modes": (OWN / "modes.toml", {"output": {"formats": ["hdf5", "csv"]}}),
    "links": (OWN / "gears.toml", {}),
    "shell": (OWN / "shell.toml", {}),
    "campbell": (EXAMPLES / "cases/m7_rotor/model.toml", {"output": {"formats": ["csv"]}}),
}


@cache
def _results() -> Path:
    """Return a folder of folders of results, computed once."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-results-"))
    import atexit

    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copy(EXAMPLES / "robot_arm/angles.csv", folder)
    shutil.copy(EXAMPLES / "cases/e3_ellipse/ellipse0.msh", folder / "ellipse.msh")
    for name, (path, more) in _MODELS.items():
        table = tomllib.loads(path.read_text()) | more
        if name == "campbell":
            table["mesh"]["block"]["divisions"] = [2, 1, 1]
            table["analysis"] |= {"speeds": [0, 20.0, 40.0], "count": 2}
        run_model(model_from_dict(table, folder), output=folder / name)
    return folder


def _of(name: str, *files: str) -> Callable[[], list[bytes]]:
    return lambda: [(_results() / name / file).read_bytes() for file in files]


def _stored(name: str) -> Callable[[], list[bytes]]:
    """Return what reads results.h5 as it is written, and without the room between its arrays."""

    def seeds() -> list[bytes]:
        import h5py

        path = _results() / name / "results.h5"
        image = io.BytesIO()
        with h5py.File(path) as old, h5py.File(image, "w") as new:
            new.attrs.update(old.attrs)
            old.visititems(lambda name, one: _copy(name, one, new))
        return [path.read_bytes(), image.getvalue()]

    return seeds


def _copy(name: str, one: Any, new: Any) -> None:
    made = new.create_group(name) if not hasattr(one, "shape") else None
    made = new.create_dataset(name, data=one[...]) if made is None else made
    made.attrs.update(one.attrs)


def _beside(*names: str) -> Callable[[Path], None]:
    """Return what copies whole results; an input replaces one of their files."""

    def prepare(folder: Path) -> None:
        for name in names:
            shutil.copytree(_results() / name, folder, dirs_exist_ok=True)

    return prepare


def _read_all(path: Path) -> None:
    """Read everything there is in the folder, as the report and the animation do."""
    results = Results(Path())
    results.probe_table()
    results.bodies()
    results.largest_displacement()
    for number in range(min(len(results.times()), 2)):
        results.frame(number)
    results.modes()


def _read_probes(path: Path) -> None:
    Results(Path()).probe_table()


def _read_summary(path: Path) -> None:
    Results(Path())


def _report(path: Path) -> None:
    write_report(Path())


def _animate(path: Path) -> None:
    Results(Path()).animate("motion.gif", frames=2, width=60)


def _repair(path: Path) -> None:
    repair(path)


def _change_summary(rng: Random, seeds: Sequence[bytes]) -> bytes:
    """Change JSON by its text, or one value of it by another of any kind."""
    if rng.random() < 0.4:
        return mutate_text(rng, seeds)
    data = json.loads(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 2, 4))):
        holder: Any = data
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            if not keys:
                break
            key = rng.choice(keys)
            if not isinstance(holder[key], dict | list) or rng.random() < 0.2:
                kind = rng.randrange(8)
                if kind == 0:
                    del holder[key]
                else:
                    holder[key] = rng.choice(
                        (rng.choice(REALS), "", "x", [], {}, None, True, 7, [1], {"a": 1})
                    )
                break
            holder = holder[key]
    return json.dumps(data).encode()


def _target(
    name: str,
    file: str,
    seeds: Callable[[], Sequence[bytes]],
    mutate: Any,
    attempt: Any,
    results: str,
    count: int,
    share: float = 1.0,
) -> Target:
    return Target(name, file, seeds, mutate, attempt, _beside(results), share, count)


def _frames() -> list[bytes]:
    """Return the first frame of every body."""
    return [path.read_bytes() for path in sorted((_results() / "paraview").glob("frames/*0.vtu"))]


_SUMMARIES = _of(".", *(f"{name}/summary.json" for name in _MODELS))


def _hdf5(name: str, attempt: Any, results: str, count: int, share: float = 1.0) -> Target:
    """Return a target that reads a results.h5 that was changed."""
    seeds, beside = _stored(results), _beside(results)
    limit = 10.0 if attempt is _read_all else 60.0  # pictures take their time
    return Target(name, "results.h5", seeds, mutate_hdf5, attempt, beside, share, count, limit)


_PIECE = "frames/block_000000.vtu"
_LIST = _of("paraview", "frames.pvd")
_PROBES = _of("motion", "probes.csv")

TARGETS = (
    Target("basis", "basis.h5", _bases, mutate_hdf5, _read_basis, share=2.0, count=10),
    _hdf5("results-hdf5", _read_all, "motion", 15, 2.0),
    _hdf5("results-links", _read_all, "links", 8),
    _hdf5("results-modes", _read_all, "modes", 15),
    _hdf5("results-shell", _read_all, "shell", 8),
    _hdf5("report-hdf5", _report, "motion", 0),
    _hdf5("animate", _animate, "motion", 0),
    _hdf5("repair", _repair, "motion", 10),
    _target("results-csv", "probes.csv", _PROBES, mutate_text, _read_probes, "campbell", 40),
    _target("results-pvd", "frames.pvd", _LIST, mutate_mixed, _read_all, "paraview", 40),
    _target("results-vtu", _PIECE, _frames, mutate_mixed, _read_all, "paraview", 40),
    _target("results-summary", NAME, _SUMMARIES, _change_summary, _read_summary, "campbell", 40),
    _target("report-summary", NAME, _SUMMARIES, _change_summary, _report, "campbell", 1),
)
