# SPDX-License-Identifier: BSD-3-Clause
"""Shells of large rotations: benchmarks of plates that bend far, tangents, limits of small ones.

Sze, Liu and Lo, "Popular benchmark problems for geometric nonlinear analysis of shells", Finite
Elements in Analysis and Design 40 (2004), print what converged meshes of four-node shells find.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.statics.balance import Balance
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.corotation import Corotation
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.rotation_vectors import composed, matrices
from large import run
from marks import slow

SHELLS = ("mitc4", "dkt3", slow("dkt3d"))


def strip(element: str, count: int, **tables: Any) -> dict[str, Any]:
    """Return a strip of 10 m x 1 m x 0.1 m along x, clamped at its start."""
    cell = "quad4" if element == "mitc4" else "tri3"
    corners = [[0, 0, 0], [10, 0, 0], [10, 1, 0], [0, 1, 0]]
    shell = {"name": "strip", "element": element, "material": "soft", "thickness": 0.1,
             "large_rotations": True}  # fmt: skip
    return {
        "mesh": {"block": {"cell": cell, "corners": corners, "divisions": [count, 1]}},
        "materials": {"soft": {"young": 1.2e6, "poisson": 0.0, "density": 1.0}},
        "bodies": [shell],
        "supports": [{"group": "xmin"}],
        "probes": [{"name": one, "group": "corner2", "component": one} for one in "xyz"],
        "analysis": {"kind": "static"},
        "output": {"formats": ["csv"]},
    } | tables


@pytest.mark.parametrize("element", SHELLS)
def test_a_cantilever_bends_under_a_force_at_its_end(element: str, tmp_path: Path) -> None:
    """Sze, Liu and Lo, table 1: 4 N, the tip goes up by 6.698 m and back by 3.286 m."""
    loads = [{"kind": "force", "group": "xmax", "total": [0, 0, 4.0]}]
    found = run(strip(element, 32, loads=loads), tmp_path / "results")
    assert float(found.probes["z"][-1]) == pytest.approx(6.698, abs=4e-3)
    assert float(found.probes["x"][-1]) == pytest.approx(-3.286, abs=4e-3)
    assert "negative eigenvalues at the end" not in found.figures
    # All of its work is kept: that of the force along the path of equilibria.
    work = np.trapezoid(4.0 * np.linspace(0.0, 1.0, 11), found.probes["z"])
    assert found.figures["strain energy"][0] == pytest.approx(float(work), rel=5e-3)


@pytest.mark.parametrize("element", ["mitc4", slow("dkt3d")])
def test_a_moment_rolls_a_strip_up(element: str, tmp_path: Path) -> None:
    """2 pi EI/L is one turn; chords of elements are shorter than arcs, by (pi/20)^2/6 of them."""
    bending = 1.2e6 * 0.1**3 / 12.0
    loads = [{"kind": "moment", "group": "xmax", "total": [0, -2.0 * np.pi * bending / 10.0, 0]}]
    tables = strip(element, 20, loads=loads, analysis={"kind": "static", "load_steps": 12})
    found = run(tables, tmp_path / "results")
    tip = [float(found.probes[one][-1]) for one in "xyz"]
    assert tip == pytest.approx([-10.0, 0.0, 0.0], abs=0.02)
    assert found.figures["strain energy"][0] == pytest.approx(
        (2.0 * np.pi) ** 2 * bending / 20.0, rel=5e-3
    )


@pytest.mark.slow
def test_a_slit_ring_is_lifted(tmp_path: Path) -> None:
    """At 0.8 N/m its slit opens by 13.891 m inside and 17.528 m outside (Sze, Liu and Lo, table 5).

    Theirs is a mesh of as many elements with reduced integration; finer ones end 0.3 % below.
    """
    radial, around, inner, outer = 10, 80, 6.0, 10.0
    radii = np.linspace(inner, outer, radial + 1)
    angles = np.linspace(0.0, 2.0 * np.pi, around + 1)
    places = np.stack(np.meshgrid(radii, angles, indexing="ij"), axis=-1).reshape(-1, 2)
    radius, angle = places.T
    points = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), 0.0 * radius])
    number = np.arange(len(points)).reshape(radial + 1, around + 1)
    cells = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1)
    lifted, clamped = number[:, 0], number[:, -1]
    groups = {"lifted": lifted, "clamped": clamped, "inner": lifted[:1], "outer": lifted[-1:]}
    mesh = ff.mesh_from_arrays(points, {"quad4": cells.reshape(-1, 4)}, groups)
    share = np.full(radial + 1, 0.8 * (outer - inner) / radial)
    share[[0, -1]] *= 0.5
    middle = [{"kind": "force", "group": "lifted", "each": [0, 0, share[1]]}]
    ends = [{"kind": "force", "group": one, "total": [0, 0, share[0] - share[1]]}
            for one in ("inner", "outer")]  # fmt: skip
    tables = strip("mitc4", 1, mesh=mesh, loads=middle + ends)
    tables["materials"] = {"soft": {"young": 21e6, "poisson": 0.0, "density": 1.0}}
    tables["bodies"][0]["thickness"] = 0.03
    tables["supports"] = [{"group": "clamped"}]
    tables["probes"] = [{"name": n, "group": n, "component": "z"} for n in ("inner", "outer")]
    tables["analysis"] = {"kind": "static", "load_steps": 20}
    found = run(tables, tmp_path / "results")
    assert float(found.probes["inner"][-1]) == pytest.approx(13.891, rel=1e-2)
    assert float(found.probes["outer"][-1]) == pytest.approx(17.528, rel=1e-2)


@pytest.mark.parametrize("element", SHELLS)
def test_forces_are_the_gradient_of_the_energy_and_tangents_theirs(element: str) -> None:
    """Of a warped and distorted element, by displacements and spins, against differences."""
    rng, nodes = np.random.default_rng(4), 4 if element == "mitc4" else 3
    rest = np.array([[0, 0, 0], [1, 0, 0], [1.1, 1, 0.1], [0, 0.9, 0]])[:nodes]
    kernel = ff.kernels_of(element, ["stiffness"])
    values = {"young": 1.0, "poisson": 0.3, "thickness": 0.1}
    stiffness = ff.assemble(kernel["stiffness"], rest, np.arange(nodes)[None], **values).toarray()
    moved = rest + 0.3 * rng.standard_normal(rest.shape)
    turns, size = 0.4 * rng.standard_normal(rest.shape), 6 * nodes

    def at(change: np.ndarray) -> Corotation:
        each = change.reshape(nodes, 2, 3)
        places, turned = moved + each[:, 0], composed(turns, each[:, 1])
        return Corotation(rest[None], places[None], turned[None], stiffness[None])

    here, step = at(np.zeros(size)), 1e-3
    slopes, tangent = np.zeros(size), np.zeros((size, size))
    for k, one in enumerate(step * np.eye(size)):
        states = [[at(m * one), at(-m * one)] for m in (1, 2, 3)]
        for weight, (up, down) in zip((45.0, -9.0, 1.0), states, strict=True):
            slopes[k] += weight * (up.energies[0] - down.energies[0]) / (60.0 * step)
            tangent[:, k] += weight * (up.forces - down.forces).ravel() / (60.0 * step)
    assert abs(slopes - here.forces.ravel()).max() < 1e-10 * abs(slopes).max()
    assert abs(tangent - here.tangents[0]).max() < 1e-10 * abs(tangent).max()
    # Nothing changes when everything turns, and a rigid motion costs nothing.
    spin = np.array([1.0, -2.0, 0.7])
    (rotation,) = matrices(spin[None])
    turned = composed(turns, np.tile(spin, (nodes, 1)))
    there = Corotation(rest[None], (moved @ rotation.T)[None], turned[None], stiffness[None])
    assert there.energies[0] == pytest.approx(here.energies[0], rel=1e-12)
    assert there.forces[0] @ rotation == pytest.approx(here.forces[0], abs=1e-12)
    carried = np.tile(spin, (nodes, 1))[None]
    rigid = Corotation(rest[None], (rest @ rotation.T + 1.0)[None], carried, stiffness[None])
    assert abs(rigid.energies[0]) < 1e-28
    still = Corotation(rest[None], rest[None], 0.0 * turns[None], stiffness[None])
    assert abs(still.tangents[0] - stiffness).max() < 1e-13 * abs(stiffness).max()


def test_tangents_of_a_body_are_those_of_its_balance() -> None:
    """Assembled, in a frame that turns, with a pressure that follows."""
    tables = strip("mitc4", 3, loads=[{"kind": "pressure", "group": "all", "value": 2e3}])
    tables["bodies"][0]["frame"] = {"axis": [0.36, 0.48, 0.8], "velocity": "30 + 200*t"}
    spec = model_from_dict(tables)
    places = build_system(spec, build_mesh(spec))
    here, system = Balance(places.system, Loads(spec, places), 0.0), places.system
    q = 0.2 * np.random.default_rng(3).standard_normal(system.unknowns)
    u = here.displacement(q, 0.7)
    tangent, step = here.tangent(here.at(u, 0.7), q, u, 0.7).toarray(), 1e-3
    found = np.zeros_like(tangent)
    for k, one in enumerate(step * np.eye(len(q))):
        for weight, m in ((45.0, 1), (-9.0, 2), (1.0, 3)):
            up, down = (
                here.residual(there, here.displacement(there, 0.7), 0.7)[0]
                for there in (system.moved(q, s * m * one) for s in (1, -1))
            )
            found[:, k] -= weight * (up - down) / (60.0 * step)
    assert abs(tangent - found).max() < 1e-9 * abs(tangent).max()


@pytest.mark.parametrize("element", ["mitc4", slow("dkt3d")])
def test_a_spun_plate_vibrates_as_the_linear_one_with_its_stress(
    element: str, tmp_path: Path
) -> None:
    """Modes about the spun state: tangent of turned elements, or k_geo, k_omega and the rest.

    Stress stiffens an element as a whole, not its own bending: of the second order in its size.
    """
    errors = []
    for divisions in ([12, 4], [24, 8]):
        found = []
        for large in (True, False):
            tables = strip(element, 1, analysis={"kind": "modes", "count": 4})
            corners = [[1, -1, 0], [5, -1, 0], [5, 1, 0], [1, 1, 0]]
            tables["mesh"]["block"] |= {"divisions": divisions, "corners": corners}
            tables["materials"] = {"soft": {"young": 2e11, "poisson": 0.3, "density": 7800.0}}
            frame = {"axis": [0, 0, 1], "velocity": 20.0}
            tables["bodies"][0] |= {"thickness": 0.03, "large_rotations": large, "frame": frame}
            figures = run(tables, tmp_path / f"{large}_{divisions[0]}").figures
            found.append([figures[f"mode {k + 1}"][0] for k in range(4)])
        errors.append(abs(np.divide(*found) - 1.0).max())
    assert errors[0] < 8e-3
    assert errors[1] < errors[0] / 3.0


def test_it_is_for_shells(tmp_path: Path) -> None:
    """Other elements are refused by key, and what bends too far is named."""
    tables = strip("mitc4", 2)
    tables["bodies"][0]["element"] = "quad4"
    with pytest.raises(InputError, match="large_rotations: found true for element quad4"):
        run(tables, tmp_path / "results")
