# SPDX-License-Identifier: BSD-3-Clause
"""Natural vibrations: closed forms, dense against sparse, gyroscopic pairs, zero frequencies."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.system.body import Combination
from flexforge.runtime.vibration import lanczos, quadratic, undamped
from flexforge.runtime.vibration.modes import NotConvergedError, solve_modes
from models import ALL, CASES, PLANE, build, model, stressed
from scipy.linalg import eig

BEAM = [[x, y, z] for z in (0, 0.05) for x, y in ((0, 0), (1, 0), (1, 0.04), (0, 0.04))]


def beam(motion: float | dict = 0.0, cells: tuple[int, ...] = (10, 2, 2), **tables):
    """Return the system of a clamped beam of hex8 that may turn about z, or as a frame says."""
    frame = motion if isinstance(motion, dict) else {"velocity": motion}
    spec = model(
        "hex8",
        list(cells),
        corners=BEAM,
        body={"frame": frame},
        supports=[{"group": "xmin"}],
        analysis={"kind": "modes"},
        **tables,
    )
    return stressed(spec).system


def test_bar_frequencies() -> None:
    """Axial modes of a clamped bar: (2 i - 1) / 4 c / L with c = sqrt(E / rho), nu = 0."""
    spec = model(
        "quad8",
        [20, 1],
        corners=[[0, 0], [1, 0], [1, 0.05], [0, 0.05]],
        materials={"steel": {"young": 2e11, "poisson": 0.0, "density": 8000.0}},
        supports=[{"group": "xmin"}, {"group": "all", "components": ["y"]}],
        analysis={"kind": "modes"},
    )
    found = solve_modes(build(spec).system, 3, None, 0.0, "auto")
    expected = (2 * np.arange(1, 4) - 1) / 4 * np.sqrt(2e11 / 8000)
    assert np.allclose(found.frequencies, expected, rtol=1e-4)


@pytest.mark.parametrize("cell", ALL)
def test_free_bodies_have_exactly_the_rigid_zeros(cell: str) -> None:
    """physics.md 4.6: 3 or 6 zero frequencies, and the next one far above."""
    system = build(model(cell, analysis={"kind": "modes"})).system
    zero = 3 if cell in PLANE else 6
    found = solve_modes(system, zero + 1, None, 0.0, "auto")
    assert not found.frequencies[:zero].any()
    assert found.frequencies[zero] > 100.0


@pytest.mark.parametrize("speed", [0.0, 120.0])
def test_sparse_and_dense_agree(speed: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shift-invert iterations find the lowest modes that a dense solver finds, turning or not."""
    system = beam(speed)
    monkeypatch.setattr(quadratic, "DENSE", 10)
    sparse = solve_modes(system, 6, None, 0.0, "auto")
    monkeypatch.setattr(quadratic, "DENSE", 10**6)
    dense = solve_modes(system, 6, None, 0.0, "auto")
    assert np.allclose(sparse.frequencies, dense.frequencies, rtol=1e-9)
    assert sparse.gyroscopic == dense.gyroscopic == bool(speed)


def test_modes_are_normalised_and_satisfy_their_equation() -> None:
    """phi.m phi = 1 and k phi = omega^2 m phi."""
    system = beam()
    found = solve_modes(system, 4, None, 0.0, "auto")
    for frequency, shape in zip(found.frequencies, found.shapes, strict=True):
        inertia = system.mass_times(shape)
        assert float(np.sum(shape * inertia)) == pytest.approx(1.0, rel=1e-9)
        elastic = system.apply([Combination(1.0, np.zeros((3, 3)), np.zeros(0))], shape)
        left = system.restrict(elastic)
        right = system.restrict((2 * np.pi * frequency) ** 2 * inertia)
        assert np.linalg.norm(left - right) <= 1e-6 * np.linalg.norm(left)


def test_a_shift_finds_the_modes_near_it() -> None:
    """The modes nearest to a frequency are those of the full spectrum nearest to it."""
    system = beam()
    all_of_them = solve_modes(system, 12, None, 0.0, "auto").frequencies
    target = 0.5 * (all_of_them[5] + all_of_them[6]) + 1.0
    near = solve_modes(system, 2, target, 0.0, "auto").frequencies
    expected = np.sort(all_of_them[np.argsort(np.abs(all_of_them - target))[:2]])
    assert np.allclose(near, expected, rtol=1e-8)


