# SPDX-License-Identifier: BSD-3-Clause
"""Meshes, in every format."""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.mesh import CELLS, check_part, orphan_remarks, read_mesh

from fuzzing.hdf5 import mutate_netcdf
from fuzzing.mutate import mutate_bytes, mutate_mixed, mutate_text
from fuzzing.target import EXAMPLES, OWN, ROOT, Target, contents, require_finite

DATA = ROOT / "tests" / "runtime" / "mesh" / "data"
_CELLS = ("quad4", "tri6", "tet10", "wedge6", "hex8", "pyramid5")  # not all: seeds alike find alike


def _read(path: Path) -> None:
    mesh = read_mesh(path)
    require_finite("points", mesh.points)
    parts = []
    most = max((CELLS[block.cell].dim for block in mesh.blocks), default=0)
    kinds = {block.cell for block in mesh.blocks if CELLS[block.cell].dim == most}
    if len(kinds) == 1:
        parts.append(mesh.part(cell=kinds.pop()))
    for name in list(mesh.groups)[:4]:
        with suppress(InputError):  # a group of nodes
            parts.append(mesh.part(name))
    for part in parts:
        check_part(part, in_space=True)
    orphan_remarks(mesh, [part.nodes for part in parts])


def _data(*endings: str) -> Callable[[], list[bytes]]:
    def seeds() -> list[bytes]:
        return contents(DATA / f"{cell}{ending}" for cell in _CELLS for ending in endings)

    return seeds


def _gmsh() -> list[bytes]:
    others = (
        EXAMPLES / "cases/m3_oscillator/point.msh",
        EXAMPLES / "cases/e3_ellipse/ellipse0.msh",
    )
    return [*_data("_22.msh", "_40.msh", "_41.msh")(), *contents(others)]


def _mesh(cell: str) -> Any:
    import meshio.vtk

    return meshio.vtk.read(str(DATA / f"{cell}.vtk"))


def _vtu() -> list[bytes]:
    """Return files of VTU as text, binary, and compressed, with an array of groups."""
    import meshio.vtu

    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.vtu"
        for cell in ("quad4", "tet10", "hex8"):
            mesh = _mesh(cell)
            mesh.cell_data["part"] = [np.arange(len(block.data)) % 2 for block in mesh.cells]
            for options in ({"binary": False}, {"compression": None}, {"compression": "zlib"}):
                with (
                    contextlib.redirect_stdout(io.StringIO()),
                    contextlib.redirect_stderr(io.StringIO()),
                ):
                    meshio.vtu.write(str(path), mesh, **options)
                found.append(path.read_bytes())
    return found


def _abaqus() -> list[bytes]:
    return [*_data(".inp")(), *contents(OWN.glob("*.inp"))]


def _beside_abaqus(folder: Path) -> None:
    """Put files there that an input may include."""
    (folder / "nodes.inp").write_text("1, 0, 0, 0\n2, 1, 0, 0\n3, 1, 1, 0\n4, 0, 1, 0\n")
    (folder / "self.inp").write_text("*INCLUDE, INPUT=self.inp\n")
    (folder / "folder.inp").mkdir()


def _exodus() -> list[bytes]:
    """Return files of Exodus in the classic format and in that of HDF5: a square of two blocks."""
    import netCDF4

    found = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("NETCDF3_64BIT_OFFSET", "NETCDF4_CLASSIC"):
            path = Path(folder) / f"{kind}.e"
            with netCDF4.Dataset(path, "w", format=kind) as file:
                _fill(file)
            found.append(path.read_bytes())
    return found


def _fill(file: Any) -> None:
    sizes = {
        "len_string": 33,
        "len_name": 33,
        "num_dim": 2,
        "num_nodes": 6,
        "num_elem": 3,
        "num_el_blk": 2,
        "num_node_sets": 1,
        "num_side_sets": 1,
        "num_el_in_blk1": 1,
        "num_nod_per_el1": 4,
        "num_el_in_blk2": 2,
        "num_nod_per_el2": 3,
        "num_nod_ns1": 2,
        "num_side_ss1": 1,
    }
    for name, size in sizes.items():
        file.createDimension(name, size)
    file.setncatts(
        {
            "version": np.float32(5.1),
            "api_version": np.float32(5.1),
            "title": "square",
            "floating_point_word_size": np.int32(8),
            "file_size": np.int32(1),
        }
    )

    def put(
        array: str, kind: str, over: Sequence[str], values: object, **attributes: object
    ) -> None:
        variable = file.createVariable(array, kind, tuple(over))
        variable.setncatts(attributes)
        variable[:] = values

    put("coordx", "f8", ["num_nodes"], [0, 1, 1, 0, 2, 2])
    put("coordy", "f8", ["num_nodes"], [0, 0, 1, 1, 0, 1])
    put("eb_prop1", "i4", ["num_el_blk"], [1, 2], name="ID")
    put("connect1", "i4", ["num_el_in_blk1", "num_nod_per_el1"], [[1, 2, 3, 4]], elem_type="QUAD4")
    put(
        "connect2",
        "i4",
        ["num_el_in_blk2", "num_nod_per_el2"],
        [[2, 5, 6], [2, 6, 3]],
        elem_type="TRI3",
    )
    put("node_ns1", "i4", ["num_nod_ns1"], [1, 4])
    put("ns_prop1", "i4", ["num_node_sets"], [7], name="ID")
    put("elem_ss1", "i4", ["num_side_ss1"], [1])
    put("side_ss1", "i4", ["num_side_ss1"], [4])
    put("ss_prop1", "i4", ["num_side_sets"], [8], name="ID")
    put("node_num_map", "i4", ["num_nodes"], [10, 20, 30, 40, 50, 60])
    put("elem_num_map", "i4", ["num_elem"], [5, 6, 7])
    names = np.zeros((2, 33), dtype="S1")
    for row, name in zip(names, ("plate", "rest"), strict=True):
        row[: len(name)] = list(name)
    put("eb_names", "S1", ["num_el_blk", "len_name"], names)


def _change_exodus(rng: Random, seeds: Sequence[bytes]) -> bytes:
    if rng.random() < 0.5:
        return mutate_netcdf(rng, seeds[0])
    return mutate_bytes(rng, seeds)


def _target(
    name: str,
    ending: str,
    seeds: Callable[[], Sequence[bytes]],
    mutate: Any,
    count: int,
    **more: Any,
) -> Target:
    return Target(f"mesh-{name}", f"mesh.{ending}", seeds, mutate, _read, count=count, **more)


TARGETS = (
    _target("gmsh", "msh", _gmsh, mutate_text, 100),
    _target("gmsh-binary", "msh", _data("_22b.msh", "_41b.msh"), mutate_mixed, 80),
    _target("vtk", "vtk", _data(".vtk", "_b.vtk"), mutate_mixed, 80),
    _target("vtu", "vtu", _vtu, mutate_mixed, 80),
    _target("abaqus", "inp", _abaqus, mutate_text, 100, prepare=_beside_abaqus),
    _target("exodus", "e", _exodus, _change_exodus, 15),
)
