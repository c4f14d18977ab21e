# SPDX-License-Identifier: BSD-3-Clause
"""Shapes in files: the same as computed ones, and refused where they do not belong."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np
import pytest
from blocks import block
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.identity import model_hash
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.reduction import reduce as reducing
from flexforge.runtime.reduction import store
from flexforge.runtime.reduction.basis import Basis
from flexforge.runtime.reduction.make import make_basis
from flexforge.runtime.reduction.reduce import compute_basis, reduced_basis
from flexforge.runtime.system.construct import build_mesh
from flexforge.runtime.system.loads import Loads
from models import stressed

ASKED = {"modes": 4, "keep": ["xmax"]}


def spec_of(path: Path, asked: dict | None = None, **tables: object) -> ModelSpec:
    """Return a block in a moving frame whose shapes are in a file."""
    spec = block("planar", 40, "newmark", **tables).model_dump(exclude_unset=True, by_alias=True)
    return model_from_dict(spec | {"reduction": (asked or ASKED) | {"basis": str(path)}})


def basis_of(spec: ModelSpec, how=reduced_basis) -> Basis:
    """Return the shapes of a model."""
    places = stressed(spec)
    return how(spec, places, Loads(spec, places))


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    """A file of shapes."""
    return make_basis(spec_of(tmp_path_factory.mktemp("shapes") / "shapes.h5")).path


def test_what_is_read_is_what_was_computed(path):
    """Every bit of the shapes, and all that is known of them."""
    read, computed = (basis_of(spec_of(path), how) for how in (reduced_basis, compute_basis))
    np.testing.assert_array_equal(read.matrix, computed.matrix)
    np.testing.assert_array_equal(read.frequencies, computed.frequencies)
    np.testing.assert_array_equal(read.interface.kept, computed.interface.kept)
    assert read.names == computed.names


def test_an_export_computes_nothing_again(path, monkeypatch):
    """The solver is that of the computed shapes, and they are not computed."""
    wanted = build_solver(spec_of(path), "block").fingerprint
    monkeypatch.setattr(reducing, "ritz_basis", None)
    assert build_solver(spec_of(path), "block").fingerprint == wanted


def test_the_error_is_that_of_the_frequencies(tmp_path):
    """Vibrations alone are exact to round-off; with a kept side they are from above (Rayleigh)."""
    exact = make_basis(spec_of(tmp_path / "a.h5", {"modes": 4, "static": False}))
    assert exact.coordinates == 4
    assert exact.error < 1e-10
    kept = make_basis(spec_of(tmp_path / "b.h5"))
    assert (kept.reduced >= kept.full * (1.0 - 1e-10)).all()
    assert kept.error == pytest.approx((kept.reduced / kept.full).max() - 1.0, rel=1e-9)
    assert 0.0 < kept.error < 0.2


@pytest.mark.parametrize(
    ("asked", "tables", "said"),
    [
        (None, {"divisions": [3, 1]}, "another mesh or other supports .* unknowns; this"),
        (None, {"supports": [{"group": "xmin", "components": ["x"]}, {"group": "ymin"}]},
         "another mesh or other supports"),
        ({"modes": 5, "keep": ["xmax"]}, {}, 'was computed for .*"modes": 4.*"modes": 5'),
        ({"modes": 4}, {}, "was computed for"),
        (None, {"materials": {"steel": {"young": 5e4, "poisson": 0.3, "density": 1000.0}}},
         "another stiffness"),
        (None, {"materials": {"steel": {"young": 4e4, "poisson": 0.3, "density": 1001.0}}},
         "stiffness or mass"),
    ],
    ids=["mesh", "supports", "modes", "keep", "stiffness", "mass"],
)  # fmt: skip
def test_shapes_of_another_model_are_refused(path, asked, tables, said):
    """The error says what is different, and how to write the file."""
    with pytest.raises(InputError, match=f"reduction.basis.*{said}.*flexforge reduce"):
        basis_of(spec_of(path, asked, **tables))


def test_other_loads_are_taken(path):
    """Loads are no part of the shapes' identity."""
    loads = [{"kind": "gravity", "acceleration": [0, -9.81, 0]}]
    assert basis_of(spec_of(path, loads=loads)).size == basis_of(spec_of(path)).size


@pytest.mark.parametrize("content", [None, b"", b"no HDF5", "another"])
def test_what_is_no_file_of_shapes_is_refused(tmp_path, content):
    """Missing, empty, text, and HDF5 of something else."""
    path = tmp_path / "shapes.h5"
    if content == "another":
        with h5py.File(path, "w") as file:
            file["x"] = 1.0
    elif content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match="reduction.basis: .*shapes.h5.*flexforge reduce"):
        basis_of(spec_of(path))


def test_shapes_of_the_previous_format_are_read(tmp_path):
    """Version 2 had the same arrays and no origin."""
    spec = spec_of(tmp_path / "shapes.h5")
    made = make_basis(spec).path
    with h5py.File(made, "r+") as file:
        origin = json.loads(file.attrs["provenance"])
        assert origin["model"] == model_hash(spec, build_mesh(spec))
        del file.attrs["provenance"]
        file.attrs["format"] = "flexforge basis 2"
    np.testing.assert_array_equal(basis_of(spec).matrix, basis_of(spec, compute_basis).matrix)


@pytest.mark.parametrize("version", ["1", "4", "x", "²"])
def test_shapes_of_other_formats_are_refused(tmp_path, version):
    """One line with the versions that are read."""
    spec = spec_of(tmp_path / "shapes.h5")
    with h5py.File(make_basis(spec).path, "r+") as file:
        file.attrs["format"] = f"flexforge basis {version}"
    said = rf"reduction\.basis: .*found version {version} of the format .*; expected 2 or 3, which"
    with pytest.raises(InputError, match=said):
        basis_of(spec)


def test_a_folder_that_is_not_there(tmp_path):
    """One line, and no file is left."""
    with pytest.raises(InputError, match="cannot be written"):
        make_basis(spec_of(tmp_path / "none" / "shapes.h5"))
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_file_leaves_nothing(tmp_path, monkeypatch):
    """Neither a part of it nor the name it is written under."""

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "_sizes", stop)
    with pytest.raises(KeyboardInterrupt):
        make_basis(spec_of(tmp_path / "shapes.h5"))
    assert list(tmp_path.iterdir()) == []


def test_a_model_without_a_reduction():
    """Says which table is missing."""
    with pytest.raises(InputError, match="reduction: missing"):
        make_basis(block("planar", 40, "newmark"))
