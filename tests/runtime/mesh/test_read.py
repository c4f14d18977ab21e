# SPDX-License-Identifier: BSD-3-Clause
"""Reading: every format hands over every cell with the right numbering and its groups."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import published
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.mesh import CELLS, check_part, orphan_remarks, read_mesh
from reproduce import assert_reproduces

DATA = Path(__file__).parent / "data"
SOLIDS = [name for name, cell in CELLS.items() if cell.dim > 1]
GMSH_FILES = ["_22.msh", "_22b.msh", "_40.msh", "_41.msh", "_41b.msh", ".inp", ".vtk", "_b.vtk"]
HAND = [("msh", "2.2"), ("msh", "4.1"), ("vtk", ""), ("vtu", ""), ("exo", "")]
needs_netcdf = pytest.mark.skipif(
    importlib.util.find_spec("netCDF4") is None, reason="netCDF4 is not installed"
)


@pytest.mark.parametrize("ending", GMSH_FILES)
@pytest.mark.parametrize("cell", SOLIDS)
def test_files_by_gmsh(cell: str, ending: str) -> None:
    """Quadratic field reproduced from files that Gmsh wrote; volume 2 det(A) of the sheared box."""
    mesh = read_mesh(DATA / f"{cell}{ending}")
    assert not orphan_remarks(mesh)
    shear = [[1.0, 0.3], [0.1, 0.9]]
    if CELLS[cell].dim == 3:
        shear = [[1.0, 0.3, 0.1], [0.0, 0.9, 0.2], [0.05, 0.0, 1.1]]
    assert assert_reproduces(mesh, cell) == pytest.approx(2 * np.linalg.det(shear), rel=1e-5)


@pytest.mark.parametrize(("ending", "variant"), HAND)
@pytest.mark.parametrize("cell", SOLIDS)
def test_files_by_hand(cell: str, ending: str, variant: str, tmp_path: Path) -> None:
    """Quadratic field reproduced from files numbered as each format's manual publishes."""
    if ending == "exo":
        pytest.importorskip("netCDF4")
    mesh = read_mesh(published.write(tmp_path, cell, ending, variant))
    assert assert_reproduces(mesh, cell) == pytest.approx(published.volume(cell), rel=1e-12)


@pytest.mark.parametrize(
    ("cell", "kind"), [(cell, kind) for cell, kinds in published.ABAQUS.items() for kind in kinds]
)
def test_abaqus_types(cell: str, kind: str, tmp_path: Path) -> None:
    """Quadratic field reproduced from every Abaqus element type; lower case is the same type."""
    for name in (kind, kind.lower()):
        mesh = read_mesh(published.write(tmp_path, cell, "inp", name))
        assert assert_reproduces(mesh, cell) == pytest.approx(published.volume(cell), rel=1e-12)


@pytest.mark.parametrize("cell", ["tet10", "wedge15", "hex20", "hex27"])
def test_wrong_numbering_would_show(cell: str, tmp_path: Path) -> None:
    """The check has teeth: Gmsh's numbering taken for VTK's fails it."""
    path = published.write(tmp_path, cell, "vtk")
    x = published.nodes(cell, "msh")
    published._vtk(path, cell, x, "")
    with pytest.raises(Exception):  # noqa: B017 - inverted already, or the field is wrong
        assert_reproduces(read_mesh(path), cell)


@pytest.mark.parametrize("manual", ["msh", "exo", "inp"])
def test_wrong_faces_would_show(manual: str, tmp_path: Path) -> None:
    """The check has teeth for the faces alone: each format's own order of them fails as VTK's."""
    path = published.write(tmp_path, "hex27", "vtk")
    assert_reproduces(read_mesh(path), "hex27")
    x = published.nodes("hex27", "vtk")
    x[20:] = published.nodes("hex27", manual)[20:]
    published._vtk(path, "hex27", x, "")
    with pytest.raises(Exception):  # noqa: B017 - inverted already, or the field is wrong
        assert_reproduces(read_mesh(path), "hex27")


