# SPDX-License-Identifier: BSD-3-Clause
"""What an interactive session shows: a line or two, with what one wants to know."""

from __future__ import annotations

from pathlib import Path

import flexforge as ff
import pytest

TABLES = {
    "mesh": {"points": {"tip": [0, 0, 0]}},
    "masses": [{"name": "ball", "group": "tip", "mass": 2.0}],
    "loads": [{"kind": "force", "group": "tip", "total": [4.0, 0, 0]}],
    "probes": [{"name": "way", "group": "tip", "component": "x"}],
    "analysis": {"kind": "transient", "duration": 1.0, "steps": 10},
    "output": {"formats": ["hdf5", "csv"]},
}


def test_what_the_compiler_makes_is_told_in_a_line() -> None:
    """Element, equations, term, ledger, kernel."""
    element = ff.element("tri3", "plane_stress")
    equations = ff.derive(element, formalism="kane")
    kernel = ff.compile(element, "mass")
    assert repr(element) == (
        "tri3_plane_stress: isoparametric, plane stress, triangle, 3 nodes, 6 coordinates"
    )
    assert repr(equations).startswith("tri3_plane_stress by kane: mass, coriolis, stiffness")
    assert repr(equations.terms["mass"]) == "mass: m = int rho N^T N [kg]"
    assert repr(equations.ledger).endswith(f"expression {equations.ledger.largest} operations")
    assert repr(kernel) == (
        "tri3_plane_stress_mass: mass of tri3_plane_stress by lagrange, 6 x 6 [kg], "
        f"{kernel.count.operations} operations per element"
    )
    assert "beam after Euler and Bernoulli" in repr(ff.element("euler_beam"))


def test_what_a_run_makes_is_told_in_a_few_lines(tmp_path: Path) -> None:
    """Model, outcome, results, frame, and a probe as an array: x = F t^2 / (2 m)."""
    model = ff.load_model(TABLES)
    outcome = model.run(tmp_path / "out")
    way = outcome.probes["way"]
    assert repr(model) == "model: transient of links and masses"
    assert repr(outcome).splitlines()[0] == f"finished: {tmp_path / 'out'}"
    assert len(repr(outcome)) < 3000
    assert repr(outcome.results) == f"results in {tmp_path / 'out'}, finished"
    assert repr(outcome.results.frame(-1)) == "t = 1: ball"
    assert repr(way).startswith("way [m]: 11 values from 0 to 1 s, peak 1 at 1 s")
    assert way.peak == (pytest.approx(1.0), 1.0)
    assert [*way.__array__(float)] == [*way.values]


def test_names_that_are_offered_are_the_public_ones() -> None:
    """Nothing of what the module is made with."""
    assert dir(ff) == sorted(ff.__all__)
