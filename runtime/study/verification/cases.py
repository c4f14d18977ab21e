# SPDX-License-Identifier: BSD-3-Clause
"""The reference cases: expected figures with their sources, and what runs give.

A case is a folder with model files and ``expected.toml``: tables ``[[check]]`` with figures, their
tolerance and source, and ``[[convergence]]`` with a figure on finer and finer meshes.
"""

from __future__ import annotations

import math
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Check:
    """A figure of a case.

    Attributes
    ----------
    case, model, figure : str
        Folder, model file and name of the figure.
    unit : str
        Unit of both values.
    expected, computed : float
        The reference value, and that of the run.
    allowed : float
        Largest difference allowed, in the unit.
    source : str
        Source of the reference value.
    """

    case: str
    model: str
    figure: str
    unit: str
    expected: float
    computed: float
    allowed: float
    source: str

    @property
    def error(self) -> float:
        """Difference of both values, in the unit."""
        return abs(self.computed - self.expected)


@dataclass(frozen=True, slots=True)
class Study:
    """A figure of a case on finer and finer meshes.

    Attributes
    ----------
    case, model, figure, source : str
        As of :class:`Check`.
    expected : float
        The reference value.
    meshes : tuple of str
        Divisions of a block, or mesh files.
    computed : tuple of float
        Values of the runs.
    finer : float or None
        How many times as fine the last mesh is as the one before, along its first side; None for
        mesh files.
    """

    case: str
    model: str
    figure: str
    source: str
    expected: float
    meshes: tuple[str, ...]
    computed: tuple[float, ...]
    finer: float | None = None

    @property
    def errors(self) -> list[float]:
        """Relative errors."""
        return [abs(value / self.expected - 1.0) for value in self.computed]

    @property
    def order(self) -> float | None:
        """Order between the two finest meshes, where it is known how fine they are."""
        coarse, fine = self.errors[-2:]
        if self.finer is None or not fine or not coarse:
            return None
        return math.log(coarse / fine) / math.log(self.finer)


def entries(cases: Path, kind: str) -> Iterator[tuple[Path, Entry]]:
    """Yield folder and table of every ``[[check]]`` or ``[[convergence]]`` of all cases.

    Parameters
    ----------
    cases : Path
        Folder of the cases.
    kind : str
        ``check`` or ``convergence``.
    """
    for file in sorted(cases.glob("*/expected.toml")):
        before = ""
        for entry in tomllib.loads(file.read_text()).get("check", []):
            before = before or str(entry["source"])
            if kind == "check":
                yield file.parent, entry
        if kind != "check":
            for entry in tomllib.loads(file.read_text()).get(kind, []):
                source = str(entry.get("source", "the same"))
                yield file.parent, entry | {"source": before if source == "the same" else source}


def checks_of(folder: Path, entry: Mapping[str, Any], figures: Mapping[str, Any]) -> list[Check]:
    """Return the figures of a check beside those of a run.

    Parameters
    ----------
    folder : Path
        Folder of the case.
    entry : mapping
        Its table.
    figures : mapping
        Figures of the run of its model.
    """
    found = []
    for name, expected in entry["figures"].items():
        value, unit = _parts(figures[name])
        allowed = entry["absolute"] if expected == 0 else entry["relative"] * abs(expected)
        found.append(Check(folder.name, entry["model"], name, unit, float(expected), value,
                           float(allowed), entry["source"]))  # fmt: skip
    return found


def study_of(folder: Path, entry: Mapping[str, Any]) -> Study:
    """Run a convergence study.

    Parameters
    ----------
    folder : Path
        Folder of the case.
    entry : mapping
        Its table.
    """
    meshes = entry.get("divisions") or entry["files"]
    values = []
    for mesh in meshes:
        data = tomllib.loads((folder / entry["model"]).read_text())
        if isinstance(mesh, str):
            data["mesh"]["file"] = mesh
        else:
            data["mesh"]["block"]["divisions"] = mesh
        values.append(_parts(_run(data, folder)[entry["figure"]])[0])
    last = meshes[-2:]
    finer = None if isinstance(last[0], str) else last[1][0] / last[0][0]
    names = (mesh if isinstance(mesh, str) else " x ".join(map(str, mesh)) for mesh in meshes)
    return Study(folder.name, entry["model"], entry["figure"], entry["source"],
                 float(entry["value"]), tuple(names), tuple(values), finer)  # fmt: skip


@cache
def figures_of(model: Path, solver: str | None = None) -> dict[str, Any]:
    """Run a model file without pictures, once per process, and return its figures.

    Parameters
    ----------
    model : Path
        The model file.
    solver : str, optional
        Linear solver, by default that of the file; not for kinematics.
    """
    data = tomllib.loads(model.read_text())
    if solver is not None:
        data["analysis"]["solver"] = solver
    return _run(data, model.parent)


def collect(cases: Path) -> dict[str, Any]:
    """Run all cases, and return their figures as plain data.

    Parameters
    ----------
    cases : Path
        Folder of the cases.
    """
    checks = [
        asdict(check)
        for folder, entry in entries(cases, "check")
        for check in checks_of(folder, entry, figures_of(folder / entry["model"]))
    ]
    studies = [asdict(study_of(*one)) for one in entries(cases, "convergence")]
    return {"checks": checks, "studies": studies}


def _run(data: Entry, folder: Path) -> dict[str, Any]:
    data["output"] = data.get("output", {}) | {"formats": ["csv"]}
    with tempfile.TemporaryDirectory() as scratch:
        return run_model(model_from_dict(data, folder=folder), output=Path(scratch) / "out").figures


def _parts(figure: Any) -> tuple[float, str]:
    """Return a figure and its unit."""
    return (float(figure[0]), str(figure[1])) if isinstance(figure, list) else (float(figure), "")