@pytest.mark.parametrize("ending", ["vtk", "vtu"])
def test_wedges_of_careless_writers(ending: str, tmp_path: Path) -> None:
    """A linear wedge is read from VTK's own numbering, and from that of everybody else."""
    for manual in ("vtk", "inp"):
        path = published.write(tmp_path, "wedge6", ending)
        {"vtk": published._vtk, "vtu": published._vtu}[ending](
            path, "wedge6", published.nodes("wedge6", manual), ""
        )
        mesh = read_mesh(path)
        assert assert_reproduces(mesh, "wedge6") == pytest.approx(
            published.volume("wedge6"), rel=1e-12
        )


def test_abaqus_has_no_plane_solids_of_nine_nodes(tmp_path: Path) -> None:
    """CPS9 is no element of Abaqus: one line that says what is expected."""
    for kind in ("CPS9", "CPE9"):
        path = published.write(tmp_path, "quad9", "inp", kind)
        with pytest.raises(
            InputError,
            match=rf"element type {kind} is not supported; expected .*"
            r"C3D 4 5 6 8 10 15 20 27, CPS and CPE 3 4 6 8",
        ):
            read_mesh(path)


@pytest.mark.parametrize("ending", GMSH_FILES[:5])
@pytest.mark.parametrize(
    "cell", ["quad8", "quad9", "tet10", "pyramid5", "wedge6", "wedge15", "hex27"]
)
def test_physical_groups(cell: str, ending: str) -> None:
    """Physical groups: several on one entity, unnamed ones, one name in two dimensions."""
    mesh = read_mesh(DATA / f"{cell}{ending}")
    dim = CELLS[cell].dim
    whole = mesh.part("part")
    assert np.array_equal(mesh.part("every thing").connectivity, whole.connectivity)
    assert len(mesh.part().connectivity) == len(whole.connectivity)
    assert mesh.select("root").dim == mesh.select("77").dim == dim - 1
    assert not set(mesh.select("root").nodes) & set(mesh.select("77").nodes)
    assert mesh.select("tip").dim == 0 and len(mesh.select("tip").nodes) == 1
    assert mesh.select("shared", dim).dim == dim
    assert mesh.select("shared", dim - 1).dim == dim - 1
    assert len(mesh.part("shared").connectivity) == len(whole.connectivity)


def test_all_versions_agree() -> None:
    """A mesh is the same from .msh 2.2, 4.0 and 4.1, text and binary: points, cells, groups."""
    meshes = [read_mesh(DATA / f"hex20{ending}") for ending in GMSH_FILES[:5]]
    parts = [mesh.part("part") for mesh in meshes]
    for mesh, part in zip(meshes[1:], parts[1:], strict=True):
        assert np.allclose(part.points, parts[0].points, atol=1e-14)
        assert np.array_equal(part.connectivity, parts[0].connectivity)
        assert set(mesh.groups) == set(meshes[0].groups)


def test_gmsh_sets_in_abaqus_form() -> None:
    """Element and node sets that Gmsh writes to .inp become groups, joined over their pieces."""
    mesh = read_mesh(DATA / "hex20.inp")
    assert len(mesh.part("every_thing").connectivity) == 2
    assert len(mesh.select("shared", 2).cells) == 1
    assert mesh.select("root").dim == 2 and mesh.select("root").nodes.size == 8
    assert mesh.select("tip").nodes.size == 1


