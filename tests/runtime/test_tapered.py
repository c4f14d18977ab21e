# SPDX-License-Identifier: BSD-3-Clause
"""Beams whose section varies along them: statics in closed form, groups, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.model import load_model
from flexforge.runtime.assembly.assemble import evaluate
from flexforge.runtime.distributed.share import shares
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema_section import SectionSpec
from flexforge.runtime.statics import precise
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.loads import Loads
from scipy.optimize import brentq
from tapered import (
    CONE,
    COWPER,
    LENGTH,
    NARROW,
    SHEAR,
    STEEL,
    WIDE,
    area,
    beam,
    diameter,
    inertia,
    integral,
    line,
    slices,
)

E, RHO = STEEL["young"], STEEL["density"]
ROUND = {"shape": "round", "diameter": CONE}
PUSH = {"kind": "force", "group": "tip", "total": [5e4, -1e3, 0.0]}
TURN = {"kind": "moment", "group": "tip", "total": [700.0, 0.0, 300.0]}


def probes(*components: str, quantity: str = "displacement") -> list[dict[str, Any]]:
    """Return probes of the tip."""
    return [{"name": c, "group": "tip", "component": c, "quantity": quantity} for c in components]


def body_of(data: dict[str, Any]) -> Any:
    """Return the first body of a model, with its matrices."""
    spec = model_from_dict(data)
    return build_system(spec, build_mesh(spec)).system.bodies[0]


def tip(data: dict[str, Any]) -> list[float]:
    """Return the displacement of the tip along x and y under a force and a moment."""
    found = load_model(data | {"loads": [PUSH, TURN], "probes": probes("x", "y")}).run(output=None)
    return [float(found.probes[c].values[-1]) for c in "xy"]


def exact() -> list[float]:
    """Return the same by the integrals of N/EA, and of M (l - x)/EI and V/kGA."""
    force, moment = 1e3, 300.0
    stretch = integral(lambda x: 5e4 / (E * area(x)))
    bend = integral(lambda x: (moment - force * (LENGTH - x)) * (LENGTH - x) / (E * inertia(x)))
    return [stretch, bend - integral(lambda x: force / (COWPER * SHEAR * area(x)))]


def test_a_cone_bends_and_stretches_as_its_flexibility_says() -> None:
    """Two elements reach 1e-5 of the integrals of M^2/EI, V^2/kGA and N^2/EA, four 1e-7."""
    for count, allowed in ((2, 1e-5), (4, 1e-7), (8, 1e-9)):
        np.testing.assert_allclose(tip(beam(ROUND, count)), exact(), rtol=allowed)


@pytest.mark.filterwarnings("ignore:.*m wide or thick")
def test_slices_need_many_more_elements() -> None:
    """Eight cylinders are worse than two tapered elements by a factor of 400."""
    wanted = np.array(exact())
    eight = np.abs(tip(slices(8)) / wanted - 1).max()
    two = np.abs(tip(beam(ROUND, 2)) / wanted - 1).max()
    assert eight > 400 * two


def test_the_same_cone_along_another_axis() -> None:
    """A cone along an oblique line, with a formula of x, y and z, deflects as along x."""
    axis, across = np.array([2.0, -1.0, 2.0]) / 3, np.array([1.0, 2.0, 0.0]) / np.sqrt(5)
    along = f"{axis[0]!r}*x + {axis[1]!r}*y + {axis[2]!r}*z".replace("np.float64", "")
    text = f"{WIDE} - {(WIDE - NARROW) / LENGTH!r}*({along})"
    data = beam({"shape": "round", "diameter": text, "orientation": across.tolist()}, 4)
    data["mesh"] = line(np.linspace(0.0, LENGTH, 5).tolist(), axis.tolist())
    force = 5e4 * axis - 1e3 * across
    moment = 300.0 * np.cross(axis, across) + 700.0 * axis
    data["loads"] = [PUSH | {"total": force.tolist()}, TURN | {"total": moment.tolist()}]
    found = load_model(data | {"probes": probes("x", "y", "z")}).run(output=None).probes
    moved = np.array([found[c].values[-1] for c in "xyz"])
    np.testing.assert_allclose([moved @ axis, moved @ across], exact(), rtol=1e-7)


def test_torsion_of_a_hollow_cone() -> None:
    """The twist is that of the integral of T/GJ, of a tube whose wall and diameter change."""
    data = beam({"shape": "tube", "diameter": CONE, "wall": "0.01 - 0.004*x"}, 4)
    stiffness = dense(body_of(data))
    free = [*range(3, 15), *range(18, 30)]  # neither displacement nor rotation of the first node
    load = np.zeros(30)
    load[27] = 700.0  # about x, at the last node
    twist = np.linalg.solve(stiffness[np.ix_(free, free)], load[free])[free.index(27)]

    def polar(x: float) -> float:
        inner = diameter(x) - 2 * (0.01 - 0.004 * x)
        return float(np.pi / 32 * (diameter(x) ** 4 - inner**4))

    assert twist == pytest.approx(integral(lambda x: 700.0 / (SHEAR * polar(x))), rel=1e-7)


def dense(body: Any, stiffness: float = 1.0, mass: float = 0.0) -> Any:
    """Return stiffness and mass matrix of a body times factors, as a full matrix."""
    c = Combination(stiffness, mass * np.eye(3), np.zeros(0))
    return body.blocks(c).toarray()


#: Dimensions at the root, and the power of a scale by which each changes along a beam.
SHAPES: dict[str, dict[str, tuple[float, int]]] = {
    "round": {"diameter": (0.1, 1)},
    "tube": {"diameter": (0.1, 1), "wall": (0.02, 1)},
    "rectangle": {"width": (0.05, 1), "height": (0.08, 1)},
    "ellipse": {"width": (0.05, 1), "height": (0.08, 1)},
    "I": {"width": (0.05, 1), "height": (0.08, 1), "flange": (0.01, 1), "web": (0.006, 1)},
    "": {"area": (4e-3, 2), "inertia_y": (2e-6, 4), "inertia_z": (1e-6, 4), "torsion": (3e-6, 4),
         "shear_y": (0.8, 0), "shear_z": (0.7, 0)},
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_all_shapes_vary(shape: str) -> None:
    """Deflection along z under a force: the integrals of (l - x)^2/EI_y and 1/kGA of a shape.

    All dimensions shrink alike: areas by the square, second moments by the fourth power, Cowper's
    factors not at all.
    """
    known: dict[str, Any] = {"shape": shape} if shape else {}
    sizes = SHAPES[shape].items()
    varying = {key: f"{v}*(1 - 0.5*x)**{power}" if power else v for key, (v, power) in sizes}
    load = PUSH | {"total": [0.0, 0.0, 1e3]}
    data = beam(known | varying, 4, loads=[load], probes=probes("z"))
    found = load_model(data).run(output=None).probes["z"].values[-1]
    root = SectionSpec.model_validate(known | {key: v for key, (v, _) in sizes})
    at = root.values(STEEL["poisson"])
    bend = integral(lambda x: 1e3 * (LENGTH - x) ** 2 / (E * at["inertia_y"] * (1 - 0.5 * x) ** 4))
    slip = integral(lambda x: 1e3 / (at["shear_z"] * SHEAR * at["area"] * (1 - 0.5 * x) ** 2))
    assert found == pytest.approx(bend + slip, rel=1e-6)


def test_section_forces_are_those_of_statics() -> None:
    """N, Vy, T and Mz at the stations, and the stress of a round section, by equilibrium."""
    body = body_of(beam(ROUND, 3))
    stiffness = dense(body)
    free = [*range(3, 12), *range(15, 24)]
    load = np.zeros(24)
    load[9:12], load[21:24] = PUSH["total"], TURN["total"]
    moved = np.zeros(24)
    moved[free] = np.linalg.solve(stiffness[np.ix_(free, free)], load[free])
    found = body.at_stations(moved.reshape(-1, 3))
    x = body.stations[..., 0].ravel()
    gauss = np.polynomial.legendre.leggauss(5)[0]
    np.testing.assert_allclose(x[:5], LENGTH / 3 * (1 + gauss) / 2, rtol=1e-12)
    wanted = {"N": 5e4, "Vy": -1e3, "Vz": 0.0, "T": 700.0, "My": 0.0,
              "Mz": 300.0 - 1e3 * (LENGTH - x)}  # fmt: skip
    for name, value in wanted.items():
        np.testing.assert_allclose(found[name], np.broadcast_to(value, x.shape), atol=1e-5)
    stress = [
        5e4 / area(at) + abs(m) * diameter(at) / 2 / inertia(at)
        for at, m in zip(x, wanted["Mz"], strict=True)
    ]
    np.testing.assert_allclose(found["largest_normal_stress"], stress, rtol=1e-9)


def test_heat_in_a_cone_that_cannot_grow() -> None:
    """Held at both ends, the cone pushes by alpha dT l over the integral of 1/EA."""
    material = STEEL | {"expansion": 1.2e-5}
    data = beam(
        ROUND, 4, materials={"steel": material}, supports=[{"group": "root"}, {"group": "tip"}],
        loads=[{"kind": "temperature", "change": 100.0}],
        probes=[{"name": "N", "point": [0.5, 0.0, 0.0], "quantity": "section_force",
                 "component": "N", "body": "beam"}],
    )  # fmt: skip
    found = load_model(data).run(output=None).probes["N"].values[-1]
    wanted = -1.2e-5 * 100.0 * LENGTH / integral(lambda x: 1 / (E * area(x)))
    assert found == pytest.approx(wanted, rel=1e-7)


def test_groups_of_cells_are_bodies_of_their_own() -> None:
    """One body with a diameter per group of cells has the matrices of a body for each."""
    data = beam(ROUND | {"diameter": {"cell0": 0.1, "cell1": "0.09 - 0.02*x", "cell2": 0.05}}, 3)
    several = beam(ROUND, 3)
    (like,) = several["bodies"]
    several["bodies"] = [
        like | {"name": name, "cells": name, "section": ROUND | {"diameter": given}}
        for name, given in (("cell0", 0.1), ("cell1", "0.09 - 0.02*x"), ("cell2", 0.05))
    ]
    np.testing.assert_allclose(tip(data), tip(several), rtol=1e-12)


def refused(key: str, given: Any, said: str, **changes: Any) -> Any:
    """Return a section with a dimension, what else is changed, and the error."""
    round_ = {"shape": "tube", "diameter": 0.1} if key == "wall" else {"shape": "round"}
    return round_ | {key: given}, changes, rf"section\.{key}(\.root)?: {said}"


@pytest.mark.parametrize(
    ("section", "changes", "said"),
    [
        refused(
            "diameter",
            "0.1 - 0.2*x",
            r"found -0\.02 at \[0\.6, 0, 0\] of cell 1; expected a number above 0",
        ),
        refused("diameter", "0*x", "found 0 at"),
        refused(
            "wall",
            "0.01 + 0.05*x",
            r"found a wall thickness of half the diameter or more at \[0\.8.* of cell 2; expected",
        ),
        refused("diameter", "1/(x - 2) + sqrt(-x)", r"'1/\(x - 2\) .* at x = "),
        refused("diameter", "0.1*t", "found the unknown name 't'"),
        refused("diameter", {"cell0": 0.1}, "found no value for cell 1; expected groups with all"),
        refused("diameter", {"cell0": 0.1, "cell8": 0.1}, ".*'cell8'.*did you mean"),
        refused("diameter", {"cell0": 0.1, "root": 0.1}, "found a group without cells"),
        refused(
            "diameter",
            "0.1 - x/100",
            "found one that varies with element bar2; expected a number, or one of the beams euler",
            element="bar2",
        ),
        refused("diameter", "0.1 - x/100", "found one that varies with .*2", element="simo_beam2"),
        refused("diameter", -0.1, r"found -0\.1"),
    ],
)
def test_refused(section: dict[str, Any], changes: dict[str, Any], said: str) -> None:
    """What makes no section: one line with the key, the place and the cell."""
    with pytest.raises(InputError, match=said):
        body_of(beam(section, 3, **changes))


OWN = """
name = "own"
description = "a rod of a section that varies"
cell = "interval"
nodes = [[-1], [1]]
components = 2
carried = ["displacement"]
axes = "line"
varying = ["area"]
degree = { stiffness = 9, mass = 9 }
field = ["u", "uy1*(1 - xi)/2 + uy2*(1 + xi)/2"]
position = ["0", "0"]
loose = 1
[definitions]
stretched = "integral(1/area)"
[functions]
u = "ux1 + (ux2 - ux1)*stretched/at(stretched, 1)"
[strain]
tension = "u_x"
[law]
parameters = ["young"]
[law.stress]
tension = "young*tension"
[fibres]
stiffness = [{ at = [], weight = "area" }]
mass = [{ at = [], weight = "area" }]
"""


def test_an_element_of_ones_own_takes_a_varying_section(tmp_path: Path) -> None:
    """A rod whose file declares its area as varying: a cone, and a section that is constant."""
    path = tmp_path / "own.toml"
    path.write_text(OWN)

    def stretch(section: dict[str, Any]) -> float:
        load = PUSH | {"total": [5e4, 0.0, 0.0]}
        data = beam(section, 4, element=str(path), loads=[load], probes=probes("x"))
        data["mesh"] = line(np.linspace(0.0, LENGTH, 5).tolist(), [1.0, 0.0])
        data["supports"] += [{"group": "#1-4", "components": ["y"]}]
        return float(load_model(data).run(output=None).probes["x"].values[-1])

    assert stretch(ROUND) == pytest.approx(integral(lambda x: 5e4 / (E * area(x))), rel=1e-9)
    constant = {"shape": "round", "diameter": 0.07}
    wanted = 5e4 * LENGTH / (E * np.pi * 0.07**2 / 4)
    assert stretch(constant) == pytest.approx(wanted, rel=1e-12)
    path.write_text(
        OWN.replace("varying", "parameters").replace('"integral(1/area)"', '"(1 + xi)/area"')
    )
    assert stretch(constant) == pytest.approx(wanted, rel=1e-12)
    with pytest.raises(InputError, match=r"section\.diameter: found one that varies with element"):
        stretch(ROUND)


def test_shares_of_several_processes_have_sections_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Elements of each share have the matrices and the reach that they have in the whole beam."""

    def halves(pointers: Any, columns: Any, count: int) -> Any:
        return np.arange(len(pointers) - 1) * count // (len(pointers) - 1)

    monkeypatch.setattr("flexforge.runtime.distributed.share.parts_of", halves)
    spec = model_from_dict(beam(ROUND, 7, loads=[PUSH]))
    places = build_system(spec, build_mesh(spec))
    (whole,) = places.system.bodies
    nothing = np.zeros((places.system.size, 3))
    seen: set[int] = set()
    for share in shares(places.system, Loads(spec, places), (nothing, nothing), (), 2):
        (fragment,) = share.fragments
        part = fragment.built(1)
        found, wanted = (
            evaluate(body.kernels["stiffness"], body.graph.cells, body.points, body.values)
            for body in (part, whole)
        )
        np.testing.assert_array_equal(found, wanted[fragment.cells])
        np.testing.assert_array_equal(part.reach[0], whole.reach[0][fragment.cells])
        seen |= {*fragment.cells.tolist()}
    assert seen == {*range(7)}


