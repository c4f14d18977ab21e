# SPDX-License-Identifier: BSD-3-Clause
"""Bodies of revolution: closed forms of spinning discs and thick cylinders, mass, frames."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.model.schema_loads import IncludeSpec
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.run import run_model
from flexforge.runtime.statics.rigid import free_motions
from flexforge.runtime.statics.static import solve_static
from flexforge.runtime.system.inertia import spin
from flexforge.runtime.system.loads import Loads
from marks import slow
from models import PLANE, build, model, stressed

YOUNG, NU, RHO = 2e11, 0.3, 7800.0
INNER, OUTER, HEIGHT = 0.1, 0.3, 0.05
#: Their kernels are derived when they are wanted.
QUICK = [slow(cell) if cell in ("tri6", "quad9") else cell for cell in PLANE]


def ring(cell: str, divisions: int = 8, **tables):
    """Return a model of a ring of rectangular section."""
    inner, height = tables.pop("inner", INNER), tables.pop("height", HEIGHT)
    corners = [[inner, 0], [OUTER, 0], [OUTER, height], [inner, height]]
    body = {"hypothesis": "axisymmetric", "thickness": None} | tables.pop("body", {})
    return model(cell, [divisions, 2], corners=corners, body=body, **tables)


def solve(spec):
    """Return the body and its equilibrium."""
    places = stressed(spec)
    found = solve_static(places.system, Loads(spec, places), 0.0, "auto")
    return places.system.bodies[0], found.displacement


def lame(r: np.ndarray, pressure: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return u, sigma_rr and sigma_tt of a long cylinder, ends held, under inner pressure.

    Timoshenko and Goodier, Theory of Elasticity, section 28, in plane strain.
    """
    factor = pressure * INNER**2 / (OUTER**2 - INNER**2)
    u = (1 + NU) / YOUNG * factor * ((1 - 2 * NU) * r + OUTER**2 / r)
    return u, factor * (1 - OUTER**2 / r**2), factor * (1 + OUTER**2 / r**2)


@pytest.mark.parametrize("cell", [slow(c) if c not in ("tri3", "quad4") else c for c in PLANE])
def test_thick_cylinder_under_pressure(cell: str) -> None:
    """Lame's cylinder: displacement and stresses, ends held along the axis."""
    supports = [{"group": group, "components": ["y"]} for group in ("ymin", "ymax")]
    loads = [{"kind": "pressure", "group": "xmin", "value": 1e6}]
    order = 1 if cell in ("tri3", "quad4") else 2
    divisions = 32 if order == 1 else 12
    body, u = solve(ring(cell, divisions, supports=supports, loads=loads))
    r = body.points[:, 0]
    exact, radial, hoop = lame(r, 1e6)
    # Errors of h^2 and h^3 or h^4 in the displacement, of one order less in the stress.
    assert np.abs(u[:, 0] - exact).max() < (1e-2 if order == 1 else 5e-4) * exact.max()
    stress = body.stress(u)
    share = 0.15 if order == 1 else 0.02
    assert np.abs(stress[:, 0] - radial).max() < share * hoop.max()
    assert np.abs(stress[:, 2] - hoop).max() < share * hoop.max()
    assert np.abs(stress[:, 1] - NU * (radial + hoop)).max() < share * hoop.max()


@pytest.mark.parametrize("cell", QUICK)
def test_spinning_annulus(cell: str) -> None:
    """A thin annulus that spins: radial displacement of plane stress in closed form.

    Timoshenko and Goodier, section 32: sigma_r, sigma_t of a disc with a hole; u = r (sigma_t -
    nu sigma_r) / E. Without centrifugal and geometric stiffness, which that theory leaves out.
    """
    speed, height = 800.0, 0.002
    body, u = solve(
        ring(
            cell,
            24 if cell in ("tri3", "quad4") else 10,
            height=height,
            body={"frame": {"velocity": speed, "axis": [0, 1, 0]}},
            supports=[{"group": "corner1", "components": ["y"]}],
            include={"centrifugal_stiffness": False, "geometric": False},
        )
    )
    r, a, b = body.points[:, 0], INNER, OUTER
    base = (3 + NU) / 8 * RHO * speed**2
    radial = base * (b * b + a * a - a * a * b * b / r**2 - r**2)
    hoop = base * (b * b + a * a + a * a * b * b / r**2 - (1 + 3 * NU) / (3 + NU) * r**2)
    exact = r * (hoop - NU * radial) / YOUNG
    assert np.abs(u[:, 0] - exact).max() < 5e-3 * exact.max()
    stress = body.stress(u)
    assert np.abs(stress[:, 2] - hoop).max() < 0.08 * hoop.max()


