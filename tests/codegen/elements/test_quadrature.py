# SPDX-License-Identifier: BSD-3-Clause
"""Quadrature against exact integrals of monomials, and against what the elements need."""

from __future__ import annotations

from itertools import product
from math import factorial

import handwritten
import numpy as np
import pytest
from flexforge.codegen.elements.quadrature import point_count, rule
from flexforge.codegen.errors import InputError
from marks import slow
from specimens import ELEMENTS, affine, cell_of

DIMENSION = {"point": 0, "interval": 1, "quadrilateral": 2, "hexahedron": 3, "triangle": 2,
             "tetrahedron": 3, "wedge": 3, "pyramid": 3}  # fmt: skip
SIMPLICES = ("triangle", "tetrahedron")
DEGREES = {"point": range(3), "interval": range(8), "quadrilateral": range(6),
           "hexahedron": range(6), "triangle": range(7), "tetrahedron": range(6),
           "wedge": range(7), "pyramid": range(6)}  # fmt: skip
CASES = [(cell, degree) for cell, degrees in DEGREES.items() for degree in degrees]


def _exact(cell: str, powers: tuple[int, ...]) -> float:
    """Return the integral of a monomial: products on tensor cells, Dirichlet's on simplices."""
    if cell in SIMPLICES:
        top = np.prod([factorial(k) for k in powers])
        return top / factorial(sum(powers) + len(powers))
    if cell == "wedge":
        return _exact("triangle", powers[:2]) * _exact("interval", powers[2:])
    if cell == "pyramid":  # squares of edge 2 (1 - zeta): a beta function of the height
        i, j, k = powers
        height = factorial(k) * factorial(i + j + 2) / factorial(i + j + k + 3)
        return _exact("quadrilateral", (i, j)) * height
    return float(np.prod([0 if k % 2 else 2 / (k + 1) for k in powers]))


def _monomials(cell: str, degree: int):
    for powers in product(range(degree + 1), repeat=DIMENSION[cell]):
        across = {"wedge": powers[:2], "pyramid": powers}.get(cell, powers)
        if cell not in (*SIMPLICES, "wedge", "pyramid") or sum(across) <= degree:
            yield powers


def _error(cell: str, degree: int, powers: tuple[int, ...]) -> float:
    points, weights = rule(cell, degree)
    found = sum(
        w * float(np.prod([x**k for x, k in zip(p, powers, strict=True)]))
        for p, w in zip(points, weights, strict=True)
    )
    return abs(found - _exact(cell, powers))


@pytest.mark.parametrize(("cell", "degree"), CASES)
def test_points_are_counted_without_their_digits(cell, degree):
    """The count is that of the rule itself."""
    assert point_count(cell, degree) == len(rule(cell, degree)[1])


@pytest.mark.parametrize(("cell", "degree"), CASES)
def test_monomials_up_to_the_degree_are_exact(cell, degree):
    """The rule integrates what it says: a degree a direction, a total one on simplices."""
    for powers in _monomials(cell, degree):
        assert _error(cell, degree, powers) < 1e-15 * max(1, _exact(cell, powers)), powers


@pytest.mark.parametrize(("cell", "degree"), CASES)
def test_points_inside_and_weights_positive(cell, degree):
    """Positive weights and inner points: mass matrices stay positive, stresses are inside."""
    points, weights = rule(cell, degree)
    assert min(weights) > 0
    for point in points:
        if cell in SIMPLICES:
            assert min(point) > 0
            assert sum(point) < 1
        elif cell == "wedge":
            assert min(point[:2]) > 0 and sum(point[:2]) < 1 and -1 < point[2] < 1
        elif cell == "pyramid":
            assert 0 < point[2] < 1 and all(abs(x) < 1 - point[2] for x in point[:2])
        else:
            assert all(-1 < x < 1 for x in point)


