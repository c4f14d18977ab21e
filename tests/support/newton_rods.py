# SPDX-License-Identifier: BSD-3-Clause
"""Rods with large rotations, solved by Newton's method: what tests of several folders need."""

from __future__ import annotations

import flexforge as ff
import numpy as np
from flexforge.codegen.elements.terms import FINITE
from scipy.spatial.transform import Rotation


def cells(elements, nodes=2):
    """Return the rows of elements in line, and the number of all nodes; the middle one is last."""
    if nodes == 2:
        return np.array([[k, k + 1] for k in range(elements)]), elements + 1
    return np.array([[2 * k, 2 * k + 2, 2 * k + 1] for k in range(elements)]), 2 * elements + 1


def turned(state, change):
    """Return displacements and rotation vectors (n, 2, 3) after a change with spins."""
    found = state + change
    spin = Rotation.from_rotvec(change[:, 1])
    found[:, 1] = (spin * Rotation.from_rotvec(state[:, 1])).as_rotvec()
    return found


class Rod:
    """Elements of a rod in line, and what acts on them.

    Parameters
    ----------
    element : str or FieldElement
        The element.
    points : ndarray
        Places of the ends of the elements, one after the other.
    values : dict
        Parameters of the kernels.
    """

    def __init__(self, element, points, values):
        declared = ff.element(element) if isinstance(element, str) else element
        count, nodes = len(points) - 1, len(declared.places)
        self.cells, total = cells(count, nodes)
        self.points = points
        if nodes == 3:
            self.points = np.empty((total, points.shape[1]))
            self.points[::2], self.points[1::2] = points, (points[1:] + points[:-1]) / 2
        known = ff.kernels_of(declared, FINITE)
        self.values, self.kernels = values, known
        self.rest = np.zeros((total, len(declared.carried), points.shape[1]))
        if len(declared.carried) == 1:
            self.rest = self.rest[:, 0]
        self.free = np.ones(self.rest.shape, dtype=bool)
        rotates = "rotation" in declared.carried
        self.changed = turned if rotates and declared.components == 3 else np.add
        if rotates and declared.components == 2:
            self.free[:, 1, 1] = False

    def assembled(self, term, state):
        """Return a term of all elements; they are too few for threads."""
        kernel, values = self.kernels[term], self.values
        return ff.assemble(kernel, self.points, self.cells, state, threads=1, **values)

    def balance(self, loads):
        """Return the function of forces less loads, and tangent."""
        return lambda state: (
            self.assembled("internal_forces", state) - loads,
            self.assembled("tangent", state).toarray(),
        )

    def bent(self, loads, steps, start=None):
        """Return the state under loads that grow in steps, and the changes of the last one."""
        state = self.rest if start is None else start
        for share in np.linspace(0.0, 1.0, steps + 1)[1:]:
            state, changes = equilibrium(
                self.balance(share * loads), self.free, state, self.changed
            )
        return state, changes

    def places(self, state):
        """Return the places of the nodes."""
        return self.points + (state[:, 0] if state.ndim == 3 else state)


def equilibrium(balance, free, start, changed, *, tolerance=1e-7, most=40):
    """Return the state in balance, and the largest change of every iteration.

    What is left over says little where an axis is stiff: errors across it are the root of it.

    Parameters
    ----------
    balance : callable
        From the state to forces of nodes less loads, and their derivative, dense.
    free : ndarray of bool
        Coordinates that move, in the shape of the state.
    start : ndarray
        The state to begin with.
    changed : callable
        From a state and its change to the next state.
    tolerance : float
        Largest change of the last iteration, whose square is about what is wrong after it.
    most : int
        Iterations.
    """
    state, moving, changes = start.copy(), np.flatnonzero(free), []
    for _ in range(most):
        forces, tangent = balance(state)
        change = np.zeros(state.size)
        change[moving] = -np.linalg.solve(tangent[np.ix_(moving, moving)], forces.ravel()[moving])
        state = changed(state, change.reshape(state.shape))
        changes.append(abs(change).max())
        if changes[-1] <= tolerance:
            return state, changes
    raise AssertionError(f"no balance after {most} iterations: {changes}")
