# SPDX-License-Identifier: BSD-3-Clause
"""The kinematics of a material point, written in the field instead of nodal coordinates."""

from __future__ import annotations

from collections.abc import Mapping

import sympy
from flexforge.codegen.kinematics import MaterialPoint, gradient_symbols, shape_symbol
from flexforge.codegen.ledger import Ledger


def kinematics(point: MaterialPoint) -> dict[str, sympy.Expr]:
    """Return the components of velocity, acceleration and strain in the field and its rates.

    The field is written by its values ``u_i`` and slopes ``u_i,j`` at the point instead of the
    coordinates of the nodes.
    """
    size = point.dimension
    rename = _field_names(point)
    uncounted = Ledger()
    vectors = {"v": point.velocity(uncounted), "a": point.acceleration(uncounted)}
    table = {
        f"{mark}{i + 1}": _by_motion(_in_field(vector[i], rename), point)
        for mark, vector in vectors.items()
        for i in range(size)
    }
    strain = point.strain(point.coordinates, uncounted)
    return table | {f"eps{k + 1}": _in_field(e, rename) for k, e in enumerate(strain)}


def _field_names(point: MaterialPoint) -> dict[sympy.Expr, sympy.Expr]:
    """Return what replaces a product of shape and coordinate at the first node of the point."""
    node, size = point.nodes[0], point.dimension
    names: dict[sympy.Expr, sympy.Expr] = {}
    for rate, nodal in (("", point.coordinates), ("'", point.velocities),
                        ("''", point.accelerations)):  # fmt: skip
        for i in range(size):
            names[shape_symbol(node) * nodal[i]] = sympy.Symbol(f"u{i + 1}{rate}", real=True)
            for j, slope in enumerate(gradient_symbols(node, size)):
                names[slope * nodal[i]] = sympy.Symbol(f"u{i + 1},{j + 1}{rate}", real=True)
    # All other nodes contribute in the same way: the first one stands for the sum.
    for other in point.nodes[1:]:
        names |= dict.fromkeys((shape_symbol(other), *gradient_symbols(other, size)), sympy.S.Zero)
    return names


def _in_field(value: sympy.Expr, names: Mapping[sympy.Expr, sympy.Expr]) -> sympy.Expr:
    return sympy.expand(value).subs(names)


def _by_motion(value: sympy.Expr, point: MaterialPoint) -> sympy.Expr:
    motion = (*point.frame.angular_velocity, *point.frame.angular_acceleration)
    return sympy.collect(sympy.expand(value), motion)
