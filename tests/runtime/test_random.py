# SPDX-License-Identifier: BSD-3-Clause
"""Random vibrations: white noise in closed form and by Lyapunov's equation, coloured noise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import FlexforgeError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.results.data import von_mises
from flexforge.runtime.results.densities import density_plots
from flexforge.runtime.results.read import Results
from flexforge.runtime.run import run_model
from flexforge.runtime.vibration.quadrature import edges_at, refined
from scipy.linalg import solve_continuous_lyapunov

MASSES, SPRINGS, DAMPERS = np.array([2.0, 1.0]), (900.0, 400.0), (3.0, 1.5)
PLACE = {"component": "x"}
WIDE = {"points": [[1e-4, 0.3], [1e4, 0.3]]}


def run(tables: dict[str, Any], folder: Path) -> Outcome:
    """Run a model."""
    return run_model(model_from_dict(tables), output=folder)


def chain(count: int, excitations: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """Return masses in a row along x with springs and dashpots, which couple the modes."""
    points = {f"p{i}": [float(i), 0, 0] for i in range(count + 1)}
    analysis = {"kind": "random", "excitations": excitations} | changes.pop("analysis", {})
    return {
        "mesh": {"points": points},
        "masses": [{"name": f"m{i}", "group": f"p{i}", "mass": MASSES[i - 1]}
                   for i in range(1, count + 1)],
        "connectors": [{"name": f"k{i}", "kind": "spring", "between": [f"p{i - 1}", f"p{i}"],
                        "stiffness": SPRINGS[i - 1], "damping": DAMPERS[i - 1]}
                       for i in range(1, count + 1)],
        "supports": [{"group": "p0"}, *({"group": f"p{i}", "components": ["y", "z"]}
                                        for i in range(1, count + 1))],
        "probes": [{"name": f"{q[0]}{i}", "group": f"p{i}", "component": "x", "quantity": q}
                   for i in range(1, count + 1) for q in ("displacement", "velocity")],
        "analysis": analysis,
        "output": {"formats": ["csv", "hdf5"]},
    } | changes  # fmt: skip


def matrices(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return mass, damping and stiffness of the chain."""

    def assembled(values: tuple[float, ...]) -> np.ndarray:
        found = np.zeros((count, count))
        for i, value in enumerate(values[:count]):
            found[i, i] += value
            if i:
                found[i - 1, i - 1] += value
                found[i - 1, i] -= value
                found[i, i - 1] -= value
        return found

    return np.diag(MASSES[:count]), assembled(DAMPERS), assembled(SPRINGS)


def lyapunov(count: int, intensity: np.ndarray) -> np.ndarray:
    """Return the covariance of (u, v) under white forces of one-sided densities, (count, count).

    ``A P + P A^T + B (W/2) B^T = 0``: a one-sided density W in 1/Hz has the intensity W/2.
    """
    m, c, k = matrices(count)
    inverse, none = np.linalg.inv(m), np.zeros((count, count))
    a = np.block([[none, np.eye(count)], [-inverse @ k, -inverse @ c]])
    b = np.vstack([none, inverse])
    return np.asarray(solve_continuous_lyapunov(a, -b @ (0.5 * intensity) @ b.T))


def base(**changes: Any) -> dict[str, Any]:
    """Return an excitation of the base along x."""
    return {"name": "ground", "direction": "x", "unit": "(m/s^2)^2/Hz", "density": WIDE} | changes


def test_an_oscillator_under_white_noise(tmp_path: Path) -> None:
    """sigma_u^2 = W / (8 zeta w^3), sigma_v = w sigma_u, sigma_a^2 = w^4 (1 + 4 zeta^2) sigma_u^2.

    pi S0 / (2 zeta w^3) of a two-sided density over rad/s, S0 = W / (4 pi). Crossings w / 2 pi.
    """
    m, c, k = MASSES[0], DAMPERS[0], SPRINGS[0]
    w = np.sqrt(k / m)
    zeta = c / (2 * m * w)
    tables = chain(1, [base()], analysis={"modes": 1})
    tables["probes"].append(
        {"name": "a1", "group": "p1", "component": "x", "quantity": "acceleration"}
    )
    figures = run(tables, tmp_path).figures
    sigma = np.sqrt(0.3 / (8 * zeta * w**3))
    expected = {"d1": sigma, "v1": w * sigma, "a1": w**2 * np.sqrt(1 + 4 * zeta**2) * sigma}
    for name, value in expected.items():
        assert figures[f"{name}, root mean square"][0] == pytest.approx(value, rel=2e-4)
    assert figures["d1, mean frequency"][0] == pytest.approx(w / (2 * np.pi), rel=2e-4)
    assert figures["estimated error of mean squares"] <= 1e-6


