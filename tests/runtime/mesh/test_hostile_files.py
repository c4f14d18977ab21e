# SPDX-License-Identifier: BSD-3-Clause
"""Files that would never end, or would take all memory, are refused in one line, at once."""

from __future__ import annotations

import importlib
import os
import time
from pathlib import Path

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.assembly.graph import build_graph
from flexforge.runtime.machine import memory
from flexforge.runtime.mesh import read_mesh, structured
from flexforge.runtime.mesh.abaqus_cards import DEEPEST, MOST_FILES
from flexforge.runtime.model.schema_mesh import PLANAR_CELLS, SPATIAL_CELLS

# Nodes 1 to 4, element 1.
SQUARE = "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n*ELEMENT,TYPE=CPS4,ELSET=all\n1,1,2,3,4\n"
QUICK = 10.0  # seconds; each took for ever


@pytest.fixture(autouse=True)
def quick():
    """Let no test of this file take long."""
    start = time.perf_counter()
    yield
    assert time.perf_counter() - start < QUICK


def written(folder: Path, **texts: str) -> Path:
    """Write .inp files and return the first."""
    for name, text in texts.items():
        (folder / f"{name}.inp").write_text(text)
    return folder / f"{next(iter(texts))}.inp"


@pytest.mark.parametrize("ending", ["msh", "inp", "vtk", "e"])
def test_no_device_and_no_pipe_is_a_mesh(ending: str, tmp_path: Path) -> None:
    """A device has no end; a pipe that nobody writes to keeps its reader waiting."""
    os.mkfifo(tmp_path / f"pipe.{ending}")
    (tmp_path / f"zero.{ending}").symlink_to("/dev/zero")
    with pytest.raises(InputError, match="a named pipe"):
        read_mesh(tmp_path / f"pipe.{ending}")
    with pytest.raises(InputError, match="a device"):
        read_mesh(tmp_path / f"zero.{ending}")


def test_includes_are_bounded(tmp_path: Path) -> None:
    """Three files within each of twelve, one below the other, would be 3^12 = 531441 readings."""
    files = {f"c{i}": f"*INCLUDE, INPUT=c{i + 1}.inp\n" * 3 for i in range(12)}
    with pytest.raises(InputError, match=f"found {MOST_FILES + 1} files"):
        read_mesh(written(tmp_path, **files, c12=SQUARE))
    deep = {f"d{i}": f"*INCLUDE, INPUT=d{i + 1}.inp\n" for i in range(DEEPEST + 5)}
    with pytest.raises(InputError, match=f"nested deeper than {DEEPEST}"):
        read_mesh(written(tmp_path, **deep))
    with pytest.raises(InputError, match="found a circular"):
        read_mesh(written(tmp_path, a="*INCLUDE, INPUT=b.inp\n", b="*INCLUDE, INPUT=a.inp\n" * 2))
    with pytest.raises(InputError, match="/dev/zero: .*a device"):
        read_mesh(written(tmp_path, z="*INCLUDE, INPUT=/dev/zero\n"))


@pytest.mark.parametrize(("kind", "first"), [("ELSET", "1"), ("NSET", "1")])
def test_sets_of_sets_are_resolved_once(kind: str, first: str, tmp_path: Path) -> None:
    """Sixty sets, each of eight times the one before, name 8^60 members, of which one is there."""
    text = f"*{kind},{kind}=s0\n{first}\n"
    text += "".join(f"*{kind},{kind}=s{i + 1}\n" + f"s{i}," * 8 + "\n" for i in range(60))
    mesh = read_mesh(written(tmp_path, bomb=SQUARE + text))
    assert len(mesh.groups["s60"].nodes) == (4 if kind == "ELSET" else 1)


def test_a_set_within_itself_is_named(tmp_path: Path) -> None:
    """A circle of sets has no members that could be told."""
    text = "*ELSET,ELSET=a\nb\n*ELSET,ELSET=b\na\n"
    with pytest.raises(InputError, match="element set 'a' contains itself"):
        read_mesh(written(tmp_path, circle=SQUARE + text))


def test_sets_name_what_is_not_there(tmp_path: Path) -> None:
    """Ranges of any length hold what exists, and a remark counts the rest: 10^12 - 4 nodes."""
    text = "*NSET,NSET=far,GENERATE\n1,1000000000000\n*NSET,NSET=odd,GENERATE\n1,4,2\n"
    text += "*NSET,NSET=two\n2,99\n*ELSET,ELSET=cells\n1,7,8\n"
    mesh = read_mesh(written(tmp_path, absent=SQUARE + text))
    assert mesh.groups["far"].nodes.tolist() == [0, 1, 2, 3]
    assert mesh.groups["odd"].nodes.tolist() == [0, 2]
    assert mesh.groups["two"].nodes.tolist() == [1]
    said = "\n".join(mesh.remarks)
    assert "node set 'far' names 999999999996 nodes that the file does not define" in said
    assert "node set 'two' names 1 nodes" in said
    assert "element set 'cells' names 2 elements" in said
    assert len(mesh.remarks) == 3


