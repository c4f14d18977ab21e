# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a kernel of one element: computed whole, taken from the diagonal on."""

from __future__ import annotations

import numpy as np
import pytest
from compiled import kernel_of
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.ir.program import For, walk
from flexforge.codegen.passes.rows import contiguous, side_by_side
from specimens import ELEMENTS, distorted, values


def _stiffness(name, lanes=1):
    return kernel_of(name, "stiffness", lanes)


@pytest.mark.parametrize("name", ["quad8_plane_stress", "quad9_plane_strain", "tet10", "hex8"])
def test_rows_change_no_bit(name):
    """The interpreter finds the same doubles, entry by entry."""
    program = _stiffness(name).program
    arranged = side_by_side(program)
    assert arranged != program
    X = {"coordinates": distorted(ELEMENTS[name], 3, seed=5)}
    parameters = values(program.parameters)
    expected = interpret(program, X, parameters)
    assert np.array_equal(interpret(arranged, X, parameters), expected)
    assert side_by_side(arranged) == arranged


def test_a_row_is_a_loop_of_fixed_length_next_to_each_other():
    """What a compiler needs: hex8's rows have eight nodes, gradients with the node last."""
    arranged = _stiffness("hex8").arranged
    loops = [s for s in walk(arranged.body) if isinstance(s, For) and s.index == "b"]
    assert [(s.first, s.extent) for s in loops] == [(0, 8), ("a", 8)]
    assert arranged.array("row0").shape == (9, 8)
    assert contiguous(arranged) == {"gradient": 1}
    text = "\n".join(_stiffness("hex8").pieces.statements)
    assert "gradient[b + 8]" in text
    assert "gradient[3*b" not in text


def test_short_rows_and_lanes_stay_as_they_are():
    """Six nodes fill no vector, and lanes are side by side already."""
    short, lanes = _stiffness("tri6_plane_stress"), _stiffness("hex8", lanes=8)
    assert short.arranged == short.program
    assert lanes.arranged == lanes.program
    assert lanes.layout.contiguous == {}