def by_qz(system, factor: float = 1e3) -> np.ndarray:
    """Return all eigenvalues of the quadratic problem by a dense, general solver (QZ)."""
    spins = system.spins(0.0)
    elastic = [Combination(1.0, spin.stiffness, spin.prestress) for spin in spins]
    nothing = np.zeros(0)
    viscous = [
        Combination(body.beta, spin.coriolis + body.alpha * np.eye(3), nothing)
        for body, spin in zip(system.bodies, spins, strict=True)
    ]
    mass = [Combination(0.0, np.eye(3), nothing)] * len(spins)
    k, c, m = (system.matrix(one).toarray() for one in (elastic, viscous, mass))
    one, zero = np.eye(len(k)), np.zeros_like(k)
    left = np.block([[-c * factor, -m * factor**2], [one, zero]])
    return factor / eig(left, np.block([[k, zero], [zero, one]]), right=False)


def plate(tilt: float, motion: dict, **material):
    """Return the system of a clamped plate of mitc4, turned about x."""
    c, s = np.cos(tilt), np.sin(tilt)
    corners = [[0, 0, 0], [1, 0, 0], [1, 0.2 * c, 0.2 * s], [0, 0.2 * c, 0.2 * s]]
    spec = model_from_dict({
        "mesh": {"block": {"cell": "quad4", "corners": corners, "divisions": [4, 2]}},
        "materials": {"steel": STEEL | material},
        "bodies": [{"name": "plate", "element": "mitc4", "material": "steel", "thickness": 0.002,
                    "frame": motion}],
        "supports": [{"group": "xmin"}],
        "analysis": {"kind": "modes"},
    })  # fmt: skip
    return stressed(spec).system


@pytest.mark.parametrize("damping", [{}, {"damping": {"alpha": 5.0, "beta": 1e-5}}])
@pytest.mark.parametrize("tilt", [0.0, 0.7, 1e-5])
def test_motions_without_inertia_have_no_frequency(tilt: float, damping: dict) -> None:
    """Of a turning flat plate, solved whole, what QZ finds; its infinite values are left out.

    A tilt leaves round-off of an inertia about the normal, which must not turn into a frequency.
    """
    system = plate(tilt, {"velocity": [2.0, 3.0, 20.0]}, **damping)
    with np.errstate(divide="ignore", invalid="ignore"):
        known = by_qz(system)
    count = 60
    found = solve_modes(system, count, None, 0.0, "auto").values
    assert system.unknowns - 12 == count, "free nodes that turn about their normals"
    for value in found[:20]:
        assert np.nanmin(np.abs(known - value)) <= 1e-6 * abs(value)
    assert len(found) <= count and np.abs(found).max() < 1e8


SMALL = (10, 1, 1)
STEEL = {"young": 2e11, "poisson": 0.3, "density": 7800.0}
DAMPED = {"materials": {"steel": STEEL | {"damping": {"alpha": 5.0, "beta": 1e-5}}}}
TURNING = {
    "steady": ({"velocity": 120.0}, {}),
    "tumbling": ({"velocity": [100.0, 200.0, 50.0]}, {}),
    "spinning up": ({"acceleration": 3e4, "velocity0": 100.0}, {}),
    "damped": ({"velocity": 120.0}, DAMPED),
    "unstable": ({"velocity": 3000.0}, {"include": {"geometric": False}}),
}


