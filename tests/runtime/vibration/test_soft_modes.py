# SPDX-License-Identifier: BSD-3-Clause
"""Frequencies far below those of the mesh, at critical speeds and beyond buckling: none is lost."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.statics.static import solve_static
from flexforge.runtime.statics.steady import SteadySolver
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.vibration import quadratic
from flexforge.runtime.vibration.modes import Modes, solve_modes
from models import CUBE, STEEL, build, model

LENGTH, WIDTH, THICKNESS = 1.0, 0.01, 0.0002
#: sqrt(E I / rho A) / L^2 of the strip across its thickness, rad/s.
BENDING = np.sqrt(STEEL["young"] / STEEL["density"] / 12.0) * THICKNESS / LENGTH**2
CORNERS = [
    [x, y, z]
    for z in (0.0, THICKNESS)
    for x, y in ((0.0, 0.0), (LENGTH, 0.0), (LENGTH, WIDTH), (0.0, WIDTH))
]
FREE = np.array([22.3733, 61.6728, 120.903])  # free-free beam, squares of roots of cos cosh = 1


def about_steady(spec, count: int) -> Modes:
    """Return the modes of a model about its steady state."""
    places = build(spec)
    state = SteadySolver(places.system, Loads(spec, places), "auto").find(0.0)
    return solve_modes(state.system, count, None, 0.0, "auto")


def strip(cells: int, **tables):
    """Return a strip of 1 m x 10 mm x 0.2 mm, of hex20; it does not contract across, as beams."""
    return model(
        "hex20", [cells, 1, 1], corners=CORNERS, analysis={"kind": "modes"},
        materials={"steel": STEEL | {"poisson": 0.0}}, **tables,
    )  # fmt: skip


@pytest.mark.parametrize("cells", [9, 20])
def test_a_thin_strip_bends_at_the_frequencies_of_a_beam(cells: int) -> None:
    """CASES M7, gamma = 0: 3.516, 22.03, 61.70 times sqrt(EI/rho A L^4); dense and by Krylov.

    The first frequency is 1e-8 of that of the mesh: round-off in the assembled matrix is as large.
    """
    found = solve_modes(
        build(strip(cells, supports=[{"group": "xmin"}])).system, 3, None, 0, "auto"
    )
    expected = np.array([3.51602, 22.03449, 61.69721]) * BENDING
    assert 2 * np.pi * found.frequencies[0] == pytest.approx(expected[0], rel=0.25 / cells**2)
    assert np.allclose(2 * np.pi * found.frequencies, expected, rtol=5.0 / cells**2)
    assert not found.growth.any()


def test_a_free_strip_has_six_zeros_and_then_bends() -> None:
    """Roots of cos x cosh x = 1; rigid motions are zero exactly, and nothing else is."""
    found = solve_modes(build(strip(20)).system, 9, None, 0.0, "auto").frequencies
    assert not found[:6].any()
    assert np.allclose(2 * np.pi * found[6:], FREE * BENDING, rtol=0.02)


def test_a_thin_strip_in_a_turning_frame() -> None:
    """CASES M7: flapping at gamma = 2 at 4.13732 and 22.6149, stiffened by its own tension."""
    spec = strip(
        20, supports=[{"group": "xmin"}],
        body={"frame": {"axis": [0, 0, 1], "velocity": 2.0 * BENDING}},
    )  # fmt: skip
    found = about_steady(spec, 2)
    assert found.gyroscopic
    expected = np.array([4.13732, 22.61492]) * BENDING
    assert np.allclose(2 * np.pi * found.frequencies, expected, rtol=5e-3)


def test_a_thin_strip_sags_as_a_beam_does() -> None:
    """Own weight q: q L^4 / 8 E I at the end, a solution that the factors alone get wrong."""
    gravity = {"kind": "gravity", "acceleration": [0, 0, -1e-2]}
    spec = strip(20, supports=[{"group": "xmin"}], loads=[gravity])
    places = build(spec)
    found = solve_static(places.system, Loads(spec, places), 0.0, "auto").displacement
    load = 1e-2 * STEEL["density"]
    expected = 1.5 * load * LENGTH**4 / STEEL["young"] / THICKNESS**2
    assert -found[:, 2].min() == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize("most", [10, 400])
@pytest.mark.parametrize("gap", [1e-2, 1e-5, -1e-5])
def test_a_whirl_near_its_critical_speed_is_as_slow_as_it_is(
    gap: float, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PHYSICS 4.4: w0 - W in the frame, the w0 that is found at rest, however stiff the mesh."""
    monkeypatch.setattr(quadratic, "DENSE", most)
    corners = [f"corner{i + 1}" for i in range(8)]

    def whirling(speed: float) -> np.ndarray:
        springs = [
            {"name": name, "kind": "bushing", "at": name, "stiffness": [1e5, 1e5, 1e9]}
            for name in corners
        ]
        spec = model(
            "hex8", [2, 2, 2], connectors=springs, analysis={"kind": "modes"},
            body={"frame": {"axis": [0, 0, 1], "velocity": speed}},
            include={"geometric": False},
        )  # fmt: skip
        return 2 * np.pi * solve_modes(build(spec).system, 2, None, 0.0, "auto").frequencies

    resting = whirling(0.0)
    assert resting[1] == pytest.approx(resting[0], rel=1e-9)
    found = whirling(resting[0] - gap)
    assert found[0] == pytest.approx(abs(gap), rel=1e-3)


