# SPDX-License-Identifier: BSD-3-Clause
"""Where small displacements end: rotations and strains of states, and runs without numbers."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.check import check_model
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.results.finite import require_finite_figures
from flexforge.runtime.run import run_model
from flexforge.runtime.statics.static import solve_static
from flexforge.runtime.statics.steady import SteadySolver
from flexforge.runtime.system.deformation import Deformation
from flexforge.runtime.system.loads import Loads
from models import build, model, stressed

ROUND = {"shape": "round", "diameter": 0.01}
STEEL = {"young": 2e11, "poisson": 0.0, "density": 7800.0}
SECOND = math.pi * 0.01**4 / 64.0


def rod(element: str, load: float, **tables: Any) -> ModelSpec:
    """Return a round cantilever of steel, 1 m long, with a force across its tip."""
    return model_from_dict(
        {
            "mesh": {
                "block": {"cell": "line2", "corners": [[0, 0, 0], [1, 0, 0]], "divisions": [10]}
            },
            "materials": {"m": STEEL},
            "bodies": [{"name": "rod", "element": element, "material": "m", "section": ROUND}],
            "supports": [{"group": "xmin"}],
            "loads": [{"kind": "force", "group": "xmax", "total": [0, load, 0]}],
            "analysis": {"kind": "static"},
            "output": {"formats": ["csv"]},
        }
        | tables
    )


def plate(element: str, load: float) -> ModelSpec:
    """Return a clamped strip of shells, 1 m by 0.2 m by 10 mm, with a force across its edge."""
    cell = {"mitc4": "quad4", "dkt3": "tri3"}[element]
    corners = [[0, 0, 0], [1, 0, 0], [1, 0.2, 0], [0, 0.2, 0]]
    return model_from_dict({
        "mesh": {"block": {"cell": cell, "corners": corners, "divisions": [20, 4]}},
        "materials": {"m": STEEL},
        "bodies": [{"name": "strip", "element": element, "material": "m", "thickness": 0.01}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "force", "group": "xmax", "total": [0, 0, load]}],
        "analysis": {"kind": "static"},
        "output": {"formats": ["csv"]},
    })  # fmt: skip


@pytest.mark.parametrize("element", ["euler_beam", "euler_beam_plane", "timoshenko_beam"])
def test_a_beam_that_bends_too_far_says_so(element, tmp_path):
    """Tip rotation P L^2 / (2 E I), strain P (L - h/2) r / (E I) in the first element (Euler)."""
    found = run_model(rod(element, 50.0), output=tmp_path)
    turned = 50.0 / (2.0 * 2e11 * SECOND)
    assert found.figures["largest rotation"] == [pytest.approx(math.degrees(turned)), "deg"]
    assert found.figures["largest strain"] == pytest.approx(50.0 * 0.95 * 0.005 / (2e11 * SECOND))
    (said,) = found.warnings
    assert said.startswith("body 'rod': turns by 14.6 degrees near (1, 0")
    assert "at t = 0 s" in said
    said = run_model(rod(element, 5000.0), output=tmp_path).warnings
    assert "turns by 1.46e+03 degrees" in said[0]
    assert "strained by 24.2 % near (0.05, 0" in said[1]
    assert run_model(rod(element, 30.0), output=tmp_path).warnings == ()


@pytest.mark.parametrize("offset", [[0.0, 0.0], [0.03, -0.02]])
@pytest.mark.parametrize("orientation", [[0, 1, 0], [0, 0, 1], [1, 3, 4]])
def test_each_axis_of_a_section_has_its_own_fibres(offset, orientation, tmp_path):
    """Bending about y reaches height / 2, about z width / 2: sums of P (L - h/2) c / (E I)."""
    width, height = 0.02, 0.2
    section = {"shape": "rectangle", "width": width, "height": height} | {
        "offset": offset, "orientation": orientation,
    }  # fmt: skip
    bodies = [{"name": "rod", "element": "euler_beam", "material": "m", "section": section}]
    found = run_model(rod("euler_beam", 30.0, bodies=bodies), output=tmp_path)
    y = np.array([0.0, *orientation[1:]]) / np.linalg.norm(orientation[1:])
    forces = 30.0 * y[1], 30.0 * np.cross([1.0, 0, 0], y)[1]
    reach, side = (width / 2, height / 2), (height * width**3 / 12, width * height**3 / 12)
    parts = [abs(p) * 0.95 * c / (2e11 * second) for p, c, second in
             zip(forces, reach, side, strict=True)]  # fmt: skip
    assert found.figures["largest strain"] == pytest.approx(sum(parts), rel=1e-9)


def test_a_plane_beam_bends_along_its_width(tmp_path):
    """z is across the plane: the height of a section is not in the distance of its fibres."""
    section = {"shape": "rectangle", "width": 0.02, "height": 0.2}
    bodies = [{"name": "b", "element": "euler_beam_plane", "material": "m", "section": section}]
    found = run_model(rod("euler_beam_plane", 10.0, bodies=bodies), output=tmp_path)
    expected = 10.0 * 0.95 * 0.01 / (2e11 * 0.2 * 0.02**3 / 12.0)
    assert found.figures["largest strain"] == pytest.approx(expected)


def test_sections_without_a_shape_have_no_outer_fibres(tmp_path):
    """Area and second moment do not tell the distance of the fibres: the figure says so."""
    section = {"area": 1e-4, "inertia_z": 1e-9}
    bodies = [{"name": "b", "element": "euler_beam_plane", "material": "m", "section": section}]
    figures = run_model(rod("euler_beam_plane", 1.0, bodies=bodies), output=tmp_path).figures
    assert "largest strain" not in figures
    assert figures["largest strain without bending"] < 1e-12


@pytest.mark.parametrize("element", ["mitc4", "dkt3"])
def test_shells_bend_as_beams(element, tmp_path):
    """A strip without Poisson's effect: P L^2 / (2 E I) and P (L - h/2) t / (2 E I) to 0.2 %."""
    found = run_model(plate(element, 1000.0), output=tmp_path)
    second = 0.2 * 0.01**3 / 12.0
    turned, strain = found.figures["largest rotation"][0], found.figures["largest strain"]
    assert turned == pytest.approx(math.degrees(1000.0 / (2.0 * 2e11 * second)), rel=2e-3)
    assert strain == pytest.approx(1000.0 * 0.975 * 0.005 / (2e11 * second), rel=2e-3)


