# SPDX-License-Identifier: BSD-3-Clause
"""Shafts by lengths and diameters: their mesh, masses, and one rotor as beams and as solids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.model import load_model
from flexforge.runtime.loading.load import load_model_file, model_from_dict
from flexforge.runtime.model.schema_shaft import ShaftSpec
from flexforge.runtime.shafts.layout import nodes, slices
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.system import System

STEEL = {"young": 211e9, "poisson": 0.2993, "density": 7810.0}
OBLIQUE = [2 / 3, -1 / 3, 2 / 3]


def shaft(**changes: Any) -> dict[str, Any]:
    """Return a table of a stepped shaft with a disc."""
    table = {
        "name": "rotor",
        "material": "steel",
        "segments": [
            {"length": 0.3, "diameter": 0.06},
            {"length": 0.4, "diameter": 0.1, "hole": 0.04},
            {"length": 0.2, "diameter": 0.06},
        ],
        "discs": [{"at": 0.5, "width": 0.08, "diameter": 0.3}],
        "stations": {"left": 0.05, "right": 0.85},
        "spin": {"velocity": 300.0},
    }
    return {key: value for key, value in (table | changes).items() if value is not None}


def model(table: dict[str, Any], **further: Any) -> dict[str, Any]:
    """Return a model of a shaft on two bearings."""
    bearing = {"kind": "bearing", "stiffness": 2e7}
    found = {
        "materials": {"steel": STEEL},
        "shafts": [table],
        "connectors": [
            bearing | {"name": name, "at": f"rotor.{name}"} for name in ("left", "right")
        ],
        "supports": [{"group": "rotor.left", "components": ["z"]}],
        "analysis": {"kind": "modes", "count": 10},
    }
    return found | further


def system_of(table: dict[str, Any]) -> System:
    """Return the system of a model with a shaft."""
    spec = model_from_dict(model(table))
    return build_system(spec, build_mesh(spec)).system


def test_nodes_are_where_something_is() -> None:
    """At steps, stations and discs; of solids also at the sides of a disc; elements are short."""
    beams = ShaftSpec.model_validate(shaft())
    each = slices(beams)
    assert {0.0, 0.05, 0.3, 0.5, 0.7, 0.85, 0.9} <= {*np.round(nodes(each), 12)}
    assert all(one.end - one.begin <= one.outer * (1 + 1e-9) for one in each)
    solids = nodes(slices(ShaftSpec.model_validate(shaft(made_of="solids"))))
    assert {0.46, 0.54} <= {*np.round(solids, 12)}
    fine = shaft(segments=[{"length": 0.9, "diameter": 0.06, "elements": 30}])
    assert len(slices(ShaftSpec.model_validate(fine))) >= 30


def _mass() -> float:
    """Return the mass of the shaft with its disc, kg, from the volumes of cylinders."""
    cylinders = [(0.5, 0.06, 0.0), (0.4, 0.1, 0.04), (0.08, 0.3, 0.1)]
    return sum(0.25 * np.pi * n * (a**2 - b**2) for n, a, b in cylinders) * STEEL["density"]


@pytest.mark.parametrize("axis", [[0, 0, 1], [1, 0, 0], OBLIQUE])
def test_beams_have_the_mass_of_the_drawing(axis: list[float]) -> None:
    """Also the disc, whose moments of inertia are about the axis of the shaft."""
    system = system_of(shaft(axis=axis, start=[0.1, 0.2, -0.3]))
    assert system.total_mass == pytest.approx(_mass(), rel=1e-12)
    disc = next(body for body in system.bodies if body.name == "rotor.disc1")
    mass = 0.25 * np.pi * 0.08 * (0.3**2 - 0.1**2) * STEEL["density"]
    about = mass * (0.3**2 + 0.1**2) / 8
    across = 0.5 * about + mass * 0.08**2 / 12
    n = np.array(axis)
    found = np.array([disc.values[f"inertia_{i}"] for i in ("xx", "yy", "zz")])
    np.testing.assert_allclose(found, across + (about - across) * n**2, rtol=1e-12)
    assert disc.values["inertia_xz"] == pytest.approx(-(about - across) * n[0] * n[2], rel=1e-12)
    np.testing.assert_allclose(disc.points[0], np.array([0.1, 0.2, -0.3]) + 0.5 * n, rtol=1e-12)


@pytest.mark.parametrize("axis", [[0, 0, 1], OBLIQUE])
def test_solids_are_round(axis: list[float]) -> None:
    """Nodes on the outline are on circles, and the volume is that of cylinders."""
    table = shaft(made_of="solids", axis=axis)
    spec = model_from_dict(model(table))
    mesh = build_mesh(spec)
    n = np.array(axis)
    along = mesh.points @ n
    radius = np.linalg.norm(mesh.points - along[:, None] * n, axis=1)
    disc = (along > 0.459) & (along < 0.541)
    assert radius.max() == pytest.approx(0.15, rel=1e-12)
    assert radius[~disc & (along > 0.301) & (along < 0.699)].max() == pytest.approx(0.05, rel=1e-9)
    hollow = (along > 0.301) & (along < 0.699) & (radius > 0)
    assert radius[hollow].min() == pytest.approx(0.02, rel=1e-12)
    total = build_system(spec, mesh).system.total_mass
    assert total == pytest.approx(_mass(), rel=1e-4)  # sides are parabolas, not arcs


def test_one_rotor_as_beams_and_as_solids() -> None:
    """A shaft without discs at rest: both bend alike, to what beams leave out.

    Sources: each other; that of beams is compared with an independent rotor code elsewhere.
    """
    plain = {
        "segments": [{"length": 1.2, "diameter": 0.05}],
        "discs": None,
        "stations": {"left": 0.0, "right": 1.2},
        "spin": {"velocity": 0.0},
    }
    found = []
    for made_of in ("beams", "solids"):
        table = shaft(made_of=made_of, **plain)
        if made_of == "solids":
            table |= {"around": 8}
        outcome = load_model(model(table)).run(output=None)
        found.append([outcome.figures[f"mode {k}"][0] for k in (2, 3, 4, 5)])
    np.testing.assert_allclose(found[0], found[1], rtol=4e-3)


def test_one_rotor_in_metres_and_in_millimetres() -> None:
    """Frequencies of a drawing in mm, t and s are those in SI, with discs of both kinds."""

    def frequencies(length: float, mass: float, **units: str) -> list[float]:
        inertia = mass * length**2  # and stiffness counts as force per length, mass per time^2
        segments = [{"length": x * length, "diameter": 0.05 * length} for x in (0.5, 0.3)]
        discs = [
            {"at": 0.5 * length, "width": 0.05 * length, "diameter": 0.3 * length},
            {"at": 0.2 * length, "mass": 5.0 * mass, "inertia": [0.02 * inertia, 0.03 * inertia]},
        ]
        stations = {"left": 0, "right": 0.8 * length}
        table = shaft(segments=segments, discs=discs, stations=stations)
        data = model(table, **units)
        young, density = STEEL["young"] * mass / length, STEEL["density"] * mass / length**3
        data["materials"] = {"steel": STEEL | {"young": young, "density": density}}
        for one in data["connectors"]:
            one["stiffness"] *= mass
        figures = load_model(data).run(output=None).figures
        return [figures[f"mode {k}"][0] for k in range(2, 9)]  # the first turns freely

    found = frequencies(1e3, 1e-3, units="mm-t-s")
    np.testing.assert_allclose(found, frequencies(1.0, 1.0), rtol=1e-9)


def test_the_example_of_the_reference_loads(tmp_path: Path) -> None:
    """A cone is one body of tapered elements, of the volume of the drawing."""
    table = shaft(
        segments=[{"length": 0.3, "diameter": [0.06, 0.03], "hole": [0.0, 0.01], "elements": 3}],
        discs=None,
        stations={"left": 0.0, "right": 0.3},
    )
    each = slices(ShaftSpec.model_validate(table))
    np.testing.assert_allclose([one.outer for one in each[:1]], [0.06 - 0.03 * 0.5 / len(each)])
    system = system_of(table)
    exact = np.pi / 12 * 0.3 * (0.06**2 + 0.06 * 0.03 + 0.03**2 - 0.01**2) * STEEL["density"]
    (cone,) = (body for body in system.bodies if not body.lumped)
    assert cone.element == "timoshenko_beam_tapered"
    assert system.total_mass == pytest.approx(exact, rel=1e-12)
    path = tmp_path / "model.toml"
    path.write_text('[[shafts]]\nname = "rotor"\n')
    with pytest.raises(InputError, match=r"model\.toml:1: shafts\[0\]\.material: missing"):
        load_model_file(path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"segments": []}, "segments"),
        ({"segments": [{"length": 1.0, "diameter": 0.1, "hole": 0.1}]}, "a hole as wide"),
        ({"segments": [{"length": -1.0, "diameter": 0.1}]}, r"segments\[0\]\.length"),
        ({"stations": {"far": 2.0}}, r"stations\.far: found 2; expected at most the length"),
        ({"discs": [{"at": 0.5, "width": 0.1, "diameter": 0.05}]}, "expected more than the 0.1 m"),
        ({"discs": [{"at": 0.5, "width": 0.1}]}, "expected width and diameter"),
        ({"discs": [{"at": 0.5, "inertia": [1, 2]}]}, "missing with inertia"),
        ({"around": 16}, "found with beams"),
        ({"made_of": "solids", "around": 10}, "around"),
        ({"made_of": "solid"}, 'expected "beams" or "solids"'),
        (
            {"made_of": "solids", "segments": [{"length": 0.9, "diameter": [0.1, 0.2]}]},
            "a diameter that changes",
        ),
        ({"spin": {}}, "found none of angle, velocity, acceleration"),
        ({"material": "stel"}, "did you mean 'steel'"),
    ],
)
def test_refused(changes: dict[str, Any], said: str) -> None:
    """What no shaft is, by its key."""
    with pytest.raises(InputError, match=said):
        model_from_dict(model(shaft(**changes)))


@pytest.mark.parametrize("axis", [[0, 0, 1], [0, -1, 0], OBLIQUE])
def test_cones_have_the_mass_of_the_drawing(axis: list[float]) -> None:
    """Mass and centre of a hollow and a solid cone anywhere in space: those of the frusta."""
    start = [0.1, 0.2, -0.3]
    segments = [
        {"length": 0.3, "diameter": [0.06, 0.1], "hole": [0.02, 0.05]},
        {"length": 0.2, "diameter": [0.08, 0.03]},
    ]
    table = shaft(segments=segments, discs=None, stations={"left": 0.0, "right": 0.4}, axis=axis,
                  start=start)  # fmt: skip
    bodies = [body for body in system_of(table).bodies if not body.lumped]
    assert [body.name for body in bodies] == ["rotor.part1", "rotor.part2"]
    mass = moment = 0.0
    for begin, length, ends in (
        (0.0, 0.3, ((0.06, 0.1), (0.02, 0.05))),
        (0.3, 0.2, ((0.08, 0.03), (0.0, 0.0))),
    ):
        for (a, b), sign in zip(ends, (1, -1), strict=True):
            part = sign * np.pi / 12 * length * (a**2 + a * b + b**2) * STEEL["density"]
            square = a**2 + 2 * a * b + 3 * b**2  # over 4 (a^2 + a b + b^2): where the centre is
            mass += part
            moment += part * begin
            moment += sign * np.pi / 48 * length**2 * square * STEEL["density"]
    assert sum(body.total_mass for body in bodies) == pytest.approx(mass, rel=1e-12)
    centre = sum(body.first_moment for body in bodies) / mass
    np.testing.assert_allclose(centre, np.array(start) + moment / mass * np.array(axis), atol=1e-12)


@pytest.mark.parametrize("made_of", ["beams", "solids"])
def test_the_scale_of_a_mesh_leaves_shafts_as_drawn(made_of: str) -> None:
    """A stator in millimetres beside a shaft in metres: volume and mass of both, and places.

    A scale that reached the shaft would shorten it between its diameters, and take the diameters
    of cones at other places.
    """
    segments = [{"length": 0.3, "diameter": 0.06}, {"length": 0.2, "diameter": [0.06, 0.03]}]
    if made_of == "solids":
        segments[1] = {"length": 0.2, "diameter": 0.03}
    table = shaft(segments=segments, discs=None, stations={"left": 0.0, "right": 0.5},
                  start=[1.0, 0.0, 0.0], axis=OBLIQUE, made_of=made_of)  # fmt: skip
    box = [[x, y, z] for z in (0, 300) for x, y in ((0, 0), (200, 0), (200, 100), (0, 100))]
    block = {"cell": "hex8", "corners": box, "divisions": [2, 1, 3]}
    stator = {"name": "stator", "cells": "all", "element": "hex8", "material": "steel"}
    own = {"block": block, "scale": 1e-3, "points": {"rig": [500.0, 0.0, 0.0]}}
    spec = model_from_dict(model(table, mesh=own, bodies=[stator]))
    mesh = build_mesh(spec)
    alone = build_mesh(model_from_dict(model(table)))
    count = len(alone.points)
    np.testing.assert_array_equal(mesh.points[-count - 1 : -1], alone.points)
    np.testing.assert_allclose(mesh.points[-1], [0.5, 0.0, 0.0], rtol=1e-15)
    bodies = {body.name: body for body in build_system(spec, mesh).system.bodies}
    solid = 0.2 * 0.1 * 0.3 * STEEL["density"]
    assert bodies["stator"].total_mass == pytest.approx(solid, rel=1e-12)
    turning = sum(one.total_mass for name, one in bodies.items() if name.startswith("rotor."))
    square = (0.06**2 + 0.06 * 0.03 + 0.03**2) / 3 if made_of == "beams" else 0.03**2
    drawn = 0.25 * np.pi * (0.3 * 0.06**2 + 0.2 * square) * STEEL["density"]
    # Sides of solids are parabolas, not arcs.
    assert turning == pytest.approx(drawn, rel=1e-12 if made_of == "beams" else 1e-4)
