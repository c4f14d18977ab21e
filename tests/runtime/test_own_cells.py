# SPDX-License-Identifier: BSD-3-Clause
"""Elements on cells of their own: cells derived from declarations, models with them, results."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import flexforge as ff
import meshio
import numpy as np
import pytest
from flexforge.codegen.elements.library import standard_elements
from flexforge.runtime.mesh import CELLS, Mesh, structured
from flexforge.runtime.mesh.from_meshio import LAGRANGE
from flexforge.runtime.mesh.own_cells import derived_cell, own_cell
from flexforge.runtime.mesh.shape import shape_functions
from flexforge.runtime.mesh.straighten import straighten
from marks import slow

EXAMPLES = Path(__file__).parents[2] / "examples" / "elements"
E, NU, RHO = 2e11, 0.3, 7800.0
LENGTH, HEIGHT, THICK = 4.0, 1.0, 0.1
CORNERS = [[0.0, 0.0], [LENGTH, 0.0], [LENGTH, HEIGHT], [0.0, HEIGHT]]
BLOCK = [[x, y, z] for z in (0.0, 0.5) for x, y in CORNERS]
BUBBLE = """
name = "tri4b"
cell = "triangle"
nodes = [[0, 0], [1, 0], [0, 1], ["1/3", "1/3"]]
monomials = ["1", "xi", "eta", "xi*eta*(1 - xi - eta)"]
components = 2
strain = "small_strain"
law = "plane_stress"
section = "thickness"
degree = { stiffness = 4, mass = 6 }
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Files of elements by their names."""
    bubble = tmp_path_factory.mktemp("elements") / "tri4b.toml"
    bubble.write_text(BUBBLE)
    return {name: EXAMPLES / f"{name}.toml" for name in ("tri10", "quad12", "hex9b")} | {
        "tri4b": bubble
    }


def own_mesh(file: Path, divisions: list[int], *, skewed: bool = False) -> Mesh:
    """Return a block of cells of an element; skewed ones are no parallelograms."""
    element = ff.element(file)
    linear = {"triangle": "tri3", "quadrilateral": "quad4", "hexahedron": "hex8"}[element.cell]
    corners = BLOCK if element.components == 3 else CORNERS
    mesh = structured(linear, corners, divisions)
    if skewed:
        inner = np.ones(len(mesh.points), dtype=bool)
        for name in ("xmin", "xmax", "ymin", "ymax", "zmin", "zmax")[: 2 * element.components]:
            inner[mesh.groups[name].nodes] = False
        assert inner.any()
        points = mesh.points.copy()
        points[inner, : element.components] += 0.1
        mesh = replace(mesh, points=points)
    return ff.mesh_for_element(mesh, element)


def tables(file: Path, mesh: Mesh, poisson: float = NU, **more: Any) -> dict[str, Any]:
    body = {"name": "b", "element": str(file), "material": "steel"}
    if ff.element(file).components == 2:
        body["thickness"] = THICK
    material = {"young": E, "poisson": poisson, "density": RHO}
    return {
        "mesh": mesh,
        "materials": {"steel": material},
        "bodies": [body],
        "output": {"formats": ["hdf5"]},
    } | more


def displaced(file: Path, mesh: Mesh, held: np.ndarray, field: np.ndarray, folder: Path) -> Any:
    """Return the nodal displacements of a static run with those of some nodes prescribed."""
    axes = "xyz"[: field.shape[1]]
    every = {f"n{i}": [i] for i in held}
    cell = mesh.blocks[0].cell
    named = ff.mesh_from_arrays(mesh.points, {cell: mesh.blocks[0].nodes}, every)
    supports = [
        {"group": f"n{i}", "components": list(axes),
         "displacement": dict(zip(axes, field[i].tolist(), strict=True))}
        for i in held
    ]  # fmt: skip
    spec = tables(file, named, analysis={"kind": "static"}, supports=supports)
    outcome = ff.load_model(spec).run(folder)
    return outcome.results.frame(-1).states["b"]


#: Deriving these takes half a second or more.
_LARGE = ("wedge15", "hex20", "hex27")


@pytest.mark.parametrize(
    "element",
    [
        slow(one) if one.name in _LARGE else one
        for one in standard_elements()
        if "plane_strain" not in one.name
    ],
    ids=lambda one: one.name,
)
def test_the_derivation_gives_the_cells_of_the_library(element) -> None:
    """Facets, their cells and edges from nodes and shape functions are those of the table."""
    found = derived_cell(replace(element, name=f"derived_{element.name}"))
    given = CELLS[element.name.split("_")[0]]
    for key in ("dim", "nodes", "corners", "facets", "facet_cells", "edges", "facet_fault"):
        assert getattr(found, key) == getattr(given, key), key
    points = np.random.default_rng(1).random((5, given.dim)) / 3
    values = shape_functions(given.name, points)
    assert shape_functions(found.name, points) == pytest.approx(values, abs=1e-12)


def test_the_cubic_cells_of_mesh_files_are_those_derived(files) -> None:
    """The table has the cells of third order that Gmsh and VTK write; so derives tri10."""
    element = ff.element(files["tri10"])
    assert own_cell(element) is CELLS["tri10"]
    assert "tri10" not in CELLS, "the library has no element for it"
    found = derived_cell(replace(element, name="derived_tri10"))
    for key in ("facets", "facet_cells", "edges", "reference"):
        assert getattr(found, key) == getattr(CELLS["tri10"], key)


def test_what_is_derived_for_own_cells(files) -> None:
    """Sides have the nodes that lie on them; a bubble is on none; results show pieces."""
    quad = own_cell(ff.element(files["quad12"]))
    assert quad.facets[0] == (0, 1, 4, 5)
    assert set(quad.facet_cells) == {"line4"}
    bubble = own_cell(ff.element(files["tri4b"]))
    assert bubble.facets == CELLS["tri3"].facets
    assert bubble.facet_cells == CELLS["tri3"].facet_cells
    assert bubble.pieces[0] == "tri3" and len(bubble.pieces[1]) == 3
    solid = own_cell(ff.element(files["hex9b"]))
    assert solid.facet_cells == CELLS["hex8"].facet_cells
    assert solid.pieces == ("hex8", (tuple(range(8)),))
    for cell in (quad, bubble, CELLS["tri10"]):  # the pieces fill the cell
        corners = np.array(cell.reference)[np.array(cell.pieces[1])]
        areas = 0.5 * np.linalg.det(corners[:, 1:] - corners[:, :1])
        assert (areas > 0).all()
        assert areas.sum() == pytest.approx(0.5 if cell.corners == 3 else 4.0)


@pytest.mark.parametrize("name", ["tri10", slow("quad12"), slow("tri4b"), slow("hex9b")])
def test_linear_displacements_are_exact(name: str, files, tmp_path: Path) -> None:
    """The patch test: with linear displacements of the boundary, all nodes have them.

    Irons and Razzaque, 1972.
    """
    size = 3 if name == "hex9b" else 2
    mesh = own_mesh(files[name], [2] * size, skewed=True)
    gradient = 1e-3 * np.array([[1.0, 0.4, 0.2], [-0.3, 0.7, 0.5], [0.1, -0.6, 0.8]])
    field = (mesh.points @ gradient.T)[:, :size]
    sides = [mesh.groups[f"{axis}{end}"].nodes for axis in "xyz"[:size] for end in ("min", "max")]
    found = displaced(files[name], mesh, np.unique(np.concatenate(sides)), field, tmp_path / "out")
    assert np.abs(found.displacement[:, :size] - field).max() < 1e-12 * np.abs(field).max()


@pytest.mark.parametrize("name", ["tri10", slow("quad12")])
def test_the_cubic_displacements_of_a_cantilever_are_exact(
    name: str, files, tmp_path: Path
) -> None:
    """Displacements and stresses of a beam under an end load, three cells long, two high.

    Timoshenko and Goodier, Theory of Elasticity, 3rd edition, article 21; with the shear
    displacement at the clamped end as in Augarde and Deeks, Finite Elements in Analysis and Design
    44 (2008), 595. The ends move as in the solution, upper and lower side are free.
    """
    mesh, force = own_mesh(files[name], [3, 2]), 1e6
    inertia = THICK * HEIGHT**3 / 12
    x, y = mesh.points[:, 0], mesh.points[:, 1] - HEIGHT / 2
    factor = force / (6 * E * inertia)
    field = factor * np.stack(
        [
            -y * ((6 * LENGTH - 3 * x) * x + (2 + NU) * (y**2 - HEIGHT**2 / 4)),
            3 * NU * y**2 * (LENGTH - x)
            + (4 + 5 * NU) * HEIGHT**2 * x / 4
            + (3 * LENGTH - x) * x**2,
        ],
        axis=1,
    )
    ends = np.union1d(mesh.groups["xmin"].nodes, mesh.groups["xmax"].nodes)
    found = displaced(files[name], mesh, ends, field, tmp_path / "out")
    assert np.abs(found.displacement[:, :2] - field).max() < 1e-11 * np.abs(field).max()
    bending = -force * (LENGTH - x) * y / inertia
    shear = force / (2 * inertia) * (HEIGHT**2 / 4 - y**2)
    largest = np.abs(bending).max()
    for column, exact in ((0, bending), (1, 0.0 * x), (3, shear)):
        assert np.abs(found.stress[:, column] - exact).max() < 1e-10 * largest


@pytest.mark.parametrize("name", ["tri10", slow("quad12")])
def test_pure_bending_is_exact(name: str, files, tmp_path: Path) -> None:
    """Quadratic displacements of a beam under end moments; Timoshenko and Goodier, article 102."""
    mesh, curvature = own_mesh(files[name], [2, 1]), 1e-3
    x, y = mesh.points[:, 0], mesh.points[:, 1] - HEIGHT / 2
    field = curvature * np.stack([x * y, -0.5 * (x**2 + NU * y**2)], axis=1)
    ends = np.union1d(mesh.groups["xmin"].nodes, mesh.groups["xmax"].nodes)
    found = displaced(files[name], mesh, ends, field, tmp_path / "out")
    assert np.abs(found.displacement[:, :2] - field).max() < 1e-12 * np.abs(field).max()
    assert np.abs(found.stress[:, 0] - E * curvature * y).max() < 1e-10 * E * curvature


@pytest.mark.parametrize("name", ["tri10", slow("quad12"), slow("tri4b"), slow("hex9b")])
def test_pressure_and_weight(name: str, files, tmp_path: Path) -> None:
    """A bar under tension becomes longer by p L/E; reactions balance its weight."""
    size = 3 if name == "hex9b" else 2
    mesh, pull = own_mesh(files[name], [2] * size), 1e6
    area = HEIGHT * (0.5 if size == 3 else THICK)
    spec = tables(
        files[name],
        mesh,
        poisson=0.0,
        analysis={"kind": "static"},
        supports=[{"group": "xmin"}],
        loads=[{"kind": "pressure", "group": "xmax", "value": -pull}],
        probes=[{"name": "tip", "group": "xmax", "component": "x"}],
    )
    outcome = ff.load_model(spec).run(tmp_path / "pull")
    assert outcome.probes["tip"].values[-1] == pytest.approx(pull * LENGTH / E, rel=1e-11)
    assert outcome.figures["reaction x"][0] == pytest.approx(-pull * area, rel=1e-11)
    spec["loads"] = [{"kind": "gravity", "acceleration": [0.0, -9.81, 0.0]}]
    outcome = ff.load_model(spec).run(tmp_path / "weight")
    mass = RHO * area * LENGTH
    assert outcome.figures["mass"][0] == pytest.approx(mass, rel=1e-12)
    assert outcome.figures["reaction y"][0] == pytest.approx(9.81 * mass, rel=1e-11)


@pytest.mark.parametrize("name", ["tri10", slow("quad12"), slow("hex9b")])
def test_free_bodies(name: str, files, tmp_path: Path) -> None:
    """Rigid motions have frequency 0; the first elastic one is that of a fine mesh.

    That of quad9 in the plane; in space hex27, from above (Rayleigh), as a coarse mesh is stiff.
    """
    size, divisions = (3, [16, 4, 2]) if name == "hex9b" else (2, [8, 2])
    analysis = {"kind": "modes", "count": 3 * size - 2 if size == 2 else 7}
    spec = tables(files[name], own_mesh(files[name], divisions), analysis=analysis)
    own = ff.load_model(spec).modes(output=tmp_path / "own").results.modes()[0]
    rigid = 3 if size == 2 else 6
    assert np.abs(own[:rigid]).max() < 1e-3
    cell, corners, fine = ("quad9", CORNERS, [24, 6]) if size == 2 else ("hex27", BLOCK, [8, 2, 1])
    fine = {
        **spec,
        "mesh": {"block": {"cell": cell, "corners": corners, "divisions": fine}},
        "bodies": [{**spec["bodies"][0], "element": cell}],
    }
    reference = ff.load_model(fine).modes(output=tmp_path / "fine").results.modes()[0]
    error = own[rigid] / reference[rigid] - 1
    assert 0 < error < (2e-4 if size == 2 else 0.1)


@pytest.mark.slow
def test_the_example_runs() -> None:
    """Frequencies fall towards those of the finest mesh, quad12 below quad9 with equal cells."""
    command = [sys.executable, str(EXAMPLES / "cantilever.py")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in said.splitlines()]
    first = {
        kind: [float(row[-4].rstrip(",")) for row in rows if row[0].startswith(kind)]
        for kind in ("quad12", "quad9")
    }
    assert first["quad12"] == sorted(first["quad12"], reverse=True)
    assert first["quad9"] == sorted(first["quad9"], reverse=True)
    finest = first["quad9"][-1]
    assert all(finest < a < b for a, b in zip(first["quad12"], first["quad9"], strict=False))


@pytest.mark.slow
def test_steps_in_time(files, tmp_path: Path) -> None:
    """A clamped beam under a sudden load swings between zero and twice its static deflection."""
    spec = tables(
        files["tri10"],
        own_mesh(files["tri10"], [4, 1]),
        supports=[{"group": "xmin"}],
        loads=[{"kind": "pressure", "group": "ymax", "value": 1e5}],
        probes=[{"name": "tip", "group": "xmax", "component": "y"}],
        analysis={"kind": "static"},
    )
    still = ff.load_model(spec).run(tmp_path / "still").probes["tip"].values[-1]
    spec["analysis"] = {"kind": "transient", "duration": 0.04, "steps": 400}
    moving = ff.load_model(spec).run(tmp_path / "moving").probes["tip"].values
    # Higher modes, whose sum at the tip is a few per cent (1/beta^4 of a cantilever), add to it.
    assert moving.min() == pytest.approx(2 * still, rel=0.03)


def test_results_show_pieces(files, tmp_path: Path) -> None:
    """VTU, HDF5, summary and report show nine triangles per cell, with values at all nodes."""
    mesh = own_mesh(files["tri10"], [2, 1])
    spec = tables(
        files["tri10"],
        mesh,
        analysis={"kind": "static"},
        supports=[{"group": "xmin"}],
        loads=[{"kind": "force", "group": "xmax", "total": [0.0, -1e4, 0.0]}],
        output={"formats": ["vtu", "hdf5", "report"], "point_stress": True},
    )
    outcome = ff.load_model(spec).run(tmp_path / "out")
    (body,) = outcome.results.bodies()
    assert (body.cell, body.connectivity.shape) == ("tri3", (36, 3))
    assert outcome.results.summary["bodies"]["b"]["pieces_of"] == "4 tri10"
    (file,) = (
        path for path in sorted((tmp_path / "out").rglob("*.vtu")) if "stations" not in path.name
    )
    read = meshio.read(file)
    assert [(one.type, len(one.data)) for one in read.cells] == [("triangle", 36)]
    assert np.unique(read.cells[0].data).size == len(mesh.points)
    assert len(read.point_data["displacement"]) == len(mesh.points)
    assert (tmp_path / "out" / "report.html").stat().st_size > 1000


@pytest.mark.parametrize("kind", ["msh", "vtu"])
def test_cubic_triangles_of_files(kind: str, files, tmp_path: Path) -> None:
    """Triangles of ten nodes in a mesh of Gmsh or Lagrange cells of VTK are those of tri10."""
    mesh = own_mesh(files["tri10"], [4, 1])
    cells, path = mesh.blocks[0].nodes, tmp_path / f"mesh.{kind}"
    root = np.array([mesh.groups["xmin"].nodes[[0, 1, 2, 3]]])
    order = np.argsort(mesh.points[root[0], 1])[[0, 3, 1, 2]]
    root = root[:, order]
    if kind == "msh":
        tags = [np.full(len(cells), 1), np.array([2])]
        meshio.write(
            path,
            meshio.Mesh(
                mesh.points,
                [("triangle10", cells), ("line4", root)],
                cell_data={"gmsh:physical": tags, "gmsh:geometrical": tags},
                field_data={"plate": np.array([1, 2]), "root": np.array([2, 1])},
            ),
            file_format="gmsh22",
        )
    else:
        held = (mesh.points[:, 0] == 0).astype(int)
        meshio.write(
            path,
            meshio.Mesh(mesh.points, [("VTK_LAGRANGE_TRIANGLE", cells)], point_data={"root": held}),
        )
    found = []
    for source, group in (({"file": str(path)}, "root"), (mesh, "xmin")):
        spec = tables(
            files["tri10"],
            source,
            analysis={"kind": "modes", "count": 1},
            supports=[{"group": group}],
        )
        found.append(ff.load_model(spec).modes(output=tmp_path / group).results.modes()[0][0])
    assert found[0] == pytest.approx(found[1], rel=1e-9)


@pytest.mark.parametrize(("kind", "nodes"), list(LAGRANGE))
def test_lagrange_cells_have_the_order_of_vtk(kind: str, nodes: int) -> None:
    """The nodes of VTK's own classes are where those of the cells here are."""
    vtk = pytest.importorskip("vtk")
    cell = getattr(vtk, "vtkLagrange" + kind.removeprefix("VTK_LAGRANGE_").capitalize())()
    cell.GetPoints().SetNumberOfPoints(nodes)
    cell.GetPointIds().SetNumberOfIds(nodes)
    cell.Initialize()
    if "QUADRILATERAL" in kind:
        cell.SetOrder(*[round(nodes**0.5) - 1] * 2)
    given = CELLS[LAGRANGE[kind, nodes]]
    places = np.array(cell.GetParametricCoords()).reshape(-1, 3)[:, : given.dim]
    expected = np.array(given.reference)
    if expected.min() < 0:  # VTK's coordinates are 0 to 1
        expected = 0.5 * (expected + 1)
    assert places == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("cells", "elements", "words"),
    [
        ({"tri10": [[0, 1, 2]]}, (), "cells['tri10']: found shape (1, 3); expected (n_cells, 10)"),
        ({"quad12": [[0, 1, 2]]}, ("quad12",), "found shape (1, 3); expected (n_cells, 12)"),
        ({"tri1O": [[0, 1, 2]]}, (), "unknown type 'tri1O'; did you mean 'tri10'?"),
        ({"quad13": [[0, 1, 2]]}, ("quad12",), "unknown type 'quad13'; did you mean 'quad12'?"),
        ({"own": [[0, 1, 2]]}, (), "or the name of one of the argument elements"),
        ({}, "quad12.toml", "elements: found str; expected a list of files"),
        ({}, ("quad12", "quad12"), "elements[1]: found the name 'quad12', that of another one"),
    ],
)
def test_wrong_arrays(cells, elements, words: str, files) -> None:
    """A wrong number of nodes, an unknown type with the nearest one, wrong elements: one line."""
    chosen = elements if isinstance(elements, str) else [files[one] for one in elements]
    with pytest.raises(ff.InputError) as error:
        ff.mesh_from_arrays([[0, 0], [1, 0], [0, 1]], cells, elements=chosen)
    assert words in str(error.value)


