# SPDX-License-Identifier: BSD-3-Clause
"""Stresses at quadrature points and forces of sections: closed forms, files, probes."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import meshio
import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.check import check_model
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.mesh.from_arrays import mesh_from_arrays
from flexforge.runtime.model.schema_probe import ProbeSpec
from flexforge.runtime.observe.probes import build_probes
from flexforge.runtime.observe.stations import stations_around
from flexforge.runtime.results.data import principal, von_mises
from flexforge.runtime.results.read import Results
from flexforge.runtime.run import run_model
from flexforge.runtime.statics.static import solve_static
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.section_forces import largest_normal_stress, section_forces
from models import DISTORTED, PLANE, STEEL, build, model


@pytest.mark.parametrize(
    ("cell", "body"),
    [
        ("tri6", {}),
        ("quad4", {"hypothesis": "plane_strain"}),
        ("quad4", {"element": "quad4i"}),
        ("hex8", {}),
        ("tet4", {}),
    ],
)
def test_points_of_constant_stress(cell: str, body: dict) -> None:
    """Of a linear displacement every point has the stress of the nodes; points are where N says.

    The mean of the positions of a cell's points, weighted alike, is the centre of a parallelepiped.
    """
    corners = {} if cell in PLANE else {"corners": DISTORTED}
    one = build(model(cell, body=body, **corners)).system.bodies[0]
    d = one.dimension
    gradient = 1e-4 * np.random.default_rng(3).standard_normal((d, d))
    u = one.points @ gradient
    found = one.at_stations(u)["stress"]
    expected = one.stress(u)[0]
    assert one.stations.shape[::2] == (len(one.graph.cells), d)
    assert found.shape == (one.stations.size // d, 6)
    assert np.abs(found - expected).max() <= 1e-11 * np.abs(expected).max()
    middle = one.points[one.graph.cells].mean(axis=1)
    if cell in ("quad4", "tet4"):
        np.testing.assert_allclose(one.stations.mean(axis=1), middle, atol=1e-14)


def test_warm_points() -> None:
    """Held all around: sigma = - E alpha T / (1 - 2 nu) at every point, of T at that point."""
    spec = model(
        "quad8", body={"hypothesis": "plane_strain"},
        materials={"steel": STEEL | {"expansion": 1e-5}},
        loads=[{"kind": "temperature", "change": "100*x"}],
    )  # fmt: skip
    places = build(spec)
    body, warmth = places.system.bodies[0], Loads(spec, places).temperature("block", 0.0)
    found = body.at_stations(np.zeros_like(body.points), warmth)["stress"]
    expected = -2e11 * 1e-5 * 100 * body.stations[..., 0].ravel() / (1 - 0.6)
    np.testing.assert_allclose(found[:, :3], np.tile(expected[:, None], 3), rtol=1e-11)
    assert not found[:, 3:].any()


def test_principal_stresses_and_von_mises() -> None:
    """A diagonal tensor turned at random has its diagonal; von Mises is that of the differences."""
    rng = np.random.default_rng(9)
    turn, _ = np.linalg.qr(rng.standard_normal((5, 3, 3)))
    own = np.sort(rng.standard_normal((5, 3)), axis=1)[:, ::-1]
    full = np.einsum("nik,nk,njk->nij", turn, own, turn)
    stress = np.stack(
        [full[:, i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))], 1
    )
    np.testing.assert_allclose(principal(stress), own, atol=1e-14)
    a, b, c = own.T
    expected = np.sqrt(((a - b) ** 2 + (b - c) ** 2 + (c - a) ** 2) / 2)
    np.testing.assert_allclose(von_mises(stress), expected, rtol=1e-13)


def test_thick_cylinder_at_its_points() -> None:
    """Lame: at the points the hoop stress is the first principal one, the radial the third.

    Timoshenko and Goodier, section 28, inner pressure, ends held along the axis.
    """
    inner, outer, pressure = 0.1, 0.3, 1e6
    spec = model(
        "quad8", [12, 2], corners=[[inner, 0], [outer, 0], [outer, 0.05], [inner, 0.05]],
        body={"hypothesis": "axisymmetric", "thickness": None},
        supports=[{"group": group, "components": ["y"]} for group in ("ymin", "ymax")],
        loads=[{"kind": "pressure", "group": "xmin", "value": pressure}],
    )  # fmt: skip
    places = build(spec)
    u = solve_static(places.system, Loads(spec, places), 0.0, "auto").displacement
    body = places.system.bodies[0]
    r = body.stations[..., 0].ravel()
    factor = pressure * inner**2 / (outer**2 - inner**2)
    found = principal(body.at_stations(u)["stress"])
    hoop, radial = factor * (1 + outer**2 / r**2), factor * (1 - outer**2 / r**2)
    # Errors of the stresses at the 3 x 3 points are below 1 % of the largest on 12 cells.
    assert np.abs(found[:, 0] - hoop).max() < 0.01 * hoop.max()
    assert np.abs(found[:, 2] - radial).max() < 0.01 * hoop.max()
    assert np.abs(found[:, 1] - 0.3 * (hoop + radial)).max() < 0.01 * hoop.max()


LENGTH, WIDTH, HEIGHT, LOADED = 1.0, 0.04, 0.02, (700.0, 30.0, -50.0)


def _cantilever(element: str):
    planar = element.endswith("_plane")
    end = [LENGTH, 0.0] if planar else [LENGTH, 0.0, 0.0]
    force = [*LOADED[:2], 0.0] if planar else list(LOADED)
    return model_from_dict({
        "mesh": {"block": {"cell": "line2", "corners": [[0.0] * len(end), end], "divisions": [4]}},
        "materials": {"steel": STEEL},
        "bodies": [{"name": "rod", "element": element, "material": "steel", "section": {
            "shape": "rectangle", "width": WIDTH, "height": HEIGHT}}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "force", "group": "xmax", "total": force}],
        "analysis": {"kind": "static"},
        "probes": [{"name": "moment", "point": [0.6, 0, 0], "quantity": "section_force",
                    "component": "Mz"}],
        "output": {"formats": ["hdf5", "vtu"]},
    })  # fmt: skip


@pytest.mark.parametrize(
    "element",
    [
        "euler_beam_plane",
        "timoshenko_beam_plane",
        *(pytest.param(n, marks=pytest.mark.slow) for n in ("euler_beam", "timoshenko_beam")),
    ],
)
def test_forces_of_a_cantilever(element: str, tmp_path: Path) -> None:
    """A tip load (N, P_y, P_z): M_z = P_y (L - x), M_y = - P_z (L - x), V = P, T = 0.

    The largest normal stress is N / A + |M_y| h / (2 I_y) + |M_z| b / (2 I_z), at a corner.
    """
    outcome = run_model(_cantilever(element), output=tmp_path)
    results = Results(tmp_path)
    (body,), state = results.bodies(), results.frame(-1).states["rod"]
    assert body.stations is not None and state.at_stations is not None
    x, forces = body.stations[:, 0], state.at_stations
    planar = element.endswith("_plane")
    axial, py, pz = LOADED
    expected = {"N": axial + 0 * x, "Vy": py + 0 * x, "Mz": py * (LENGTH - x)}
    if not planar:
        expected |= {"Vz": pz + 0 * x, "My": -pz * (LENGTH - x), "T": 0 * x}
    area, iz, iy = WIDTH * HEIGHT, HEIGHT * WIDTH**3 / 12, WIDTH * HEIGHT**3 / 12
    largest = axial / area + np.abs(expected["Mz"]) * WIDTH / 2 / iz
    if not planar:
        largest = largest + np.abs(expected["My"]) * HEIGHT / 2 / iy
    expected["largest_normal_stress"] = largest
    assert forces.keys() == expected.keys()
    for name, values in expected.items():
        np.testing.assert_allclose(
            forces[name], values, rtol=1e-7, atol=1e-6 * np.abs(values).max() + 1e-6
        )
    assert outcome.figures["largest normal stress"][0] == pytest.approx(largest.max(), rel=1e-7)
    assert outcome.figures["moment"] == [pytest.approx(py * (LENGTH - 0.6), rel=1e-7), "N m"]
    listed = ElementTree.parse(tmp_path / "stations.pvd").getroot().iter("DataSet")
    (file,) = [entry.attrib["file"] for entry in listed]
    cloud = meshio.read(tmp_path / file)
    np.testing.assert_allclose(cloud.point_data["Mz"], forces["Mz"], rtol=1e-6)


def test_round_sections_add_their_moments_as_vectors() -> None:
    """Of a rod the largest bending stress is |M| r / I; without a shape none is told."""
    radius, n, my, mz = 0.015, 700.0, 40.0, -30.0
    inertia = np.pi * radius**4 / 4
    values = {"area": np.pi * radius**2, "inertia_y": inertia, "inertia_z": inertia}
    stations = np.array([[[0.0, 0, 0], [0.5, 0, 0]]])
    forces = {"N": np.full((1, 2), n), "My": np.full((1, 2), my), "Mz": np.array([[mz, 0.0]])}

    def largest(reach: tuple[float, float] | None) -> Any:
        return lambda one: largest_normal_stress(one, values, reach, round=reach is not None)

    found = section_forces(forces, stations, largest((radius, radius)))
    expected = n / values["area"] + 50.0 * radius / inertia
    assert found["largest_normal_stress"][0] == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(found["Vy"], -60.0)  # - dMz/dx
    untold = section_forces(forces, stations, largest(None))
    assert "largest_normal_stress" not in untold


def test_stresses_at_points_are_written(tmp_path: Path) -> None:
    """``point_stress = true``: positions, stress, von Mises and principal stresses in the files."""
    spec = model(
        "quad4", supports=[{"group": "xmin"}],
        loads=[{"kind": "pressure", "group": "ymax", "value": 1e6}],
        output={"formats": ["hdf5", "vtu"], "point_stress": True},
        probes=[{"name": f"p{k}", "group": "corner1", "quantity": "stress",
                 "component": f"principal{k}"} for k in (1, 2, 3)],
    )  # fmt: skip
    outcome = run_model(spec, output=tmp_path)
    results = Results(tmp_path)
    (body,), state = results.bodies(), results.frame(-1).states["block"]
    assert body.stations is not None and state.at_stations is not None and state.stress is not None
    assert body.stations.shape == (4 * 4, 3)
    found = state.at_stations
    np.testing.assert_allclose(found["von_mises"], von_mises(found["stress"]))
    np.testing.assert_allclose(found["principal"], principal(found["stress"]))
    expected = found["von_mises"].max()
    assert outcome.figures["largest von Mises stress at points"][0] == pytest.approx(expected)
    corner = np.flatnonzero((body.points == 0).all(axis=1))
    ours = [outcome.figures[f"p{k}"][0] for k in (1, 2, 3)]
    np.testing.assert_allclose(ours, principal(state.stress[corner])[0])
    nodes = meshio.read(tmp_path / "frames" / "block_000000.vtu").point_data
    tensor = nodes["stress"].astype(float)
    np.testing.assert_allclose(nodes["principal1"], principal(tensor)[:, 0], rtol=1e-4, atol=10)


@pytest.mark.parametrize(
    ("element", "near"), [("mitc4", 1e-6), pytest.param("dkt3", 5e-3, marks=pytest.mark.slow)]
)
def test_faces_of_a_strip(element: str, near: float, tmp_path: Path) -> None:
    """Forces at the tip, P down and H along: sigma = H / (b t) +- 6 M / (b t^2), M = P (L - x).

    The mean over a cell is that at its middle (two triangles that share a side: of both); Poisson's
    ratio is zero. Errors by the largest stress. The root's station is within half a cell of it.
    """
    length, width, thick, down, along, cells = 1.0, 0.1, 0.01, 10.0, 400.0, 10
    corners = [[0, 0, 0], [length, 0, 0], [length, width, 0], [0, width, 0]]
    cell = {"mitc4": "quad4", "dkt3": "tri3"}[element]
    at_root = {"point": [0, 0, 0], "quantity": "section_force"}
    spec = model_from_dict({
        "mesh": {"block": {"cell": cell, "corners": corners, "divisions": [cells, 1]}},
        "materials": {"steel": {"young": 2e11, "poisson": 0.0, "density": 7800.0}},
        "bodies": [{"name": "strip", "element": element, "material": "steel", "thickness": thick}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "force", "group": "xmax", "total": [along, 0, -down]}],
        "analysis": {"kind": "static"},
        "probes": [{"name": c, "component": c, **at_root} for c in ("M11", "von_mises_top")],
        "output": {"formats": ["vtu", "hdf5", "csv", "report"]},
    })  # fmt: skip
    outcome = run_model(spec, output=tmp_path)
    assert outcome.figures["reaction z"][0] == pytest.approx(down, rel=1e-6)
    assert abs(outcome.figures["reaction y"][0]) < 1e-6 * down
    found = Results(tmp_path).frame(-1).states["strip"].at_stations
    assert found is not None
    middles = length * (np.arange(cells) + 0.5) / cells
    bending = 6 * down * (length - middles) / (width * thick**2)
    pull = along / (width * thick)
    for face, side in (("top", 1), ("bottom", -1)):
        stress = found[f"stress_{face}"]
        mean = stress[:, :2].sum(axis=1).reshape(cells, -1).mean(axis=1)  # in any axes
        expected = pull + side * bending
        assert np.abs(mean - expected).max() <= near * np.abs(expected).max()
        np.testing.assert_allclose(found[f"von_mises_{face}"], von_mises(stress))
        assert not stress[:, [2, 4, 5]].any()
    assert outcome.figures["M11"][1] == "N"  # N m for a unit of length
    root = pull + 6 * down * length / (width * thick**2)
    assert outcome.figures["von_mises_top"][0] == pytest.approx(root, rel=0.5 / cells)
    largest = max(found[f"von_mises_{face}"].max() for face in ("top", "bottom"))
    assert outcome.figures["largest von Mises stress on faces"] == [pytest.approx(largest), "Pa"]


@pytest.mark.parametrize(
    ("element", "component", "words"),
    [
        ("hex8", "N", "expected it with bars, beams or shells"),
        ("bar2_plane", "Mz", "component: found 'Mz' of body 'rod'; expected one of N, largest"),
    ],
)
def test_section_forces_of_what_has_none(element: str, component: str, words: str) -> None:
    """A solid has no sections, and a bar no moments."""
    probe = {"name": "p", "point": [0, 0, 0], "quantity": "section_force", "component": component}
    spec = model("hex8", probes=[probe])
    if element != "hex8":
        spec = _cantilever(element).model_copy(update={"probes": spec.probes})
    places = build(spec)
    loads = Loads(spec, places)
    with pytest.raises(InputError, match=words):
        build_probes(spec, places, loads)
    bare = {key: value for key, value in probe.items() if key != "point"}
    for given, said in (
        ({}, "point: missing; expected a point, next to which a station is taken, or body with"),
        ({"body": "rod"}, "point: missing"),
        ({"group": "xmin"}, "group: found with section_force; expected point, or body with reduce"),
        ({"point": [0, 0, 0], "component": "M"},
         "expected N, .*, largest_normal_stress of bars and beams, N11, .* of shells"),
        ({"point": [0, 0, 0], "reduce": "max"}, "found max with a point, next to which one station "
         "is taken; expected it with body without point"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=said):
            model("hex8", probes=[bare | given])


def test_section_forces_between_stations() -> None:
    """Linear along a rod, across nodes too: at 0.5, which two elements share, and around it.

    Before the first station, at a corner and where elements meet head on the nearest one counts.
    """
    body = build(_cantilever("euler_beam_plane")).system.bodies[0]
    x = body.stations[..., 0].ravel()
    for at in (0.07, 0.499999, 0.5, 0.500001, 0.6, x[3]):
        one = stations_around(body, np.array([at, 0.0, 0.0]))
        assert one.weights @ x[one.numbers] == pytest.approx(at, abs=1e-12)
        assert len(one.numbers) == (1 if at == x[3] else 2)
    (first,) = stations_around(body, np.zeros(3)).numbers
    assert first == 0
    points = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0]]
    bent = build(model_from_dict({
        "mesh": mesh_from_arrays(points, {"line2": [[0, 1], [1, 2], [3, 4], [3, 2]]}),
        "materials": {"steel": STEEL},
        "bodies": [{"name": "rod", "element": "euler_beam_plane", "material": "steel",
                    "section": {"shape": "round", "diameter": 0.02}}],
        "analysis": {"kind": "modes", "count": 1},
    }))  # fmt: skip
    for place in ([1.0, 0, 0], [2.0, 1, 0], [3.0, 1, 0]):
        found = stations_around(bent.system.bodies[0], np.array(place))
        assert found.weights.tolist() == [1.0]
        assert "at its nearest station" in found.text()


def test_check_says_where_section_forces_are_taken() -> None:
    """A point in an element is between its two stations, x = 0.5 + 0.25 (1 -+ 1/sqrt(3)) / 2."""
    (text,) = check_model(_cantilever("euler_beam_plane")).taken
    assert text == (
        "probe 'moment': section force of body 'rod' between its stations (0.552831, 0, 0) and "
        "(0.697169, 0, 0) m"
    )


def test_section_forces_over_all_stations(tmp_path: Path) -> None:
    """M_z = P_y (L - x) at the middles of 4 elements: the mean is half of that at the root."""
    spec = _cantilever("euler_beam_plane")
    tables = [
        {"name": how, "body": "rod", "quantity": "section_force", "component": "Mz", "reduce": how}
        for how in ("max", "mean")
    ]
    probes = tuple(map(ProbeSpec.model_validate, tables))
    figures = run_model(spec.model_copy(update={"probes": probes}), output=tmp_path).figures
    stations = Results(tmp_path).bodies()[0].stations
    assert stations is not None
    moments = LOADED[1] * (LENGTH - stations[:, 0])
    assert figures["max"] == [pytest.approx(moments.max(), rel=1e-9), "N m"]
    assert figures["mean"] == [pytest.approx(moments.mean(), rel=1e-9), "N m"]
