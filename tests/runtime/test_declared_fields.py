# SPDX-License-Identifier: BSD-3-Clause
"""Models with beams and shells that a file declares: closed forms, warnings, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.check import check_model
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

EXAMPLES = Path(__file__).parents[2] / "examples" / "elements"
YOUNG, DENSITY, SIDE = 2e11, 7800.0, 0.002
FORCE = 40.0
AREA, INERTIA = SIDE**2, SIDE**4 / 12
#: sqrt(E I / (rho A L^4)) of a beam of 1 m, rad/s.
UNIT = np.sqrt(YOUNG * INERTIA / (DENSITY * AREA))
BEAM = {
    "name": "blade", "element": str(EXAMPLES / "beam.toml"), "material": "steel",
    "section": {"shape": "rectangle", "width": SIDE, "height": SIDE, "orientation": [0, 1, 0]},
}  # fmt: skip


def _model(body, cells="line2", corners=((0, 0, 0), (1, 0, 0)), divisions=(12,), **tables):
    return model_from_dict(
        {
            "mesh": {
                "block": {
                    "cell": cells,
                    "corners": [list(c) for c in corners],
                    "divisions": list(divisions),
                }
            },
            "materials": {"steel": {"young": YOUNG, "poisson": 0.3, "density": DENSITY}},
            "bodies": [body],
            "supports": [{"group": "xmin"}],
            "analysis": {"kind": "modes", "count": 4},
            "output": {"formats": ["csv"]},
        }
        | tables
    )


def _frequencies(outcome):
    found = [value[0] for name, value in outcome.figures.items() if name.startswith("mode ")]
    return 2 * np.pi * np.array(found)


def _probe(folder):
    """Return the table of the probes, a row a time."""
    (table,) = folder.glob("probes.csv")
    return np.loadtxt(table, delimiter=",", skiprows=1, ndmin=2)


@pytest.mark.parametrize(
    ("gamma", "flap"),
    [
        pytest.param(2, 4.13732, marks=pytest.mark.slow),
        pytest.param(5, 6.44954, marks=pytest.mark.slow),
        pytest.param(10, 11.20233, marks=pytest.mark.slow),
    ],
)
def test_a_turning_blade(tmp_path, gamma, flap):
    """First lag and flap of a rotating cantilever over sqrt(E I / rho A L^4), hub ratio 0, 0.02 %.

    Wright, Smith, Thresher and Wang, Journal of Applied Mechanics 49 (1982); in the plane of
    rotation the square is less by that of the speed (Southwell). The geometric stiffness is that of
    the strain of second order that the file states; the tension of an element is its mean.
    """
    frame = {"axis": [0, 0, 1], "velocity": float(gamma * UNIT)}
    outcome = run_model(_model(BEAM | {"frame": frame}, divisions=(48,)), output=tmp_path / "out")
    assert outcome.warnings == ()
    expected = [np.sqrt(flap**2 - gamma**2), flap]
    np.testing.assert_allclose(_frequencies(outcome)[:2] / UNIT, expected, rtol=2e-4)


@pytest.mark.slow
def test_it_moves_as_the_beam_of_the_library_does(tmp_path):
    """A beam that is spun up, with the declaration of the file and with euler_beam: one motion."""
    figures = []
    for element in (BEAM["element"], "euler_beam"):
        body = BEAM | {"element": element, "frame": {"axis": [0, 0, 1], "acceleration": 40.0}}
        spec = _model(
            body, divisions=(4,),
            analysis={"kind": "transient", "duration": 0.05, "step": 1e-3},
            probes=[{"name": "tip", "group": "xmax", "component": "y"}],
        )  # fmt: skip
        run_model(spec, output=tmp_path / Path(element).stem)
        figures.append(_probe(tmp_path / Path(element).stem))
    assert np.abs(figures[1]).max() > 0
    np.testing.assert_allclose(figures[0], figures[1], rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize(
    ("speed", "whirls"),
    [(0.0, (1245.581,)),
     pytest.param(1000.0, (251.727, 2239.466), marks=pytest.mark.slow)],  # compiles nine terms
)  # fmt: skip
def test_a_shaft_under_the_stress_within_its_sections(tmp_path, speed, whirls):
    """Simply supported Rayleigh shaft, forward and backward in the rotating frame, 1e-4.

    L = 1, D = 0.1, E = 2e11, rho = 7800; physics.md section 11: without the stress that the
    centrifugal forces leave within the sections it were 249.264 and 2237.002. Of the bending
    vibrations of the lowest half wave.
    """
    body = BEAM | {
        "section": {"shape": "round", "diameter": 0.1, "orientation": [0, 1, 0]},
        "frame": {"axis": [1, 0, 0], "velocity": speed},
    }
    ends = [{"group": "xmin", "components": ["x", "y", "z", "rx"]},
            {"group": "xmax", "components": ["y", "z"]}]  # fmt: skip
    spec = _model(body, divisions=(8,), supports=ends)
    found = _frequencies(run_model(spec, output=tmp_path / "out"))
    for whirl in whirls:
        assert np.abs(found / whirl - 1).min() < 1e-4


def _says_so(outcome, folder):
    """Assert that the body is named in the one warning, and in the summary."""
    (said,) = outcome.warnings
    assert said.startswith("body 'blade': geometric stiffness left out: element 'slender_beam'")
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["settings"]["geometric"] == {"blade": False}


def _unstiffened(folder):
    text = (EXAMPLES / "beam.toml").read_text()
    path = folder / "soft.toml"
    path.write_text(text[: text.index("[stiffening.strain]")])
    return str(path)


@pytest.mark.slow  # its kernels; beside the next one
def test_a_beam_whose_stiffening_is_not_known_says_so_where_it_turns(tmp_path):
    """Without a strain of second order a spinning body is named, and the summary says it too."""
    body = BEAM | {"element": _unstiffened(tmp_path), "frame": {"axis": [0, 0, 1], "velocity": 9}}
    _says_so(run_model(_model(body), output=tmp_path / "out"), tmp_path / "out")


def test_it_says_so_under_loads_as_well(tmp_path):
    """Vibrations about a loaded state want the stress of the loads; at rest unloaded, nothing."""
    body = BEAM | {"element": _unstiffened(tmp_path)}
    pulled = [{"kind": "force", "group": "xmax", "total": [FORCE, 0.0, 0.0]}]
    outcome = run_model(_model(body, loads=pulled), output=tmp_path / "pulled")
    _says_so(outcome, tmp_path / "pulled")
    assert run_model(_model(body), output=tmp_path / "still").warnings == ()


def test_tension_raises_the_frequency_of_the_declared_beam(tmp_path):
    """Pinned ends: w^2 = (pi/L)^4 E I / rho A + (pi/L)^2 N / rho A, 0.02 %."""
    supports = [{"group": "xmin", "components": ["x", "y", "z", "rx"]},
                {"group": "xmax", "components": ["y", "z"]}]  # fmt: skip
    pulled = [{"kind": "force", "group": "xmax", "total": [FORCE, 0.0, 0.0]}]
    outcome = run_model(_model(BEAM, supports=supports, loads=pulled), output=tmp_path / "out")
    expected = np.sqrt(np.pi**4 * UNIT**2 + np.pi**2 * FORCE / (DENSITY * AREA))
    np.testing.assert_allclose(_frequencies(outcome)[:2], expected, rtol=2e-4)


SHEET = {"name": "sheet", "element": str(EXAMPLES / "shell.toml"), "material": "steel",
         "thickness": 0.01}  # fmt: skip


@pytest.mark.slow
def test_a_strip_of_declared_shells(tmp_path):
    """A clamped strip under a tip load bends as a beam does, w = P L^3 / (3 E I), 1 %.

    Poisson's ratio is 0, so that the strip is a beam; shear adds (h / L)^2 / 4 of it.
    """
    corners = [(0, 0, 0), (1, 0, 0), (1, 0.1, 0), (0, 0.1, 0)]
    spec = _model(
        SHEET, "quad4", corners, (16, 2),
        materials={"steel": {"young": YOUNG, "poisson": 0.0, "density": DENSITY}},
        loads=[{"kind": "force", "group": "xmax", "total": [0.0, 0.0, 1.0]}],
        analysis={"kind": "static"},
        probes=[{"name": "tip", "group": "xmax", "component": "z"}],
    )  # fmt: skip
    outcome = run_model(spec, output=tmp_path / "out")
    expected = 1.0 / (3 * YOUNG * 0.1 * 0.01**3 / 12)
    assert outcome.warnings == ()
    assert _probe(tmp_path / "out").ravel()[-1] == pytest.approx(expected, rel=1e-2)


def test_a_warped_cell_is_refused(tmp_path):
    """A flat element sees no warp, and a rigid rotation would strain it."""
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0.05), (0, 1, 0)]
    with pytest.raises(InputError, match=r"cell 1 is not flat: .* element 'tied4'"):
        run_model(_model(SHEET, "quad4", corners, (1, 1)), output=tmp_path / "out")


def test_a_parameter_that_nobody_gives_is_named(tmp_path):
    """A section is a table, or parameters one by one."""
    body = {key: value for key, value in BEAM.items() if key != "section"}
    with pytest.raises(InputError, match="no value for parameter 'area'"):
        run_model(_model(body), output=tmp_path / "out")


PLANE = """
name = "mine"
cell = "quadrilateral"
nodes = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
monomials = ["1", "xi", "eta", "xi*eta"]
components = 2
strain = "small_strain"
law = "plane_stress"
section = "thickness"
degree = { stiffness = 2, mass = 2 }
"""


def test_a_section_of_an_element_without_one_is_refused(tmp_path):
    """Solids and plane elements of a file have no section."""
    (tmp_path / "mine.toml").write_text(PLANE)
    body = BEAM | {"element": str(tmp_path / "mine.toml"), "thickness": 1.0}
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    with pytest.raises(InputError, match="section: found one"):
        run_model(_model(body, "quad4", corners, (1, 1)), output=tmp_path / "out")


def _bare(tmp_path, **changed):
    """Return a model of the slender beam with its section given as parameters."""
    values = {"area": AREA, "inertia_y": INERTIA, "inertia_z": INERTIA, "torsion": 2 * INERTIA}
    axes = {"orientation1": 0.0, "orientation2": 1.0, "orientation3": 0.0}
    body = {name: value for name, value in BEAM.items() if name != "section"}
    load = {"kind": "force", "group": "xmax", "total": [0.0, 1e-3, 0.0]}
    return _model(
        body | {"parameters": values | axes | changed},
        analysis={"kind": "static"}, loads=[load],
    )  # fmt: skip


def test_parameters_that_make_no_mass_are_refused(tmp_path):
    """Roots of negative second moments gave a mass of nan, and a negative area a negative one."""
    for changed, mass in (({"inertia_z": -1e-12}, "nan"), ({"area": -AREA}, "nan")):
        with pytest.raises(InputError, match=rf"'slender_beam' has a mass of {mass} kg with .*"):
            check_model(_bare(tmp_path, **changed))
        with pytest.raises(InputError, match="expected parameters that make it a positive"):
            run_model(_bare(tmp_path, **changed), output=tmp_path)


def test_an_indefinite_law_of_a_section_is_warned_of(tmp_path):
    """Without a second moment, bending stores no energy: nothing is there in equilibrium.

    Displacements along y and rotations about z have none of all motions, and round-off chooses.
    """
    assert not [one for one in check_model(_bare(tmp_path)).remarks if "definite" in one]
    model = _bare(tmp_path, inertia_z=0.0)
    (said,) = [one for one in check_model(model).remarks if "definite" in one]
    assert said.startswith(
        "body 'blade': the law of element 'slender_beam' is not positive definite: eigenvalues 0 "
        "to 1 with young = 2e+11"
    )
    said = "(displacement y|rotation z) of body 'blade' at .* is not held"
    with pytest.raises(AnalysisError, match=said):
        run_model(model, output=tmp_path)