@pytest.mark.parametrize("cell", ["quad4", "tri6", "hex8", "tet10", "wedge6"])
def test_gradients_are_exact_for_uniform_ones(cell):
    """Solids and plane elements: rotation and largest principal strain of a linear field."""
    places = build(model(cell))
    system, d = places.system, places.system.dimension
    gradient = np.random.default_rng(3).standard_normal((d, d)) * 1e-2
    points = np.zeros((system.size, d))
    for body in system.bodies:
        points[body.nodes] = body.points
    followed = Deformation(system)
    followed.follow(0.2, points @ gradient.T)
    figures = followed.figures()
    skew = 0.5 * (gradient - gradient.T)
    turned = math.degrees(np.linalg.norm(skew) / math.sqrt(2.0))
    principal = np.abs(np.linalg.eigvalsh(0.5 * (gradient + gradient.T))).max()
    assert figures["largest rotation"] == [pytest.approx(turned, rel=1e-10), "deg"]
    assert figures["largest strain"] == pytest.approx(principal, rel=1e-10)
    assert not followed.warnings()
    # Moved along only: no rotation, no strain, however far.
    moved = Deformation(system)
    moved.follow(0.0, np.full((system.size, d), 1e3), bounded=True)
    assert moved.figures()["largest strain"] < 1e-9


def test_a_body_of_revolution_is_strained_around_its_axis():
    """u_r = r / 10: 10 % of hoop strain, which no gradient in the section shows alone."""
    data = revolved(5.0)
    system = build(data).system
    shift = np.zeros((system.size, 2))
    shift[:, 0] = 0.1  # r from 1 to 1.5 m: at most 0.1 / 1.125 in the first element
    followed = Deformation(system)
    followed.follow(0.0, shift)
    assert followed.figures()["largest strain"] == pytest.approx(0.1 / 1.125)


def test_a_motion_that_runs_away_fails():
    """A gradient of a million, which no motion has: naming body, time and size."""
    system = build(model("hex8")).system
    moved = np.random.default_rng(0).standard_normal((system.size, 3)) * 1e8
    with pytest.raises(AnalysisError, match=r"transient: body '.*' deforms .* at t = 0\.1 s: a"):
        Deformation(system).follow(0.1, moved, bounded=True)


