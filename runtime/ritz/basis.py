# SPDX-License-Identifier: BSD-3-Clause
"""The shapes of a reduced model: static ones of what is kept, vibrations, answers to the loads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.analyses.held import factor_held
from flexforge.runtime.analyses.rigid import free_motions, name_equation
from flexforge.runtime.analyses.undamped import Undamped, solve_undamped
from flexforge.runtime.body import Combination
from flexforge.runtime.model.schema_reduction import ReductionSpec
from flexforge.runtime.places import Places
from flexforge.runtime.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Share of a shape that has to be new, for it to be a shape of its own.
_NEW = 1e-6
#: Share of the largest load below which one is round-off.
_NO_LOAD = 1e-10


@dataclass(frozen=True)
class Basis:
    """Shapes that the unknowns of a system move in.

    Attributes
    ----------
    matrix : ndarray, (n, r)
        Phi: the coordinates of kept nodes first, then shapes of unit modal mass.
    names : tuple of str, (r,)
        What the coordinates are.
    frequencies : ndarray, (r - kept,)
        Of the shapes, at rest and with what is kept held, Hz, ascending.
    kept : ndarray of int
        Unknowns that are coordinates themselves.
    """

    matrix: Floats
    names: tuple[str, ...]
    frequencies: Floats
    kept: Ints

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return len(self.names)


def ritz_basis(spec: ReductionSpec, places: Places, loads: Floats, solver: str) -> Basis:
    """Return the shapes of a reduced model.

    Parameters
    ----------
    spec : ReductionSpec
        What is wanted.
    places : Places
        The system, and the names in it.
    loads : ndarray, (f, n)
        Loads whose static answers are among the shapes, where they are wanted.
    solver : str
        Linear solver.

    Raises
    ------
    InputError
        For groups without nodes, or without unknowns.
    AnalysisError
        When nothing is left to vibrate, or the system is not held.
    """
    system = places.system
    kept = _kept(spec, places)
    inside = np.setdiff1d(np.arange(system.unknowns), kept)
    if not len(inside):
        raise InputError("reduction.keep: found every unknown; expected some that are not kept")
    inner = replace(system, free=system.free[inside])  # all that is kept is held
    stiffness, mass = at_rest(system)
    found = _vibrations(inner, stiffness, mass, inside, spec.modes, solver)
    shapes = found.vectors
    k_inside = stiffness[inside][:, inside]
    m_inside = mass[inside][:, inside]
    answers, constraint = np.zeros((len(inside), 0)), np.zeros((len(inside), 0))
    wanted = _independent_loads(loads[:, inside]) if spec.static else np.zeros((0, len(inside)))
    if len(kept) or (len(wanted) and not free_motions(inner)):
        factors = factor_held(inner, k_inside, solver, "reduction")
        if len(wanted):
            answers = factors.solve(np.ascontiguousarray(wanted.T))
        if len(kept):
            constraint = -factors.solve(stiffness[inside][:, kept].toarray())
        factors.close()
    shapes = _with(shapes, answers, m_inside)
    squares, turns = np.linalg.eigh(shapes.T @ (k_inside @ shapes))
    matrix = np.zeros((system.unknowns, len(kept) + shapes.shape[1]))
    matrix[kept, np.arange(len(kept))] = 1.0
    matrix[inside, : len(kept)] = constraint
    matrix[inside, len(kept) :] = shapes @ turns
    names = [name_equation(system, int(one)) for one in kept]
    names += [f"shape {i + 1}" for i in range(shapes.shape[1])]
    frequencies = np.sqrt(np.maximum(squares, 0.0)) / (2.0 * np.pi)
    return Basis(matrix, tuple(names), frequencies, kept)


def _kept(spec: ReductionSpec, places: Places) -> Ints:
    """Return the unknowns of the nodes that are kept, rotations included."""
    system = places.system
    wanted = np.zeros((system.size, system.dimension), dtype=bool)
    for i, group in enumerate(spec.keep):
        for body, nodes in places.nodes(group, None, f"reduction.keep[{i}]"):
            wanted[body.nodes[nodes]] = True
            if len(body.rotations):
                wanted[body.rotations[nodes]] = True
    return np.flatnonzero(wanted.ravel()[system.free])


def at_rest(system: System) -> tuple[csr_matrix, csr_matrix]:
    """Return stiffness and mass on the unknowns.

    Parameters
    ----------
    system : System
        The bodies.
    """
    d = system.dimension
    elastic = Combination(1.0, np.zeros((d, d)), np.zeros(0))
    inertia = Combination(0.0, np.eye(d), np.zeros(0))
    count = len(system.bodies)
    return system.matrix([elastic] * count), system.matrix([inertia] * count)


def _vibrations(
    inner: System, stiffness: csr_matrix, mass: csr_matrix, inside: Ints, count: int, solver: str
) -> Undamped:
    """Return the vibrations with all held that is kept."""
    count = min(count, len(inside))
    found = solve_undamped(
        inner, count, None, stiffness[inside][:, inside], mass[inside][:, inside], solver
    )
    if found.missing:
        raise AnalysisError(f"reduction: {found.missing}")
    return found


def _independent_loads(loads: Floats) -> Floats:
    """Return loads that make all of the given ones, (k, n)."""
    if not loads.any():
        return loads[:0]
    _, sizes, directions = np.linalg.svd(loads, full_matrices=False)
    return np.asarray(directions[sizes > _NO_LOAD * sizes[0]])


def _with(shapes: Floats, answers: Floats, mass: csr_matrix) -> Floats:
    """Return shapes of unit mass that hold the given ones and, as far as they are new, answers."""
    for answer in answers.T:
        size = np.sqrt(answer @ (mass @ answer))
        if size == 0.0:
            continue
        rest = answer / size
        for _ in range(2):  # twice is enough
            rest = rest - shapes @ (shapes.T @ (mass @ rest))
        new = np.sqrt(rest @ (mass @ rest))
        if new > _NEW:
            shapes = np.column_stack([shapes, rest / new])
    return shapes
