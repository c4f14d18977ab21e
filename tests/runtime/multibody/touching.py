# SPDX-License-Identifier: BSD-3-Clause
"""Models of links between which forces act, and derivatives of their equations by differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from flexforge.codegen.forces.contacts import contact_law, declared
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.multibody.build import build_links
from flexforge.runtime.multibody.forces import with_joints
from flexforge.runtime.multibody.motion import FoundMotion
from flexforge.runtime.start import start
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads

#: Numbers for the parameters of all contacts, in SI.
VALUES = {
    "radius": 0.1, "other_radius": 0.2, "length": 0.5, "other_length": 0.4, "clearance": 0.01,
    "stiffness": 1e5, "exponent": 1.5,
    "damping": 0.2, "restitution": 0.7, "speed": 1.0, "friction": 0.3, "rest_friction": 0.5,
    "stribeck": 0.1, "viscous": 0.01, "regular": 1e-2,
}  # fmt: skip
SHAPES, NORMALS = (tuple(declared(kind)) for kind in ("shapes", "normals"))
NORMALS = tuple(one for one in NORMALS if one != "impact")


def contact(shape, normal="hunt_crossley", rubbing=None, links=("ground", "ball"), **keys):
    """Return the table of a contact named touch; keys that are parameters have other values."""
    known = contact_law(shape, normal, rubbing, "spatial").parameters
    values = {name: keys.pop(name, VALUES[name]) for name in known if name in VALUES}
    found = {"name": "touch", "links": list(links), "contact": shape, "normal": normal,
             "parameters": values, **keys}  # fmt: skip
    return found if rubbing is None else found | {"friction": rubbing}


def begin(tables):
    """Return the motion of a model at t = 0."""
    spec = with_joints(model_from_dict(tables))
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


def differences(model, at, change, size, step=1e-7):
    """Return the derivative of residuals by central differences, (n, size)."""
    found = []
    for unit in step * np.eye(size):
        pair = []
        for moved in (change(at, unit), change(at, -unit)):
            out = np.zeros(model.space.size)
            model.residual(moved, out)
            pair.append(out)
        found.append((pair[0] - pair[1]) / (2.0 * step))
    return np.array(found).T


def placed(model, at, step):
    """Return a point whose positions are moved by increments."""
    return replace(at, q=model.moved(at.q, step))
