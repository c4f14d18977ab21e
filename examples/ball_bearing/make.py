# SPDX-License-Identifier: BSD-3-Clause
"""Write model.toml, a bearing of equal balls: ``python make.py``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

BALLS, BALL, PITCH = 8, 0.006, 0.030  # their number, radius, and the radius of the pitch circle, m
MASS = 7800.0 * 4.0 / 3.0 * np.pi * BALL**3
HEAD = f"""\
# Written by make.py.
title = "A ball bearing"
planar = true

[[links]]                                # the shaft, with the inner ring
name = "shaft"
mass = 2.0
inertia = [1e-3]

[[links]]
name = "cage"
mass = 0.02
inertia = [{0.02 * PITCH**2:.4g}]

[[joints]]                               # holds nothing
name = "shaft"
kind = "free"
links = ["ground", "shaft"]

[[joints]]                               # the outer ring guides the cage
name = "cage"
kind = "revolute"
links = ["ground", "cage"]

[[drivers]]
name = "motor"
joint = "shaft"
coordinate = "angle"
velocity = "100*smooth_step(t, 0, 0.02)"

[[loads]]
kind = "force"
group = "shaft.origin"
total = [0, -1000, 0]
frame = "global"
amplitude = "smooth_step(t, 0, 0.01)"
"""
BALL_TEXT = """
[[links]]
name = "ball {k}"
mass = {mass:.4g}
inertia = [{inertia:.4g}]
placement = {{ position = [{x:.10g}, {y:.10g}, 0] }}
[[joints]]                               # its pocket leaves it the radius and its spin
name = "pocket {k}"
kind = "point_on_line"
links = ["cage", "ball {k}"]
axis = [{c:.12g}, {s:.12g}, 0]
[[forces]]
name = "inner {k}"
links = ["shaft", "ball {k}"]
contact = "cylinder_on_cylinder"
normal = "hunt_crossley"
friction = "coulomb"
parameters = {{ radius = {ball}, other_radius = {inner:.6g}, {law} }}
[[forces]]
name = "outer {k}"
links = ["ground", "ball {k}"]
contact = "pin_in_bore"
normal = "hunt_crossley"
friction = "coulomb"
parameters = {{ radius = {ball}, clearance = {pitch}, {law} }}
[[probes]]
name = "outer {k}"
joint = "outer {k}"
quantity = "force"
component = "magnitude"
"""
LAW = "stiffness = 1e10, exponent = 1.5, damping = 2, friction = 0.1, regular = 2e-3"
FOOT = """
[[probes]]
name = "turn of the cage"
joint = "cage"
quantity = "coordinate"

[[probes]]
name = "x of the shaft"
joint = "shaft"
quantity = "coordinate"
component = "slide"

[[probes]]
name = "y of the shaft"
joint = "shaft"
quantity = "coordinate"
component = "second_slide"

[analysis]
kind = "transient"
duration = 0.2
steps = 800                              # times of results
accuracy = 1e-7

[output]
formats = ["csv"]
"""


def main() -> None:
    """Write the model."""
    text = HEAD
    for k in range(BALLS):
        angle = 2.0 * np.pi * k / BALLS
        c, s = np.cos(angle).round(12), np.sin(angle).round(12)
        text += BALL_TEXT.format(
            k=k + 1, mass=MASS, inertia=0.4 * MASS * BALL**2, x=PITCH * c, y=PITCH * s, c=c, s=s,
            ball=BALL, inner=PITCH - BALL, pitch=PITCH, law=LAW,
        )  # fmt: skip
    (Path(__file__).parent / "model.toml").write_text(text + FOOT, encoding="utf-8")


if __name__ == "__main__":
    main()