def test_abaqus_sets_and_surfaces(tmp_path: Path) -> None:
    """Abaqus sets: on *NODE and *ELEMENT, generated, of sets, in any case; faces S1 ... S6."""
    path = tmp_path / "bar.inp"
    (tmp_path / "nodes.inc").write_text(
        "1,0,0,0\n2,1.D0,,\n3,1,1\n4,0,1,0,\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
        "9,0,0,2\n10,1,0,2\n11,1,1,2\n12,0,1,2\n"
    )
    nodes = (tmp_path / "nodes.inc").read_text()
    path.write_text(
        f"** a comment\n*Node, nset=everything\n{nodes}"
        "*ELEMENT, type=c3d8r,\n ELSET = Lower\n1, 1,2,3,4,\n5,6,7,8\n"
        "*Element, TYPE=C3D8, ELSET=UPPER\n2, 5,6,7,8, 9,10,11,12\n"
        "*ELSET, ELSET=both\nlower, upper\n*Elset, elset=numbers, GENERATE\n1, 2, 1\n"
        "*NSET, NSET=bottom, generate\n1, 4\n*NSET, NSET=ends\nBOTTOM, 9, 10,\n11, 12\n"
        "*SURFACE, NAME=top, TYPE=ELEMENT\nUPPER, S2\n*SURFACE, NAME=side\nboth, S3\n1, S5\n"
        "*STEP\n*STATIC\n*NODE FILE\nU\n*END STEP\n"
    )
    mesh = read_mesh(path)
    part = mesh.part("both")
    assert len(part.connectivity) == 2 and len(mesh.part("Lower").connectivity) == 1
    assert np.array_equal(mesh.part("numbers").connectivity, part.connectivity)
    assert list(mesh.node_labels[mesh.select("bottom").nodes]) == [1, 2, 3, 4]
    assert list(mesh.node_labels[mesh.select("ends").nodes]) == [1, 2, 3, 4, 9, 10, 11, 12]
    assert list(mesh.node_labels[mesh.select("top").nodes]) == [9, 10, 11, 12]
    side = mesh.select("side")
    assert side.dim == 2 and sum(rows.size for rows in side.cells.values()) == 3
    assert mesh.select("everything").nodes.size == 12
    path.write_text(path.read_text().replace(nodes, "*INCLUDE, INPUT=nodes.inc\n"))
    (tmp_path / "nodes.inc").write_text("*NODE\n" + nodes)
    assert np.array_equal(read_mesh(path).points, mesh.points)


@needs_netcdf
def test_exodus_names_and_sides(tmp_path: Path) -> None:
    """Exodus: block names, node sets, and side sets turned into facets of the right corners."""
    import netCDF4

    path = published.write(tmp_path, "hex20", "exo")
    with netCDF4.Dataset(str(path), "a") as file:
        for name, size in {
            "num_side_sets": 1,
            "num_side_ss1": 1,
            "num_node_sets": 1,
            "num_nod_ns1": 2,
            "len": 33,
        }.items():
            file.createDimension(name, size)
        file.createVariable("ns_prop1", "i4", ("num_node_sets",))[:] = 4
        file.createVariable("node_ns1", "i4", ("num_nod_ns1",))[:] = [1, 20]
        file.createVariable("ss_prop1", "i4", ("num_side_sets",))[:] = 6
        names = file.createVariable("ss_names", "S1", ("num_side_sets", "len"))
        names[0, :4] = np.frombuffer(b"left", "S1")
        file.createVariable("elem_ss1", "i4", ("num_side_ss1",))[:] = 1
        file.createVariable("side_ss1", "i4", ("num_side_ss1",))[:] = 4
    mesh = read_mesh(path)
    assert len(mesh.part("12").connectivity) == 1
    assert list(mesh.node_labels[mesh.select("4").nodes]) == [1, 20]
    # Side 4 of a hexahedron holds nodes 1, 5, 8, 4 (SAND92-2137, table 1); with the middles of its
    # edges 1-5 (13), 4-8 (16), 1-4 (12), 5-8 (20).
    assert list(mesh.node_labels[mesh.select("left").nodes]) == [1, 4, 5, 8, 12, 13, 16, 20]


#: Abaqus Analysis User's Guide, "Three-dimensional solid element library", "Element faces"; Exodus
#: II: SAND92-2137, table 1. Nodes counted from 1, corners only.
SIDES = {
    ("inp", "pyramid5"): ["1234", "152", "253", "354", "451"],
    ("inp", "wedge6"): ["123", "465", "1452", "2563", "3641"],
    ("inp", "wedge15"): ["123", "465", "1452", "2563", "3641"],
    ("exo", "pyramid5"): ["125", "235", "345", "415", "1432"],
    ("exo", "wedge6"): ["1254", "2365", "1463", "132", "456"],
    ("exo", "wedge15"): ["1254", "2365", "1463", "132", "456"],
}