def test_a_mesh_without_groups_says_so(tmp_path: Path) -> None:
    """Gmsh writes physical groups only where the geometry has any: what is missing is named so."""
    path = tmp_path / "plain.msh"
    path.write_text(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"
        "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n"
    )
    with pytest.raises(InputError, match="the mesh has no physical groups"):
        read_mesh(path).select("root")


CUBE = [[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]


@pytest.mark.parametrize(("cell", "corners"), [("hex8", CUBE), ("hex27", CUBE), ("tet10", CUBE)])
def test_a_block_says_what_it_takes_before_it_takes_it(cell: str, corners: list) -> None:
    """10^9 boxes of 8 nodes: connectivity alone is 64 GB, and the matrices are far more."""
    with pytest.raises(InputError, match=r"block.divisions: found \d+ cells .* [\d.]+ TB of mem"):
        structured(cell, corners, [1000, 1000, 1000])


def test_the_estimate_is_of_the_order_of_what_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The estimate of a block lies between half of what its arrays hold and twice that."""
    found: list[float] = []
    module = importlib.import_module("flexforge.runtime.mesh.structured")  # also a function's name
    monkeypatch.setattr(module, "require_memory", lambda size, *_: found.append(size))
    for cell in (*PLANAR_CELLS, *SPATIAL_CELLS):
        plane = cell in PLANAR_CELLS
        sides = [12, 12] if plane else [12, 12, 12]
        mesh = structured(cell, CUBE[:4] if plane else CUBE, sides)
        part = mesh.part()
        graph = build_graph(part.points[:, : len(sides)], part.connectivity, 1)
        held = graph.bytes + 8 * graph.nnz * (1 + len(sides) ** 2) + mesh.points.nbytes
        held += sum(block.nodes.nbytes for block in mesh.blocks)
        assert held / 2 < found[-1] < 2 * held, (cell, found[-1] / held)


def test_matrices_that_do_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mesh of a file is asked for the memory of its matrices, its pairs of nodes being counted.

    One cube: 8 nodes, 64 pairs, of 9 numbers of the stiffness and 1 of the mass, 8 bytes each.
    """
    monkeypatch.setattr(memory, "available_memory", lambda: 5000)
    with pytest.raises(InputError, match=r"big.inp: .* of 1 elements, which need 5.44 kB .* 5 kB"):
        build_graph(np.array(CUBE, dtype=float), np.arange(8)[None], 1, "big.inp")


def test_what_is_free_is_the_least_of_all_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container or a limit of the process may leave less than the machine has."""
    for name, value in (("_free", 300), ("_container", None), ("_limit", 200)):
        monkeypatch.setattr(memory, name, lambda value=value: value)
    assert memory.available_memory() == 200


def test_a_container_says_what_is_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """1000 bytes may be taken, 400 are, of which 150 are pages of files: 750 are left."""
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("400\n")
    (tmp_path / "memory.stat").write_text("anon 250\ninactive_file 150\n")
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    assert memory._container() == 750
    (tmp_path / "memory.max").write_text("max\n")
    assert memory._container() is None


@pytest.mark.parametrize("threads", [0, -1, 100000, 2**40, 2.5, True])
def test_threads_are_bounded(threads: object) -> None:
    """OpenMP ends the process where it cannot start a thread: 100,000 of them crashed it."""
    with pytest.raises(InputError, match="threads: found .*; expected a whole number >= 1 and"):
        build_graph(np.array(CUBE, dtype=float), np.arange(8)[None], threads)


def test_a_star_of_too_many_neighbours_is_refused() -> None:
    """Places in a row are numbers of 16 bits: 70000 lines at one node would wrap around."""
    points = np.random.default_rng(1).random((70001, 3))
    lines = np.column_stack([np.zeros(70000, dtype=int), np.arange(1, 70001)])
    with pytest.raises(InputError, match="node connected to 70001 nodes; expected at most 655"):
        build_graph(points, lines, 1)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("1 0 0 0", "nan 0 0 0", "found nan; expected a whole number"),
        ("1 0 0 0", "1e300 0 0 0", "found 1e.300; expected a whole number"),
        ("1 0 0 0", "1 nan 0 0", "node 1: a coordinate is"),
        ("1 3 2 1 1 1 2 3 4", "1 3 2 1 1 1 2 3 inf", "found inf; expected a whole"),
    ],
)
def test_numbers_of_nodes_are_whole_and_coordinates_finite(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    """Doubles that no int64 holds became some number, with a warning of NumPy's."""
    path = tmp_path / "a.msh"
    nodes = "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n"
    text = f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n{nodes}$EndNodes\n"
    text += "$Elements\n1\n1 3 2 1 1 1 2 3 4\n$EndElements\n"
    path.write_text(text)
    assert len(read_mesh(path).points) == 4
    path.write_text(text.replace(old, new))
    with pytest.raises(InputError, match=said):
        read_mesh(path)
    path = written(tmp_path, b=SQUARE.replace("1,0,0", "1e300,0,0"))
    with pytest.raises(InputError, match="expected a whole number"):
        read_mesh(path)


def test_a_small_file_takes_little_memory(tmp_path: Path) -> None:
    """What is set aside follows the size of a file, not what a file may have at most."""
    import tracemalloc

    path = written(tmp_path, a=SQUARE)
    tracemalloc.start()
    try:
        read_mesh(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 26
    finally:
        tracemalloc.stop()
