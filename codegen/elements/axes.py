# SPDX-License-Identifier: BSD-3-Clause
"""Local axes of an element from its first axis and a direction in the plane of the first two."""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from flexforge.codegen.elements.field import Definition

#: A direction in the plane of the first two axes, in components of the frame.
ORIENTATION = sympy.symbols("orientation1:4", real=True)


def local_axes(along: Sequence[sympy.Expr]) -> tuple[list[Definition], sympy.ImmutableMatrix]:
    """Return the definitions of the other axes, and all axes as rows of a matrix.

    Parameters
    ----------
    along : sequence of sympy.Expr
        Names of the components of the first axis, a unit vector in the frame: 2 or 3.
    """
    if len(along) == 2:
        return [], sympy.ImmutableMatrix([[*along], [-along[1], along[0]]])
    first = sympy.Matrix(along)
    across = sympy.Matrix(sympy.symbols("normal1:4", real=True))
    norm = sympy.Symbol("normal_length", real=True)
    names = sympy.symbols("raw_normal1:4", real=True)
    raw = first.cross(sympy.Matrix(ORIENTATION))
    definitions: list[Definition] = list(zip(names, raw, strict=True))
    definitions.append((norm, sympy.sqrt(sum(n**2 for n in names))))
    definitions += [(across[i], names[i] / norm) for i in range(3)]
    upward = sympy.symbols("upward1:4", real=True)
    definitions += list(zip(upward, across.cross(first), strict=True))
    return definitions, sympy.ImmutableMatrix([[*along], [*upward], [*across]])