def test_wrong_models(files, tmp_path: Path) -> None:
    """Nodes in an order that inverts a cell, a mesh without its cells: named."""
    mesh = own_mesh(files["tri10"], [2, 1])
    rows = mesh.blocks[0].nodes.copy()

    def refused(made: Any) -> str:
        spec = tables(files["tri10"], made, analysis={"kind": "modes", "count": 1})
        with pytest.raises(ff.InputError) as error:
            ff.load_model(spec).modes(output=tmp_path / "out")
        return str(error.value)

    for order, words in (
        ([0, 2, 1, 8, 7, 6, 5, 4, 3, 9], "is inverted: Jacobian"),  # clockwise
        ([0, 1, 2, 4, 3, 5, 6, 7, 8, 9], "is inverted: Jacobian"),  # two nodes of a side swapped
    ):
        turned = rows.copy()
        turned[1] = rows[1, order]
        text = refused(ff.mesh_from_arrays(mesh.points, {"tri10": turned}))
        assert text.startswith("mesh: cell 1 (tri10) ") and words in text
    block = {"block": {"cell": "tri6", "corners": CORNERS, "divisions": [2, 1]}}
    assert refused(block).startswith(
        "mesh.block: has no cells 'tri10', those of element 'tri10' of body 'b'; expected them in "
        "a mesh file or in arrays"
    )
    with pytest.raises(ff.InputError, match="has cells quad4; expected tri3, the corners of"):
        ff.mesh_for_element(structured("quad4", CORNERS, [1, 1]), files["tri10"])


