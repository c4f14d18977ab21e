# SPDX-License-Identifier: BSD-3-Clause
"""Strain operators: the strain vector eps of a displacement u and its gradient, in Voigt order.

Every operator takes the displacement, its gradient, and the mean gradient over the element,
``mean[i, j] = 1/V int du_i / dx_j dV``, and uses what it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.elements.expressions import parse
from flexforge.codegen.elements.facts import REVOLVED
from flexforge.codegen.errors import InputError

Operator = Callable[[sympy.Matrix, sympy.Matrix, sympy.Matrix], sympy.Matrix]

#: Voigt order of the strain and stress components, by dimension of the space.
VOIGT = {
    1: ((0, 0),),
    2: ((0, 0), (1, 1), (0, 1)),
    3: ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)),
}


#: Inverse of the distance of the point from the axis of a body of revolution.
INVERSE_RADIUS = sympy.Symbol("inverse_radius", real=True)


def small_strain(u: sympy.Matrix, gradient: sympy.Matrix, mean: sympy.Matrix) -> sympy.Matrix:
    """Return the linearised strain; shear components are engineering strains.

    Parameters
    ----------
    u : sympy.Matrix
        Displacement, unused.
    gradient : sympy.Matrix
        ``gradient[i, j] = du_i / dx_j``.
    mean : sympy.Matrix
        Mean gradient, unused.
    """
    return sympy.Matrix(
        [
            gradient[i, j] if i == j else gradient[i, j] + gradient[j, i]
            for i, j in VOIGT[gradient.rows]
        ]
    )


def selective(u: sympy.Matrix, gradient: sympy.Matrix, mean: sympy.Matrix) -> sympy.Matrix:
    """Return the linearised strain, followed by the mean dilatation of the element.

    A selective law takes the volumetric strain from the mean alone: for nearly incompressible
    material, one constraint per element instead of one per quadrature point (Nagtegaal, Parks and
    Rice, Computer Methods in Applied Mechanics and Engineering 4, 1974). On parallelepipeds it
    equals one-point integration, which would fail the patch test on other shapes.
    """
    return sympy.Matrix([*small_strain(u, gradient, mean), mean.trace()])


def axisymmetric(u: sympy.Matrix, gradient: sympy.Matrix, mean: sympy.Matrix) -> sympy.Matrix:
    """Return the strains of a body of revolution: rr, zz, rz in its section, then the hoop strain.

    The displacement u_r on a circle of radius r stretches it by ``u_r / r`` (Zienkiewicz and Taylor
    vol. 1, section 5.2).
    """
    return sympy.Matrix([*small_strain(u, gradient, mean), u[0] * INVERSE_RADIUS])


def axisymmetric_torsion(
    u: sympy.Matrix, gradient: sympy.Matrix, mean: sympy.Matrix
) -> sympy.Matrix:
    """Return all six strains of a body of revolution that is twisted as well, in Voigt order.

    The third displacement u_t, along circles, shears by ``du_t/dz`` and ``du_t/dr - u_t / r``.
    """
    return small_strain(u, displacement_gradient("axisymmetric_torsion", u, gradient), mean)


def displacement(u: sympy.Matrix, gradient: sympy.Matrix, mean: sympy.Matrix) -> sympy.Matrix:
    """Return the displacement itself: the elongation of springs attached to the moving frame."""
    return u


def axial(u: sympy.Matrix, gradient: sympy.Matrix, mean: sympy.Matrix) -> sympy.Matrix:
    """Return ``du_1 / dx_1``: the strain of a bar along the first axis."""
    return sympy.Matrix([gradient[0, 0]])


OPERATORS: dict[str, Operator] = {
    "small_strain": small_strain,
    "selective": selective,
    "axisymmetric": axisymmetric,
    "axisymmetric_torsion": axisymmetric_torsion,
    "displacement": displacement,
    "axial": axial,
}

#: Operators whose stress prestresses the element.
STRAINS = ("small_strain", "selective", *REVOLVED)


def stress_components(strain: str, dimension: int) -> tuple[tuple[int, int], ...]:
    """Return the axes of the stresses: in Voigt order, then the hoop stress."""
    hoop = ((2, 2),) if strain == "axisymmetric" else ()
    return (*VOIGT[dimension], *hoop)


def voigt_stress(stress: sympy.Matrix, strain: str, dimension: int) -> sympy.Matrix:
    """Return stress in that order; a mean stress is conjugate to a mean dilatation.

    Parameters
    ----------
    stress : sympy.Matrix
        Stress conjugate to the strains of an operator.
    strain : str
        The operator.
    dimension : int
        Of the space.
    """
    if strain != "selective":
        return stress
    size = len(VOIGT[dimension])
    mean = sum(stress[size:], sympy.Integer(0))
    return sympy.Matrix([stress[k] + (mean if k < dimension else 0) for k in range(size)])


def displacement_gradient(strain: str, u: sympy.Matrix, gradient: sympy.Matrix) -> sympy.Matrix:
    """Return the gradient of a displacement in the axes of its stresses.

    In cylindrical coordinates its entries along the circle are ``(du_t / dt + u_r) / r`` and
    ``(du_r / dt - u_t) / r``: for an axisymmetric displacement in the section only the hoop entry
    ``u_r / r`` remains, with torsion ``- u_t / r`` too.

    Parameters
    ----------
    strain : str
        The operator.
    u : sympy.Matrix
        Displacement.
    gradient : sympy.Matrix
        ``gradient[i, j] = du_i / dx_j`` along the axes of the plane or space of the cell.
    """
    if strain == "axisymmetric":
        return sympy.Matrix(sympy.diag(gradient, u[0] * INVERSE_RADIUS))
    if strain == "axisymmetric_torsion":
        along = sympy.Matrix([-u[2], 0, u[0]]) * INVERSE_RADIUS
        return sympy.Matrix.hstack(sympy.Matrix(gradient[:, :2]), along)
    return gradient


def green_lagrange_quadratic(
    left: sympy.Matrix, right: sympy.Matrix, components: Sequence[tuple[int, int]] | None = None
) -> sympy.Matrix:
    """Return the quadratic part ``1/2 grad u^T grad u`` of the Green-Lagrange strain, polarized.

    The work of an initial stress on it gives the geometric stiffness (physics.md: k_geo);
    shear components are doubled as in :func:`small_strain`.

    Parameters
    ----------
    left, right : sympy.Matrix
        Displacement gradients, one column per axis; equal ones give the quadratic strain, and
        twice the value for two different ones is the variation of one along the other.
    components : sequence of tuple of int, optional
        Axes of the strains, by default in Voigt order.
    """
    full = (left.T * right + right.T * left) / 4
    order = VOIGT[left.cols] if components is None else components
    return sympy.Matrix([full[i, j] if i == j else 2 * full[i, j] for i, j in order])


def written_symbols(dimension: int) -> dict[str, sympy.Symbol]:
    """Return the symbols of a written strain: ``ux uy ..`` and derivatives ``ux_x ux_y ..``."""
    axes = "xyz"[:dimension]
    names = [f"u{i}" for i in axes] + [f"u{i}_{j}" for i in axes for j in axes]
    return {name: sympy.Symbol(name, real=True) for name in names}


def operator(name: str) -> Operator:
    """Return a strain operator.

    Parameters
    ----------
    name : str
        One of :data:`OPERATORS`, or rows written out and separated by ``;``, such as
        ``"ux_x; uy_y; ux_y + uy_x"``.

    Raises
    ------
    InputError
        For a row that is not a linear form in the displacement and its derivatives.
    """
    if name in OPERATORS:
        return OPERATORS[name]

    def written(u: sympy.Matrix, gradient: sympy.Matrix, mean: sympy.Matrix) -> sympy.Matrix:
        known = written_symbols(gradient.rows)
        values = [*u, *gradient]  # row by row: du_x/dx, du_x/dy, ..
        meaning = dict(zip(known.values(), values, strict=True))
        rows = []
        for number, row in enumerate(name.split(";")):
            form = sympy.expand(parse(row.strip(), known, f"strain[{number}]"))
            factors = {symbol: derivative(form, symbol) for symbol in meaning}
            linear = sum(factor * symbol for symbol, factor in factors.items())
            if form == 0 or form != linear or any(f.free_symbols for f in factors.values()):
                raise InputError(
                    f"strain[{number}]: found '{row.strip()}'; expected a linear form in "
                    f"{', '.join(known)}"
                )
            rows.append(form.xreplace(meaning))
        return sympy.Matrix(rows)

    return written
