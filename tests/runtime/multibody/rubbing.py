# SPDX-License-Identifier: BSD-3-Clause
"""Blocks and balls that rub on floors, and what a motion has of them."""

from __future__ import annotations

import numpy as np
from touching import begin

G, RADIUS, MASS = 9.81, 0.1, 2.0
INERTIA = 0.4 * MASS * RADIUS**2
#: Feet of a block: small discs or spheres at its corners.
FOOT, HEIGHT, REACH = 0.01, 0.05, 0.1
NORMALS = {
    "impact": {"restitution": 0.3},
    "linear": {"stiffness": 1e6, "damping": 2e3},
    "hunt_crossley": {"stiffness": 1e6, "exponent": 1.5, "damping": 0.3},
}


def timed(duration, steps, **more):
    """Return a table of a transient analysis."""
    return {"kind": "transient", "duration": duration, "steps": steps, "threads": 1} | more


def gravity(*, planar, slope=0.0, factor=G):
    """Return loads that pull down a slope along x."""
    down = np.array([np.sin(slope), -np.cos(slope), 0.0]) * factor
    return [{"kind": "gravity", "acceleration": list(down if planar else down[[0, 2, 1]])}]


def dry(normal, mu, rest=None, **more):
    """Return keys of a contact with dry friction."""
    parameters = {"friction": mu, "rest_friction": mu if rest is None else rest}
    return {"normal": normal, "friction": "dry",
            "parameters": parameters | NORMALS[normal] | more}  # fmt: skip


def ball(velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), height=0.0, *, planar=False, depth=0.0):
    """Return the table of a solid ball above a floor, which is y = 0 in the plane."""
    above = RADIUS + height - depth
    return {"name": "ball", "mass": MASS, "inertia": [INERTIA] if planar else [INERTIA] * 3,
            "placement": {"position": [0.0, above, 0.0] if planar else [0.0, 0.0, above]},
            "velocity": list(velocity), "angular_velocity": list(spin)}  # fmt: skip


def on_floor(keys, *, planar=False, other="ball"):
    """Return the table of the contact of a ball with the floor."""
    shape = "cylinder_on_plane" if planar else "sphere_on_plane"
    parameters = {"radius": RADIUS} | keys["parameters"]
    return {"name": "floor", "links": ["ground", other], "contact": shape} | keys | {
        "parameters": parameters}  # fmt: skip


def block(keys, velocity=0.0, *, planar=True):
    """Return tables of the link of a block, and of its two or four feet on the floor."""
    low = FOOT - HEIGHT
    feet = [(x * REACH, low, 0.0) for x in (-1, 1)]
    if not planar:
        feet = [(x * REACH, y * REACH, low) for x in (-1, 1) for y in (-1, 1)]
    link = {"name": "block", "mass": MASS, "inertia": [0.01] if planar else [0.01] * 3,
            "placement": {"position": [0.0, HEIGHT, 0.0] if planar else [0.0, 0.0, HEIGHT]},
            "velocity": [velocity, 0.0, 0.0], "angular_velocity": [0.0, 0.0, 0.0]}  # fmt: skip
    forces = [
        {"name": f"foot {k}", "links": ["ground", "block"], "at": [[0.0, 0.0, 0.0], list(place)],
         "contact": "cylinder_on_plane" if planar else "sphere_on_plane"}
        | keys | {"parameters": {"radius": FOOT} | keys["parameters"]}
        for k, place in enumerate(feet)
    ]  # fmt: skip
    return link, forces


class Course:
    """A motion, its links at the ends of all steps in global components, and its events.

    Attributes
    ----------
    places, speeds, spins : ndarray, (T, L, 3)
        Of the links.
    events : list of tuple
        Time, force and event.
    """

    def __init__(self, tables):
        self.tables = tables
        self.motion = begin(tables)
        frames = [self._frames()]
        times, self.events = [self.motion.time], []
        names = self.motion.links.model.formulas.events
        for _ in range(tables["analysis"]["steps"]):
            self.motion.advance()
            frames.append(self._frames())
            times.append(self.motion.time)
            found = self.motion.events_until(self.motion.time)
            self.events += [(time, *names[int(number)]) for time, number in found]
        found, self.times = np.array(frames), np.array(times)
        turned = found[:, :, 1:4]
        self.places = found[:, :, 0]
        self.speeds = np.einsum("tlij,tlj->tli", turned, found[:, :, 4])
        self.spins = np.einsum("tlij,tlj->tli", turned, found[:, :, 5])

    def of(self, event):
        """Return the times of an event."""
        return [time for time, _, name in self.events if name == event]

    def _frames(self):
        motion = self.motion
        return motion.links.model.frames(motion.point, np.zeros(len(motion._taking._near)))[0]
