# SPDX-License-Identifier: BSD-3-Clause
"""What models give: figures, probes and fields of runs, sources and outputs of exported solvers."""

from __future__ import annotations

import csv
import json
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import flexforge
import h5py
import numpy as np

from frozen.asking import ROOT, clean, lasting, told

Items = Iterator[tuple[str, Callable[[], Any]]]

_AS_FMU = ("motor/arm.toml", "robot_arm/model.toml", "cases/m8_spinup/model.toml")
_CAMPBELL, _REDUCED = "cases/m7_rotor/hub.toml", "motor/arm.toml"
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
        _collect_files(place, summary, arrays)
    return summary, {}, arrays


def _collect_files(place: Path, summary: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Collect all tables and fields below a folder."""
    for table in sorted(place.rglob("*.csv")):
        rows = list(csv.reader(table.read_text().splitlines()))
        summary[f"columns of {table.name}"] = rows[0]
        for number, cells in enumerate(zip(*rows[1:], strict=True)):
            arrays[f"{table.name} column {number}"] = _column(cells)
    for file in sorted(place.rglob("*.h5")):
        with h5py.File(file) as stored:
            summary[f"attributes of {file.name}"] = _attributes(stored)
            stored.visititems(partial(_collect, arrays, summary, file.name))


def _column(cells: Sequence[str]) -> np.ndarray:
    """Return a column as numbers, each column with a largest value of its own, or as text."""
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells])
    except ValueError:
        return np.array(cells)


def _attributes(item: Any) -> Any:
    """Return attributes without what is of one run; tables of them are stored as JSON."""
    found = {key: np.asarray(value).tolist() for key, value in item.attrs.items()}
    for key, value in found.items():
        if isinstance(value, str) and value[:1] in ("{", "["):
            found[key] = json.loads(value)
    return lasting(found)


def _collect(
    arrays: dict[str, np.ndarray], summary: dict[str, Any], file: str, name: str, item: Any
) -> None:
    attributes = _attributes(item)
    if attributes:
        summary[f"attributes of {file}: {name}"] = attributes
    if isinstance(item, h5py.Dataset):
        text = item.dtype.kind in "OS"
        arrays[f"{file} {name}".replace("/", ".")] = (
            np.asarray(item.asstr()[()], dtype=str) if text else item[()]
        )


def modes() -> Items:
    """Yield vibrations over speeds, and shapes of reduced models, of examples that have them."""
    yield "campbell", partial(_asked, "modes", _CAMPBELL, "--count", "6", "--speeds", "0,50,100")
    yield "reduce", partial(_asked, "reduce", _REDUCED)


def _asked(command: str, model: str, *arguments: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / ("shapes.h5" if command == "reduce" else "results")
        data = told(command, str(ROOT / "examples" / model), "-o", str(place), *arguments)
        arrays: dict[str, np.ndarray] = {}
        summary = {"told": json.loads(json.dumps(data).replace(folder, "FOLDER"))}
        _collect_files(Path(folder), summary, arrays)
    return summary, {}, arrays


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
        place = Path(folder) / "made"
        try:
            flexforge.export(path, place, kind, name="made")
        except flexforge.FlexforgeError as error:
            return {"refused": clean(str(error).replace(folder, "FOLDER"))}, {}, {}
        if kind != "c-library":
            place = _unpacked(place / "made.fmu")
        files = [p for p in place.rglob("*") if p.suffix in (".c", ".h", ".xml", ".md", ".txt")]
        texts = {str(p.relative_to(place)): clean(p.read_text()) for p in files}
        assert any(name.endswith(".c") for name in texts), sorted(place.rglob("*"))
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
    program = place / "program"
    sources = ["example/main.c", "src/made.c"]
    command = ["cc", *_C_FLAGS, "-Iinclude", *sources, "-lm", "-o", str(program)]
    subprocess.run(command, check=True, cwd=place, capture_output=True)
    printed = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    rows = [row for row in printed.splitlines()[1:] if row]
    return np.array([[float(x) for x in row.split(",")] for row in rows])