def test_a_conical_column_buckles() -> None:
    """A slender cone under a force at its thin end, clamped at the other: tan t = -b/x_root.

    With x from the apex EI is proportional to x^4 and the deflection x sin(b (1/x_tip - 1/x)),
    b^2 = P x_tip^4 / EI_tip, t = b (1/x_tip - 1/x_root) (Timoshenko and Gere, Theory of Elastic
    Stability, section 2.14).
    """
    thin = 1e-2
    data = beam({"shape": "round", "diameter": f"{thin}*({CONE})"}, 16)
    data["loads"] = [PUSH | {"total": [-1.0, 0.0, 0.0]}]
    data["analysis"] = {"kind": "buckling", "count": 1}
    found = load_model(data).run(output=None).figures["buckling factor 1"]
    apex = LENGTH * WIDE / (WIDE - NARROW)
    end = apex - LENGTH
    span = 1 / end - 1 / apex
    b = brentq(lambda b: np.sin(b * span) + b / apex * np.cos(b * span), 1.6 / span, 3.1 / span)
    wanted = b**2 * E * inertia(LENGTH) * thin**4 / end**4
    assert found == pytest.approx(wanted, rel=2e-6)


def test_elements_are_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products element by element have every element's own section, however many at once."""
    spec = model_from_dict(beam(ROUND, 5))
    system = build_system(spec, build_mesh(spec)).system
    elastic = [Combination(1.0, np.zeros((3, 3)), np.zeros(0))]
    x = np.random.default_rng(0).standard_normal(system.unknowns)
    monkeypatch.setattr(precise, "_CHUNK", 2 * 12**2)
    found = precise.PreciseStiffness(system, elastic) @ x
    wanted = system.matrix(elastic) @ x
    assert found == pytest.approx(wanted, rel=1e-11, abs=1e-11 * np.abs(wanted).max())