def test_steady_states_are_judged_and_modes_are_not(tmp_path):
    """Vibrations have no amplitude; the state they are about has one."""
    spec = rod("euler_beam", 50.0, analysis={"kind": "modes", "count": 2})
    (said,) = run_model(spec, output=tmp_path).warnings
    assert said.startswith("body 'rod': turns by")
    assert "in the steady state" in said


@pytest.mark.parametrize("young", [1e-300, 1e300])
def test_a_stiffness_whose_products_are_no_numbers_is_refused(young):
    """1e-300 Pa made a displacement of infinity, and 1e300 Pa one of zero."""
    with pytest.raises(InputError, match=r"materials\.m\.young: found 1e[+-]300; expected "):
        rod("euler_beam", 1.0, materials={"m": STEEL | {"young": young}})


def test_no_run_finishes_without_numbers(tmp_path):
    """A load whose displacements overflow, and figures that are not finite."""
    tiny = dict.fromkeys(("area", "inertia_y", "inertia_z", "torsion"), 1e-50)
    spec = model_from_dict({
        "mesh": {"block": {"cell": "line2", "corners": [[0, 0, 0], [1e6, 0, 0]],
                           "divisions": [2]}},
        "materials": {"m": STEEL | {"young": 1e-59}},
        "bodies": [{"name": "hair", "element": "euler_beam", "material": "m", "section": tiny}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "force", "group": "xmax", "total": [0, 1e30, 0]}],
        "analysis": {"kind": "static"},
        "output": {"formats": ["csv"]},
    })  # fmt: skip
    with pytest.raises(AnalysisError, match="finite|infinity"):
        run_model(spec, output=tmp_path)
    assert '"status": "failed"' in (tmp_path / "summary.json").read_text()
    with pytest.raises(AnalysisError, match="figure size: contains NaN or infinity"):
        require_finite_figures({"name": 1, "size": [math.inf, "m"]})