def test_solid_disc_with_its_axis() -> None:
    """A disc without a hole: nodes on the axis stay on it; u of the rim in closed form."""
    speed = 500.0
    body, u = solve(
        ring(
            "quad8",
            12,
            inner=0.0,
            height=0.002,
            body={"frame": {"velocity": speed, "axis": [0, 1, 0]}},
            supports=[{"group": "corner1", "components": ["y"]}],
            include={"centrifugal_stiffness": False, "geometric": False},
        )
    )
    axis, rim = body.points[:, 0] == 0, np.isclose(body.points[:, 0], OUTER)
    assert axis.sum() > 2 and not u[axis, 0].any()
    # Timoshenko and Goodier, section 32: u(b) = rho w^2 b^3 (1 - nu) / (4 E)
    exact = RHO * speed**2 * OUTER**3 * (1 - NU) / (4 * YOUNG)
    assert u[rim, 0] == pytest.approx(exact, rel=2e-4)


def thin_ring(cell: str, speed: float, **tables):
    """Return a ring of radius 1 that breathes and spins, E / rho = 25e6, without Poisson's ratio.

    Its forces and its energy for a unit of volume: V = E e^2 / 2 with e = u / R + (u / R)^2 / 2 and
    T = rho (u'^2 + w^2 (R + u)^2) / 2. At rest in the frame E e (1 + u / R) / R = rho w^2 (R + u),
    so that the hoop stress is rho w^2 R^2, and to the first order in u / R the stiffness of a small
    motion is E / R^2 + rho w^2 - rho w^2: what the stress stiffens the rotation takes away, and the
    frequency is sqrt(E / rho) / R at any speed. Without the geometric part it is less by w^2.
    """
    corners = [[0.999, 0], [1.001, 0], [1.001, 0.002], [0.999, 0.002]]
    return model(
        cell, [1, 1], corners=corners,
        body={"hypothesis": "axisymmetric", "thickness": None,
              "frame": {"velocity": speed, "axis": [0, 1, 0]}},
        materials={"steel": {"young": 2e11, "poisson": 0.0, "density": 8000.0}},
        supports=[{"group": "all", "components": ["y"]}], **tables,
    )  # fmt: skip


@pytest.mark.parametrize("cell", QUICK)
@pytest.mark.parametrize("speed", [0.0, 400.0, 1000.0])
def test_a_spinning_ring_breathes_as_one_at_rest(cell: str, speed: float, tmp_path: Path) -> None:
    """The frequency of :func:`thin_ring`, 5000 rad/s at any speed; without k_geo less by w^2."""
    figures = []
    for include in ({}, {"geometric": False}):
        spec = thin_ring(cell, speed, include=include, analysis={"kind": "modes", "count": 1})
        found = run_model(spec, output=tmp_path).figures["mode 1"][0]
        figures.append(2 * np.pi * found)
    assert figures[0] == pytest.approx(5000.0, rel=2e-6)
    assert figures[1] == pytest.approx(np.sqrt(5000.0**2 - speed**2), rel=2e-6)


@pytest.mark.parametrize("cell", ["tri3", "quad8"])
def test_equilibrium_of_a_spinning_ring(cell: str) -> None:
    """u = rho w^2 R^3 / E with the stress that stiffens, a frame that turns at w = 1000 / s.

    Without it (E / R^2 - rho w^2) u = rho w^2 R.
    """
    for include, expected in (({}, 0.04), ({"geometric": False}, 0.04 / 0.96)):
        _, u = solve(thin_ring(cell, 1000.0, include=include))
        assert u[:, 0].mean() == pytest.approx(expected, rel=2e-5)


@pytest.mark.parametrize("strain", [0.0, 0.01, -0.002])
def test_a_cylinder_under_axial_force(strain: float, tmp_path: Path) -> None:
    """rho w^2 = E t^2 k^4 / 12 + E / R^2 + sigma k^2, thin, nu = 0, k = (2 i - 1) pi / (2 L).

    Donnell's equation of axisymmetric motion; at sigma = - E t / (R sqrt(3)), Timoshenko's load of
    buckling, its least value over k is zero. A plane of symmetry at y = 0, an end held radially.
    """
    young, density, thick, length = 2e11, 8000.0, 0.01, 0.5
    half = thick / 2
    corners = [[1 - half, 0], [1 + half, 0], [1 + half, length], [1 - half, length]]
    force = strain * young * 2 * np.pi * thick
    spec = model(
        "quad8", [1, 24], corners=corners,
        body={"hypothesis": "axisymmetric", "thickness": None},
        materials={"steel": {"young": young, "poisson": 0.0, "density": density}},
        supports=[{"group": "ymin", "components": ["y"]}, {"group": "ymax", "components": ["x"]}],
        loads=[{"kind": "force", "group": "ymax", "total": [0.0, force, 0.0]}] if force else [],
        analysis={"kind": "modes", "count": 2},
    )  # fmt: skip
    figures = run_model(spec, output=tmp_path).figures
    found = [figures[f"mode {i}"][0] for i in (1, 2)]
    k = np.array([1, 3, 5]) * np.pi / (2 * length)
    squares = young / density * (thick**2 / 12 * k**4 + 1 + strain * k**2)
    assert found == pytest.approx(np.sort(np.sqrt(squares))[:2] / (2 * np.pi), rel=2e-3)


