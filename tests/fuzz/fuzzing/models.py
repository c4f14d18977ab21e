# SPDX-License-Identifier: BSD-3-Clause
"""Model files and declarations of elements: validated, checked with their meshes, verified."""

from __future__ import annotations

import math
import re
import shutil
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from flexforge.codegen.elements.user import load_element
from flexforge.codegen.study.verification import verify
from flexforge.runtime.check import check_model
from flexforge.runtime.loading.load import load_model_file

from fuzzing.mutate import mutate_text
from fuzzing.tables import Table, mutate_tables, mutate_toml, written
from fuzzing.target import (
    EXAMPLES,
    OWN,
    ROOT,
    Target,
    contents,
    nothing_derived,
    require_finite_figures,
)

#: Meshes, tables and elements that models may refer to, by the name they have beside an input.
BESIDE = {
    "ellipse.msh": EXAMPLES / "cases/e3_ellipse/ellipse0.msh",
    "point.msh": EXAMPLES / "cases/m3_oscillator/point.msh",
    "hex8.msh": ROOT / "tests/runtime/mesh/data/hex8_41.msh",
    "quad4.inp": ROOT / "tests/runtime/mesh/data/quad4.inp",
    "angles.csv": EXAMPLES / "robot_arm/angles.csv",
    "oscillator.toml": EXAMPLES / "cases/m3_oscillator/oscillator.toml",
    "membrane.toml": EXAMPLES / "elements/membrane.toml",
}
_FILE = "model.toml"
_FILES = {
    "ellipse2.msh": "ellipse.msh",
    "ellipse1.msh": "ellipse.msh",
    "disc.msh": "ellipse.msh",
    "blade.msh": "hex8.msh",
}


@cache
def model_seeds() -> tuple[bytes, ...]:
    """Return the models of the examples, of the reference and of this folder, made small."""
    found = [tomllib.loads(path.read_text()) for path in sorted(EXAMPLES.rglob("*.toml"))]
    reference = (ROOT / "docs" / "model.md").read_text()
    found += [
        tomllib.loads(text) for text in re.findall(r"```toml\n(.*?)```", reference, re.DOTALL)
    ]
    found += [tomllib.loads(text.decode()) for text in contents(OWN.glob("*.toml"))]
    return tuple(written(small(table)) for table in found if "analysis" in table)


def small(table: Table) -> Table:
    """Return a model of a few cells, steps and modes at most; what is wrong stays wrong."""
    mesh = table.get("mesh")
    if isinstance(mesh, dict):
        blocks = mesh.get("blocks")
        for block in [mesh.get("block"), *(blocks.values() if isinstance(blocks, dict) else ())]:
            if isinstance(block, dict) and isinstance(block.get("divisions"), list):
                block["divisions"] = [_at_most(one, 2) for one in block["divisions"]]
        if isinstance(mesh.get("file"), str):
            mesh["file"] = _FILES.get(mesh["file"], mesh["file"])
    analysis = table.get("analysis")
    if isinstance(analysis, dict):
        for key, most in (("steps", 20), ("count", 6), ("threads", 2)):
            if key in analysis:
                analysis[key] = _at_most(analysis[key], most)
        if isinstance(analysis.get("speeds"), list):
            del analysis["speeds"][4:]
        step, duration = analysis.get("step"), analysis.get("duration")
        numbers = isinstance(step, int | float) and isinstance(duration, int | float)
        if numbers and step > 0 and 30 < duration / step < float("inf"):
            analysis["step"] = duration / 20
    return table


def _at_most(value: Any, most: int) -> Any:
    return (
        most if isinstance(value, int) and not isinstance(value, bool) and value > most else value
    )


def put_beside(folder: Path) -> None:
    """Put what models refer to into a folder."""
    for name, path in BESIDE.items():
        shutil.copy(path, folder / name)


def _load(path: Path) -> None:
    load_model_file(path)


def _change_to_check(rng: Random, seeds: Sequence[bytes]) -> bytes:
    """Return a model that is small or too large for the memory: others just take their time."""
    data = mutate_toml(rng, seeds)
    try:
        table = tomllib.loads(data.decode())
    except (ValueError, RecursionError):
        return data
    mesh = table.get("mesh")
    block = mesh.get("block") if isinstance(mesh, dict) else None
    divisions = block.get("divisions") if isinstance(block, dict) else None
    if not isinstance(divisions, list) or not all(isinstance(one, int) for one in divisions):
        return data
    return written(small(table)) if 10**5 < abs(math.prod(divisions)) < 10**8 else data


def _check(path: Path) -> None:
    with nothing_derived():
        report = check_model(load_model_file(path))
    require_finite_figures("check", report.as_dict())


@cache
def _elements() -> tuple[bytes, ...]:
    declared = [
        path
        for path in sorted(EXAMPLES.rglob("*.toml"))
        if "monomials" in path.read_text() or "\nshape" in path.read_text()
    ]
    return (*contents(declared), *contents((OWN / "elements").glob("*.toml")))


@cache
def _fields() -> tuple[bytes, ...]:
    paths = sorted((EXAMPLES / "elements").glob("*.toml"))
    return tuple(contents(path for path in paths if "\ncarried" in path.read_text()))


def _declare(path: Path) -> None:
    load_element(path)


def _verify(path: Path) -> None:
    for finding in verify(load_element(path), {}):
        assert finding.check


TARGETS = (
    Target("model", _FILE, model_seeds, mutate_text, _load, share=1.5, count=60),
    Target("model-tables", _FILE, model_seeds, mutate_tables, _load, share=1.5, count=80),
    Target("check", _FILE, model_seeds, _change_to_check, _check, put_beside, share=3.0, count=20),
    Target("element", "element.toml", _elements, mutate_toml, _declare, count=20),
    Target("field-element", "element.toml", _fields, mutate_text, _declare, share=0.7, count=2),
    Target("field-tables", "element.toml", _fields, mutate_toml, _declare, share=0.7, count=2),
    Target("check-element", "element.toml", _elements, mutate_toml, _verify, share=0.7, count=2),
)