def test_coordinates_far_from_the_origin_lose_digits(tmp_path):
    """eps |x| / h: at 1e12 m a block of 1 m is known to four digits; at 1e8 m nothing is said."""
    said = []
    for far in (1e12, 1e8):
        corners = [[far + x, y] for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
        spec = model("quad4", corners=corners, divisions=[1, 1], supports=[{"group": "xmin"}])
        said.append(check_model(spec).remarks)
    assert len(said[0]) == 1
    assert "coordinates up to 1e+12 m leave about 4 digits of elements of 1 m" in said[0][0]
    assert not said[1]


OWN = """
name = "mine"
cell = "quadrilateral"
nodes = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
monomials = ["1", "xi", "eta", "xi*eta"]
components = 2
strain = ["ux_x", "uy_y", "ux_y + uy_x"]
section = "thickness"
degree = { stiffness = 2, mass = 2 }
[law]
parameters = ["E", "G"]
matrix = [["E", "0", "0"], ["0", "E", "0"], ["0", "0", "G"]]
"""


def test_a_body_whose_element_has_no_geometric_stiffness_is_named(tmp_path):
    """A user's rows of strain tell no quadratic strain: a run says so, in the summary too."""
    (tmp_path / "mine.toml").write_text(OWN)
    spec = model_from_dict({
        "mesh": {"block": {"cell": "quad4", "corners": [[1, 0], [2, 0], [2, 1], [1, 1]],
                           "divisions": [2, 1]}},
        "bodies": [{"name": "own", "element": "mine.toml", "frame": {"velocity": 20},
                    "parameters": {"E": 1e11, "G": 5e10, "thickness": 0.01, "density": 2000}}],
        "supports": [{"group": "xmin"}],
        "analysis": {"kind": "modes", "count": 1},
        "output": {"formats": ["csv"]},
    }, folder=tmp_path)  # fmt: skip
    outcome = run_model(spec, output=tmp_path / "out")
    (said,) = outcome.warnings
    assert said == "body 'own': geometric stiffness left out: element 'mine' has none derived"
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["settings"]["geometric"] == {"own": False}
    solver = SteadySolver(build(spec).system, Loads(spec, build(spec)), "auto")
    solver.find(0.1)
    solver.close()
    assert solver.warnings == [said]


def revolved(velocity: Any, **tables: Any) -> ModelSpec:
    """Return a disc as a body of revolution that turns about its axis."""
    return model_from_dict(
        {
            "mesh": {
                "block": {
                    "cell": "quad4",
                    "divisions": [2, 1],
                    "corners": [[1, 0], [1.5, 0], [1.5, 0.1], [1, 0.1]],
                }
            },
            "materials": {"m": STEEL},
            "bodies": [
                {
                    "name": "disc",
                    "element": "quad4",
                    "material": "m",
                    "hypothesis": "axisymmetric",
                    "frame": {"axis": [0, 1, 0], "velocity": velocity},
                }
            ],
            "supports": [{"group": "ymin", "components": ["y"]}],
            "analysis": {"kind": "static", "time": 1.0},
        }
        | tables
    )


def test_angular_acceleration_of_a_body_of_revolution_is_refused():
    """It loads torsion, which the section does not have: found no displacement before."""
    refused = (
        r"bodies\[0\]\.frame: found an angular acceleration of 3 rad/s\^2 at t = .* expected "
        "hypothesis axisymmetric_torsion"
    )
    with pytest.raises(InputError, match=refused):
        build(revolved("3*t"))
    run = {"analysis": {"kind": "transient", "duration": 1.0, "steps": 4}}
    with pytest.raises(InputError, match=refused):
        build(revolved("3*t", **run))
    build(revolved("3*t", include={"euler": False, "euler_load": False}))
    build(revolved(3.0, **run))


@pytest.mark.parametrize("softened", [False, True])
def test_a_beam_of_code_aster_turns(softened):
    """SSLV104 and SSLV105 of code_aster (V3.04.104 and 105): rho W^2 L^3 / (3 E) without any
    stiffness of rotation, and tan(k L) / k - L softened alone, of a bar along (1, 1, 1)."""
    length, half, speed = 0.5, 0.01, 3000.0
    along, axis, other = np.array([[1, 1, 1], [1, 0, -1], [1, -2, 1]]) / np.sqrt([[3], [2], [6]])
    corners = [
        half * (i * other + j * axis) + x * along
        for x in (0.0, length)
        for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    spec = model(
        "hex20", corners=[one.tolist() for one in corners], divisions=[1, 1, 5],
        materials={"steel": STEEL}, supports=[{"group": "zmin"}],
        body={"frame": {"axis": axis.tolist(), "velocity": speed}},
        include={"geometric": False, "centrifugal_stiffness": softened},
        analysis={"kind": "static"},
    )  # fmt: skip
    system = build(spec).system
    solved = solve_static(system, Loads(spec, build(spec)), 0.0, "auto")
    k = speed * math.sqrt(7800.0 / 2e11)
    expected = math.tan(k * length) / k - length if softened else k**2 * length**3 / 3.0
    assert float((solved.displacement @ along).max()) == pytest.approx(expected, rel=2e-4)


def test_axial_stiffening_cancels_softening():
    """A bar that turns about its end, nu = 0: the tip moves by rho W^2 L^3 / (3 E) (docs/model.md).

    Softened alone, by tan(k L) / k - L with k^2 = rho W^2 / E, 0.4 % more at k L = 0.1.
    """
    speed = 0.1 * math.sqrt(2e11 / 7800.0)
    found = []
    for geometric in (False, True):
        spec = model(
            "quad8", corners=[[0, 0], [1, 0], [1, 0.02], [0, 0.02]], divisions=[20, 1],
            materials={"steel": STEEL}, supports=[{"group": "xmin", "components": ["x"]},
                                                  {"group": "ymin", "components": ["y"]}],
            body={"frame": {"axis": [0, 0, 1], "velocity": speed}},
            include={"geometric": geometric}, analysis={"kind": "static"},
        )  # fmt: skip
        system = stressed(spec).system
        solved = solve_static(system, Loads(spec, build(spec)), 0.0, "auto")
        found.append(float(solved.displacement[:, 0].max()) / (0.01 / 3.0))
    assert found[0] == pytest.approx((math.tan(0.1) - 0.1) / 0.1 / (0.01 / 3.0), rel=2e-5)
    assert found[1] == pytest.approx(1.0, abs=2e-4)
