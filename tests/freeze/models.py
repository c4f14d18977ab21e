# SPDX-License-Identifier: BSD-3-Clause
"""What models give: figures, probes and fields of runs, sources and outputs of exported solvers."""

from __future__ import annotations

import csv
import json
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import flexforge
import h5py
import numpy as np
from asking import ROOT, clean, lasting

Items = Iterator[tuple[str, Callable[[], Any]]]

_AS_FMU = ("motor/arm.toml", "robot_arm/model.toml", "cases/m8_spinup/model.toml")
_C_FLAGS = ("-O2", "-std=c99", "-ffp-contract=off")


def _models() -> list[Path]:
    """Return the model files of the examples."""
    files = sorted((ROOT / "examples").glob("**/*.toml"))
    found = [path for path in files if "analysis" in tomllib.loads(path.read_text())]
    assert len(found) > 20
    return found


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT / "examples").with_suffix("")).replace("/", "-")


def figures() -> Items:
    """Yield a run of every model."""
    for path in _models():
        yield _name(path), partial(_run, path)


def _run(path: Path) -> Any:
    data = tomllib.loads(path.read_text())
    data["output"] = data.get("output", {}) | {"formats": ["hdf5", "csv"]}
    arrays: dict[str, np.ndarray] = {}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "results"
        flexforge.load_model(data, path.parent).run(place)
        summary = lasting(json.loads((place / "summary.json").read_text()))
        for table in sorted(place.rglob("*.csv")):
            rows = list(csv.reader(table.read_text().splitlines()))
            summary[f"columns of {table.name}"] = rows[0]
            arrays[table.name] = np.array(
                [[_number(x) for x in row] for row in rows[1:]], dtype=np.float64
            )
        for file in sorted(place.rglob("*.h5")):
            with h5py.File(file) as stored:
                stored.visititems(partial(_collect, arrays))
    return summary, {}, arrays


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _collect(arrays: dict[str, np.ndarray], name: str, item: Any) -> None:
    if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiub":
        arrays[name.replace("/", ".")] = item[()]


def exports() -> Items:
    """Yield exports of every model that can be one: sources, and what its own program prints."""
    for path in _models():
        yield _name(path), partial(_exported, path, "c-library")
    for name in _AS_FMU:
        path = ROOT / "examples" / name
        for kind in ("fmu2", "fmu3"):
            yield f"{_name(path)}-{kind}", partial(_exported, path, kind)


def _exported(path: Path, kind: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / ("made" if kind == "c-library" else "made.fmu")
        try:
            flexforge.export(path, place, kind, name="made")
        except flexforge.FlexforgeError as error:
            return {"refused": clean(str(error).replace(folder, "FOLDER"))}, {}, {}
        if kind != "c-library":
            place = _unpacked(place)
        files = [p for p in place.rglob("*") if p.suffix in (".c", ".h", ".xml", ".md", ".txt")]
        texts = {str(p.relative_to(place)): clean(p.read_text()) for p in files}
        arrays = {"outputs": _outputs(place)} if kind == "c-library" else {}
    return sorted(texts), texts, arrays


def _unpacked(archive: Path) -> Path:
    import zipfile

    place = archive.with_suffix("")
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(place)
    return place


def _outputs(place: Path) -> np.ndarray:
    """Return what the program of an exported library prints: its outputs over its steps."""
    sources = [str(p) for p in sorted(place.glob("*.c"))]
    program = place / "program"
    command = ["cc", *_C_FLAGS, *sources, "-lm", "-o", str(program)]
    subprocess.run(command, check=True, cwd=place, capture_output=True)
    printed = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    rows = [row for row in printed.splitlines()[1:] if row]
    return np.array([[float(x) for x in row.split(",")] for row in rows])