def test_straight_edges(files) -> None:
    """A node of a side that was moved too far goes back to its place between the corners."""
    mesh = own_mesh(files["quad12"], [2, 1])
    node = mesh.blocks[0].nodes[0, 4]
    points = mesh.points.copy()
    points[node, 0] += 0.5 * LENGTH
    found = straighten(replace(mesh, points=points))
    assert np.abs(found.points - mesh.points).max() < 1e-14 * LENGTH
    assert (
        "mesh.block: 1 middle nodes of 1 inverted cells were put where straight edges have"
        in (found.remarks[0])
    )


@pytest.mark.slow
def test_a_bar_of_four_nodes_runs_in_a_model(tmp_path: Path) -> None:
    """A rod held at one end: f = c/(4 L), 3 c/(4 L) with c = sqrt(E/rho), to the mesh's error."""
    (tmp_path / "bar4.toml").write_text(
        'extends = ["bar3_plane"]\nname = "bar4"\nloose = 2\n'
        'nodes = [[-1], [1], ["-1/3"], ["1/3"]]\ndegree = { stiffness = 6, mass = 8 }\n'
    )
    x = np.linspace(0, 1, 13)
    cells = [[3 * i, 3 * i + 3, 3 * i + 1, 3 * i + 2] for i in range(4)]
    groups = {"root": [0], "all": list(range(13))}
    mesh = ff.mesh_from_arrays(np.column_stack([x, 0 * x]), {"line4": cells}, groups)
    model = ff.load_model(
        {
            "mesh": mesh,
            "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800}},
            "bodies": [{"name": "rod", "element": "bar4.toml", "material": "steel",
                        "section": {"area": 1e-4}}],
            "supports": [{"group": "root"}, {"group": "all", "components": ["y"]}],
            "analysis": {"kind": "modes", "count": 2},
        },
        tmp_path,
    )  # fmt: skip
    found = model.modes(output=tmp_path / "out").results.modes()[0]
    expected = np.array([1, 3]) / 4 * np.sqrt(2e11 / 7800)
    assert found == pytest.approx(expected, rel=2e-5)