@pytest.mark.parametrize("shift", [None, 300.0])
@pytest.mark.parametrize("motion", TURNING)
def test_krylov_finds_what_qz_finds(
    motion: str, shift: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The eigenvalues nearest to the shift are those of a dense QZ decomposition, to 1e-8.

    QZ itself is off by up to 1e-9 here: it computes the lowest with the round-off of the highest.
    """
    frame, tables = TURNING[motion]
    system = beam(frame, (10, 2, 2) if motion == "steady" else SMALL, **tables)
    known = by_qz(system)
    monkeypatch.setattr(quadratic, "DENSE", 10)
    found = solve_modes(system, 6, shift, 0.0, "auto")
    for value in found.values:
        assert np.abs(known - value).min() <= 1e-8 * abs(value)
    # None is left out, be it a vibration or a growth.
    target = 2j * np.pi * (shift or 0.0)
    radius = np.abs(found.values - target).max()
    upper = known[(known.imag > 1.0) | (np.abs(known.imag) <= 1.0) & (known.real > 1.0)]
    assert int(np.sum(np.abs(upper - target) <= 1.0001 * radius)) == 6


@pytest.mark.parametrize("shift", [None, 300.0])
def test_any_solver_will_do(shift: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """SciPy's factors, real and of twice the size, give the modes that all eigenvalues give."""
    system = beam(120.0, SMALL)
    known = solve_modes(system, 4, shift, 0.0, "scipy").frequencies
    monkeypatch.setattr(quadratic, "DENSE", 10)
    found = solve_modes(system, 4, shift, 0.0, "scipy").frequencies
    assert np.allclose(found, known, rtol=1e-9)


def test_too_small_a_space_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where eigenvalues do not converge, the error says how many have, and what to do."""
    monkeypatch.setattr(quadratic, "DENSE", 10)
    monkeypatch.setattr(quadratic, "_LARGEST_SPACE", -25)
    with pytest.raises(AnalysisError, match=r"modes: 0 of 3 eigenvalues have converged in a"):
        solve_modes(beam(120.0, SMALL), 3, None, 0.0, "auto")


def test_free_turning_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    """A free body seen from a turning frame drifts at W: two translations, and one along the axis.

    Its k is singular, and both roots at W are double, which round-off parts by its root.
    """
    spec = model("hex8", list(SMALL), corners=BEAM, body={"frame": {"velocity": 120.0}})
    system = build(spec).system
    monkeypatch.setattr(quadratic, "DENSE", 10)
    found = solve_modes(system, 9, None, 0.0, "auto")
    at_speed = np.abs(2 * np.pi * found.frequencies - 120.0) < 0.01
    assert np.sum(at_speed) == 2
    assert not found.growth[at_speed].any()
    known = by_qz(system)
    elastic = found.values[found.frequencies > 100.0]
    assert len(elastic) >= 2
    assert all(np.abs(known - value).min() <= 1e-8 * abs(value) for value in elastic)


def test_damping_is_that_of_rayleigh() -> None:
    """At rest lambda = -a + i sqrt(w^2 - a^2) with a = (alpha + beta w^2) / 2 on any mesh."""
    undamped = 2 * np.pi * solve_modes(beam(0.0, SMALL), 4, None, 0.0, "auto").frequencies
    found = solve_modes(beam(0.0, SMALL, **DAMPED), 4, None, 0.0, "auto")
    decay = 0.5 * (5.0 + 1e-5 * undamped**2)
    assert np.allclose(found.growth, -decay, rtol=1e-8)
    assert np.allclose(found.damping, decay / undamped, rtol=1e-8)
    assert np.allclose(2 * np.pi * found.frequencies, np.sqrt(undamped**2 - decay**2), rtol=1e-9)


def test_stable_gyroscopic_modes_have_no_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs are exact: the growth of a stable vibration is 0, not round-off, dense or not."""
    for most in (10, 10**6):
        monkeypatch.setattr(quadratic, "DENSE", most)
        found = solve_modes(beam(120.0, SMALL), 6, None, 0.0, "auto")
        assert not found.growth.any()
        assert not found.damping.any()


def test_rotation_stiffens_flapping() -> None:
    """Southwell: the flap frequency of a rotating cantilever grows with the speed (k_geo).

    Euler-Bernoulli, hub radius 0, gamma = 5 (CASES M7): flap 1 is 6.44954 / 3.51602 of that at
    rest; a slender mesh of solids gives the ratio within 2 %.
    """
    at_rest = solve_modes(beam(), 4, None, 0.0, "auto")
    flap = [
        i for i, s in enumerate(at_rest.shapes) if np.abs(s[:, 2]).max() > 5 * np.abs(s[:, 1]).max()
    ]
    first = at_rest.frequencies[flap[0]]
    speed = 5.0 / 3.51602 * 2 * np.pi * first  # gamma = W L^2 sqrt(rho A / E I)
    turning = solve_modes(beam(speed), 4, None, 0.0, "auto")
    ratio = turning.frequencies / first
    assert np.min(np.abs(ratio - 6.44954 / 3.51602)) < 0.02 * 1.83
    soft = solve_modes(beam(speed, include={"geometric": False}), 4, None, 0.0, "auto")
    assert np.min(np.abs(soft.frequencies / first - 6.44954 / 3.51602)) > 0.2


def test_an_unstable_motion_is_reported() -> None:
    """Beyond its lag frequency a beam without k_geo diverges in the plane: a growth is given."""
    system = beam(3000.0, include={"geometric": False, "coriolis": False})
    found = solve_modes(system, 2, None, 0.0, "auto")
    assert found.growth.max() > 100.0


def test_divergence_in_a_turning_frame() -> None:
    """An oscillator guided along one axis diverges beyond W = w0, at sqrt(W^2 - w0^2)."""
    case = CASES / "m3_oscillator"
    data = tomllib.loads((case / "model.toml").read_text())
    data["bodies"][0]["frame"] = {"velocity": 15.0}
    data["supports"] = [{"group": "mass", "components": ["y"]}]
    found = solve_modes(build(model_from_dict(data, folder=case)).system, 1, None, 0.0, "auto")
    assert found.gyroscopic
    assert found.frequencies[0] == 0.0
    assert found.growth[0] == pytest.approx(np.sqrt(15.0**2 - 10.0**2), rel=1e-12)


def _is_among(found: np.ndarray, known: np.ndarray) -> bool:
    """Whether every eigenvalue is one of the known ones, to 1e-7."""
    return all(np.abs(known - value).min() <= 1e-7 * abs(value) for value in found)


@pytest.mark.parametrize("speed", [0.0, 120.0])
def test_what_has_converged_is_kept(speed: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where some modes do not converge the error has the others, which are those of the body."""
    system = beam(speed)
    known = solve_modes(system, 60, None, 0.0, "auto").values
    monkeypatch.setattr(quadratic, "DENSE", 10)
    monkeypatch.setattr(quadratic, "_LARGEST_SPACE", -140)
    monkeypatch.setattr(undamped, "_RESTARTS", 1)
    monkeypatch.setattr(lanczos, "_ROOM", -1)
    with pytest.raises(NotConvergedError, match=r"modes: \d+ of 20 eigenvalues have") as caught:
        solve_modes(system, 20, None, 0.0, "auto")
    found = caught.value.modes
    assert 0 < len(found.frequencies) < 20
    assert str(caught.value).startswith(f"modes: {len(found.frequencies)} of 20 ")
    assert found.shapes.shape == (len(found.frequencies), system.size, 3)
    assert _is_among(found.values, known)


def test_a_mechanism_has_a_mode_of_frequency_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bars in a line move across it at no cost: zeros, then the axial modes of a clamped bar.

    Nothing is free as a whole, yet k is singular: both ends are held.
    """
    spec = model_from_dict({
        "mesh": {"block": {"cell": "line2", "corners": [[0.0, 0.0], [1.0, 0.0]],
                           "divisions": [12]}},
        "materials": {"steel": STEEL},
        "bodies": [{"name": "rope", "element": "bar2_plane", "material": "steel",
                    "section": {"area": 1e-4}}],
        "supports": [{"group": "xmin"}, {"group": "xmax"}],
        "analysis": {"kind": "modes"},
    })  # fmt: skip
    system = build(spec).system
    monkeypatch.setattr(quadratic, "DENSE", 10)
    found = solve_modes(system, 13, None, 0.0, "auto").frequencies
    assert not found[:11].any()
    axial = np.arange(1, 3) / 2 * np.sqrt(2e11 / 7800.0)
    assert np.allclose(found[11:], axial, rtol=0.02)