@pytest.mark.parametrize("most", [10, 400])
def test_beyond_buckling_a_mode_grows(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """lambda^2 = (n pi/L)^2 (P - n^2 P_E) / rho A of a column on two pins under P = 3 P_E.

    One mode grows, the others vibrate more slowly; Euler's column, by hand.
    """
    monkeypatch.setattr(quadratic, "DENSE", most)
    side = 0.01
    load = 3.0 * np.pi**2 * STEEL["young"] * side**4 / 12.0
    spec = model_from_dict({
        "mesh": {"block": {"cell": "line2", "corners": [[0, 0], [1, 0]], "divisions": [16]}},
        "materials": {"steel": STEEL},
        "bodies": [{"name": "column", "element": "euler_beam_plane", "material": "steel",
                    "section": {"shape": "rectangle", "width": side, "height": side}}],
        "supports": [{"group": "xmin", "components": ["x", "y"]},
                     {"group": "xmax", "components": ["y"]}],
        "loads": [{"kind": "force", "group": "xmax", "total": [-load, 0.0, 0.0]}],
        "analysis": {"kind": "modes"},
    })  # fmt: skip
    found = about_steady(spec, 3)
    n = np.arange(1, 4)
    squares = (n * np.pi) ** 2 * load * (1.0 - n**2 / 3.0) / STEEL["density"] / side**2
    assert found.growth[0] == pytest.approx(np.sqrt(squares[0]), rel=1e-3)
    assert not found.growth[1:].any()
    expected = np.sqrt(np.maximum(-squares[[1, 2]], 0.0))
    assert np.allclose(2 * np.pi * found.frequencies[1:], expected, rtol=2e-3)


@pytest.mark.parametrize("most", [10, 400])
def test_a_solid_beyond_buckling_grows_too(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A column clamped at its foot under 2 P_E grows as y'''' + k^2 y'' + b^4 y = 0 says.

    With k^2 = P / EI and b^4 = rho A growth^2 / EI; the determinant of its boundary values.
    """
    monkeypatch.setattr(quadratic, "DENSE", most)
    height, width = 0.02, 0.01
    stiff = STEEL["young"] * width * height**3 / 12.0
    load = 2.0 * (np.pi / 2.0) ** 2 * stiff
    spec = model(
        "quad8", [24, 1], corners=[[0, 0], [1, 0], [1, height], [0, height]],
        body={"thickness": width}, supports=[{"group": "xmin"}], analysis={"kind": "modes"},
        loads=[{"kind": "force", "group": "xmax", "total": [-load, 0.0, 0.0]}],
        materials={"steel": STEEL | {"poisson": 0.0}},
    )  # fmt: skip
    found = about_steady(spec, 3)
    growth = column_growth(load / stiff) * np.sqrt(stiff / STEEL["density"] / height / width)
    assert found.growth[0] == pytest.approx(growth, rel=0.01)
    assert not found.growth[1:].any()


def column_growth(squared: float) -> float:
    """Return b^2 of a clamped column whose load keeps its direction, L = 1.

    ``y = A (cos a x - cos c x) + B (sin a x / a - sin c x / c)`` with a^2 + c^2 = k^2, a c = b^2;
    at the free end ``y'' = 0`` and ``y''' + k^2 y' = 0``.
    """
    from scipy.optimize import brentq

    def determinant(rate: float) -> float:
        split = np.sqrt(complex(squared**2 - 4 * rate**2))  # a^2 - c^2, imaginary as a rule
        a, c = np.sqrt(0.5 * (squared + split)), np.sqrt(0.5 * (squared - split))
        bend = [c**2 * np.cos(c) - a**2 * np.cos(a), c * np.sin(c) - a * np.sin(a)]
        slope = [c * np.sin(c) - a * np.sin(a), np.cos(a) - np.cos(c)]
        third = [a**3 * np.sin(a) - c**3 * np.sin(c), c**2 * np.cos(c) - a**2 * np.cos(a)]
        end = np.array(third) + squared * np.array(slope)
        return float(((bend[0] * end[1] - bend[1] * end[0]) / split**2).real)

    return float(brentq(determinant, 1.0, squared))


RECTANGLE = {"shape": "rectangle", "width": 0.1, "height": 0.3}
#: Elements of every kind with what they need; a ring, and a beam beside the line of its mesh.
KINDS = {
    "tet10": {"cell": "tet10", "corners": None, "divisions": [1, 1, 1], "body": {}},
    "quad8": {"cell": "quad8", "corners": [[1, 0], [2, 0.1], [2, 1], [1, 1]], "divisions": [2, 1],
              "body": {"hypothesis": "axisymmetric"}},
    "timoshenko_beam": {"cell": "line2", "corners": [[0, 0, 0], [1, 2, 0.5]], "divisions": [3],
                        "body": {"section": RECTANGLE | {"offset": [0.2, 0.1]}}},
    "bar3": {"cell": "line3", "corners": [[0, 0, 0], [1, 2, 0.5]], "divisions": [2],
             "body": {"section": {"area": 0.01}}},
    "mitc4": {"cell": "quad4", "corners": [[0, 0, 0], [1, 0, 0.2], [1, 1, 0], [0, 1, 0.1]],
              "divisions": [2, 2], "body": {"thickness": 0.1}},
}  # fmt: skip


@pytest.mark.parametrize("element", KINDS)
def test_precise_products_are_those_of_the_matrix(element: str) -> None:
    """To the round-off of the matrix, of random displacements; symmetric; rigid motions are free.

    A continuum, a body of revolution, beams with an offset, bars and shells.
    """
    from flexforge.runtime.statics.pencil import Pencil
    from flexforge.runtime.statics.rigid import free_displacements

    kind = KINDS[element]
    block = {"cell": kind["cell"], "divisions": kind["divisions"]}
    spec = model_from_dict(
        {
            "mesh": {"block": block | {"corners": kind["corners"] or CUBE}},
            "materials": {"steel": STEEL},
            "bodies": [{"name": "one", "element": element, "material": "steel"} | kind["body"]],
            "analysis": {"kind": "modes"},
        }
    )
    pencil = Pencil.at_rest(build(spec).system)
    matrix = pencil.stiffness
    x = np.random.default_rng(3).standard_normal((matrix.shape[0], 2))
    size = abs(matrix) @ np.abs(x)
    assert np.abs(pencil.times(x) - matrix @ x).max() <= 1e-13 * size.max()
    rigid = free_displacements(pencil.system)
    assert rigid.shape[1] == {"quad8": 1, "bar3": 5}.get(element, 6)
    energy = np.abs(rigid.T @ pencil.times(rigid)).max()
    assert energy <= 1e-26 * (np.abs(rigid).T @ abs(matrix) @ np.abs(rigid)).max()
    assert pencil.still.shape == rigid.shape
