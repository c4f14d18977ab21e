# SPDX-License-Identifier: BSD-3-Clause
"""Gear boxes and planetary stages between shafts, beside closed forms and matrices by hand.

Discs I_k on torsional springs have the equations ``I_k a_k'' + sum k (..) = 0``;
a ratio n makes of the branch behind it one with the inertia n^2 I and the stiffness n^2 k.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from rotor_equations import Array
from scipy.linalg import eigh
from shafts import Tables, histories, roots, run

#: Moments of inertia of three discs, kg m^2, and torsional springs between the last two, N m.
INERTIAS, SHAFT = (0.4, 0.05, 0.12), 3e4


def discs(*spins: Tables | None, axis: int = 2, apart: float = 0.1) -> Tables:
    """Return discs along an axis, of the inertias above, that turn about it alone.

    Discs without a spin are nodes of a frame at rest.
    """
    n, across = np.eye(3)[axis], [c for k, c in enumerate("xyz") if k != axis]
    names = [f"d{k}" for k in range(len(spins))]
    shape = np.eye(3) * 0.6 + 0.4 * np.outer(n, n)
    inertias = [shape * INERTIAS[k % 3] for k in range(len(spins))]
    about = [f"r{c}" for c in across]
    return {
        "mesh": {"points": {one: (apart * k * n).tolist() for k, one in enumerate(names)}},
        "masses": [
            {"name": one, "group": one, "mass": 1.0, "inertia": np.diag(inertia).tolist(),
             **({} if spin is None else {"spin": {"axis": n.tolist()} | spin})}
            for one, inertia, spin in zip(names, inertias, spins, strict=True)
        ],
        "supports": [{"group": one, "components": ["x", "y", "z", *about]} for one in names],
        "analysis": {"kind": "modes", "count": len(spins)},
        "output": {"formats": []},
    }  # fmt: skip


def spring(first: str, second: str, stiffness: float, axis: int = 2) -> Tables:
    """Return a torsional spring between two discs."""
    row = [0.0] * 6
    row[3 + axis] = stiffness
    triad = {"axis": [1, 0, 0], "orientation": [0, 1, 0]}
    return {"name": f"{first}{second}", "kind": "bushing", "between": [first, second],
            "stiffness": row} | triad  # fmt: skip


def frequencies(data: Tables, folder: Path) -> Array:
    """Return the natural frequencies of a model, rad/s, without those of rigid motions."""
    run(data, folder)
    modes = json.loads((folder / "summary.json").read_text())["modes"]
    found = 2 * np.pi * np.array([one["frequency_Hz"] for one in modes])
    return np.asarray(np.sort(found[found > 1e-3]))


def by_hand(springs: list[tuple[Array, float]], inertias: tuple[float, ...]) -> Array:
    """Return natural frequencies of springs with elongations ``w . a``, rad/s."""
    k = sum(stiff * np.outer(w, w) for w, stiff in springs)
    squares = eigh(k, np.diag(inertias), eigvals_only=True)
    return np.sqrt(squares[squares > 1e-6 * squares.max()])


@pytest.mark.parametrize(("ratio", "axis"), [(-2.5, 2), (0.4, 0)])
def test_three_discs_behind_a_gear_box(ratio: float, axis: int, tmp_path: Path) -> None:
    """Two frequencies beside the matrix by hand; with stiff teeth the closed form of two discs.

    Then the first disc is one of ``I_1 / n^2`` beside the second, and what is left vibrates at
    ``sqrt(k (1/I + 1/I_3))``.
    """
    data = discs({"velocity": 100.0}, *[{"velocity": 100.0 * ratio}] * 2, axis=axis)
    box = {"name": "box", "kind": "gear_ratio", "between": ["d0", "d1"], "ratio": ratio}
    data["connectors"] = [box | {"stiffness": 4e4}, spring("d1", "d2", SHAFT, axis)]
    shaft = np.array([0.0, 1.0, -1.0]), SHAFT
    wanted = by_hand([(np.array([-ratio, 1.0, 0.0]), 4e4), shaft], INERTIAS)
    assert np.allclose(frequencies(data, tmp_path), wanted, rtol=1e-8)
    data["connectors"][0]["stiffness"] = 1e13
    found = frequencies(data, tmp_path)
    near = INERTIAS[0] / ratio**2 + INERTIAS[1]
    assert found[0] == pytest.approx(np.sqrt(SHAFT * (1 / near + 1 / INERTIAS[2])), rel=1e-6)


#: A stage: pitch radii of sun and ring, m, stiffness of teeth of a planet, N/m, and planets.
SUN, RING, TEETH, PLANETS, ANGLE = 0.05, 0.13, (3e8, 5e8), 4, np.radians(25.0)
STAGE: Tables = {"name": "stage", "kind": "planetary", "between": ["d0", "d1", "d2"],
                 "radii": [SUN, RING], "planets": PLANETS, "stiffness": list(TEETH),
                 "pressure_angle": "25 deg"}  # fmt: skip


def carried(sun: float, ring: float) -> float:
    """Return the speed of the carrier by Willis, ``(s w_s + r w_r) / (s + r)``."""
    return (SUN * sun + RING * ring) / (SUN + RING)


@pytest.mark.parametrize("axis", [2, 1])
def test_a_planetary_stage_that_turns_as_a_whole(axis: int, tmp_path: Path) -> None:
    """One frequency of three discs beside planets with springs in both meshes, by hand.

    Each planet turns by an angle y of its own, without inertia, between its two springs.
    """
    speeds = 200.0, -30.0, carried(200.0, -30.0)
    data = discs(*[{"velocity": one} for one in speeds], axis=axis) | {"connectors": [STAGE]}
    found = frequencies(data, tmp_path)
    planet, c = 0.5 * (RING - SUN), np.cos(ANGLE)
    springs = np.zeros((4, 4))  # sun, ring, carrier, planet
    for w, stiff in (([SUN, 0, -SUN, planet], TEETH[0]), ([0, RING, -RING, -planet], TEETH[1])):
        springs += PLANETS * stiff * np.outer(c * np.array(w), c * np.array(w))
    left = springs[:3, :3] - np.outer(springs[:3, 3], springs[3, :3]) / springs[3, 3]
    squares = eigh(left, np.diag(INERTIAS), eigvals_only=True)
    assert len(found) == 1
    assert found[0] == pytest.approx(np.sqrt(squares[-1]), rel=1e-8)


def test_a_stage_with_a_ring_at_rest_is_a_ratio(tmp_path: Path) -> None:
    """With stiff teeth the sun is an inertia ``(1 + r/s)^2 I`` on the carrier."""
    slow = {"velocity": carried(180.0, 0.0)}
    data = discs({"velocity": 180.0}, None, slow, slow)
    data["supports"][1]["components"].append("rz")
    data["connectors"] = [STAGE | {"stiffness": [1e15, 1e15]}, spring("d2", "d3", SHAFT)]
    found = frequencies(data, tmp_path)[0]
    near = INERTIAS[0] * (1 + RING / SUN) ** 2 + INERTIAS[2]
    assert found == pytest.approx(np.sqrt(SHAFT * (1 / near + 1 / INERTIAS[0])), rel=1e-5)


def test_damping_of_teeth() -> None:
    """The damping ratio ``c w / 2 k`` of the one mode of a gear box, c and k of one elongation."""
    data = discs({"velocity": 50.0}, {"velocity": -150.0})
    box = {"name": "box", "kind": "gear_ratio", "between": ["d0", "d1"], "ratio": -3.0}
    data["connectors"] = [box | {"stiffness": 4e4, "damping": 20.0}]
    root = roots(data, 2)[-1]
    w = np.sqrt(4e4 * (9.0 / INERTIAS[0] + 1 / INERTIAS[1]))
    assert abs(root) == pytest.approx(w, rel=1e-8)
    assert -root.real / w == pytest.approx(20.0 * w / 8e4, rel=1e-8)


def test_a_machine_with_a_stage_starts_as_one(tmp_path: Path) -> None:
    """Its inertia is the sum of those times the squares of the ratios of sun, carrier, and ring."""
    carrier = carried(1.0, 0.0)
    data = discs({"machine": "drive"}, None, {"machine": "drive", "ratio": carrier})
    data["supports"][0]["components"].append("rz")
    data["supports"][1]["components"].append("rz")
    data["machines"] = [{"name": "drive", "torque": 12.0}]
    data["connectors"] = [STAGE | {"damping": 3e5}]
    data["probes"] = [{"name": "w", "machine": "drive", "quantity": "velocity"}]
    data["analysis"] = {"kind": "transient", "step": 1e-4, "duration": 1e-2}
    data["output"] = {"formats": ["csv"]}
    rows = histories(data, tmp_path)
    whole = INERTIAS[0] + carrier**2 * INERTIAS[2]
    slope = (rows[-1, 1] - rows[50, 1]) / (rows[-1, 0] - rows[50, 0])
    assert slope == pytest.approx(12.0 / whole, rel=1e-4)


@pytest.mark.parametrize(
    ("speeds", "connector", "told"),
    [
        ((100.0, 0.0, 30.0), STAGE,
         "connectors[0]: found the speeds 100, 0, 30 rad/s; expected those of its gears, with 27.77"
         "78 rad/s of the carrier"),
        ((100.0, 200.0, None), {"name": "b", "kind": "gear_ratio", "between": ["d0", "d1"],
                                "ratio": 3.0, "stiffness": 1.0},
         "connectors[0]: found the speeds 100, 200 rad/s; expected those of its gears, with 300 rad"
         "/s of the second shaft"),
        ((None, None, None), STAGE, "connectors[0].axis: missing with shafts that do not spin"),
        ((100.0, 0.0, 30.0), STAGE | {"radii": [0.1, 0.1]},
         "connectors[0].radii: found a sun as large as the ring; expected a smaller one"),
        ((100.0, 0.0, 30.0), {"name": "b", "kind": "gear_ratio", "between": ["d0", "d1"],
                              "ratio": 0.0, "stiffness": 1.0},
         "connectors[0].ratio: found 0; expected another number"),
    ],
)  # fmt: skip
def test_speeds_that_are_not_those_of_the_gears(
    speeds: tuple[float | None, ...], connector: Any, told: str, tmp_path: Path
) -> None:
    """Each is refused by the key that does not go with it."""
    data = discs(*[None if one is None else {"velocity": one} for one in speeds])
    with pytest.raises(InputError) as caught:
        run(data | {"connectors": [connector]}, tmp_path)
    assert str(caught.value).startswith(told)


def test_stages_are_on_one_axis(tmp_path: Path) -> None:
    """A carrier beside the axis is named."""
    data = discs(*[{"velocity": 10.0}] * 3) | {"connectors": [STAGE]}
    data["mesh"]["points"]["d2"][0] = 0.01
    with pytest.raises(InputError, match="connectors.0..between: found the carrier beside the axi"):
        run(data, tmp_path)
