# SPDX-License-Identifier: BSD-3-Clause
"""Rods that bend by large angles: errors fall with the square of the number of frames."""

from __future__ import annotations

import numpy as np
import pytest
from bent_rods import EI, found, position, rod
from scipy.optimize import brentq
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

pytestmark = pytest.mark.filterwarnings("ignore:.*small displacements hold.*")


def rolled(frames, angle, *, space=False):
    """Return a clamped rod whose end carries the moment that rolls it into an arc of an angle."""
    end = {"name": "end", "at": [[1, 0, 0], "rod.xmax"]}
    if space:
        end |= {"kind": "planar", "links": ["ground", "rod"]}
        tables = rod(frames, frames, space=True)
        tables["joints"] += [end]
    else:  # two light slides, which take no force, carry the motor
        tables = rod(frames, frames)
        light = {"mass": 1e-3, "inertia": [1e-6], "placement": {"position": [1, 0, 0]}}
        tables["links"] += [{"name": name, **light} for name in ("x", "y")]
        tables["joints"] += [
            {"name": "slide x", "kind": "prismatic", "links": ["ground", "x"], "axis": [1, 0, 0],
             "at": [[1, 0, 0], [0, 0, 0]]},
            {"name": "slide y", "kind": "prismatic", "links": ["x", "y"], "axis": [0, 1, 0]},
            end | {"kind": "revolute", "links": ["y", "rod"], "at": [[0, 0, 0], "rod.xmax"]},
        ]  # fmt: skip
    moment = {"name": "moment", "joint": "end", "coordinate": "angle", "force": EI * angle}
    return tables | {"actuators": [moment]}


def arc(angle):
    """Return where the end of a rod of 1 m is that is an arc of an angle."""
    return np.array([np.sin(angle) / angle, (1.0 - np.cos(angle)) / angle])


def off_arc(frames, angle, folder, **options):
    """Return the distance of the end of a rolled rod from that of the arc, m."""
    place = position(found(rolled(frames, angle, **options), folder))
    return float(np.linalg.norm(place[:2] - arc(angle)))


@pytest.mark.parametrize("space", [False, True])
def test_rod_under_a_moment_is_an_arc(space, tmp_path):
    """M = E I phi / L: the end is at L sin(phi) / phi, L (1 - cos(phi)) / phi."""
    coarse, fine = (off_arc(n, 1.2, tmp_path, space=space) for n in (3, 6))
    assert fine < 3e-3
    assert 3.6 < coarse / fine < 4.4


@pytest.mark.slow
@pytest.mark.parametrize("turns", [0.5, 1.0])
def test_rod_rolls_up_to_a_circle(turns, tmp_path):
    """Half a circle and a whole one, where both ends meet."""
    angle = 2 * np.pi * turns
    coarse, fine = (off_arc(n, angle, tmp_path) for n in (8, 16))
    assert fine < 1.5e-2
    assert 3.5 < coarse / fine < 4.5


def elastica(load):
    """Return where a dead force P across the end, P L^2 / E I = load, takes it (Bisshopp, 1945)."""

    def first(p):
        return np.arcsin(1.0 / (p * np.sqrt(2.0)))

    p = brentq(lambda p: ellipk(p**2) - ellipkinc(first(p), p**2) - np.sqrt(load),
               np.sqrt(0.5) + 1e-12, 1.0 - 1e-9)  # fmt: skip
    bent = 2.0 / np.sqrt(load) * (ellipe(p**2) - ellipeinc(first(p), p**2))
    return np.array([np.sqrt(2.0 * (2.0 * p**2 - 1.0) / load), 1.0 - bent])


@pytest.mark.parametrize("geometric", [True, False])
def test_rod_under_a_force_is_an_elastica(geometric, tmp_path):
    """The end sinks by two thirds of the length; the exact solution has elliptic integrals."""
    load = {"kind": "force", "group": "rod.xmax", "total": [0, 4 * EI, 0], "frame": "global"}
    off = []
    for frames in (4, 8):
        tables = rod(frames, 8, loads=[load], include={"geometric": geometric})
        off.append(np.linalg.norm(position(found(tables, tmp_path)) - elastica(4.0)))
    assert off[1] < 2.5e-3
    assert 3.6 < off[0] / off[1] < 4.4
