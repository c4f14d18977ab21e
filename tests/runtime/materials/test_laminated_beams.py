# SPDX-License-Identifier: BSD-3-Clause
"""Beams of plies: closed forms of sandwich and bimetal, and strips of shells."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

LENGTH, WIDTH = 1.0, 0.02
STEEL = {"young": 2e11, "poisson": 0.3, "density": 7800.0, "expansion": 1.0e-5}
BRASS = STEEL | {"expansion": 1.8e-5}
LIGHT = {"young": 7e10, "poisson": 0.3, "density": 2700.0}
FOAM = {"young": 7e7, "poisson": 0.3, "density": 60.0}
FIBRES = {"E1": 140e9, "E2": 10e9, "nu12": 0.3, "nu23": 0.4, "G12": 5e9}
CARBON = {"density": 1600.0, "transverse": FIBRES}
MATERIALS = {"steel": STEEL, "brass": BRASS, "light": LIGHT, "foam": FOAM, "carbon": CARBON}
BOTH = ["euler_beam", "timoshenko_beam"]


def _plies(*rows):
    return [{"material": m, "thickness": t, "angle": a} for m, t, a in rows]


def _model(element, plies, divisions=10, **changed):
    """Return a cantilever of plies along x; z, along which they are stacked, is up."""
    beam = element.endswith("beam")
    corners = [[0, 0, 0], [LENGTH, 0, 0], [LENGTH, WIDTH, 0], [0, WIDTH, 0]]
    block = {"cell": "line2" if beam else "quad4", "corners": corners[:2] if beam else corners,
             "divisions": [divisions] if beam else [divisions, 2]}  # fmt: skip
    shape = {"section": {"shape": "plies", "width": WIDTH}} if beam else {"orientation": [1, 0, 0]}
    body = {"name": "strip", "element": element, "plies": plies} | shape
    used = {ply["material"] for ply in plies} & MATERIALS.keys()
    data = {
        "mesh": {"block": block},
        "materials": {name: MATERIALS[name] for name in used},
        "bodies": [body | changed.pop("body", {})],
        "supports": [{"group": "xmin"}],
        "analysis": {"kind": "static"},
        "output": {"formats": ["csv"]},
    }
    return model_from_dict(data | changed)


def _tip(*components):
    return [{"name": c, "group": "xmax", "component": c} for c in components or "xyz"]


def _run(model, folder):
    return {
        k: v[0] if isinstance(v, list) else v
        for k, v in run_model(model, output=folder / "results").figures.items()
    }


def _frequencies(figures, count):
    return np.array([figures[f"mode {i + 1}"] for i in range(count)])


@pytest.mark.slow  # kernels of laminates are made on demand
def test_a_sandwich_under_a_tip_load(tmp_path):
    """P L^3 / (3 D) + P L / S: D of faces and core, S = G_c b d^2 / c (Allen 1969, chapter 2).

    The core carries the shear evenly where the faces are thin and the core is soft: 0.6 %. Without
    shear, Euler's beam, the first part alone, to round-off.
    """
    face, core = 1e-3, 18e-3
    plies = _plies(("steel", face, 0.0), ("foam", core, 0.0), ("steel", face, 0.0))
    load = {"kind": "force", "group": "xmax", "total": [0, 0, 10.0]}
    whole = core + 2 * face
    stiff = WIDTH * (2e11 * (whole**3 - core**3) + 7e7 * core**3) / 12
    shear = 7e7 / 2.6 * WIDTH * (core + face) ** 2 / core
    bent = 10.0 * LENGTH**3 / (3 * stiff)
    found = [_run(_model(e, plies, loads=[load], probes=_tip("z")), tmp_path)["z"] for e in BOTH]
    assert found[0] == pytest.approx(bent, rel=1e-9)
    assert found[1] == pytest.approx(bent + 10.0 * LENGTH / shear, rel=6e-3)


@pytest.mark.slow
@pytest.mark.parametrize("element", BOTH)
def test_one_ply_is_a_rectangle(element, tmp_path):
    """A single ply of steel, or two, has the tips of a rectangular section of steel: 0.1 %.

    The shear factor differs: 5/6 here, Cowper's there.
    """
    loads = [{"kind": "force", "group": "xmax", "total": [1e3, 1.0, 1.0]}]
    probes = _tip()
    plain = {"plies": None, "material": "steel",
             "section": {"shape": "rectangle", "width": WIDTH, "height": 0.01}}  # fmt: skip
    bodies = [plain, {}]
    plies = _plies(("steel", 0.006, 0.0), ("steel", 0.004, 0.0))
    one, two = (
        _run(_model(element, plies, loads=loads, probes=probes, body=body), tmp_path)
        for body in bodies
    )
    for name in "xyz":
        assert two[name] == pytest.approx(one[name], rel=1e-3 if name != "x" else 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("element", BOTH)
def test_a_bimetal(element, tmp_path):
    """Layers of one modulus grow by the mean, curve by 3/2 (a2 - a1) T / h (Timoshenko 1925)."""
    thick = 0.01
    plies = _plies(("steel", thick / 2, 0.0), ("brass", thick / 2, 0.0))
    loads = [{"kind": "temperature", "change": 50.0}]
    found = _run(_model(element, plies, loads=loads, probes=_tip()), tmp_path)
    assert found["x"] == pytest.approx(1.4e-5 * 50 * LENGTH, rel=1e-8)
    curved = 1.5 * 0.8e-5 * 50 / thick
    assert found["z"] == pytest.approx(-curved * LENGTH**2 / 2, rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("element", BOTH)
def test_tension_bends_an_unsymmetric_strip(element, tmp_path):
    """Steel on light metal: (eps, kappa) from EA, ES, EI of the middle, by hand; exact."""
    h1, h2 = 0.004, 0.006
    plies = _plies(("light", h1, 0.0), ("steel", h2, 0.0))
    z = np.array([-0.005, -0.005 + h1, 0.005])
    young = np.array([7e10, 2e11])
    tension, first, second = (WIDTH * young @ np.diff(z**k) / k for k in (1, 2, 3))
    strain, bend = np.linalg.solve([[tension, first], [first, second]], [1e3, 0.0])
    load = {"kind": "force", "group": "xmax", "total": [1e3, 0, 0]}
    found = _run(_model(element, plies, loads=[load], probes=_tip()), tmp_path)
    assert found["x"] == pytest.approx(strain * LENGTH, rel=1e-9)
    assert found["z"] == pytest.approx(-bend * LENGTH**2 / 2, rel=1e-9)


STACKS = {
    "cross-ply, unsymmetric": [("carbon", 0.002, 0.0), ("carbon", 0.002, np.pi / 2)],
    "angles, symmetric": [("carbon", 0.001, 0.6), ("carbon", 0.002, 0.0), ("carbon", 0.001, 0.6)],
    "two metals": [("light", 0.001, 0.0), ("steel", 0.002, 0.0)],
}


@pytest.mark.slow
@pytest.mark.parametrize("stack", STACKS)
def test_a_strip_of_shells(stack, tmp_path):
    """Tip displacements and bending frequencies of a strip of laminated shells, 50 times as long as
    wide: 2 %, with the clamped end's width held by the shells alone."""
    plies = _plies(*STACKS[stack])
    load = {"kind": "force", "group": "xmax", "total": [100.0, 0, 1.0]}
    beam = _run(_model("timoshenko_beam", plies, 30, loads=[load], probes=_tip("x", "z")), tmp_path)
    shell = _run(_model("mitc4", plies, 100, loads=[load], probes=_tip("x", "z")), tmp_path)
    for name in "xz":
        assert beam[name] == pytest.approx(shell[name], rel=0.02)
    modes = {"kind": "modes", "count": 2}
    first, second = (
        _frequencies(_run(_model(e, plies, n, analysis=modes), tmp_path), 2)
        for e, n in (("timoshenko_beam", 30), ("mitc4", 100))
    )
    np.testing.assert_allclose(first, second, rtol=0.02)