def test_corners_come_first(tmp_path: Path) -> None:
    """An element whose first nodes are not the corners has no mesh cell; they are named."""
    text = BUBBLE.replace('[[0, 0], [1, 0], [0, 1], ["1/3", "1/3"]]',
                          '[["1/3", "1/3"], [0, 0], [1, 0], [0, 1]]')  # fmt: skip
    (tmp_path / "own.toml").write_text(text)
    with pytest.raises(ff.InputError, match="expected the corners of its triangle, \\(0, 0\\), "):
        own_cell(ff.element(tmp_path / "own.toml"))


def test_a_mass_with_too_few_points(tmp_path: Path) -> None:
    """Modes need a mass for every motion; the message names the command that counts them."""
    text = BUBBLE.replace("tri4b", "tri4m").replace("mass = 6", "mass = 1")
    (tmp_path / "own.toml").write_text(text)
    mesh = own_mesh(tmp_path / "own.toml", [1, 1])
    spec = tables(tmp_path / "own.toml", mesh, analysis={"kind": "modes", "count": 4})
    with pytest.raises(ff.AnalysisError, match="the mass matrix is singular.*check-element"):
        ff.load_model(spec).modes(output=tmp_path / "out")


def test_sides_that_overlap_carry_no_pressure(tmp_path: Path) -> None:
    """The inner node of this triangle moves its longest side: no pressure, and the reason."""
    text = BUBBLE.replace("tri4b", "tri4n").replace("xi*eta*(1 - xi - eta)", "xi*eta")
    (tmp_path / "own.toml").write_text(text)
    mesh = own_mesh(tmp_path / "own.toml", [2, 1])
    assert own_cell(ff.element(tmp_path / "own.toml")).facet_fault
    spec = tables(
        tmp_path / "own.toml",
        mesh,
        analysis={"kind": "static"},
        supports=[{"group": "xmin"}],
        loads=[{"kind": "pressure", "group": "xmax", "value": 1.0}],
    )
    with pytest.raises(
        ff.InputError,
        match="the shape function of node 0 is not zero on the facet of the nodes 1, 2",
    ):
        ff.load_model(spec).run(tmp_path / "out")


def test_one_name_means_one_cell(files) -> None:
    """A changed element of the same name gets another cell: old meshes do not fit it silently."""
    first = own_cell(ff.element(files["tri4b"]))
    element = ff.element(files["tri4b"])
    centre = tuple(x * 3 / 4 for x in element.nodes[3])
    second = own_cell(replace(element, nodes=(*element.nodes[:3], centre)))
    assert second.name == f"{first.name} (2)"
    assert own_cell(element) == first
