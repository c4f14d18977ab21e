# SPDX-License-Identifier: BSD-3-Clause
"""Reactions of supports against those of rigid bodies: stiff blocks in moving frames."""

from __future__ import annotations

import json

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from models import model

#: So stiff that it hardly deforms: displacements are below 1e-9 of its size.
STIFF = {"young": 1e15, "poisson": 0.3, "density": 1000.0}
BOX = [[x, y, z] for z in (0, 0.2) for x, y in ((0.1, 0), (0.6, 0), (0.6, 0.3), (0.1, 0.3))]
MASS = 1000.0 * 0.5 * 0.3 * 0.2
CENTRE = np.array([0.35, 0.15, 0.1])
SECOND = MASS * (np.outer(CENTRE, CENTRE) + np.diag([0.5**2, 0.3**2, 0.2**2]) / 12)  # int rho x x^T


def reactions(frame: dict, loads: list, folder, components="xyz") -> tuple[np.ndarray, np.ndarray]:
    """Return force and moment at the end of a run."""
    probes = [
        {"name": f"{kind} {c}", "body": "block", "quantity": f"reaction_{kind}", "component": c}
        for kind in ("force", "moment")
        for c in components
    ]
    spec = model(
        "hex8", corners=BOX, divisions=[2, 1, 1], materials={"steel": STIFF},
        body={"frame": frame}, supports=[{"group": "xmin"}], loads=loads, probes=probes,
        analysis={"kind": "transient", "duration": 1.0, "steps": 50, "rho_infinity": 0.0},
        output={"formats": ["csv"]},
    )  # fmt: skip
    run_model(spec, output=folder)
    figures = json.loads((folder / "summary.json").read_text())["figures"]
    found = [figures[f"{probe['name']}, at the end"][0] for probe in probes]
    return np.array(found[: len(components)]), np.array(found[len(components) :])


def inertia_of(acceleration: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return force and moment of the inertia of accelerations ``A x`` in the frame."""
    moments = SECOND @ acceleration.T  # int rho x (A x)^T
    turned = [moments[1, 2] - moments[2, 1], moments[2, 0] - moments[0, 2],
              moments[0, 1] - moments[1, 0]]  # fmt: skip
    return MASS * acceleration @ CENTRE, np.array(turned)


def cross(v: np.ndarray) -> np.ndarray:
    """Return the matrix of the cross product."""
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0.0]])


def test_weight_and_a_force(tmp_path):
    """At rest: minus the weight and the force, minus their moments about the origin."""
    g, f = np.array([0.0, -3.0, 2.0]), np.array([40.0, 10.0, -5.0])
    loads = [{"kind": "gravity", "acceleration": g.tolist()},
             {"kind": "force", "group": "xmax", "total": f.tolist()}]  # fmt: skip
    force, moment = reactions({}, loads, tmp_path)
    np.testing.assert_allclose(force, -(MASS * g + f), rtol=1e-6)
    at = np.array([0.6, 0.15, 0.1])
    np.testing.assert_allclose(moment, -(np.cross(CENTRE, MASS * g) + np.cross(at, f)), rtol=1e-6)


def test_a_winding_frame(tmp_path):
    """Angular velocity and acceleration about a skew axis: ``(e~ + w~ w~) x`` everywhere."""
    axis = np.array([0.6, 0.0, 0.8])
    frame = {"axis": axis.tolist(), "velocity": {"polynomial": [3.0, 2.0]}}
    force, moment = reactions(frame, [], tmp_path)
    w, e = 5.0 * axis, 2.0 * axis
    wanted = inertia_of(cross(e) + cross(w) @ cross(w))
    np.testing.assert_allclose(force, wanted[0], rtol=1e-5, atol=1e-6 * np.abs(wanted[0]).max())
    np.testing.assert_allclose(moment, wanted[1], rtol=1e-5, atol=1e-6 * np.abs(wanted[1]).max())


def test_the_length_of_a_reaction(tmp_path):
    """``magnitude`` is the norm of the components."""
    frame = {"velocity": {"polynomial": [3.0, 2.0]}}
    whole = reactions(frame, [], tmp_path / "whole", ["magnitude"])
    parts = reactions(frame, [], tmp_path / "parts")
    np.testing.assert_allclose(np.ravel(whole), [np.linalg.norm(one) for one in parts], rtol=1e-12)


@pytest.mark.parametrize(
    ("probe", "words"),
    [
        ({"quantity": "reaction_force", "component": "x"}, "body: missing"),
        ({"quantity": "reaction_force", "component": "x", "body": "block", "group": "xmin"},
         "group: found with reaction_force"),
        ({"quantity": "reaction_moment", "component": "xy", "body": "block"}, "found 'xy'"),
    ],
)  # fmt: skip
def test_wrong_probes_of_reactions(probe, words):
    """A reaction is of a body, and a vector."""
    with pytest.raises(InputError, match=words):
        model("hex8", probes=[{"name": "p"} | probe])


def test_a_planar_model_has_one_moment():
    """About z."""
    spec = model("quad4", probes=[{"name": "p", "body": "block", "component": "x",
                                   "quantity": "reaction_moment"}])  # fmt: skip
    from flexforge.runtime.check import check_model

    with pytest.raises(InputError, match="found 'x' in a planar model; expected 'z'"):
        check_model(model_from_dict(spec.model_dump(exclude_unset=True)))