def test_two_masses_on_a_white_base(tmp_path: Path) -> None:
    """Dashpots that couple the modes: the covariance by Lyapunov's equation."""
    figures = run(chain(2, [base()], analysis={"modes": 2}), tmp_path).figures
    force = -MASSES[:, None]
    expected = np.sqrt(np.diag(lyapunov(2, 0.3 * force @ force.T)))
    told = [figures[f"{name}, root mean square"][0] for name in ("d1", "d2", "v1", "v2")]
    assert np.allclose(told, expected, rtol=3e-4)


@pytest.mark.parametrize(
    ("coefficient", "modes"),
    [
        (None, {"modes": 2}),
        (1.0, {"modes": 2}),
        (-1.0, {"modes": 2}),
        (0.4, {"modes": 2}),
        (0.4, {}),
    ],
)
def test_correlated_forces(
    tmp_path: Path, coefficient: float | None, modes: dict[str, Any]
) -> None:
    """Forces of densities W f^2 on both masses, independent or not: Lyapunov's equation."""
    names = ("wind", "swell")
    excitations = [{"name": name, "unit": "1/Hz", "density": WIDE} for name in names]
    force = {"kind": "force"}
    loads = [force | {"group": "p1", "total": [3.0, 0, 0], "excitation": "wind"},
             force | {"group": "p2", "total": [-2.0, 0, 0], "excitation": "swell"}]  # fmt: skip
    analysis = dict(modes)
    if coefficient is not None:
        analysis["correlations"] = [{"of": ["swell", "wind"], "coefficient": coefficient}]
    figures = run(chain(2, excitations, loads=loads, analysis=analysis), tmp_path).figures
    cross = 3.0 * -2.0 * (coefficient or 0.0)
    expected = np.sqrt(np.diag(lyapunov(2, 0.3 * np.array([[9.0, cross], [cross, 4.0]]))))
    told = [figures[f"{name}, root mean square"][0] for name in ("d1", "d2", "v1", "v2")]
    assert np.allclose(told, expected, rtol=1e-3)


def test_coloured_noise_of_a_table(tmp_path: Path) -> None:
    """A plateau in g^2/Hz with flanks in dB per octave: a dense sum over the transfer functions."""
    f0 = np.sqrt(SPRINGS[0] / MASSES[0]) / (2 * np.pi)
    (tmp_path / "psd.csv").write_text(
        f"frequency,level\n{0.3 * f0},0.001\n{f0},0.02\n{2 * f0},0.02\n{9 * f0},0.0003\n"
    )
    one = base(unit="g^2/Hz", density={"table": str(tmp_path / "psd.csv"), "column": "level"})
    outcome = run(chain(2, [one], analysis={"modes": 2}), tmp_path / "out")
    m, c, k = matrices(2)
    f = np.geomspace(0.3 * f0, 9 * f0, 200_001)
    x = np.log([0.3 * f0, f0, 2 * f0, 9 * f0])
    density = 9.80665**2 * np.exp(np.interp(np.log(f), x, np.log([0.001, 0.02, 0.02, 0.0003])))
    w = 2 * np.pi * f[:, None, None]
    u = np.linalg.solve(k + 1j * w * c - w**2 * m, -MASSES[None, :, None].repeat(len(f), 0))[..., 0]
    squares = np.trapezoid(np.abs(u) ** 2 * density[:, None], f, axis=0)
    rates = np.trapezoid(np.abs(w[..., 0] * u) ** 2 * density[:, None], f, axis=0)
    for i in (0, 1):
        told = outcome.figures[f"d{i + 1}, root mean square"][0]
        assert told == pytest.approx(np.sqrt(squares[i]), rel=1e-6)
        crossing = outcome.figures[f"d{i + 1}, mean frequency"][0]
        assert crossing == pytest.approx(np.sqrt(rates[i] / squares[i]) / (2 * np.pi), rel=1e-6)
    plots = density_plots(Results(tmp_path / "out").summary)
    assert [one["name"] for one in plots] == ["excitation ground", "d1", "v1", "d2", "v2"]
    assert [one["unit"] for one in plots][:3] == ["(m/s^2)^2/Hz", "m^2/Hz", "(m/s)^2/Hz"]
    assert all(one["log_axis"] for one in plots)
    table = np.loadtxt(tmp_path / "out" / "densities.csv", delimiter=",", skiprows=1)
    place = np.searchsorted(f, table[5, 0])
    assert table[5, 2] == pytest.approx(np.abs(u[place, 0]) ** 2 * density[place], rel=1e-3)


