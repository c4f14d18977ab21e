# SPDX-License-Identifier: BSD-3-Clause
"""Checks of stiffness and stress: rigid motions, spurious modes, constant strain, prestress."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.elements.strain import operator, voigt_stress
from flexforge.codegen.study.verification.findings import Finding, small
from flexforge.codegen.study.verification.integration import (
    NONE,
    constant_strain_forces,
    counted_motions,
    vanishing,
)
from flexforge.codegen.study.verification.trial import Floats, Trial

_ROUND_OFF = 1e-11


def elastic(trial: Trial) -> Iterator[Finding]:
    """Yield the findings about stiffness, stress and geometric stiffness."""
    if trial.law is not None:
        yield _law(trial)
    x = trial.distorted
    stiffness = trial.run("stiffness", x)
    size = float(np.abs(stiffness).max())
    yield small(
        "stiffness is symmetric",
        np.abs(stiffness - stiffness.T).max() / size,
        1e-13,
        "its largest entry",
    )
    energies = np.linalg.eigvalsh(stiffness)
    yield small(
        "stiffness has no negative energy", -energies[0] / energies[-1], 1e-12, "its largest"
    )
    if is_grounded(trial.element):
        return
    rigid = trial.rigid(x)
    if trial.element.revolved:
        rigid = rigid[:, 1::3]  # a ring moves rigidly along its axis, and with torsion about it
    left = np.abs(stiffness @ rigid).max() / size
    yield small("rigid motions cost no energy", left, _ROUND_OFF, "its largest entry")
    free = vanishing(energies) - _idle(trial)
    expected = _without_energy(trial, rigid)
    yield counted_motions("motions without energy", trial, "stiffness", free, expected)
    if isinstance(trial.element, Element) and not trial.element.revolved:
        yield from constant_strain_forces(trial, trial.element)
        yield from _constant_strain(trial, trial.element)
    if "geometric" in trial.terms:
        yield from _prestressed(trial)


def _law(trial: Trial) -> Finding:
    """Check that the law costs energy for every strain, with the values of this trial."""
    names = trial.element.constitutive.parameters
    found = trial.energies({name: trial.value(name) for name in names})
    return Finding(
        "the law is positive definite",
        found.definite,
        found.text,
        "all above 0; --set NAME=VALUE gives other values",
    )


def is_grounded(element: AnyElement) -> bool:
    """Whether an element resists displacements themselves, like springs to the frame.

    Parameters
    ----------
    element : Element or FieldElement
        The declaration; what declared fields hold is not known.
    """
    if isinstance(element, FieldElement):
        return False
    n = element.components
    zeros = sympy.zeros(n, n)
    symbols = sympy.Matrix(sympy.symbols("u1:4")[:n])
    rows = operator(element.strain)(symbols, zeros, zeros)
    return bool(rows.free_symbols & set(symbols)) and not element.revolved


def _idle(trial: Trial) -> int:
    """Return the number of coordinates without effect: a planar rotation has one too many."""
    element = trial.element
    if isinstance(element, FieldElement) and "rotation" in element.carried and trial.size == 2:
        return len(element.places)
    return 0


def _without_energy(trial: Trial, rigid: Floats) -> int:
    """Return the expected number of motions without energy: rigid and declared ones.

    A bar has no rotation about its own axis: it has one rigid motion less.
    """
    loose = trial.element.loose if isinstance(trial.element, FieldElement) else 0
    return int(np.linalg.matrix_rank(rigid, tol=NONE * np.abs(rigid).max())) + loose


def _constant_strain(trial: Trial, element: Element) -> Iterator[Finding]:
    """Compare energy and stress of a linear displacement with those of its strain."""
    n, x = element.components, trial.distorted
    slope = np.random.default_rng(5).standard_normal((n, n)) * 0.1
    gradient = sympy.Matrix(slope)
    strain = operator(element.strain)(sympy.zeros(n, 1), gradient, gradient)
    known = {sympy.Symbol(p, real=True): trial.value(p) for p in element.constitutive.parameters}
    for symbol, value in element.constitutive.definitions:
        known[symbol] = float(sympy.sympify(value, strict=True).subs(known))
    law = element.constitutive.matrix.subs(known)
    stress = law * strain
    volume = _volume(trial, element)
    d = trial.motion(x, slope, np.zeros(n))
    expected = volume * float((strain.T * stress)[0])
    stored = float(d @ trial.run("stiffness", x) @ d)
    yield small("energy of constant strain", abs(stored / expected - 1), _ROUND_OFF, "it")
    if "stress" in trial.terms:
        components = np.array(voigt_stress(stress, element.strain, n).tolist(), dtype=float).ravel()
        found = trial.run("stress", x, d).reshape(len(x), -1)
        left = np.abs(found - components).max() / np.abs(components).max()
        yield small("stress of constant strain", left, _ROUND_OFF, "it")


def _volume(trial: Trial, element: Element) -> float:
    """Return the integration volume of the stiffness, by its own points and weights."""
    from flexforge.codegen.elements.interpolation import REFERENCE
    from flexforge.codegen.elements.quadrature import rule

    rates = sympy.lambdify(
        REFERENCE[: element.dimension], sympy.Matrix(element.shape_derivatives), "numpy"
    )
    points, weights = rule(element.cell, element.degree["stiffness"])
    total = sum(
        weight * np.linalg.det(trial.distorted.T @ np.array(rates(*point), dtype=float))
        for point, weight in zip(points, weights, strict=True)
    )
    return float(total) * (trial.value(element.section) if element.section else 1.0)


def _prestressed(trial: Trial) -> Iterator[Finding]:
    """Check the geometric stiffness: it is symmetric, and translations take no energy."""
    x, n = trial.distorted, trial.size
    slope = np.random.default_rng(6).standard_normal((n, n)) * 0.1
    matrix: Floats = trial.run("geometric", x, trial.motion(x, slope, np.zeros(n)))
    if matrix.shape[0] != trial.element.size:  # one number per pair of nodes, times the identity
        matrix = np.asarray(np.kron(matrix.reshape(len(x), -1), np.eye(n)), dtype=float)
    size = np.abs(matrix).max()
    yield small(
        "geometric stiffness is symmetric",
        np.abs(matrix - matrix.T).max() / size,
        1e-12,
        "its largest entry",
    )
    translations = trial.rigid(x)[:, 1:2] if trial.element.revolved else trial.rigid(x)[:, :n]
    moved = np.abs(matrix @ translations).max() / size
    yield small("prestress leaves translations free", moved, _ROUND_OFF, "its largest entry")
