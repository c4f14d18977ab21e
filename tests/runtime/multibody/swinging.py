# SPDX-License-Identifier: BSD-3-Clause
"""Models of links whose motion is found, and what is found of them, without files of results."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.multibody.build import build_links
from flexforge.runtime.multibody.motion import FoundMotion
from flexforge.runtime.start import start
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads

G = 9.81
DOWN = [{"kind": "gravity", "acceleration": [0.0, -G, 0.0]}]


def transient(duration, steps, **keys):
    """Return the table of an analysis."""
    return {"kind": "transient", "duration": duration, "steps": steps, **keys}


def begin(tables):
    """Return the motion of a model at t = 0."""
    spec = model_from_dict(tables)
    places = build_system(spec, build_mesh(spec))
    loads, state = Loads(spec, places), initial_state(spec, places)
    links = build_links(spec, places, loads, state)
    found = start(spec.analysis, places.system, loads, *state, links)
    assert isinstance(found, FoundMotion)
    return found


def follow(tables, what):
    """Return what a function reads of the motion at every step, t = 0 first."""
    motion = begin(tables)
    found = [what(motion)]
    for _ in range(tables["analysis"]["steps"]):
        motion.advance()
        found.append(what(motion))
    return np.array(found)


def coordinates(motion):
    """Return value, rate and acceleration of all coordinates of joints."""
    return motion.links.mechanism.coordinates_at(motion.time).copy()


def frames(motion):
    """Return the states of the links, (L, 8, 3)."""
    return motion.links.mechanism.solve(np.array([motion.time])).frames[0].copy()


def pin(name, one, two, at, **keys):
    """Return the table of a hinge."""
    return {"name": name, "kind": "revolute", "links": [one, two], "at": at, **keys}


def slide(name, link):
    """Return the table of a guide along x."""
    return {"name": name, "kind": "prismatic", "links": ["ground", link], "axis": [1, 0, 0]}


def of(joint, coordinate=None):
    """Return the table of a coordinate in a formula."""
    return {"joint": joint} | ({} if coordinate is None else {"coordinate": coordinate})


def rod(name, mass=1.0, length=1.0, **keys):
    """Return the table of a uniform rod along x from its origin."""
    inertia = mass * length**2 / 12.0
    return {
        "name": name, "mass": mass, "inertia": [inertia], "centre": [0.5 * length, 0.0, 0.0], **keys
    }  # fmt: skip


def spatial(table):
    """Return the table of a rod in space: thin, but not without inertia about itself."""
    (inertia,) = table["inertia"]
    return table | {"inertia": [0.01 * inertia, inertia, inertia]}
