# SPDX-License-Identifier: BSD-3-Clause
"""Rigid motions of an element with an explicit field: every point must follow them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import sympy
from flexforge.codegen.elements.field import Definition, FieldElement, nodal_position
from flexforge.codegen.elements.field_placed import Placed
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.study.verification.findings import Finding, small
from flexforge.codegen.study.verification.trial import Floats, Trial, skew

_ROUND_OFF = 1e-11
Values = dict[sympy.Symbol, float]


def follows_rigidly(trial: Trial, element: FieldElement) -> Finding:
    """Compare the displacement of the points that have mass with that of a rigid body.

    A section that does not rotate with the axis has the wrong rotary inertia, which sums over the
    section cannot distinguish from a section without extent.
    """
    x, n = trial.distorted, trial.size
    nodal = trial.rigid(x)
    spins = np.eye(3) if n == 3 else np.array([[0.0, 0.0, 1.0]])
    left = size = 0.0
    for shape, place in _points(trial, element, x):
        turned = [skew(w)[:n, :n] @ place for w in spins]
        expected = np.column_stack([np.eye(n), *turned])
        left = max(left, float(np.abs(shape @ nodal - expected).max()))
        size = max(size, float(np.abs(expected).max()))
    return small("every point follows rigid motions", left / size, _ROUND_OFF, "the largest")


def _points(trial: Trial, element: FieldElement, x: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield N and the position of every point that has mass, in the frame."""
    definitions, at = _definitions(element)
    names = [name for name, _ in definitions]
    known = _given(trial, element, x)
    places = [*known, *REFERENCE[: element.dimension]]
    # In order: definitions depend on earlier ones.
    computed = [
        sympy.lambdify([*places, *names[:k]], value) for k, (_, value) in enumerate(definitions)
    ]
    arguments = [*places, *names, *element.across]
    for number, point in enumerate(rule(element.cell, element.degree["mass"])[0]):
        values = [*known.values(), *point]
        for definition in computed:
            values.append(float(definition(*values)))
        here = at[number] if at else {}
        fields = sympy.lambdify(
            arguments, [one.xreplace(here) for one in (element.shape, element.position)], cse=True
        )
        for fibre in element.fibres["mass"]:
            place = sympy.lambdify([*places, *names], [one.xreplace(here) for one in fibre.place])
            shape, position = fields(*values, *place(*values))
            yield np.asarray(shape, dtype=float), np.asarray(position, dtype=float).ravel()


def _definitions(
    element: FieldElement,
) -> tuple[Sequence[Definition], Sequence[Mapping[sympy.Symbol, sympy.Expr]]]:
    """Return the definitions, and by point what stands there for quantities given at points."""
    if not element.varying:
        return element.definitions, ()
    placed = Placed.of(element)
    return placed.definitions, placed.at


def _given(trial: Trial, element: FieldElement, x: Floats) -> Values:
    """Return the values of nodal positions and scalar arguments."""
    found: Values = {
        nodal_position(a, i): float(x[a, i]) for a in range(len(x)) for i in range(trial.size)
    }
    names = (*element.constitutive.parameters, *element.parameters)
    return found | {sympy.Symbol(name, real=True): trial.value(name) for name in names}
