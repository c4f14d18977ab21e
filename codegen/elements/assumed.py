# SPDX-License-Identifier: BSD-3-Clause
"""Assumed strains: components of the compatible strain at places of the cell, put together anew.

A low-order field has strains that it should not have, such as the shear of a bilinear one in
bending. An assumed strain takes components of the compatible strain only at places where they are
right, each times a weight that is a function of the place: transverse shears at the middles of the
sides (Dvorkin and Bathe, Engineering Computations 1, 1984), a strain along the sides at the sides
and the shear in the middle. The declaration lists the samples; what they make is linear in the
nodal coordinates, and everything else is derived from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy

if TYPE_CHECKING:
    from flexforge.codegen.elements.declaration import Point

#: Two directions, by the numbers of their coordinates in the cell; the last one is across it.
Component = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Sample:
    """A covariant component of the compatible strain at one place.

    Attributes
    ----------
    component : tuple of int
        Which component; of two directions the whole angle between them.
    place : tuple of sympy.Rational
        Reference coordinates.
    weight : sympy.Expr
        By what it is multiplied: a function of reference coordinates and definitions.
    """

    component: Component
    place: Point
    weight: sympy.Expr


def assume(
    samples: Iterable[Sample], compatible: Callable[[Component, Point], sympy.Expr]
) -> sympy.Expr:
    """Return the strain that samples make.

    Parameters
    ----------
    samples : iterable of Sample
        What is taken where.
    compatible : callable
        The compatible strain: of a component and a place, linear in the nodal coordinates.

    Examples
    --------
    >>> x = sympy.Symbol("x")
    >>> middle = Sample((0, 0), (sympy.Integer(0),), sympy.Integer(1))
    >>> assume([middle], lambda component, place: 3 + place[0])
    3
    """
    return sympy.Add(*(s.weight * compatible(s.component, s.place) for s in samples))
