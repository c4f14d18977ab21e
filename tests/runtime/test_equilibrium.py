# SPDX-License-Identifier: BSD-3-Clause
"""Transient analyses that start in static equilibrium stay there; where there is none they say."""

from __future__ import annotations

import elastic_links
import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.check import check_model
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from marks import slow

LENGTH, SIDE, YOUNG, DENSITY, G = 1.0, 0.02, 2e11, 7800.0, 9.81
STILL = {"kind": "transient", "duration": 0.05, "steps": 40, "start": "equilibrium"}
#: Nothing damps the vibration that a wrong start would make.
METHODS = [{"rho_infinity": 1.0}, {"method": "midpoint"}]


def cantilever(**more):
    """Return a beam of steel that is clamped at x = 0, under its weight along -y."""
    return {
        "mesh": {"block": {"cell": "line2", "corners": [[0, 0, 0], [LENGTH, 0, 0]],
                           "divisions": [4]}},
        "materials": {"m": {"young": YOUNG, "poisson": 0.3, "density": DENSITY}},
        "bodies": [{"name": "b", "element": "euler_beam_plane", "material": "m",
                    "section": {"shape": "rectangle", "width": SIDE, "height": SIDE}}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "gravity", "acceleration": [0, -G, 0]}],
        "analysis": STILL,
        "probes": [{"name": "tip", "group": "xmax", "component": "y"}],
        "output": {"formats": ["csv"]},
    } | more  # fmt: skip


def probe(model, folder, name="tip"):
    return np.array(run_model(model_from_dict(model), output=folder).probes[name].values)


@pytest.mark.parametrize("method", METHODS)
def test_a_beam_hangs_still_under_its_weight(tmp_path, method):
    """The tip stays at rho A g L^4 / (8 E I), the closed form of a cantilever under its weight."""
    found = probe(cantilever(analysis=STILL | method), tmp_path)
    sag = -DENSITY * G * LENGTH**4 / (8 * YOUNG * SIDE**2 / 12)
    np.testing.assert_allclose(found, sag, rtol=1e-6)
    np.testing.assert_allclose(found, found[0], rtol=1e-8)


def test_undeformed_it_rings(tmp_path):
    """Without the key it falls to nearly twice that and comes back, as it did."""
    start = STILL | {"start": "initial", "duration": 0.1, "rho_infinity": 1.0}
    found = probe(cantilever(analysis=start), tmp_path)
    sag = -DENSITY * G * LENGTH**4 / (8 * YOUNG * SIDE**2 / 12)
    assert found[0] == 0.0
    assert found.min() < 1.8 * sag


def test_a_rotating_bar_starts_stretched(tmp_path):
    """Under a steady rotation the tip is rho w^2 L^3 / (3 E) farther out, and stays there.

    What softens by the rotation and what stiffens by the stress do the same work, ``int rho w^2 x u
    = int E u'^2``, and cancel at the tip to first order.
    """
    speed = 2000.0
    model = cantilever(loads=[])
    model["bodies"][0] |= {"element": "bar2_plane", "section": {"area": 1e-4},
                           "frame": {"velocity": speed}}  # fmt: skip
    model["supports"].append({"group": "all", "components": ["y"]})
    model["probes"][0]["component"] = "x"
    found = probe(model, tmp_path)
    tip = DENSITY * speed**2 * LENGTH**3 / (3 * YOUNG)
    np.testing.assert_allclose(found, tip, rtol=1e-9)
    np.testing.assert_allclose(found, found[0], rtol=1e-8)


@pytest.mark.parametrize("formalism", ["kane", "lagrange", slow("hamilton")])
def test_a_rod_between_joints_hangs_still(tmp_path, formalism):
    """A horizontal rod pinned to crank and slider sags by 5 w L^4 / (384 E I) in its middle."""
    model = elastic_links.slider_crank(
        0.0,
        loads=[{"kind": "gravity", "acceleration": [0, -G, 0]}],
        analysis=STILL | {"formalism": formalism, "rho_infinity": 1.0},
        probes=[{"name": "tip", "point": [0.15, 0, 0], "body": "rod", "component": "y"}],
        output={"formats": ["csv"]},
    )
    found = probe(model, tmp_path)
    soft, d = elastic_links.SOFT, elastic_links.ROUND["diameter"]
    weight, stiff = soft["density"] * np.pi * d**2 / 4 * G, soft["young"] * np.pi * d**4 / 64
    np.testing.assert_allclose(found, -5 * weight * 0.3**4 / (384 * stiff), rtol=1e-5)
    np.testing.assert_allclose(found, found[0], rtol=1e-7)


def test_links_under_axial_load_start_stiffened(tmp_path):
    """Three soft links under weight and a push stay where the stiffness of their stresses is."""
    push = {"kind": "force", "group": "coupler.xmax", "total": [150.0, 100.0, 0]}
    model = elastic_links.four_bar(
        drivers=[{"name": "motor", "joint": "A", "value": 0.5}],
        loads=[push, {"kind": "gravity", "acceleration": [0, -G, 0]}],
        analysis=STILL | {"rho_infinity": 1.0},
        probes=[{"name": "tip", "group": "coupler.xmax", "body": "coupler", "component": "y"},
                {"name": "bend", "point": [0.35, 0, 0], "body": "coupler", "component": "y"}],
        output={"formats": ["csv"]},
    )  # fmt: skip
    for name in ("tip", "bend"):
        found = probe(model, tmp_path / name, name)
        assert abs(found[0]) > 1e-5
        np.testing.assert_allclose(found, found[0], rtol=1e-6)


