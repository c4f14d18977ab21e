# SPDX-License-Identifier: BSD-3-Clause
"""Faults of meshes: each is one line that names the file, the cell or node, and the value."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import published
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.mesh import (
    CELLS,
    check_mesh,
    check_part,
    orphan_remarks,
    read_mesh,
    structured,
)
from flexforge.runtime.mesh.cell import Cell

DATA = Path(__file__).parent / "data"
CUBE = 0.5 * (np.array(CELLS["hex8"].reference) + 1)
SOLIDS = [name for name, cell in CELLS.items() if cell.dim > 1]


def block(cell: str) -> tuple[np.ndarray, np.ndarray]:
    """Return points and cells of a small sound block."""
    dim = CELLS[cell].dim
    mesh = structured(cell, CUBE if dim == 3 else CUBE[:4, :2], [2, 2, 2][:dim])
    return mesh.points.copy(), mesh.blocks[0].nodes.copy()


def refused(points: np.ndarray, cell: str, cells: np.ndarray, message: str) -> None:
    """Check that the mesh is refused with a message of one line."""
    with pytest.raises(InputError, match=message) as error:
        check_mesh(points, cell, cells, labels=np.arange(101, 101 + len(cells)), source="m.msh")
    assert "\n" not in str(error.value) and str(error.value).startswith("m.msh: ")


@pytest.mark.parametrize("cell", SOLIDS)
def test_inverted(cell: str) -> None:
    """A mirrored cell has a negative Jacobian and is named by its number."""
    points, cells = block(cell)
    kind = CELLS[cell]
    order = list(range(kind.nodes))
    order[0], order[1] = 1, 0  # an exchange of two corners turns a simplex over
    if kind.corners in (4, 8) and kind.name[0] in "qh":
        order[: kind.corners] = [3, 2, 1, 0] if kind.dim == 2 else [4, 5, 6, 7, 0, 1, 2, 3]
    cells[1] = cells[1, order]
    refused(points, cell, cells, r"cell 102 \(.*\) is inverted: Jacobian -")


@pytest.mark.parametrize("cell", SOLIDS)
def test_flat(cell: str) -> None:
    """Cells without thickness have Jacobian zero at every size of the unit of length."""
    for scale in (1e-6, 1.0, 1e6):
        points, cells = block(cell)
        points[:, CELLS[cell].dim - 1] = 0.25 * points[:, 0]
        refused(points * scale, cell, cells, "is (degenerate|inverted): Jacobian")


def test_thin_cells_are_sound() -> None:
    """A cell a million times longer than thick is no fault."""
    points, cells = block("hex20")
    check_mesh(points * [1.0, 1.0, 1e-6], "hex20", cells)


def test_middle_node_astray() -> None:
    """A middle node pulled beyond the quarter point turns the Jacobian at a corner negative."""
    points, cells = block("tet10")
    middle, corner = points[cells[3, 4]], points[cells[3, 0]]
    points[cells[3, 4]] = corner + 0.3 * (middle - corner)
    refused(points, "tet10", cells, "is inverted: Jacobian -.* at node")


@pytest.mark.parametrize(
    ("third", "message"),
    [
        ((2.0, 0.0, 0.0), "its third node is not between the first two; .*end, end, middle"),
        ((0.2, 0.3, 0.0), "its third node is at 0.2 of the way between them; .*near the middle"),
        ((0.75, 0.0, 0.0), "its third node is at 0.75 of the way"),
    ],
)
def test_order_of_lines(third: tuple[float, ...], message: str) -> None:
    """Lines with the nodes end, middle, end would get a wrong length, mass and stiffness."""
    points = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [-0.5, 0.1, 0.0], [1.0, 0.0, 0.0], third])
    cells = np.array([[0, 1, 2], [1, 3, 4]])
    refused(points, "line3", cells, r"cell 102 \(line3\): " + message)
    points[4] = [0.7, 0.9, 0.4]  # a curved line is sound
    check_mesh(points, "line3", cells)


@pytest.mark.parametrize("cell", [name for name in SOLIDS if CELLS[name].quadratic])
def test_middle_nodes_among_the_corners(cell: str) -> None:
    """Nodes in the order in which they lie on the outline are refused: corner, middle, corner."""
    points, cells = block(cell)
    kind = CELLS[cell]
    order = [node for a, b in kind.edges[: kind.corners] for node in (a, _between(kind, a, b))]
    order = list(dict.fromkeys(order))
    cells[1] = cells[1, order + [node for node in range(kind.nodes) if node not in order]]
    refused(points, cell, cells, r"cell 102 \(.*\) is (inverted|degenerate): Jacobian")


def _between(kind: Cell, first: int, second: int) -> int:
    """Return the middle node of an edge."""
    middle = 0.5 * (np.array(kind.reference[first]) + kind.reference[second])
    return int(np.abs(np.array(kind.reference) - middle).max(axis=1).argmin())


def test_repeated_node() -> None:
    """A cell that names a node twice is degenerate."""
    points, cells = block("hex8")
    cells[2, 5] = cells[2, 4]
    refused(points, "hex8", cells, r"cell 103 \(hex8\) is degenerate: it uses node \d+ twice")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_coordinate_not_a_number(value: float) -> None:
    """NaN and infinity among the coordinates are named with node and axis."""
    points, cells = block("quad8")
    points[4, 1] = value
    refused(points, "quad8", cells, f"node 5 has y = {value}")


def test_plane_cells_leave_the_plane() -> None:
    """Plane cells in the x-z plane, or warped, are refused with the z that is wrong."""
    points, cells = block("quad4")
    refused(points[:, [0, 2, 1]], "quad4", cells, "has z = .*constant z")


def test_orphans(tmp_path: Path) -> None:
    """A node of no cell is named by its number; nodes of edges and points alone count as such."""
    path = published.write(tmp_path, "quad4", "msh", "2.2")
    text = path.read_text().replace("$Nodes\n4\n", "$Nodes\n6\n77 5 5 0\n78 5 6 0\n")
    path.write_text(text.replace("$Elements\n1\n", "$Elements\n2\n9 1 2 0 1 77 78\n"))
    (remark,) = orphan_remarks(read_mesh(path))
    assert "2 nodes belong to no cell of a body, the first is 77; they are left out" in remark
    points, cells = block("tet4")
    refused(np.vstack([points, [[9.0, 9.0, 9.0]]]), "tet4", cells, "node 28 belongs to no")


def test_select_and_part() -> None:
    """A missing group is named with the nearest; a name of two dimensions must be made distinct."""
    mesh = read_mesh(DATA / "tet10_41.msh")
    with pytest.raises(InputError, match="no group named 'rot'; did you mean 'root'.*has .*part"):
        mesh.select("rot")
    with pytest.raises(InputError, match="did you mean 'root'"):
        mesh.select("ROOT")
    with pytest.raises(InputError, match="'shared' is a .*; expected one of shared:"):
        mesh.select("shared")
    with pytest.raises(InputError, match="group 'root' has no cells|tri6"):
        mesh.part("root", "tet10")
    with pytest.raises(InputError, match="group 'tip' has no cells"):
        mesh.part("tip")
    with pytest.raises(InputError, match="has tet10 cells; expected tet4 only"):
        mesh.part("part", "tet4")
    part = mesh.part("part")
    assert np.array_equal(
        part.nodes[part.local(mesh.select("root").nodes)], mesh.select("root").nodes
    )
    assert np.allclose(mesh.scaled(1e-3).points, 1e-3 * mesh.points, rtol=0, atol=0)
    check_part(part)


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.9, 0.995])
@pytest.mark.parametrize(
    "name", ["tet10_22.msh", "tet10_22b.msh", "tet10_41.msh", "tet10_41b.msh", "tet10.vtk"]
)
def test_truncated(name: str, cut: float, tmp_path: Path) -> None:
    """A file that was cut off anywhere is refused in one line, never read as a smaller mesh."""
    data = (DATA / name).read_bytes()
    if cut == 0.995:  # within the last section, which is what a full disk leaves
        cut = 1 - 12 / len(data)
    path = tmp_path / name
    path.write_bytes(data[: int(cut * len(data))])
    with pytest.raises(InputError) as error:
        read_mesh(path)
    assert "\n" not in str(error.value) and str(path) in str(error.value)


def test_abaqus_truncated(tmp_path: Path) -> None:
    """An input file cut within an element is refused; numbers missing are counted."""
    text = (DATA / "hex20.inp").read_text()
    path = tmp_path / "cut.inp"
    path.write_text(text[: text.index("30, 27, 21")])
    with pytest.raises(InputError, match="cut.inp:.*C3D20.*truncated"):
        read_mesh(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("gone.msh", None, "no readable file .No such file"),
        ("mesh.stl", "solid", "unknown format '.stl'; expected .msh"),
        ("empty.msh", "", "no .MeshFormat"),
        ("old.msh", "$MeshFormat\n3.0 0 8\n$EndMeshFormat\n", "3.0; expected 2.2, 4.0 or 4.1"),
        ("empty.vtk", "", "cannot be read as .vtk"),
        ("bad.vtu", "<VTKFile>", "cannot be read as .vtu"),
        ("empty.inp", "", "no nodes or no cells"),
        ("shell.inp", "*NODE\n1,0,0\n*ELEMENT, TYPE=ACAX4\n1,1,1,1,1\n", "type ACAX4 is not supp"),
        ("gasket.inp", "*NODE\n1,0,0\n*ELEMENT, TYPE=GK3D18\n1\n", "GK3D18 is not supp"),
        ("twice.inp", "*NODE\n1,0,0\n1,1,0\n*ELEMENT,TYPE=CPS3\n1,1,1,1\n", "defined twice"),
        ("where.inp", "*NODE\n1,0,0\n*ELEMENT,TYPE=CPS3\n7,1,2,3\n", "cell 7 .tri3. uses node 2"),
        ("word.inp", "*NODE\n1,0,zero\n", "word.inp:1: .NODE has data that are not numbers"),
        ("loop.inp", "*INCLUDE, INPUT=loop.inp\n", "found a circular"),
        ("set.inp", "*NODE\n1,0,0\n2,1,0\n3,0,1\n*ELEMENT,TYPE=CPS3\n1,1,2,3\n*NSET,NSET=a\nb\n",
         "no node set named 'b'"),
        ("fill.inp", "*NODE\n1,0,0\n*NGEN\n1,2\n", "NGEN is not supported"),
    ],
)  # fmt: skip
def test_files_refused(name: str, content: str | None, message: str, tmp_path: Path) -> None:
    """Missing, foreign, empty and unsupported files are refused in one line that says why."""
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError, match=message) as error:
        read_mesh(path)
    assert "\n" not in str(error.value) and str(path) in str(error.value)


@pytest.mark.parametrize(
    ("number", "name"), [(13, "prism18"), (14, "pyramid14"), (19, "pyramid13")]
)
def test_unsupported_cells_of_gmsh(number: int, name: str, tmp_path: Path) -> None:
    """Cells without an element are named, and what could stand there instead."""
    path = published.write(tmp_path, "hex8", "msh", "2.2")
    path.write_text(path.read_text().replace("\n1 5 2", f"\n1 {number} 2"))
    with pytest.raises(InputError, match=f"cells {name}.*expected point1"):
        read_mesh(path)


def test_unsupported_cells_of_vtk(tmp_path: Path) -> None:
    """A Lagrange cell of another order is named, a file that skips it would have a hole."""
    path = published.write(tmp_path, "quad8", "vtu")
    path.write_text(path.read_text().replace(">23<", ">70<"))
    with pytest.raises(
        InputError, match="VTK_LAGRANGE_QUADRILATERAL.*not supported; expected.*tri10"
    ):
        read_mesh(path)


def test_vtu_in_pieces(tmp_path: Path) -> None:
    """A .vtu file in several pieces is refused: reading only one of them would lose cells."""
    path = published.write(tmp_path, "tri6", "vtu")
    text = path.read_text()
    piece = text[text.index("<Piece") : text.index("</Piece>") + len("</Piece>")]
    path.write_text(text.replace(piece, piece + piece))
    with pytest.raises(InputError, match="is in 2 pieces"):
        read_mesh(path)
    path.write_text(text.replace("<PointData/><CellData/>", ""))
    assert len(read_mesh(path).part().connectivity) == 1


def test_exodus_without_its_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where netCDF4 is missing, an Exodus file is refused with the library's name."""
    import sys

    monkeypatch.setitem(sys.modules, "netCDF4", None)
    path = tmp_path / "mesh.exo"
    path.write_bytes(b"CDF")
    with pytest.raises(InputError, match="netCDF4"):
        read_mesh(path)


def test_exodus_damaged(tmp_path: Path) -> None:
    """An Exodus file that is none is refused in one line."""
    pytest.importorskip("netCDF4")
    path = tmp_path / "mesh.e"
    path.write_bytes(b"CDF\x01 nothing of use")
    with pytest.raises(InputError, match="mesh.e"):
        read_mesh(path)