@pytest.mark.slow  # kernels of laminates are made on demand
def test_mass_lies_where_the_plies_are(tmp_path):
    """Mass rho b h L of all plies; modes of a stiff light strip with a heavy soft ply below.

    Slender, so that omega = 1.875^2 sqrt(EI / (m L^4)) with EI about the elastic axis: 0.1 %.
    """
    heavy = {"young": 1e8, "poisson": 0.0, "density": 9000.0}
    plies = _plies(("heavy", 0.002, 0.0), ("steel", 0.002, 0.0))
    model = _model("euler_beam", plies, 20, materials={"heavy": heavy, "steel": STEEL},
                   analysis={"kind": "modes", "count": 1})  # fmt: skip
    figures = _run(model, tmp_path)
    mass = WIDTH * 0.002 * (9000 + 7800)
    assert figures["mass"] == pytest.approx(mass * LENGTH, rel=1e-12)
    young, z = np.array([1e8, 2e11]), np.array([-0.002, 0.0, 0.002])
    tension, first, second = (WIDTH * young @ np.diff(z**k) / k for k in (1, 2, 3))
    stiff = second - first**2 / tension
    expected = 1.87510407**2 * np.sqrt(stiff / mass) / LENGTH**2 / (2 * np.pi)
    assert figures["mode 1"] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("plies", "body", "said"),
    [
        (_plies(("steel", 0.01, 0.0)), {"orientation": [0, 1, 0]}, "found one for a beam"),
        (_plies(("steel", 0.01, 0.0)), {"section": {"shape": "round", "diameter": 0.1}},
         "section.shape: .*plies"),
        (_plies(("steel", 0.01, 0.0)), {"section": {"shape": "plies"}}, "section.width: missing"),
        (_plies(("steel", 0.01, 0.0)), {"section": {"shape": "plies", "width": 1, "height": 1}},
         "section.height: found one for shape plies"),
        (_plies(("steel", 0.01, 0.0)), {"section": {"shape": "plies", "width": 1, "area": 1}},
         "section.area: found one for shape plies"),
        (None, {"material": "steel"}, "section.shape: found none in the body"),
        (_plies(("steel", 0.01, 0.0)), {"element": "bar2"}, "expected them only with"),
    ],
)  # fmt: skip
def test_what_plies_of_beams_need(plies, body, said):
    """What is wrong with the plies or the section of a beam is said where it is, in one line."""
    with pytest.raises(InputError, match=said) as caught:
        _model(
            "euler_beam",
            plies or [],
            body=body if plies else body | {"plies": None},
            materials=MATERIALS,
        )
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_a_stack_that_tension_twists_is_refused(tmp_path):
    """[30/-30] twists under tension: refused by name, with what helps."""
    plies = _plies(("carbon", 0.001, 0.5), ("carbon", 0.001, -0.5))
    with pytest.raises(InputError, match="body 'strip': plies: found a laminate with "):
        _run(_model("euler_beam", plies), tmp_path)
