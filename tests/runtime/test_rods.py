# SPDX-License-Identifier: BSD-3-Clause
"""Models of bars and beams: closed forms, supports of rotations, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

YOUNG, POISSON, DENSITY, LENGTH = 2e11, 0.3, 7800.0, 1.0
WIDTH, HEIGHT = 0.004, 0.002  # slender: rotary inertia is 3e-5 of the rest at most
AREA, INERTIA_Z, INERTIA_Y = WIDTH * HEIGHT, HEIGHT * WIDTH**3 / 12, WIDTH * HEIGHT**3 / 12
#: Roots of the frequency equations (Blevins 1979, table 8-1).
CLAMPED, FREE = (1.87510407, 4.69409113), (4.73004074, 7.85320462)


def _model(element="euler_beam_plane", divisions=12, **changed):
    planar = element.endswith("_plane")
    section = {"shape": "rectangle", "width": WIDTH, "height": HEIGHT}
    end = [LENGTH, 0.0] if planar else [LENGTH, 0.0, 0.0]
    body = {"name": "rod", "element": element, "material": "steel", "section": section}
    data = {
        "mesh": {"block": {"cell": "line2", "corners": [[0.0] * len(end), end],
                           "divisions": [divisions]}},
        "materials": {"steel": {"young": YOUNG, "poisson": POISSON, "density": DENSITY}},
        "bodies": [body | changed.pop("body", {})],
        "supports": [{"group": "xmin"}],
        "analysis": {"kind": "modes", "count": 4},
        "output": {"formats": ["csv"]},
    }  # fmt: skip
    return model_from_dict(data | changed)


def _run(model, folder):
    return run_model(model, output=folder / "results").figures


def _hertz(roots, inertia):
    """Return the frequencies of a slender beam in bending."""
    stiff = np.sqrt(YOUNG * inertia / (DENSITY * AREA))
    return np.square(roots) * stiff / LENGTH**2 / (2 * np.pi)


def _frequencies(figures):
    return [value[0] for name, value in figures.items() if name.startswith("mode ")]


def test_cantilever_in_space(tmp_path):
    """Bending about both axes, 0.02 %."""
    found = _frequencies(_run(_model("euler_beam"), tmp_path))
    expected = sorted([*_hertz(CLAMPED, INERTIA_Y), *_hertz(CLAMPED, INERTIA_Z)])
    np.testing.assert_allclose(found, expected, rtol=2e-4)


def test_a_pinned_beam_turns_at_its_supports(tmp_path):
    """Held in x and y alone: (n pi / L)^2 sqrt(E I / rho A), 0.02 %."""
    supports = [{"group": "xmin", "components": ["x", "y"]},
                {"group": "xmax", "components": ["y"]}]  # fmt: skip
    found = _frequencies(_run(_model(supports=supports), tmp_path))
    np.testing.assert_allclose(found[:2], _hertz([np.pi, 2 * np.pi], INERTIA_Z), rtol=2e-4)


def test_a_free_beam(tmp_path):
    """Three rigid motions in the plane, then the free modes, 0.05 %; its mass is rho A L."""
    figures = _run(_model(supports=[], analysis={"kind": "modes", "count": 5}), tmp_path)
    found = _frequencies(figures)
    assert max(found[:3]) < 1e-3 * found[3]
    np.testing.assert_allclose(found[3:], _hertz(FREE, INERTIA_Z), rtol=5e-4)
    assert figures["mass"][0] == pytest.approx(DENSITY * AREA * LENGTH, rel=1e-12)


def test_shear_softens_a_short_beam(tmp_path):
    """Tip load of a short cantilever: P L^3 / (3 E I) + P L / (kappa G A), exactly at the nodes."""
    section = {"area": 0.04, "inertia_z": 1.3e-4, "shear_y": 0.85}
    load = {"kind": "force", "group": "xmax", "total": [0.0, 1000.0, 0.0]}
    probe = {"name": "tip", "group": "xmax", "component": "y"}
    tips = [
        _run(
            _model(
                f"{kind}_beam_plane",
                3,
                body={"section": section},
                loads=[load],
                probes=[probe],
                analysis={"kind": "static"},
            ),
            tmp_path / kind,
        )["tip"][0]
        for kind in ("euler", "timoshenko")
    ]
    bending = 1000 * LENGTH**3 / (3 * YOUNG * 1.3e-4)
    shear = 1000 * LENGTH / (0.85 * YOUNG / (2 * (1 + POISSON)) * 0.04)
    np.testing.assert_allclose(tips, [bending, bending + shear], rtol=1e-9)


def test_angular_acceleration_bends_a_cantilever(tmp_path):
    """-11 rho A e L^5 / (120 E I) at the tip; the consistent loads make it exact at the nodes."""
    body = {"frame": {"acceleration": 10.0}}
    probe = {"name": "tip", "group": "xmax", "component": "y"}
    model = _model(divisions=4, body=body, probes=[probe], analysis={"kind": "static"})
    found = _run(model, tmp_path)["tip"][0]
    expected = -11 * DENSITY * AREA * 10.0 * LENGTH**5 / (120 * YOUNG * INERTIA_Z)
    assert found == pytest.approx(expected, rel=2e-5)  # the sections turn as well: rotary inertia


def test_a_bar_is_stretched_by_its_rotation(tmp_path):
    """rho W^2 L^3 / (3 E) at the end, exact at the nodes but for the softening by rotation."""
    held = [{"group": "all", "components": ["y"]}, {"group": "xmin"}]
    model = _model(
        "bar2_plane", 8, body={"frame": {"velocity": 100.0}}, supports=held,
        probes=[{"name": "end", "group": "xmax", "component": "x"}], analysis={"kind": "static"},
        include={"centrifugal_stiffness": False, "geometric": False},
    )  # fmt: skip
    expected = DENSITY * 100.0**2 * LENGTH**3 / (3 * YOUNG)
    assert _run(model, tmp_path)["end"][0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"section": None}, "section: missing"),
        ({"thickness": 1.0}, "thickness: found one"),
        ({"section": {"shape": "tube", "diameter": 0.1}}, "wall: missing"),
        ({"section": {"shape": "tube", "diameter": 0.1, "wall": 0.06}}, "half the diameter"),
        ({"section": {"shape": "round", "diameter": 0.1, "web": 0.1}}, "expected diameter"),
    ],
)
def test_incomplete_sections_are_refused(body, words):
    """Which key, what was found, what is expected."""
    with pytest.raises(InputError, match=words):
        _model(body=body)


def test_an_orientation_along_the_axis_is_refused(tmp_path):
    """It would leave the directions of the section open."""
    section = {"shape": "round", "diameter": 0.1, "orientation": [2, 0, 0]}
    with pytest.raises(InputError, match="along the axis of cell 1"):
        _run(_model("euler_beam", 2, body={"section": section}), tmp_path)


def test_a_pull_beside_the_axis_bends_an_offset_beam(tmp_path):
    """P o L^2 / (2 E I) sideways and P L / (E A) + P o^2 L / (E I) along, exactly at the nodes."""
    load, offset = 100.0, 0.003
    section = {"shape": "rectangle", "width": WIDTH, "height": HEIGHT, "offset": [offset, 0.0]}
    figures = _run(
        _model(
            divisions=3,
            body={"section": section},
            loads=[{"kind": "force", "group": "xmax", "total": [load, 0.0, 0.0]}],
            probes=[{"name": c, "group": "xmax", "component": c} for c in "xy"],
            analysis={"kind": "static"},
        ),
        tmp_path,
    )
    bending = load / (YOUNG * INERTIA_Z)
    expected = [load * LENGTH / (YOUNG * AREA) + bending * offset**2 * LENGTH,
                bending * offset * LENGTH**2 / 2]  # fmt: skip
    np.testing.assert_allclose([figures[c][0] for c in "xy"], expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("element", "offset", "words"),
    [("bar2_plane", [0.1, 0.0], "section.offset: found one for element bar2_plane"),
     ("euler_beam_plane", [0.1, 0.1], "section.offset: found a z component in the plane")],
)  # fmt: skip
def test_offsets_of_nodes_without_rotations_are_refused(element, offset, words):
    """Rigid arms turn with the node."""
    section = {"shape": "round", "diameter": 0.1, "offset": offset}
    with pytest.raises(InputError, match=words):
        _model(element, body={"section": section})
