# SPDX-License-Identifier: BSD-3-Clause
"""Quadrature of an element, compared with a finer one that is exact on straight cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import sympy
from flexforge.codegen.elements.declaration import CELL_DIMENSION, Element
from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.quadrature import GivenRule, point_count
from flexforge.codegen.study.verification.findings import Finding, small
from flexforge.codegen.study.verification.trial import Floats, Trial
from numpy.typing import NDArray

_ROUND_OFF = 1e-11
#: Energy of a motion, relative to the stiffest or heaviest one, that counts as zero.
NONE = 1e-10
#: Difference from the exact integral, relative to its largest entry, that is told.
_TOLD = 1e-9
#: Points along an axis besides those that the degree of a declared field asks for.
_MORE = 3
#: Nodes whose displacements a message writes out.
_SHOWN = 9
#: Powers of ``1 - x`` by which a cell is narrower along each axis, where it is a collapsed cube.
_COLLAPSED = {"triangle": (0, 1), "tetrahedron": (0, 1, 2), "wedge": (0, 1), "pyramid": (0, 0, 2)}


def collapsed_rule(cell: str, along: int) -> GivenRule:
    """Return a rule of ``along`` points per axis: the image of a cube (Stroud 1971, section 2.4).

    Parameters
    ----------
    cell : str
        Name of the reference cell.
    along : int
        Points per axis; the rule is exact up to the degree ``2*along - 1``.

    Examples
    --------
    >>> rule = collapsed_rule("tetrahedron", 2)
    >>> round(sum(w * x**3 for (x, _, _), w in zip(rule.points, rule.weights)), 15)
    0.008333333333333
    """
    from scipy.special import roots_jacobi

    dimension = CELL_DIMENSION[cell]
    powers = _COLLAPSED.get(cell, ())
    powers += (0,) * (dimension - len(powers))
    axes = [roots_jacobi(along, power, 0) for power in powers]
    points, weights = [], []
    scale = 1.0
    for places in product(*(zip(*axis, strict=True) for axis in axes)):
        cube = [float(place) for place, _ in places]
        unit = [(1 + x) / 2 for x in cube]
        match cell:
            case "triangle" | "tetrahedron" | "wedge":
                size = 3 if cell == "tetrahedron" else 2
                point = [unit[k] * float(np.prod([1 - x for x in unit[k + 1 : size]]))
                         for k in range(size)] + cube[size:]  # fmt: skip
                scale = 0.5 ** (sum(powers) + size)
            case "pyramid":
                point = [cube[0] * (1 - unit[2]), cube[1] * (1 - unit[2]), unit[2]]
                scale = 0.5 ** (sum(powers) + 1)
            case _:
                point = cube
        points.append(tuple(point))
        weights.append(scale * float(np.prod([weight for _, weight in places])))
    return GivenRule(tuple(points), tuple(weights))


def finely_integrated(trial: Trial) -> Trial | None:
    """Return the trial with a rule that is exact on straight cells; None for points."""
    element = trial.element
    if element.cell == "point":
        return None
    rule = collapsed_rule(element.cell, _points_along(element))
    fine: AnyElement
    if isinstance(element, FieldElement):
        # What holds for degrees holds for rules: lowering asks for points and weights.
        fine = replace(element, degree=dict.fromkeys(element.degree, rule))  # type: ignore[arg-type]
    else:
        fine = replace(element, degree=dict.fromkeys(element.degree, rule))
    return Trial(fine, trial.own)


def _points_along(element: AnyElement) -> int:
    """Return the points per axis that integrate products of two shape functions exactly."""
    if isinstance(element, FieldElement):
        return max(element.degree.values()) // 2 + 1 + _MORE
    axes = REFERENCE[: element.dimension]
    functions = [sympy.fraction(sympy.together(f))[0] for f in (*element.shape, *element.modes)]
    polynomials = [sympy.Poly(f, *axes) for f in functions]
    if element.cell in ("interval", "quadrilateral", "hexahedron"):
        return 1 + max(int(p.degree(axis)) for p in polynomials for axis in axes)
    return 1 + max(int(p.total_degree()) for p in polynomials)


def without(trial: Trial, term: str, points: Floats) -> int:
    """Return how many motions have no energy by the stiffness, or no mass."""
    return vanishing(np.linalg.eigvalsh(trial.run(term, points)))


def vanishing(values: NDArray[Any]) -> int:
    """Return how many eigenvalues are zero, relative to the largest."""
    sizes = np.abs(values)
    return int((sizes < NONE * sizes.max()).sum())


def counted_motions(check: str, trial: Trial, term: str, found: int, expected: int) -> Finding:
    """Return the finding about the motions without energy or mass, with their cause and one.

    Parameters
    ----------
    check : str
        What was checked.
    trial : Trial
        The element.
    term : str
        ``stiffness`` or ``mass``.
    found, expected : int
        Number of such motions.
    """
    text = str(found)
    fine = finely_integrated(trial) if found > expected else None
    if fine is not None:
        least = found - without(trial, term, trial.distorted) + without(fine, term, trial.distorted)
        missed = found - least
        if missed:
            text += (
                f", {missed} of them not seen by the quadrature of {_points_in_words(trial, term)}"
            )
        else:
            text += ", with exact quadrature too"
        if isinstance(trial.element, Element):
            text += _one_of_them(trial, trial.element, term)
    return Finding(check, found == expected, text, str(expected))


def _points_in_words(trial: Trial, term: str) -> str:
    count = point_count(trial.element.cell, trial.element.degree[term])
    return "one point" if count == 1 else f"{count} points"


def _one_of_them(trial: Trial, element: Element, term: str) -> str:
    """Return a motion that is not rigid, on the reference cell itself, written out if it is short.

    The null space without rigid motions is reduced to echelon form: its rows move few nodes.
    """
    x = np.array([[float(c) for c in node] for node in element.nodes])
    if len(x) > _SHOWN or element.dimension != element.components or element.revolved:
        return ""
    values, vectors = np.linalg.eigh(trial.run(term, x))
    null = vectors[:, values < NONE * values[-1]]
    if term == "stiffness":
        rigid, _ = np.linalg.qr(trial.rigid(x))
        null = null - rigid @ (rigid.T @ null)
    left, sizes, _ = np.linalg.svd(null, full_matrices=False)
    rest = left[:, sizes > _ROUND_OFF**0.5]
    if not rest.size:
        return ""
    column = int(np.argmax(np.abs(rest).max(axis=1) > 0.1))
    motion = rest @ rest[column]
    motion = (motion / motion[np.argmax(np.abs(motion))]).reshape(x.shape)
    along = [
        f"u{'xyz'[i]} = ({', '.join(f'{v + 0.0:.3g}' for v in np.round(motion[:, i], 6))})"
        for i in range(x.shape[1])
        if np.abs(motion[:, i]).max() > _ROUND_OFF**0.5
    ]
    return f"; one on the reference cell: {', '.join(along)} at nodes 0 to {len(x) - 1}"


def constant_strain_forces(trial: Trial, element: Element) -> Iterator[Finding]:
    """Check that nodal forces of a constant strain are the exact ones, as the patch test needs.

    Forces of neighbours cancel only then (Irons and Loikkanen, International Journal for Numerical
    Methods in Engineering 19, 1983). Reduced rules of points inside the cell have it, too.
    """
    fine = finely_integrated(trial)
    if fine is None or element.revolved:
        return
    x, n = trial.straight, element.components
    motion = trial.motion(x, np.random.default_rng(7).standard_normal((n, n)), np.zeros(n))
    exact = fine.run("stiffness", x) @ motion
    left = np.abs(trial.run("stiffness", x) @ motion - exact).max() / np.abs(exact).max()
    yield small("forces of constant strain are exact", left, _ROUND_OFF, "the largest")


def inexact(trial: Trial) -> list[str]:
    """Return how far stiffness and mass of a straight cell are from exact integrals, if they are.

    Reduced integration may be meant: this is a note, not a fault.
    """
    element = trial.element
    fine = None if element.revolved else finely_integrated(trial)
    found = []
    for term in ("stiffness", "mass") if fine is not None else ():
        assert fine is not None
        exact = fine.run(term, trial.straight)
        left = np.abs(trial.run(term, trial.straight) - exact).max() / np.abs(exact).max()
        if left > _TOLD:
            found.append(
                f"quadrature of the {term}: by its {_points_in_words(trial, term)} it is "
                f"{float(f'{100 * left:.2g}'):g} % of its largest entry away from the exact "
                "integral on a straight cell"
            )
    return found