def test_an_exported_solver_starts_there():
    """The coordinates at the start are those of the sag: the tip's is the largest."""
    solver = build_solver(model_from_dict(cantilever()))
    sag = DENSITY * G * LENGTH**4 / (8 * YOUNG * SIDE**2 / 12)
    assert np.isclose(np.abs(solver.initial[0]), sag, rtol=1e-6).any()
    assert not solver.initial[1].any()


SPEED = {"kind": "transient", "duration": 0.1, "steps": 10, "start": "equilibrium"}


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (cantilever(supports=[]), "supports: body 'b' is free to move .*to start in equilibrium"),
        (elastic_links.four_bar(drivers=[{"name": "motor", "joint": "A", "velocity": 9.0}],
                                analysis=SPEED), "analysis.start: .* moves at t = 0"),
    ],
)  # fmt: skip
def test_where_there_is_none_it_is_refused(tmp_path, model, message):
    """Free bodies and links that move at t = 0 are not at rest."""
    with pytest.raises(InputError, match=message):
        run_model(model_from_dict(model), output=tmp_path)


def test_a_loose_part_of_a_link_is_named(tmp_path):
    """A mass in the frame of the rod that nothing ties to it has no equilibrium."""
    model = elastic_links.slider_crank(0.0, analysis=SPEED)
    model["mesh"]["points"] = {"loose": [0.1, 0.05, 0]}
    model["masses"] = [{"name": "loose", "group": "loose", "mass": 1.0, "frame": "rod"}]
    with pytest.raises(InputError, match="nothing holds displacement . of body 'loose'"):
        run_model(model_from_dict(model), output=tmp_path)


def test_an_arm_that_holds_a_hand(tmp_path):
    """Two arms and 2 kg at their end, where pivoting alone loses digits of the joints.

    Drivers hold both joints: the tip of a cantilever stays at F L^3 / (3 E I), and the shoulder
    holds the weight at the lever of 1.2 m.
    """
    line, beam = elastic_links.line, elastic_links.beam
    round_ = {"shape": "round", "diameter": 0.04}
    model = {
        "mesh": {"blocks": {"upper": line(0.6, 6), "fore": line(0.6, 6)}},
        "materials": {"m": elastic_links.STEEL | {"density": 1e-3}},
        "links": [{"name": "upper"}, {"name": "fore", "placement": {"position": [0.6, 0, 0]}}],
        "bodies": [beam(name, "euler_beam_plane", section=round_) for name in ("upper", "fore")],
        "masses": [{"name": "hand", "group": "fore.xmax", "mass": 2.0}],
        "joints": [
            {"name": "shoulder", "kind": "revolute", "links": ["ground", "upper"],
             "at": [[0, 0, 0], "upper.xmin"]},
            {"name": "elbow", "kind": "revolute", "links": ["upper", "fore"],
             "at": ["upper.xmax", "fore.xmin"]},
        ],
        "drivers": [{"name": "s", "joint": "shoulder", "value": 0.0},
                    {"name": "e", "joint": "elbow", "value": 0.0}],
        "loads": [{"kind": "gravity", "acceleration": [0, -G, 0]}],
        "analysis": STILL | {"rho_infinity": 1.0},
        "probes": [{"name": "tip", "group": "fore.xmax", "body": "fore", "component": "y"},
                   {"name": "torque", "constraint": "s", "quantity": "torque"}],
        "output": {"formats": ["csv"]},
    }  # fmt: skip
    found = probe(model, tmp_path / "a")
    bending = elastic_links.STEEL["young"] * np.pi * 0.04**4 / 64
    np.testing.assert_allclose(found, -2.0 * G * 1.2**3 / (3 * bending), rtol=1e-4)
    np.testing.assert_allclose(found, found[0], rtol=1e-6)
    torque = probe(model, tmp_path / "b", "torque")
    np.testing.assert_allclose(torque, 2.0 * G * 1.2, rtol=1e-4)


def test_check_refuses_free_bodies():
    """The check finds it without a run."""
    with pytest.raises(InputError, match="to start in equilibrium"):
        check_model(model_from_dict(cantilever(supports=[])))


def test_what_contradicts_an_equilibrium():
    """A displacement given beside it, and shapes of links, are refused by their keys."""
    initial = [{"displacement": [0, "0.1*x", 0], "velocity": [0, 1, 0]}]
    with pytest.raises(InputError, match="initial.0..displacement: found with analysis.start"):
        model_from_dict(cantilever(initial=initial))
    model = elastic_links.slider_crank(0.0, analysis=SPEED, reduction={"modes": 2})
    with pytest.raises(InputError, match="analysis.start: found equilibrium with .reduction."):
        model_from_dict(model)
