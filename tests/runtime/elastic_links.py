# SPDX-License-Identifier: BSD-3-Clause
"""Mechanisms of elastic links for tests, as model files have them."""

from __future__ import annotations

from typing import Any

import numpy as np

STEEL = {"young": 2e11, "poisson": 0.3, "density": 7870.0}
SOFT = {"young": 4e9, "poisson": 0.3, "density": 1200.0}
ROUND = {"shape": "round", "diameter": 0.01}


def line(length: float, divisions: int = 4) -> dict[str, Any]:
    """Return a block of cells along x."""
    return {"cell": "line2", "corners": [[0, 0, 0], [length, 0, 0]], "divisions": [divisions]}


def beam(link: str, element: str = "euler_beam", **more: Any) -> dict[str, Any]:
    """Return a body of beams on a link, its block being of that name."""
    body = {"name": link, "cells": link, "element": element, "material": "m", "section": ROUND}
    return body | {"frame": link} | more


def slider_crank(speed: Any, **more: Any) -> dict[str, Any]:
    """Return a slider-crank with an elastic rod between a crank without mass and a slider."""
    return {
        "mesh": {"blocks": {"rod": line(0.3)}},
        "materials": {"m": SOFT},
        "links": [
            {"name": "crank"},
            {"name": "rod", "placement": {"position": [0.15, 0, 0]}},
            {"name": "slider", "placement": {"position": [0.45, 0, 0]}, "mass": 0.03},
        ],
        "bodies": [beam("rod", "euler_beam_plane")],
        "joints": [
            {"name": "bearing", "kind": "revolute", "links": ["ground", "crank"]},
            {"name": "pin", "kind": "revolute", "links": ["crank", "rod"],
             "at": [[0.15, 0, 0], "rod.xmin"]},
            {"name": "wrist", "kind": "revolute", "links": ["rod", "slider"],
             "at": ["rod.xmax", [0, 0, 0]]},
            {"name": "guide", "kind": "prismatic", "links": ["ground", "slider"],
             "axis": [1, 0, 0]},
        ],
        "drivers": [{"name": "motor", "joint": "bearing", "velocity": speed}],
    } | more  # fmt: skip


#: Along the coupler, and across it, as it turns.
PUSH = {"kind": "force", "group": "coupler.xmax", "total": [1.5, 1.0, 0],
        "amplitude": "smooth_step(t, 0, 0.25)"}  # fmt: skip


def four_bar(**more: Any) -> dict[str, Any]:
    """Return a crank, a coupler and a rocker of elastic beams, all three, in the plane."""
    return {
        "mesh": {"blocks": {"crank": line(0.2), "coupler": line(0.7), "rocker": line(0.5)}},
        "materials": {"m": SOFT},
        "links": [
            {"name": "crank", "placement": {"angle": 0.5}},
            {"name": "coupler", "placement": {"position": [0.18, 0.1, 0], "angle": 0.6}},
            {"name": "rocker", "placement": {"position": [0.8, 0, 0], "angle": 1.6}},
        ],
        "bodies": [beam(name, "euler_beam_plane") for name in ("crank", "coupler", "rocker")],
        "joints": [
            {"name": "A", "kind": "revolute", "links": ["ground", "crank"],
             "at": [[0, 0, 0], "crank.xmin"]},
            {"name": "B", "kind": "revolute", "links": ["crank", "coupler"],
             "at": ["crank.xmax", "coupler.xmin"]},
            {"name": "C", "kind": "revolute", "links": ["coupler", "rocker"],
             "at": ["coupler.xmax", "rocker.xmax"]},
            {"name": "D", "kind": "revolute", "links": ["ground", "rocker"],
             "at": [[0.8, 0, 0], "rocker.xmin"]},
        ],
        "drivers": [{"name": "motor", "joint": "A",
                     "value": "0.5 + 8*smooth_step(t, 0, 0.8)"}],
        "loads": [{"kind": "gravity", "acceleration": [0, -9.81, 0]}],
    } | more  # fmt: skip


def spatial_four_bar(**more: Any) -> dict[str, Any]:
    """Return a crank about z, a coupler and a rocker about x, elastic, in space.

    Between them are a universal and a spherical joint; the rocker's bearing is cylindrical, with a
    driver that keeps it from sliding.
    """
    one, two = np.array([0.15, 0.0, 0.0]), np.array([1.0, 0.9, 0.4])
    along = two - one
    length = float(np.linalg.norm(along))
    # The coupler lies along its own x, from the crank's pin to the rocker's end.
    axis = np.cross([1.0, 0, 0], along)
    angle = float(np.arctan2(np.linalg.norm(axis), along[0]))
    axis = axis / np.linalg.norm(axis)
    rocker = {"cell": "line2", "corners": [[0, 0, 0], [0, 0, 0.4]], "divisions": [4]}
    return {
        "mesh": {"blocks": {"crank": line(0.15), "coupler": line(length), "rocker": rocker}},
        "materials": {"m": SOFT},
        "links": [
            {"name": "crank"},
            {"name": "coupler",
             "placement": {"position": one.tolist(), "axis": axis.tolist(), "angle": angle}},
            {"name": "rocker", "placement": {"position": [1.0, 0.9, 0]}},
        ],
        "bodies": [beam(name, section=ROUND | {"orientation": up}) for name, up in
                   (("crank", [0, 0, 1]), ("coupler", [0, 0, 1]), ("rocker", [1, 0, 0]))],
        "joints": [
            {"name": "A", "kind": "revolute", "links": ["ground", "crank"],
             "at": [[0, 0, 0], "crank.xmin"]},
            {"name": "B", "kind": "universal", "links": ["crank", "coupler"],
             "at": ["crank.xmax", "coupler.xmin"], "axis": [[0, 0, 1], [0, 1, 0]]},
            {"name": "C", "kind": "spherical", "links": ["coupler", "rocker"],
             "at": ["coupler.xmax", "rocker.xmax"]},
            {"name": "D", "kind": "cylindrical", "links": ["ground", "rocker"],
             "at": [[1.0, 0.9, 0], "rocker.xmin"], "axis": [1, 0, 0]},
        ],
        "drivers": [
            {"name": "motor", "joint": "A", "value": "4*smooth_step(t, 0, 0.5)"},
            {"name": "stop", "joint": "D", "coordinate": "slide", "value": 0.0},
        ],
        "loads": [{"kind": "gravity", "acceleration": [0, 0, -9.81]}],
    } | more  # fmt: skip
