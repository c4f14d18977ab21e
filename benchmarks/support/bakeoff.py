# SPDX-License-Identifier: BSD-3-Clause
"""CEED's bake-off problems BP1 to BP4 on a box: what all contestants share.

Source: Fischer et al., Scalability of high-performance PDE solvers, International Journal of High
Performance Computing Applications 34 (2020), section 2: mass (BP1 scalar, BP2 vector) and
diffusion (BP3 scalar, BP4 vector) of hexahedra of degree p, Gauss-Legendre quadrature of p + 2
points along each axis, solved by conjugate gradients without an assembled matrix. Nothing
here imports flexforge: contestants of other environments read it too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Apply = Callable[[Floats, Floats], None]

#: Edges of the box: no two axes alike.
LENGTHS = (1.0, 0.8, 1.3)


@dataclass(frozen=True)
class Problem:
    """One of the problems.

    Attributes
    ----------
    name : str
        ``BP1`` to ``BP4``.
    components : int
        Of the field: 1 or 3.
    diffusion : bool
        Diffusion, zero on the boundary, or mass.
    """

    name: str
    components: int
    diffusion: bool


PROBLEMS = tuple(
    Problem(f"BP{number}", components, diffusion)
    for number, components, diffusion in ((1, 1, False), (2, 3, False), (3, 1, True), (4, 3, True))
)


def points_along(degree: int) -> int:
    """Return the number of quadrature points along an axis."""
    return degree + 2


def axes(degree: int, divisions: int) -> list[Floats]:
    """Return the coordinates of the nodes along every axis."""
    return [np.linspace(0.0, length, degree * divisions + 1) for length in LENGTHS]


def right_side(points: Floats, problem: Problem) -> Floats:
    """Return the right side at nodes (P, 3), component by component: (components, P).

    It is given as a vector, not as a field that is integrated, so that all contestants start from
    the same numbers; zero on the boundary for diffusion.
    """
    x, y, z = points.T
    first = np.sin(3.0 * x + 1.0) * np.cos(2.0 * y) * (1.0 + z)
    parts = np.array([first + 0.3 * k * x * y for k in range(problem.components)])
    return np.where(inside(points), parts, 0.0) if problem.diffusion else parts


def inside(points: Floats) -> NDArray[np.bool_]:
    """Return which nodes are not on the boundary."""
    low, high = 1e-9, np.array(LENGTHS) - 1e-9
    return np.asarray(((points > low) & (points < high)).all(axis=1))


def asked(words: Sequence[str]) -> tuple[int, int, int, list[Problem]]:
    """Return degree, divisions, iterations and problems of a command line."""
    degree, divisions, iterations = map(int, words[:3])
    names = words[3].split(",")
    return degree, divisions, iterations, [one for one in PROBLEMS if one.name in names]


def jobs(
    problems: Sequence[Problem],
    iterations: int,
    make: Callable[[Problem], tuple[Apply, Floats]],
) -> tuple[dict[str, Callable[[], dict[str, float]]], dict[str, int]]:
    """Return a contestant's jobs, and their numbers of unknowns, by problem.

    Parameters
    ----------
    problems : sequence of Problem
        Which.
    iterations : int
        Steps of conjugate gradients.
    make : callable
        Returns the operator of a problem and its right side.
    """
    found: dict[str, Callable[[], dict[str, float]]] = {}
    unknowns = {}
    for problem in problems:
        apply, right = make(problem)
        unknowns[problem.name] = right.size
        found[problem.name] = partial(conjugate_gradients, apply, right, iterations)
    return found, unknowns


def conjugate_gradients(apply: Apply, right: Floats, iterations: int) -> dict[str, float]:
    """Take steps of conjugate gradients from zero, without a preconditioner.

    Parameters
    ----------
    apply : callable
        Writes the operator times its first argument into its second.
    right : ndarray
        Right side b.
    iterations : int
        Steps.

    Returns
    -------
    dict
        ``energy``, the product of b with the solution so far, which does not depend on the order of
        unknowns, and ``residual``, its norm over that of b.
    """
    x, r = np.zeros_like(right), right.copy()
    p, product, work = r.copy(), np.empty_like(right), np.empty_like(right)
    size = start = float(np.vdot(r, r))
    for _ in range(iterations):
        apply(p, product)
        step = size / float(np.vdot(p, product))
        x += np.multiply(p, step, out=work)
        r -= np.multiply(product, step, out=work)
        before, size = size, float(np.vdot(r, r))
        p *= size / before
        p += r
    return {"energy": float(np.vdot(x, right)), "residual": float(np.sqrt(size / start))}