@pytest.mark.parametrize("cell", QUICK)
def test_mass_of_a_ring(cell: str) -> None:
    """The whole ring is weighed, rho pi (b^2 - a^2) h; pressure acts on all of its bore."""
    spec = ring(cell, 2, loads=[{"kind": "pressure", "group": "xmin", "value": 3.0}])
    places = build(spec)
    body = places.system.bodies[0]
    assert body.total_mass == pytest.approx(RHO * np.pi * (OUTER**2 - INNER**2) * HEIGHT, rel=1e-12)
    states = places.system.frames(0.0)
    still = [spin(one, IncludeSpec(), np.zeros((9, 0)), 2) for one in states]
    force = Loads(spec, places).at(0.0, still).sum(axis=0)
    assert force == pytest.approx([3.0 * 2 * np.pi * INNER * HEIGHT, 0.0], rel=1e-12, abs=1e-12)


def test_only_a_shift_along_the_axis_is_free() -> None:
    """A ring that nothing holds has one rigid motion; rotations and shifts across stretch it."""
    assert free_motions(build(ring("quad4")).system) == [("block", ["translation along y"])]


def test_inertia_of_the_runtime_is_the_derived_one() -> None:
    """k_omega: -w^2 on u_r and nothing on u_z, as derived; neither Coriolis nor Euler forces."""
    zero = np.zeros(3)
    w, e = np.array([0.0, 2.0, 0.0]), np.array([0.0, 3.0, 0.0])
    frame = FrameState(w, e, zero, zero, np.eye(3), zero)
    found = spin(frame, IncludeSpec(), np.zeros((9, 0)), 2)
    assert np.array_equal(found.stiffness, np.diag([-4.0, 0.0]))
    assert not found.coriolis.any()


@pytest.mark.parametrize("reduction", [None, {"method": "modal", "modes": 4, "static": False}])
def test_a_thin_ring_breathes_in_native_steps(reduction: dict | None, tmp_path: Path) -> None:
    """A ring at speed from rest: u = u0 (1 - cos(c t / r)), u0 = rho w^2 r^3 / E, c^2 = E / rho.

    Without lateral contraction nothing pulls it along the axis. Small systems are stepped in C,
    and so are reduced ones.
    """
    speed, radius = 100.0, OUTER
    period = 2 * np.pi * radius / np.sqrt(YOUNG / RHO)
    tables = {
        "materials": {"steel": {"young": YOUNG, "poisson": 0.0, "density": RHO}},
        "supports": [{"group": "corner1", "components": ["y"]}],
        "analysis": {"kind": "transient", "duration": period / 2, "steps": 200,
                     "method": "newmark"},
        "probes": [{"name": axis, "group": "xmax", "component": axis} for axis in "xy"],
        "output": {"formats": ["csv"]},
        **({} if reduction is None else {"reduction": reduction}),
    }  # fmt: skip
    body = {"frame": {"axis": [0, 1, 0], "velocity": speed}}
    spec = ring("quad4", 1, inner=0.999 * radius, height=0.001 * radius, body=body, **tables)
    figures = run_model(spec, output=tmp_path).figures
    assert figures["solver"].startswith("native")
    wanted = 2.0 * RHO * speed**2 * radius**3 / YOUNG
    assert figures["x, at the end"][0] == pytest.approx(wanted, rel=3e-3)
    assert abs(figures["y, peak"][0]) < 1e-9 * wanted


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({"body": {"frame": {"velocity": 1.0}}}, "expected axis .0, 1, 0."),
        ({"body": {"thickness": 0.1}}, "thickness: found one for a body of revolution"),
        ({"inner": -0.1}, "has x = -0.1; expected the section .* at x >= 0"),
        ({"loads": [{"kind": "gravity", "acceleration": [1.0, 0, 0]}]}, "gravity along the axis"),
    ],
)
def test_what_has_no_symmetry_is_refused(tables: dict, words: str) -> None:
    """Frames that turn about another axis, thicknesses and sections across the axis: one line."""
    with pytest.raises(InputError, match=words) as caught:
        build(ring("quad4", **tables))
    assert "\n" not in str(caught.value)


def test_a_link_does_not_carry_a_ring() -> None:
    """Links of planar models turn about z, and sections of revolution about y."""
    pin = {"name": "pin", "kind": "revolute", "links": ["ground", "arm"],
           "at": [[INNER, 0, 0], "corner1"]}  # fmt: skip
    spec = ring("quad4", body={"frame": "arm"}, links=[{"name": "arm"}], joints=[pin],
                supports=[], loads=[],
                analysis={"kind": "transient", "duration": 1.0, "steps": 2})  # fmt: skip
    with pytest.raises(InputError, match="found link 'arm' with a body of revolution"):
        build(spec)