@pytest.mark.parametrize(
    ("cell", "degree", "count"),
    [("interval", 3, 2), ("interval", 5, 3), ("quadrilateral", 3, 4), ("hexahedron", 5, 27),
     ("triangle", 1, 1), ("triangle", 2, 3), ("triangle", 4, 6), ("triangle", 6, 12),
     ("tetrahedron", 1, 1), ("tetrahedron", 2, 4), ("tetrahedron", 5, 14), ("wedge", 2, 6),
     ("wedge", 4, 18),
     ("pyramid", 1, 1), ("pyramid", 3, 8)],
)  # fmt: skip
def test_known_sizes_and_that_the_degree_is_no_higher(cell, degree, count):
    """Points as in the tables (Gauss; Strang and Fix; Dunavant; Keast; Walkington), not one more.

    One degree higher is not exact, so the test of exactness can fail.
    """
    assert len(rule(cell, degree)[0]) == count
    powers = (degree + 1, *(0,) * (DIMENSION[cell] - 1))
    even = powers if degree % 2 else (degree + 2, *powers[1:])  # odd ones vanish by symmetry
    tried = powers if cell in (*SIMPLICES, "wedge") else even
    assert _error(cell, degree, tried) > 1e-4 * _exact(cell, tried)


def _dense(name: str):
    """Return the hand-written element on an affine cell with a rule of far higher degree."""
    X = affine(ELEMENTS[name], seed=21)
    hypothesis = "_".join(name.split("_")[1:])
    options = {"young": 2.1, "poisson": 0.29, "density": 0.78, "thickness": 0.35}
    return [
        handwritten.Handwritten(cell_of(name), hypothesis, X, **options, rules=rules)
        for rules in (_declared(name), lambda cell, _: handwritten.collapsed(cell))
    ]


def _declared(name: str):
    subject = ELEMENTS[name]
    return lambda _, purpose: (
        np.array(rule(subject.cell, subject.degree[purpose])[0]),
        np.array(rule(subject.cell, subject.degree[purpose])[1]),
    )


@pytest.mark.parametrize(
    "name", [slow(name) if name in ("hex20", "hex27") else name for name in ELEMENTS]
)
def test_the_declared_degrees_are_sufficient(name):
    """On affine cells stiffness and mass are exact: more points change nothing."""
    usual, dense = _dense(name)
    identity = np.eye(usual.dim)
    for found, exact in (
        (usual.stiffness(), dense.stiffness()),
        (usual.inertia(identity), dense.inertia(identity)),
        (usual.load(lambda x: x), dense.load(lambda x: x)),
    ):
        assert np.abs(found - exact).max() < 1e-13 * np.abs(exact).max()


@pytest.mark.parametrize("name", ELEMENTS)
def test_the_declared_degrees_are_not_wasteful(name):
    """The next smaller rule would no longer be exact."""
    subject, (_, dense) = ELEMENTS[name], _dense(name)
    for purpose in ("stiffness", "mass"):
        size = len(rule(subject.cell, subject.degree[purpose])[0])
        smaller = [
            d for d in range(subject.degree[purpose]) if len(rule(subject.cell, d)[0]) < size
        ]
        if not smaller:
            continue  # one point: stiffness of tri3 and tet4
        lower = _dense(name)[0]
        points, weights = rule(subject.cell, smaller[-1])
        lower.rules = lambda *_, p=points, w=weights: (np.array(p), np.array(w))
        found, exact = (
            e.stiffness() if purpose == "stiffness" else e.inertia(np.eye(e.dim))
            for e in (lower, dense)
        )
        assert np.abs(found - exact).max() > 1e-6 * np.abs(exact).max()


def test_rules_that_do_not_exist():
    """What no rule reaches is refused in one line that says the limit."""
    for cell, degree, words in (
        ("triangle", 7, "expected at most 6"),
        ("tetrahedron", 6, "expected at most 5"),
        ("interval", -1, "expected zero or more"),
        ("wedge", 7, "expected at most 6"),
        ("icosahedron", 2, "'icosahedron' has no rules"),
    ):
        with pytest.raises(InputError, match=words) as caught:
            rule(cell, degree)
        assert "\n" not in str(caught.value)
