# SPDX-License-Identifier: BSD-3-Clause
"""Changes of temperature: free and held bodies, a bimetal, a heated beam that loses frequency."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from flexforge.runtime.statics.static import solve_static
from flexforge.runtime.system.loads import Loads
from marks import slow
from models import DISTORTED, PLANE, STEEL, build, model

ALPHA, WARMER = 1.2e-5, 80.0
HOT = STEEL | {"expansion": ALPHA}
UNIFORM = [{"kind": "temperature", "change": WARMER}]
FIBRES = {
    "density": 1600.0,
    "orthotropic": {"E1": 40e9, "E2": 10e9, "E3": 8e9, "nu12": 0.3, "nu13": 0.25, "nu23": 0.35,
                    "G12": 5e9, "G13": 4e9, "G23": 3e9},
    "orientation": {"axis": [0, 0, 1], "angle": 0.6},
    "expansion": [-1e-6, 3e-5, 4e-5],
}  # fmt: skip


def _heated(cell: str, material: dict[str, Any], **tables: Any):
    spec = model(cell, materials={"steel": material}, loads=UNIFORM, **tables)
    places = build(spec)
    return spec, places, Loads(spec, places)


@pytest.mark.parametrize(
    ("cell", "body", "material"),
    [
        ("tri6", {}, HOT),
        ("quad4", {"hypothesis": "plane_strain"}, HOT),
        slow("quad4", {"element": "quad4s", "hypothesis": "plane_strain"}, HOT),
        slow("quad4", {"element": "quad4i"}, FIBRES),
        ("quad4", {"hypothesis": "axisymmetric", "thickness": None}, HOT),
        slow("hex8", {}, FIBRES),
        slow("hex8", {"element": "hex8i"}, HOT),
        slow("hex8", {"element": "hex8s"}, HOT),
    ],
)
def test_free_expansion_makes_no_stress(cell: str, body: dict, material: dict) -> None:
    """u = eps_0 x balances the thermal load, and neither stress nor geometric stiffness is left.

    In plane strain the strain out of the plane is held: sigma_zz = - E alpha T alone.
    """
    corners = {} if cell in PLANE else {"corners": DISTORTED}
    _, places, loads = _heated(cell, material, body=body, **corners)
    one = places.system.bodies[0]
    d = one.dimension
    strain = WARMER * np.array(
        [one.values[f"expansion{k + 1}"] for k in range(len(one.law.expansion))]
    )
    shears = {2: [(0, 1)], 3: [(1, 2), (0, 2), (0, 1)]}[d]
    gradient = np.diag(strain[:d])
    for k, (i, j) in enumerate(shears):
        gradient[i, j] = gradient[j, i] = strain[d + k] / 2
    u = one.points @ gradient
    force = loads.nodal[0].force
    balance = places.system.bodies[0].apply(_elastic(d), u) - force
    assert np.abs(balance).max() <= 1e-12 * np.abs(force).max()
    temperature = loads.temperature(one.name, 0.0)
    scale = np.abs(one.stress(u)).max()
    stress = one.stress(u, temperature)
    if body.get("hypothesis") == "plane_strain":
        np.testing.assert_allclose(stress[:, 2], -2e11 * ALPHA * WARMER, rtol=1e-11)
        stress = np.delete(stress, 2, axis=1)
    assert np.abs(stress).max() <= 1e-12 * scale
    if "geometric" in one.kernels:
        whole = np.abs(one.prestress(u)).max()
        assert np.abs(one.prestress(u, temperature)).max() <= 1e-12 * whole


def _elastic(d: int):
    from flexforge.runtime.system.body import Combination

    return Combination(1.0, np.zeros((d, d)), np.zeros(0))


@pytest.mark.parametrize("cell", ["quad4", "hex8", "tet4"])
def test_a_bar_between_walls(cell: str) -> None:
    """Held along x, free across: sigma_xx = - E alpha T and nothing else, at the reactions too."""
    plane = cell in PLANE
    sides = [{"group": "xmin", "components": ["x"]}, {"group": "xmax", "components": ["x"]},
             {"group": "ymin", "components": ["y"]}]  # fmt: skip
    sides += [] if plane else [{"group": "zmin", "components": ["z"]}]
    spec, places, loads = _heated(cell, HOT, supports=sides)
    found = solve_static(places.system, loads, 0.0, "auto")
    body = places.system.bodies[0]
    stress = body.stress(found.displacement, loads.temperature(body.name, 0.0))
    expected = -2e11 * ALPHA * WARMER
    np.testing.assert_allclose(stress[:, 0], expected, rtol=1e-10)
    assert np.abs(stress[:, 1:]).max() <= 1e-10 * abs(expected)
    wall = found.reaction[body.points[:, 0] == 0, 0].sum()
    assert wall == pytest.approx(-expected * (0.1 if plane else 1.0), rel=1e-9)


def test_a_linear_temperature_bends_without_stress() -> None:
    """A strip that is warmer above bends to the curvature alpha T' and stays free of stress.

    Timoshenko and Goodier, Theory of Elasticity, section 149: linear temperatures make no stress.
    """
    rise = 3000.0
    spec = model(
        "quad8", [6, 2], materials={"steel": HOT},
        corners=[[0, 0], [1, 0], [1, 0.1], [0, 0.1]],
        supports=[{"group": "corner1"}, {"group": "corner4", "components": ["x"]}],
        loads=[{"kind": "temperature", "change": f"{rise}*y"}],
    )  # fmt: skip
    places = build(spec)
    loads = Loads(spec, places)
    found = solve_static(places.system, loads, 0.0, "auto")
    body = places.system.bodies[0]
    stress = body.stress(found.displacement, loads.temperature(body.name, 0.0))
    assert np.abs(stress).max() <= 1e-8 * 2e11 * ALPHA * rise * 0.1
    tip = found.displacement[places.mesh.select("corner2").nodes[0], 1]
    assert tip == pytest.approx(-ALPHA * rise / 2, rel=1e-8)


def _strip(path: Path, length: float, layers: tuple[float, float], count: int) -> Path:
    """Write a strip of two layers of quad8, each a group and two cells high."""
    heights = np.concatenate([np.linspace(0, layers[0], 5),
                              layers[0] + np.linspace(0, layers[1], 5)[1:]])  # fmt: skip
    lines, rows = ["*NODE"], len(heights)
    for i, x in enumerate(np.linspace(0, length, 2 * count + 1)):
        for j, y in enumerate(heights):
            if i % 2 == 0 or j % 2 == 0:
                lines.append(f"{1 + i * rows + j}, {x}, {y}, 0.0")
    for layer, name in enumerate(("lower", "upper")):
        lines.append(f"*ELEMENT, TYPE=CPS8, ELSET={name}")
        for i in range(count):
            for j in (2 * layer, 2 * layer + 1):
                at = lambda a, b, i=i, j=j: 1 + (2 * i + a) * rows + 2 * j + b  # noqa: E731
                around = ((0, 0), (2, 0), (2, 2), (0, 2), (1, 0), (2, 1), (1, 2), (0, 1))
                number = 1 + 4 * i + j
                lines.append(f"{number}, " + ", ".join(str(at(*place)) for place in around))
    lines += ["*NSET, NSET=corner", "1", "*NSET, NSET=end"]
    lines += [str(1 + j) for j in range(0, rows, 2)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_bimetal_bends(tmp_path: Path) -> None:
    """Curvature of Timoshenko's bimetal (Journal of the Optical Society of America 11, 1925).

    kappa = 6 (a2 - a1) T (1 + m)^2 / (h (3 (1 + m)^2 + (1 + m n)(m^2 + 1 / (m n)))), with the
    ratios m = t1/t2 of the thicknesses and n = E1/E2; from the displacements of the middle, away
    from the free ends.
    """
    t1, t2, length, count = 0.01, 0.02, 0.6, 24
    mesh = _strip(tmp_path / "strip.inp", length, (t1, t2), count)
    invar = {"young": 1.4e11, "poisson": 0.29, "density": 8100.0, "expansion": 1.2e-6}
    brass = {"young": 1.0e11, "poisson": 0.29, "density": 8500.0, "expansion": 1.9e-5}
    common = {"element": "quad8", "thickness": 0.001}
    spec = model_from_dict({
        "mesh": {"file": str(mesh)},
        "materials": {"invar": invar, "brass": brass},
        "bodies": [{"name": "lower", "cells": "lower", "material": "invar"} | common,
                   {"name": "upper", "cells": "upper", "material": "brass"} | common],
        "supports": [{"group": "corner"}, {"group": "end", "components": ["x"]}],
        "loads": UNIFORM,
        "analysis": {"kind": "static"},
    })  # fmt: skip
    places = build(spec)
    found = solve_static(places.system, Loads(spec, places), 0.0, "auto").displacement
    lower = places.system.bodies[0]
    bottom = np.abs(lower.points[:, 1]) < 1e-12
    x, v = lower.points[bottom, 0], found[lower.nodes[bottom], 1]
    middle = (x > 0.2 * length) & (x < 0.8 * length)
    curvature = 2 * np.polyfit(x[middle], v[middle], 2)[0]
    m, n = t1 / t2, 1.4 / 1.0
    expected = -6 * (1.9e-5 - 1.2e-6) * WARMER * (1 + m) ** 2
    expected /= (t1 + t2) * (3 * (1 + m) ** 2 + (1 + m * n) * (m**2 + 1 / (m * n)))
    assert curvature == pytest.approx(expected, rel=2e-3)


def _beam(change: float, element: str = "euler_beam_plane", **tables: Any):
    section = {"shape": "rectangle", "width": 0.004, "height": 0.002}
    data = {
        "mesh": {"block": {"cell": "line2", "corners": [[0.0, 0.0], [1.0, 0.0]],
                           "divisions": [12]}},
        "materials": {"steel": HOT},
        "bodies": [{"name": "rod", "element": element, "material": "steel", "section": section}],
        "supports": [{"group": "xmin", "components": ["x", "y"]},
                     {"group": "xmax", "components": ["x", "y"]}],
        "loads": [{"kind": "temperature", "change": change}],
        "analysis": {"kind": "modes", "count": 1},
        "output": {"formats": ["csv"]},
    }  # fmt: skip
    return model_from_dict(data | tables)


def test_a_heated_beam_loses_frequency(tmp_path: Path) -> None:
    """Pinned between walls: f = f_0 sqrt(1 - P / P_cr), P = E A alpha T, P_cr = pi^2 E I / L^2.

    Weaver, Timoshenko and Young, Vibration Problems in Engineering, section 5.11.
    """
    buckling = np.pi**2 * 0.004**2 / 12 / ALPHA  # T at which P = P_cr
    warm = run_model(_beam(0.6 * buckling), output=tmp_path).figures["mode 1"][0]
    cold = np.pi / 2 * np.sqrt(2e11 * 0.004**2 / 12 / 7800.0)
    assert warm == pytest.approx(cold * np.sqrt(0.4), rel=2e-4)


def test_a_heated_rod(tmp_path: Path) -> None:
    """Free at its end, it grows by alpha T L; held, its supports take E A alpha T."""
    given = {"analysis": {"kind": "static"}, "probes": [
        {"name": "end", "group": "xmax", "component": "x"}]}  # fmt: skip
    loose = [{"group": "xmin"}, {"group": "all", "components": ["y"]}]
    grown = run_model(_beam(50.0, "bar2_plane", supports=loose, **given), output=tmp_path / "a")
    assert grown.figures["end"][0] == pytest.approx(ALPHA * 50.0, rel=1e-12)
    spec = _beam(50.0, "timoshenko_beam_plane", **given)
    places = build(spec)
    found = solve_static(places.system, Loads(spec, places), 0.0, "auto")
    assert found.reaction[0, 0] == pytest.approx(2e11 * 8e-6 * ALPHA * 50.0, rel=1e-9)


def test_a_heated_beam_stays_straight(tmp_path: Path) -> None:
    """Held at one end, a beam grows by alpha T L and does not bend."""
    probes = [{"name": c, "group": "xmax", "component": c} for c in "xy"]
    spec = _beam(50.0, supports=[{"group": "xmin"}], probes=probes, analysis={"kind": "static"})
    found = run_model(spec, output=tmp_path).figures
    assert found["x"][0] == pytest.approx(ALPHA * 50.0, rel=1e-12)
    assert abs(found["y"][0]) < 1e-15


def test_heat_follows_its_amplitude() -> None:
    """The field times the amplitude at a time; two loads add up."""
    spec = model(
        "quad4", materials={"steel": HOT}, supports=[{"group": "xmin"}],
        loads=[{"kind": "temperature", "change": "10*x", "amplitude": "t"},
               {"kind": "temperature", "change": 3.0}],
        analysis={"kind": "static", "time": 2.0},
    )  # fmt: skip
    places = build(spec)
    body, loads = places.system.bodies[0], Loads(spec, places)
    np.testing.assert_allclose(loads.temperature(body.name, 2.0), 20 * body.points[:, 0] + 3)


def test_loads_have_temperatures_of_their_own() -> None:
    """Of two sets of loads on one body each keeps its change: 10 x and 3, and at t the factor."""
    held = {"supports": [{"group": "xmin"}], "materials": {"steel": HOT}}
    changes = ["10*x", 3.0]
    specs = [
        model("quad4", loads=[{"kind": "temperature", "change": one, "amplitude": "1 + t"}], **held)
        for one in changes
    ]
    places = build(specs[0])
    first, second = (Loads(spec, places) for spec in specs)
    x = places.system.bodies[0].points[:, 0]
    np.testing.assert_allclose(first.temperature("block", 1.0), 20.0 * x)
    np.testing.assert_allclose(second.temperature("block", 0.0), 3.0)
    assert Loads(model("quad4", **held), places).temperature("block", 0.0) is None


def test_a_body_without_expansion_is_named() -> None:
    """A temperature needs an expansion; three different ones need axes."""
    spec = model("quad4", loads=UNIFORM, supports=[{"group": "xmin"}])
    with pytest.raises(InputError, match=r"loads\[0\]: body 'block' has no thermal expansion"):
        Loads(spec, build(spec))
    with pytest.raises(InputError, match="expansion: found .* of an isotropic material; expected"):
        model("quad4", materials={"steel": STEEL | {"expansion": [1e-5, 2e-5, 1e-5]}})
