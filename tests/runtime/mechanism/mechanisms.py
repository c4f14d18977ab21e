# SPDX-License-Identifier: BSD-3-Clause
"""Mechanisms for tests, as dictionaries."""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.mechanism.mechanism import Mechanism
from flexforge.runtime.system.construct import build_mesh


def mechanism(data: dict[str, Any], duration: float = 1.0) -> Mechanism:
    """Assemble a mechanism."""
    analysis = {"kind": "kinematics", "duration": duration, "steps": 10}
    spec = model_from_dict({"analysis": analysis} | data)
    return Mechanism.from_model(spec, build_mesh(spec))


def link(name: str, position: Any = (0, 0, 0), angle: float = 0.0, axis: Any = (0, 0, 1)) -> Any:
    placement = {"position": list(position), "angle": angle, "axis": list(axis)}
    return {"name": name, "placement": placement}


def joint(name: str, kind: str, one: str, two: str, at: Any = (0, 0, 0), **more: Any) -> Any:
    return {"name": name, "kind": kind, "links": [one, two], "at": at} | more


def driver(joint: str, name: str = "motor", **more: Any) -> Any:
    return {"name": name, "joint": joint} | more


def slider_crank(a: float = 0.15, l: float = 0.3, speed: float = 150.0) -> dict[str, Any]:  # noqa: E741
    """A crank a, a rod l and a slider on the x axis."""
    return {
        "planar": True,
        "links": [link("crank"), link("rod", (a, 0, 0)), link("slider", (a + l, 0, 0))],
        "joints": [
            joint("bearing", "revolute", "ground", "crank"),
            joint("pin", "revolute", "crank", "rod", [[a, 0, 0], [0, 0, 0]]),
            joint("wrist", "revolute", "rod", "slider", [[l, 0, 0], [0, 0, 0]]),
            joint("guide", "prismatic", "ground", "slider", axis=[1, 0, 0]),
        ],
        "drivers": [driver("bearing", velocity=speed)],
    }


def four_bar(sides: tuple[float, ...] = (4.0, 1.0, 3.5, 2.5), **motion: Any) -> dict[str, Any]:
    """Ground, crank, coupler and rocker; the crank as given, its start at 0.5 rad."""
    ground, crank, coupler, rocker = sides
    return {
        "planar": True,
        "links": [
            link("crank", angle=0.5),
            link("coupler", (0.9 * crank, 0.5 * crank, 0), 0.6),
            link("rocker", (ground, 0, 0), 1.6),
        ],
        "joints": [
            joint("A", "revolute", "ground", "crank"),
            joint("B", "revolute", "crank", "coupler", [[crank, 0, 0], [0, 0, 0]]),
            joint("C", "revolute", "coupler", "rocker", [[coupler, 0, 0], [rocker, 0, 0]]),
            joint("D", "revolute", "ground", "rocker", [[ground, 0, 0], [0, 0, 0]]),
        ],
        "drivers": [driver("A", **(motion or {"value": "0.5 + 3*t + 0.4*t**2"}))],
    }


def spatial_four_bar() -> dict[str, Any]:
    """A crank about z, a rocker about x, a coupler between a universal and a spherical joint."""
    one, two = np.array([0.15, 0.0, 0.0]), np.array([1.0, 0.9, 0.4])
    along = two - one
    arm = np.cross(along, [0.0, 0.0, 1.0])
    return {
        "links": [link("crank"), link("coupler"), link("rocker")],
        "joints": [
            joint("A", "revolute", "ground", "crank"),
            joint("B", "universal", "crank", "coupler", one, axis=[np.array([0, 0, 1.0]), arm]),
            joint("C", "spherical", "coupler", "rocker", two),
            joint("D", "revolute", "ground", "rocker", [1.0, 0.9, 0.0], axis=[1, 0, 0]),
        ],
        "drivers": [driver("A", value="0.4*t + 2*t**2")],
    }


def twelve_bodies() -> dict[str, Any]:
    """A ring of twelve links, the ground and thirteen revolute joints, seven of them driven."""
    count = 13
    angles = 2 * np.pi * np.arange(count) / count
    points = np.stack([np.cos(angles), np.sin(angles), 0.3 * np.sin(2 * angles)], axis=1)
    axes = np.stack([np.cos(1.1 * angles), np.sin(1.3 * angles), np.cos(1.9 * angles + 1)], axis=1)
    names = ["ground", *(f"link {k}" for k in range(1, count))]
    return {
        "links": [link(name) for name in names[1:]],
        "joints": [
            joint(f"J{k}", "revolute", names[k], names[(k + 1) % count], points[k], axis=axes[k])
            for k in range(count)
        ],
        "drivers": [
            driver(f"J{2 * k % count}", f"motor {k}", value=f"0.2*sin({1 + 0.1 * k}*t)")
            for k in range(7)
        ],
    }
