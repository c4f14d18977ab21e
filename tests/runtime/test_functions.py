# SPDX-License-Identifier: BSD-3-Clause
"""Tables of operations: what is refused before C would read beyond them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from flexforge.runtime._functions import OPERATIONS, Function

NUMBER, TIME, ADD = ("number", 0, 1), ("variable", 0, 0), ("add", 0, 0)


@pytest.mark.parametrize(
    ("code", "constants"),
    [
        ([], []),
        ([ADD], []),
        ([TIME, ADD], []),
        ([TIME, TIME], []),
        ([TIME, TIME, ("smooth_step", 0, 0)], []),
        ([NUMBER], []),
        ([("number", -1, 1)], [1.0]),
        ([("polynomial", 1, 2)], [1.0, 2.0]),
        ([TIME] * 513 + [ADD] * 512, []),
    ],
    ids=str,
)
def test_programs_that_are_none_are_refused(code: list, constants: list[float]) -> None:
    """Too few operands or too many, constants that are not there, more than the stack holds."""
    with pytest.raises(ValueError, match="expected"):
        Function(code, constants)


def test_the_deepest_program_runs() -> None:
    """The stack holds 512 operands: t, added to itself so often."""
    (value,), finite = Function([TIME] * 512 + [ADD] * 511).values(np.array([[0.5]]))
    assert finite
    assert value == 256.0


def test_variables_and_inputs_must_be_given() -> None:
    """Those that a program names, or it is not run."""
    second, pushed = Function([("variable", 1, 0)]), Function([("input", 1, 0)])
    for call in (
        lambda: second.values(np.zeros((1, 4))),
        lambda: second.jet(np.zeros((1, 3))),
        lambda: second.derivative(0.0, 0, np.zeros(0)),
        lambda: pushed.jets(0.0, np.zeros(7)),
    ):
        with pytest.raises(ValueError, match="expected"):
            call()
    assert pushed.jets(0.0, np.array([0, 0, 0, 0, 5.0, 0, 0, 0]))[0].tolist() == [5.0, 0.0, 0.0]


def test_results_have_the_shape_of_the_times() -> None:
    """Scalars, tables of times and none of them; C's order of axes or not."""
    square = Function([TIME, TIME, ("multiply", 0, 0)])
    for times in (0.5, np.zeros((0,)), np.arange(6.0).reshape(2, 3).T, np.arange(4)[::2]):
        found, finite = square.derivative(times, 0, np.zeros(0))
        assert finite
        np.testing.assert_array_equal(found, np.asarray(times) ** 2)
        assert square.jets(times, np.zeros(0))[0].shape == (*np.shape(times), 3)


def test_a_function_survives_being_stored() -> None:
    """What is unpickled does the same."""
    one = Function([("polynomial", 0, 3), TIME, ADD], [1.0, 2.0, 3.0])
    again = pickle.loads(pickle.dumps(one))
    assert again.code == one.code
    assert again.jets(0.3, np.zeros(0))[0].tolist() == one.jets(0.3, np.zeros(0))[0].tolist()


def test_operations_are_numbered_from_zero() -> None:
    """As the switch of C has them, without gaps."""
    assert [number for number, _ in OPERATIONS.values()] == list(range(len(OPERATIONS)))
