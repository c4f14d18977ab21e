# SPDX-License-Identifier: BSD-3-Clause
"""The hash of a model changes with all that it says, and with nothing else."""

from __future__ import annotations

import copy
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.identity import model_hash
from flexforge.runtime.loading.load import load_model_file, model_from_dict
from flexforge.runtime.mesh.from_arrays import mesh_from_arrays
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.system.construct import build_mesh

TOML = """
title = "bar"
[mesh.block]
cell = "quad4"
corners = [[0, 0], [2, 0], [2, 1], [0, 1]]
divisions = [2, 1]
[materials.steel]
young = 2e11
poisson = 0.3
density = 7800
[[bodies]]
name = "bar"
element = "quad4"
material = "steel"
thickness = 0.1
[[supports]]
group = "xmin"
[[loads]]
kind = "force"
group = "xmax"
total = [1, 0, 0]
amplitude = { table = "push.csv" }
[analysis]
kind = "transient"
duration = 1
steps = 10
[[probes]]
name = "tip"
group = "xmax"
component = "x"
"""
TABLES: dict[str, Any] = {
    "title": "bar",
    "mesh": {"block": {"cell": "quad4", "corners": [[0, 0], [2, 0], [2, 1], [0, 1]],
                       "divisions": [2, 1]}},
    "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800}},
    "bodies": [{"name": "bar", "element": "quad4", "material": "steel", "thickness": 0.1}],
    "supports": [{"group": "xmin"}],
    "loads": [{"kind": "force", "group": "xmax", "total": [1, 0, 0],
               "amplitude": {"table": "push.csv"}}],
    "analysis": {"kind": "transient", "duration": 1, "steps": 10},
    "probes": [{"name": "tip", "group": "xmax", "component": "x"}],
}  # fmt: skip


def hash_of(spec: ModelSpec) -> str:
    """Return the hash of a model with its own mesh."""
    return model_hash(spec, build_mesh(spec))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the table of time that the model names."""
    (tmp_path / "push.csv").write_text("t,f\n0,0\n1,5\n2,5\n")
    return tmp_path


def places(table: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all numbers in tables."""
    found = table.items() if isinstance(table, dict) else enumerate(table)
    for key, value in found:
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))
        elif isinstance(value, int | float):
            yield (*path, key)


def test_toml_and_python_have_one_hash(folder: Path) -> None:
    """Files, dictionaries, arrays of NumPy; whole numbers for floats; defaults written out."""
    path = folder / "bar.toml"
    path.write_text(TOML)
    found = hash_of(load_model_file(path))
    assert hash_of(model_from_dict(TABLES, folder)) == found
    block = TABLES["mesh"]["block"] | {"corners": np.array([[0.0, 0], [2, 0], [2, 1], [0, 1]])}
    written_out = {"mesh": {"block": block, "scale": 1.0}, "output": {"every": 1}}
    assert hash_of(model_from_dict(TABLES | written_out, folder)) == found


def test_order_comments_and_places_do_not_count(folder: Path) -> None:
    """Tables and keys in another order, comments, blanks, another folder, another output."""
    title, *sections = re.split(r"(?m)^(?=\[)", TOML)
    shuffled = title + "# the same model\n"
    for section in reversed(sections):
        head, *keys = section.strip().splitlines()
        shuffled += "\n".join([head, *(f"{key}  # said" for key in reversed(keys))]) + "\n\n"
    shuffled = shuffled.replace("2e11", "200e9")
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(folder / "push.csv", elsewhere)
    (folder / "bar.toml").write_text(TOML)
    (elsewhere / "other.toml").write_text(shuffled + '\n[output]\nfolder = "here"\n')
    one, other = (load_model_file(p) for p in (folder / "bar.toml", elsewhere / "other.toml"))
    assert hash_of(one) == hash_of(other)


def test_every_number_counts(folder: Path) -> None:
    """Each number of the model in turn, a tenth larger or one more."""
    found = [hash_of(model_from_dict(TABLES, folder))]
    for path in places(TABLES):
        changed: Any = copy.deepcopy(TABLES)
        table = changed
        for key in path[:-1]:
            table = table[key]
        whole = path[-2:] in (("divisions", 0), ("divisions", 1)) or path[-1] == "steps"
        table[path[-1]] = table[path[-1]] + 1 if whole else table[path[-1]] * 1.1 + 0.01 * (
            table[path[-1]] == 0
        )  # fmt: skip
        if path[0] == "loads" and path[-1] == 2:
            continue  # z, which a plane model does not have
        found.append(hash_of(model_from_dict(changed, folder)))
    assert len(found) == 19 and len(set(found)) == len(found)


def test_content_of_files_counts(folder: Path) -> None:
    """One number of a table of time, by its file's content and not by its name."""
    found = hash_of(model_from_dict(TABLES, folder))
    (folder / "push.csv").write_text("t,f\n0,0\n1,5\n2,5.001\n")
    assert hash_of(model_from_dict(TABLES, folder)) != found


def test_one_coordinate_cell_or_group_of_the_mesh_counts(folder: Path) -> None:
    """A node moved by a round-off, two nodes exchanged in a cell, a node more in a group."""
    points = np.array([[0.0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]])
    cells = np.array([[0, 1, 4, 3], [1, 2, 5, 4]])
    groups = {"xmin": [0, 3], "xmax": [2, 5]}
    tables = {key: value for key, value in TABLES.items() if key != "mesh"}

    def found(points: Any, cells: Any, groups: Any) -> str:
        mesh = mesh_from_arrays(points, {"quad4": cells}, groups)
        return hash_of(model_from_dict(tables | {"mesh": mesh}, folder))

    moved, turned = points.copy(), cells[:, [1, 2, 3, 0]]
    moved[4, 1] = np.nextafter(1.0, 2.0)
    hashes = [
        found(points, cells, groups), found(moved, cells, groups), found(points, turned, groups),
        found(points, cells, groups | {"xmax": [2]}), found(points, cells, groups | {"all": [0]}),
    ]  # fmt: skip
    assert len(set(hashes)) == len(hashes)
    assert found(points.tolist(), cells.tolist(), groups) == hashes[0]


def test_a_declaration_counts_by_what_it_says(folder: Path) -> None:
    """An element file with a comment more, and with another number of quadrature points."""
    source = Path(__file__).parents[3] / "examples" / "elements" / "beam.toml"
    text = source.read_text()
    bodies = [{"name": "b", "element": "own.toml", "section": {"shape": "round", "diameter": 0.01},
               "material": "steel"}]  # fmt: skip
    tables = {"mesh": {"block": {"cell": "line2", "corners": [[0, 0, 0], [1, 0, 0]],
                                 "divisions": [2]}},
              "materials": TABLES["materials"], "bodies": bodies,
              "supports": [{"group": "xmin"}], "analysis": {"kind": "modes"}}  # fmt: skip
    found = []
    changes = (text, "# a comment\n" + text, text.replace("mass = 6", "mass = 8"))
    for number, one in enumerate(changes):
        place = folder / str(number)
        place.mkdir()
        (place / "own.toml").write_text(one)
        found.append(hash_of(model_from_dict(tables, place)))
    assert text != changes[2]
    assert found[0] == found[1] != found[2]


def test_a_file_that_has_gone(folder: Path) -> None:
    """One line that names it."""
    spec = model_from_dict(TABLES, folder)
    mesh = build_mesh(spec)
    (folder / "push.csv").unlink()
    with pytest.raises(InputError, match=r"push\.csv.*expected a file of the model"):
        model_hash(spec, mesh)
