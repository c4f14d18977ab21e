# SPDX-License-Identifier: BSD-3-Clause
"""Springs whose force is a table of their elongation, beside closed forms."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.results.read import Results
from flexforge.runtime.system.nonlinear_spring import table_values
from large import run

#: Stiffer when pushed; of a kink at 0.2 and ends at -0.3 and 0.5.
TABLE = [[-0.3, -9.0], [0.0, 0.0], [0.2, 2.0], [0.5, 3.5]]
MASS = 2.0


def hung(force: float, analysis: dict[str, Any], **tables: Any) -> dict[str, Any]:
    """Return a mass on a spring of length 2 along x."""
    return {
        "mesh": {"points": {"ground": [0, 0, 0], "hook": [2, 0, 0]}},
        "masses": [{"name": "weight", "group": "hook", "mass": MASS}],
        "connectors": [
            {"name": "spring", "kind": "spring", "between": ["ground", "hook"], "forces": TABLE}
        ],
        "supports": [{"group": "ground"}, {"group": "hook", "components": ["y", "z"]}],
        "loads": [{"kind": "force", "group": "hook", "total": [force, 0, 0]}],
        "probes": [{"name": "u", "group": "hook", "component": "x"}],
        "analysis": analysis,
        "output": {"formats": ["hdf5", "csv"]},
    } | tables


@pytest.mark.parametrize(
    "force, elongation", [(1.0, 0.1), (3.0, 0.4), (-6.0, -0.2)], ids=["first", "second", "pushed"]
)
def test_elongations_are_those_of_the_table(
    force: float, elongation: float, tmp_path: Path
) -> None:
    """Slopes 10, 5 and 30; the force is that of the spring's section."""
    run(hung(force, {"kind": "static", "load_steps": 2}), tmp_path)
    results = Results(tmp_path)
    assert results.probes["u"].values[-1] == pytest.approx(elongation, rel=1e-9)
    inside = results.frame(-1).states["spring"].at_stations
    assert inside is not None
    assert inside["N"] == pytest.approx(force, rel=1e-9)


def test_a_spring_turns_with_its_nodes(tmp_path: Path) -> None:
    """A node pulled across hangs along the force: the spring of length 2 is 2.4 long."""
    pulled = {"kind": "force", "group": "hook", "total": [0, 3.0, 0]}
    supports = [{"group": "ground"}, {"group": "hook", "components": ["z"]}]
    tables = hung(0.0, {"kind": "transient", "duration": 36.0, "steps": 120,
                        "method": "generalized_alpha", "rho_infinity": 0.5},
                  supports=supports, loads=[pulled])  # fmt: skip
    tables["connectors"].append(
        {"name": "brake", "kind": "bushing", "at": "hook", "damping": [3.0, 3.0, 0.0]}
    )
    tables["probes"] = [{"name": a, "group": "hook", "component": a} for a in "xy"]
    tables["output"] = {"formats": ["csv"], "every": 120}
    run(tables, tmp_path)
    last = (tmp_path / "probes.csv").read_text().splitlines()[-1].split(",")
    assert [float(one) for one in last[1:]] == pytest.approx([-2.0, 2.4], abs=1e-5)


def test_a_bilinear_spring_has_half_a_period_of_each(tmp_path: Path) -> None:
    """Thrown at 0.1 m/s: half a period with slope 10, half a period with slope 30."""
    halves = [np.pi * np.sqrt(MASS / k) for k in (10.0, 30.0)]
    motion = {"kind": "transient", "duration": sum(halves), "steps": 200, "method": "newmark"}
    start = [{"group": "hook", "velocity": [0.1, 0.0, 0.0]}]
    run(hung(0.0, motion, initial=start), tmp_path)
    history = Results(tmp_path).probes["u"]
    furthest = [0.1 * np.sqrt(MASS / k) for k in (10.0, 30.0)]
    assert history.values.max() == pytest.approx(furthest[0], rel=5e-4)  # between two times
    assert history.values.min() == pytest.approx(-furthest[1], rel=5e-4)
    assert abs(history.values[-1]).max() < 1e-3 * furthest[0]


def test_slopes_change_at_the_points_of_a_table() -> None:
    """Forces summed up from these changes are those of linear interpolation."""
    values, pulled, pushed = table_values(TABLE)
    assert (pulled, pushed) == (2, 2)
    for x in np.linspace(-0.6, 0.8, 29):
        force = values["stiffness"] * x
        for side, sign, count in (("pulled", 1, pulled), ("pushed", -1, pushed)):
            for k in range(1, count + 1):
                past = max(sign * x - values[f"{side}_at{k}"], 0.0)
                force += sign * values[f"{side}_change{k}"] * past
        exact = np.interp(x, *np.array(TABLE).T)
        assert force == pytest.approx(exact, abs=1e-12)


def test_springs_of_links_have_no_table(tmp_path: Path) -> None:
    """Motions of links know linear connectors alone."""
    arm = {"name": "arm", "mass": 1.0, "inertia": [1, 1, 1]}
    pin = {"name": "pin", "kind": "revolute", "links": ["ground", "arm"], "axis": [0, 0, 1]}
    tables = hung(0.0, {"kind": "transient", "duration": 1.0, "steps": 10}, links=[arm],
                  joints=[pin], loads=[], probes=[])  # fmt: skip
    with pytest.raises(InputError, match="links found with body 'spring', which has an energy"):
        run(tables, tmp_path)


@pytest.mark.parametrize(
    "change, expected",
    [
        ({"forces": [[0, 0], [0, 1]]}, "elongations that do not rise"),
        ({"forces": [[0.1, 0], [0.2, 1]]}, "without elongation 0"),
        ({"forces": [[-1, 0], [1, 1]]}, "found 0.5 N at rest"),
        ({"damping": 1.0}, "found with damping, axis or at"),
        ({"stiffness": 1.0}, "found both of them"),
        ({"forces": None}, "found neither stiffness nor forces"),
    ],
)
def test_wrong_tables_are_refused(change: dict[str, Any], expected: str, tmp_path: Path) -> None:
    """By their key."""
    tables = copy.deepcopy(hung(1.0, {"kind": "static"}))
    spring = tables["connectors"][0] | change
    tables["connectors"][0] = {key: one for key, one in spring.items() if one is not None}
    with pytest.raises(InputError, match=expected):
        run(tables, tmp_path)