def test_independent_excitations_of_different_ranges(tmp_path: Path) -> None:
    """Mean squares of two bands add up, each integrated over its own range alone."""
    bands = [base(name=n, density={"points": [[a, 1.0], [b, 3.0]]})
             for n, a, b in (("low", 1.0, 4.0), ("high", 3.0, 30.0))]  # fmt: skip
    found = [
        run(chain(2, some, analysis={"modes": 2}), tmp_path / str(number)).figures
        for number, some in enumerate((bands, bands[:1], bands[1:]))
    ]
    for name in ("d1", "v2"):
        both, *each = (one[f"{name}, root mean square"][0] for one in found)
        assert both == pytest.approx(np.hypot(*each), rel=1e-6)


PLATE: dict[str, Any] = {
    "mesh": {"block": {"cell": "quad8", "corners": [[0, 0], [0.5, 0], [0.5, 0.1], [0, 0.1]],
                       "divisions": [5, 1]}},
    "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0,
                            "damping": {"beta": 2e-5}}},
    "bodies": [{"name": "plate", "element": "quad8", "material": "steel", "thickness": 0.01}],
    "supports": [{"group": "xmin"}],
    "output": {"formats": ["csv", "hdf5"], "point_stress": True},
}  # fmt: skip


def test_stresses_by_modes_and_directly(tmp_path: Path) -> None:
    """Two ways to the same: components, von Mises (Segalman) and reactions, of two directions.

    Directly, the von Mises mean square is that of harmonic stresses at every frequency, added up.
    """
    excitations = [
        base(name="up", direction="y", density={"points": [[20.0, 1.0], [400.0, 1.0]]}),
        base(name="along", density={"points": [[20.0, 0.5], [400.0, 2.0]]}),
    ]
    tables = PLATE | {"tables": [{"group": "xmin", "quantity": "reaction_force", "total": "only",
                                  "name": "R"}]}  # fmt: skip
    found, forces = {}, {}
    for name, more in (("modes", {"modes": 40}), ("direct", {"tolerance": 1e-4})):
        analysis = {"kind": "random", "excitations": excitations, **more}
        outcome = run(tables | {"analysis": analysis}, tmp_path / name)
        found[name] = outcome.results.frame(0).states["plate"]
        line = (tmp_path / name / "tables" / "R.csv").read_text().splitlines()[-1]
        forces[name] = [float(cell) for cell in line.split(",")[2:4]]
    one, other = found["modes"], found["direct"]
    assert one.stress is not None and other.stress is not None
    assert one.von_mises is not None and other.von_mises is not None
    assert np.allclose(one.displacement, other.displacement, rtol=1e-3, atol=1e-12)
    assert np.allclose(one.stress, other.stress, rtol=1e-2, atol=1e-2 * other.stress.max())
    assert np.allclose(one.von_mises, other.von_mises, rtol=1e-2, atol=1e-3 * one.von_mises.max())
    assert np.allclose(forces["modes"], forces["direct"], rtol=1e-2)
    # The root mean square of an invariant is not the invariant of root mean squares.
    assert not np.allclose(von_mises(one.stress), one.von_mises, rtol=1e-2)
    at_points = one.at_stations
    assert at_points is not None and "principal" not in at_points
    assert "von_mises" in at_points


def test_cqc_of_the_spectrum_of_white_noise_is_its_mean_square(tmp_path: Path) -> None:
    """S_d = sqrt(W / (8 zeta w^3)): what CQC assumes is exact, for stresses and invariants too.

    Two analyses without a line in common: correlations by formula, and integrals of the densities.
    """
    zeta, level = 0.2, 0.7
    steel = PLATE["materials"]["steel"] | {"damping": {}}
    common = {"modes": 6, "modal_damping": zeta, "missing_mass": False}
    w = 2 * np.pi * np.array([1.0, 1e5])
    accelerations = np.sqrt(w * level / (8 * zeta)).tolist()
    curve = {"points": [[1.0, accelerations[0]], [1e5, accelerations[1]]]}
    spectrum = {"direction": [0.6, 0.8, 0], "unit": "m/s^2", "curves": [curve]}
    noise = base(direction=[0.6, 0.8, 0], density={"points": [[1e-2, level], [1e7, level]]})
    found = {}
    for kind, one in (("spectrum", spectrum), ("random", noise)):
        analysis = {"kind": kind, "excitations": [one], **common}
        changes = {"materials": {"steel": steel}, "analysis": analysis}
        found[kind] = run(PLATE | changes, tmp_path / kind).results.frame(0).states["plate"]
    one, other = found["spectrum"], found["random"]
    assert one.stress is not None and other.stress is not None
    assert one.von_mises is not None and other.von_mises is not None
    assert np.allclose(one.displacement, other.displacement, rtol=1e-3, atol=1e-12)
    assert np.allclose(one.stress, other.stress, rtol=1e-3, atol=1e-6 * other.stress.max())
    assert np.allclose(one.von_mises, other.von_mises, rtol=1e-3)


