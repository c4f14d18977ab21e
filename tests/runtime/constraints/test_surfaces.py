# SPDX-License-Identifier: BSD-3-Clause
"""Joints on surfaces: a face held as a rigid body is a clamped face; on average it may warp."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

CORNERS = [
    [0, 0, 0], [0.3, 0, 0], [0.3, 0.1, 0], [0, 0.1, 0],
    [0, 0, 0.1], [0.3, 0, 0.1], [0.3, 0.1, 0.1], [0, 0.1, 0.1],
]  # fmt: skip


def block(**tables):
    """Return a stubby block that bends and stretches under a force at its end."""
    return {
        "mesh": {"blocks": {"arm": {"cell": "hex8", "corners": CORNERS, "divisions": [3, 2, 2]}}},
        "materials": {"soft": {"young": 2e7, "poisson": 0.4, "density": 1000.0}},
        "bodies": [{"name": "body", "cells": "arm", "element": "hex8", "material": "soft"}],
        "loads": [{"kind": "force", "group": "arm.xmax", "total": [40.0, 30.0, -20.0]}],
        "include": {"geometric": False},
        "analysis": {"kind": "transient", "duration": 0.02, "steps": 10, "tolerance": 1e-12},
        "probes": [{"name": n, "group": "arm.xmax", "component": n} for n in "xyz"],
        "output": {"formats": ["csv"]},
    } | tables  # fmt: skip


def on_a_link(connection, formalism="maggi"):
    """Return the block on a link that is fixed to the ground by its face."""
    given = block(
        links=[{"name": "base"}],
        joints=[{"name": "wall", "kind": "fixed", "links": ["ground", "base"],
                 "at": [[0, 0.05, 0.05], "arm.xmin"], "connection": connection}],
    )  # fmt: skip
    given["bodies"][0]["frame"] = "base"
    given["analysis"]["formalism"] = formalism
    return given


def ends(given, folder):
    """Return the displacement of the end over time."""
    run_model(model_from_dict(given), output=folder)
    return np.loadtxt(folder / "probes.csv", delimiter=",", skiprows=1)[:, 1:]


@pytest.mark.parametrize("formalism", ["maggi", "kane", "lagrange"])
def test_a_rigid_face_fixed_to_the_ground_is_clamped(formalism, tmp_path):
    """All nodes of a face that moves as one rigid body, which does not move, are at rest."""
    clamped = ends(block(supports=[{"group": "arm.xmin"}]), tmp_path / "a")
    rigid = ends(on_a_link("rigid", formalism), tmp_path / "b")
    assert np.abs(clamped).max() > 1e-4
    np.testing.assert_allclose(rigid, clamped, atol=1e-7 * np.abs(clamped).max())


def test_a_face_held_on_average_may_warp(tmp_path):
    """What holds less yields more: a few per cent at the end of a stubby block."""
    rigid, average = (ends(on_a_link(how), tmp_path / how)[-1] for how in ("rigid", "averaged"))
    more = np.linalg.norm(average) / np.linalg.norm(rigid)
    assert 1.005 < more < 1.25


def test_a_rigid_face_has_no_more_nodes_than_it_may(tmp_path):
    """A connection whose constraints would be solved for at great cost is refused by its key."""
    given = on_a_link("rigid")
    given["mesh"]["blocks"]["arm"]["divisions"] = [1, 12, 12]
    with pytest.raises(InputError, match=r"joints.0..at.1.: a rigid connection of 169 nodes"):
        run_model(model_from_dict(given), output=tmp_path)