@pytest.mark.parametrize("side", range(5))
@pytest.mark.parametrize(("ending", "cell"), SIDES)
def test_sides_of_wedges_and_pyramids(ending: str, cell: str, side: int, tmp_path: Path) -> None:
    """A side by its number in the format is the facet with the corners that its manual prints."""
    if ending == "exo":
        netCDF4 = pytest.importorskip("netCDF4")
    path = published.write(tmp_path, cell, ending, published.ABAQUS[cell][0])
    if ending == "inp":
        path.write_text(path.read_text() + f"*SURFACE, NAME=side\n1, S{side + 1}\n")
    else:
        with netCDF4.Dataset(str(path), "a") as file:
            for name in ("num_side_sets", "num_side_ss1"):
                file.createDimension(name, 1)
            file.createVariable("ss_prop1", "i4", ("num_side_sets",))[:] = 6
            file.createVariable("elem_ss1", "i4", ("num_side_ss1",))[:] = 1
            file.createVariable("side_ss1", "i4", ("num_side_ss1",))[:] = side + 1
    mesh = read_mesh(path)
    group = mesh.select("side" if ending == "inp" else "6")
    corners = {int(digit) for digit in SIDES[ending, cell][side]}
    (block,) = group.cells
    kind = CELLS[mesh.blocks[block].cell]
    assert kind.corners == len(corners) and kind.quadratic == CELLS[cell].quadratic
    found = mesh.node_labels[mesh.blocks[block].nodes[group.cells[block][0], : kind.corners]]
    scale = 10 if ending == "inp" else 1  # the file's node numbers
    assert set(found) == {scale * corner for corner in corners}


def test_vtk_arrays_become_groups(tmp_path: Path) -> None:
    """Whole-number arrays of VTK: cells by value, nodes where a point array is one."""
    path = published.write(tmp_path, "hex8", "vtk")
    path.write_text(
        path.read_text() + "CELL_DATA 1\nFIELD f 1\nmaterial 1 1 int\n3\n"
        "POINT_DATA 8\nFIELD g 1\nclamped 1 8 int\n1 0 0 1 1 0 0 1\n"
    )
    mesh = read_mesh(path)
    assert len(mesh.part("material:3").connectivity) == 1
    assert list(mesh.select("clamped").nodes) == [0, 3, 4, 7]


def test_numbers_need_not_be_consecutive(tmp_path: Path) -> None:
    """Node numbers with gaps and out of order refer to the right points."""
    path = tmp_path / "gap.msh"
    path.write_text(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n900 0 1 0\n7 0 0 0\n8 1 0 0\n$EndNodes\n"
        "$Elements\n1\n55 2 2 0 1 7 8 900\n$EndElements\n"
    )
    part = read_mesh(path).part()
    check_part(part)
    assert list(part.node_labels[part.connectivity[0]]) == [7, 8, 900]
    assert part.labels[0] == 55


def test_runs_of_kinds_alternate(tmp_path: Path) -> None:
    """Version 2.2 text: rows are cut right however kinds and numbers of tags alternate."""
    rows = []
    for i in range(300):
        kind, nodes = ("2", "1 2 3") if i % 3 else ("3", "1 2 3 4")
        tags = "2 1 1" if i % 2 else "3 1 1 0"
        rows.append(f"{i + 1} {kind} {tags} {nodes.replace('1', str(i % 5 + 5), 1)}")
    x = "\n".join(f"{i} {i} {i * i} 0" for i in range(1, 11))
    path = tmp_path / "mixed.msh"
    path.write_text(
        f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n{x}\n$EndNodes\n"
        f"$Elements\n300\n" + "\n".join(rows) + "\n$EndElements\n"
    )
    mesh = read_mesh(path)  # cells written twice count once: five of each kind remain
    assert {block.cell: len(block.nodes) for block in mesh.blocks} == {"tri3": 5, "quad4": 5}
