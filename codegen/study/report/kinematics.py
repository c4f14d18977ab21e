# SPDX-License-Identifier: BSD-3-Clause
"""The kinematics of a material point, by components and by terms, written in the field.

The terms are written in matrix notation, which is evaluated and compared with the derived
kinematics, so that missing or wrong terms are detected.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import sympy
from flexforge.codegen.errors import FlexforgeError
from flexforge.codegen.mechanics.formalisms.energies import kinetic_energy
from flexforge.codegen.mechanics.kinematics import DENSITY, MaterialPoint
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.study.report.field import Field

#: Matrix notation of the quantities common to all derivations.
NOTATION = {
    "v": ("v_O", "w~ x", "w~ N d", "N d'"),
    "a": ("a_O", "(e~ + w~ w~) x", "(e~ + w~ w~) N d", "2 w~ N d'", "N d''"),
    "eps": ("b N d",),
    "T": ("1/2 rho v^T v",),
    "V": ("1/2 eps^T H eps", "sigma_0^T epsq"),
    "W": ("f^T N d",),
}


def kinematics(point: MaterialPoint) -> dict[str, sympy.Expr]:
    """Return the components of velocity, acceleration and strain in the field and its rates.

    The field is written by its values ``u_i`` and slopes ``u_i,j`` at the point instead of the
    coordinates of the nodes.
    """
    field, uncounted = Field(point), Ledger()
    motion = (*point.frame.angular_velocity, *point.frame.angular_acceleration)
    vectors = {"v": point.velocity(uncounted), "a": point.acceleration(uncounted)}
    table = {
        f"{mark}{i + 1}": sympy.collect(field.write(sympy.expand(component)), motion)
        for mark, vector in vectors.items()
        for i, component in enumerate(vector)
    }
    strain = point.strain(point.coordinates, uncounted)
    return table | {f"eps{k + 1}": field.write(sympy.expand(e)) for k, e in enumerate(strain)}


def matrix_terms(point: MaterialPoint) -> dict[str, dict[str, sympy.Matrix]]:
    """Return velocity, acceleration, strain and energies as sums of terms in matrix notation.

    Parameters
    ----------
    point : MaterialPoint
        The point.

    Returns
    -------
    dict
        By name, dictionaries from the notation of a term to its value in the field.

    Raises
    ------
    FlexforgeError
        If the terms of a quantity do not add up to the derived one.
    """
    values = _values(point)
    field = Field(point)
    table = {}
    for name, terms in NOTATION.items():
        parts = {
            term: _evaluate(term, values)
            for term in terms
            if "sigma_0" not in term or point.initial_stress
        }
        left_over = sum(parts.values(), start=-values[name])
        if not left_over.applyfunc(sympy.expand).is_zero_matrix:
            raise FlexforgeError(
                f"{name} is not {' + '.join(parts)}: the difference is {left_over}"
            )
        table[name] = {term: value.applyfunc(field.write) for term, value in parts.items()}
    return table


def _values(point: MaterialPoint) -> dict[str, sympy.Matrix]:
    """Return the values of the words of the matrix notation."""
    frame, uncounted = point.frame, Ledger()
    velocity = point.velocity(uncounted)
    strain = point.strain(point.coordinates, uncounted)
    work = point.body_force.T * point.interpolate(point.coordinates, uncounted, "W")
    return {
        "v_O": frame.velocity,
        "a_O": frame.acceleration,
        "x": point.position,
        "w~": frame.tilde(frame.angular_velocity),
        "e~": frame.tilde(frame.angular_acceleration),
        "N": point.shape_matrix,
        "b N": point.strain_matrix,
        "H": point.law.matrix,
        "d": sympy.Matrix(point.coordinates),
        "d'": sympy.Matrix(point.velocities),
        "d''": sympy.Matrix(point.accelerations),
        "f": point.body_force,
        "v": velocity,
        "a": point.acceleration(uncounted),
        "eps": strain,
        "epsq": point.quadratic_strain(uncounted),
        "sigma_0": point.initial_stress,
        "T": sympy.Matrix([kinetic_energy(point.inertia, velocity, uncounted)]),
        "W": work,
        "V": sympy.Matrix([point.stored_energy(uncounted)]),
        "rho": DENSITY,
        "2": sympy.Integer(2),
        "1/2": sympy.Rational(1, 2),
    }


def _evaluate(text: str, values: Mapping[str, sympy.Matrix]) -> sympy.Matrix:
    """Return the value of products of words; a leading bracket is a sum of such products."""
    bracket = re.fullmatch(r"\((.*)\) (.*)", text)
    if bracket:
        parts = [_evaluate(part, values) for part in bracket[1].split(" + ")]
        return sum(parts[1:], start=parts[0]) * _evaluate(bracket[2], values)
    result = sympy.Integer(1)
    for word in re.findall(r"b N|\S+", text):
        factor = values[word.removesuffix("^T")]
        result = result * (factor.T if word.endswith("^T") else factor)
    return result