def test_a_rigid_structure_is_carried_by_its_mass(tmp_path: Path) -> None:
    """Far below its modes the base carries all of the mass, however few modes: m sigma_a."""
    stiff = {"steel": PLATE["materials"]["steel"] | {"young": 2e15, "damping": {}}}
    tables = [{"group": "xmin", "quantity": "reaction_force", "total": "only", "name": "R"}]
    one = base(direction="y", density={"points": [[1.0, 2.0], [51.0, 2.0]]})  # sigma_a = 10
    found = {}
    for missing in (True, False):
        analysis = {"kind": "random", "modes": 1, "modal_damping": 0.02, "missing_mass": missing,
                    "excitations": [one]}  # fmt: skip
        changes = {"materials": stiff, "tables": tables, "analysis": analysis}
        outcome = run(PLATE | changes, tmp_path / str(missing))
        line = (tmp_path / str(missing) / "tables" / "R.csv").read_text().splitlines()[-1]
        found[missing] = float(line.split(",")[3])
        state = outcome.results.frame(0).states["plate"]
        assert state.others is not None
        assert np.allclose(state.others["acceleration"][:, 1], 10.0, rtol=1e-4)
    mass = outcome.figures["mass"][0]
    assert found[True] == pytest.approx(10.0 * mass, rel=1e-4)
    assert found[False] < 0.9 * found[True]


@pytest.mark.parametrize("modes", [{"modes": 1, "modal_damping": 0.02}, {}])
def test_supports_bear_loads_too(tmp_path: Path, modes: dict[str, Any]) -> None:
    """Far below its modes a body passes 3 N to its supports, where 2 N more act: 5 N sigma."""
    stiff = {"steel": PLATE["materials"]["steel"] | {"young": 2e15}}
    force = {"kind": "force", "excitation": "p"}
    loads = [force | {"group": "xmax", "total": [0, 3.0, 0]},
             force | {"group": "xmin", "total": [0, 2.0, 0]}]  # fmt: skip
    one = {"name": "p", "unit": "1/Hz", "density": {"points": [[1.0, 2.0], [51.0, 2.0]]}}
    tables = [{"group": "xmin", "quantity": "reaction_force", "total": "only", "name": "R"}]
    probes = [{"name": "R", "body": "plate", "quantity": "reaction_force", "component": "y"}]
    changes = {"materials": stiff, "loads": loads, "tables": tables, "probes": probes,
               "analysis": {"kind": "random", "excitations": [one], **modes}}  # fmt: skip
    outcome = run(PLATE | changes, tmp_path)
    assert outcome.figures["R, root mean square"][0] == pytest.approx(50.0, rel=1e-4)
    line = (tmp_path / "tables" / "R.csv").read_text().splitlines()[-1]
    assert float(line.split(",")[3]) == pytest.approx(50.0, rel=1e-4)


def test_integrals_find_sharp_peaks() -> None:
    """1 / ((f - 7)^2 + a^2): (atan(93/a) + atan(7/a)) / a, with an edge at the peak and without."""
    for width in (1e-2, 1e-5):
        exact = (np.arctan(93 / width) + np.arctan(7 / width)) / width
        edges = edges_at(np.array([7.0]), np.array([width / 7]), np.zeros(0), 0.0, 100.0)
        found = refined(lambda f, a=width: 1 / ((f[:, None] - 7.0) ** 2 + a**2), edges, 1e-9)
        total = found.weights @ (1 / ((found.points - 7.0) ** 2 + width**2))
        assert total == pytest.approx(exact, rel=1e-9)
        assert found.error <= 1e-9
        assert (np.diff(found.points) > 0.0).all()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"excitations": [base(unit="1/Hz")]}, "of a base; expected"),
        ({"excitations": [{"name": "a", "unit": "g^2/Hz", "density": WIDE}]}, "of loads; expected"),
        ({"excitations": [base(), base()]}, "the name of another"),
        ({"excitations": [{"name": "a", "unit": "1/Hz", "density": WIDE}]}, "which no load names"),
        ({"correlations": [{"of": ["ground", "b"], "coefficient": 1.0}]}, "expected one of ground"),
        ({"excitations": [base(name=n) for n in "abc"],
          "correlations": [{"of": [p[0], p[1]], "coefficient": -0.9} for p in ("ab", "ac", "bc")]},
         "that no signals have"),
        ({"between": [3.0, 1.0]}, "found no range"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_excitations_is_told(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(FlexforgeError, match=said):
        run(chain(1, [base()], analysis=changes), tmp_path)


def test_noise_without_damping_has_no_mean_square(tmp_path: Path) -> None:
    """Of an undamped resonance in the band: an error, not a number."""
    tables = chain(1, [base(density={"points": [[1.0, 1.0], [9.0, 1.0]]})], analysis={"modes": 1})
    del tables["connectors"][0]["damping"]
    with pytest.raises(FlexforgeError, match="expected damping of every mode"):
        run(tables, tmp_path)
