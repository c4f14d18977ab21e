# SPDX-License-Identifier: BSD-3-Clause
"""The stresses of tied bodies belong to the end of a step, and cost one matrix a body there."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from elastic_links import slider_crank
from flexforge.runtime.assembly.assemble import assemble_matrix
from tied import motion_of

ANALYSIS = {"kind": "transient", "duration": 0.004, "steps": 20, "threads": 1}
FORMALISMS = ("maggi", "lagrange", "hamilton")


def moving(formalism: str):
    """Return the motion of a slider-crank after a step, one step taken after the other."""
    data = slider_crank(150.0, analysis=ANALYSIS | {"formalism": formalism})
    motion = motion_of(data, native=False)
    motion.advance()
    return motion


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_the_equations_of_a_step_outlive_the_next(formalism):
    """Forces of a state are the same bits after five more steps, which stress the rod otherwise."""
    motion = moving(formalism)
    moment, state = motion.end, motion.state
    rate = motion.point.rate
    before = moment.equations.left(state.q, state.z, rate)
    for _ in range(5):
        motion.advance()
    np.testing.assert_array_equal(moment.equations.left(state.q, state.z, rate), before)
    (then,), (now,) = (one.equations.system.bodies[0].geometric for one in (moment, motion.end))
    assert np.abs(now - then).max() > 0.1 * np.abs(then).max()
    assert not motion.system.bodies[0].geometric


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_a_step_assembles_the_geometric_stiffness_alone(formalism, monkeypatch):
    """One matrix of stress a stressed body and time: what does not change is shared by copies."""
    times = 2 if formalism == "hamilton" else 1  # the middle of a step and its end
    motion = moving(formalism)
    made: Counter[str] = Counter()

    def counted(kernel, *given, **more):
        made[kernel.term] += 1
        return assemble_matrix(kernel, *given, **more)

    for module in ("body", "field_body", "stresses"):
        monkeypatch.setattr(f"flexforge.runtime.system.{module}.assemble_matrix", counted)
    for _ in range(4):
        motion.advance()
    assert made == {"geometric": 4 * times * len(motion.model.stiffened)}
