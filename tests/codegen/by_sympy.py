# SPDX-License-Identifier: BSD-3-Clause
"""Element integrals from the symbolic densities: SymPy lambdify, summed over the points by NumPy.

Takes the path of the compiler up to the equations and none of it afterwards: no lowering, no IR.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.elements.strain import OPERATORS
from flexforge.codegen.mechanics.kinematics import DENSITY
from flexforge.codegen.mechanics.shape_symbols import gradient_symbols, shape_symbol


@cache
def _tables(name: str, cell: str, degree: int, shape, derivatives):
    """Return N (q, a), dN (q, a, j) and the weights."""
    points, weights = rule(cell, degree)
    axes = REFERENCE[: len(points[0])]
    values = sympy.lambdify(axes, list(shape), "numpy")
    slopes = sympy.lambdify(axes, [list(row) for row in derivatives], "numpy")
    return (
        np.array([values(*p) for p in points], dtype=float),
        np.array([slopes(*p) for p in points], dtype=float).reshape(len(points), len(shape), -1),
        np.array(weights),
    )


def _geometry(element: Element, degree: int, X):
    """Return N (q, a), gradients (q, a, j, L), volumes (q, L)."""
    key = (element.name, element.cell, degree, element.shape, element.shape_derivatives)
    N, dN, weights = _tables(*key)
    if element.dimension == 0:
        return N, None, np.repeat(weights[:, None], X.shape[-1], axis=1)
    J = np.einsum("ail,qaj->qlij", X, dN)
    gradient = np.einsum("qaj,qlji->qail", dN, np.linalg.inv(J))
    return N, gradient, weights[:, None] * np.linalg.det(J)


def _material(element: Element, parameters) -> dict[sympy.Symbol, float]:
    """Return the values of the symbols of the law, given and defined."""
    law = element.constitutive
    known = {sympy.Symbol(p, real=True): parameters[p] for p in law.parameters if p in parameters}
    for symbol, definition in law.definitions:
        if definition.free_symbols <= known.keys():
            known[symbol] = float(definition.subs(known))
    return known


def _section(element: Element, parameters) -> float:
    return 1.0 if element.section is None else parameters[element.section]


def _evaluate(density, table, shape):
    """Return a matrix of SymPy expressions at arrays of values: (rows, cols, *shape)."""
    symbols = sorted(density.free_symbols, key=str)
    missing = [s for s in symbols if s not in table]
    assert not missing, missing
    entries = sympy.lambdify(symbols, [list(r) for r in density.tolist()], "numpy")(
        *(table[s] for s in symbols)
    )
    return np.array([[np.broadcast_to(np.asarray(e, float), shape) for e in r] for r in entries])


def integral(element: Element, equations, term: str, X, parameters, state=None):
    """Return the element integral of a term; (nodes, i, nodes, j, L), loads (nodes, i, L).

    ``scalar_mass`` and ``geometric`` are reduced to their scalar matrix (nodes, nodes, L).
    """
    found = equations.terms["mass" if term == "scalar_mass" else term]
    density = found.density
    purpose = "mass" if term not in ("stiffness", "geometric") else "stiffness"
    if element.strain == "displacement" and term == "stiffness":
        purpose = "stiffness"
    N, gradient, volume = _geometry(element, element.degree[purpose], X)
    size, count = element.components, X.shape[-1]
    points, nodes = N.shape
    table = dict(_material(element, parameters))
    table[DENSITY] = parameters.get(element.density, np.nan)
    table |= {s: parameters[s.name] for s in density.free_symbols if s.name in parameters}
    positions = np.einsum("qa,ail->qil", N, X)
    for i in range(size):
        table[sympy.Symbol(f"x{i + 1}", real=True)] = positions[:, None, None, i, :]
    table[shape_symbol("a")] = N[:, :, None, None]
    table[shape_symbol("b")] = N[:, None, :, None]
    if gradient is not None:
        for j in range(size):
            table[gradient_symbols("a", size)[j]] = gradient[:, :, None, j, :]
            table[gradient_symbols("b", size)[j]] = gradient[:, None, :, j, :]
    if term == "geometric":
        sigma = point_stresses(element, X, parameters, state)
        for k in range(sigma.shape[1]):
            table[sympy.Symbol(f"sigma{k + 1}", real=True)] = sigma[:, None, None, k, :]
    columns = 1 if density.cols == 1 else nodes
    shape = (points, nodes, columns, count)
    values = _evaluate(density, table, shape)
    total = np.einsum("ijqabl,ql->aibjl", values, volume) * _section(element, parameters)
    if density.cols == 1:
        return total[:, :, 0, 0]
    if term in ("scalar_mass", "geometric"):
        for i in range(size):
            for j in range(size):
                expected = total[:, 0, :, 0] if i == j else 0 * total[:, 0, :, 0]
                assert np.allclose(total[:, i, :, j], expected, rtol=0, atol=1e-13)
        return total[:, 0, :, 0]
    return total


def point_stresses(element: Element, X, parameters, state):
    """Return sigma (q, k, L) of nodal displacements (nodes, i, L)."""
    _, gradient, _ = _geometry(element, element.degree["stiffness"], X)
    slopes = np.einsum("ail,qajl->qijl", state, gradient)
    size = element.components
    symbols = sympy.Matrix(size, size, lambda i, j: sympy.Symbol(f"h{i}{j}"))
    law = element.constitutive.matrix * OPERATORS[element.strain](
        sympy.zeros(size, 1), symbols, sympy.zeros(size, size)
    )
    table = dict(_material(element, parameters))
    table |= {symbols[i, j]: slopes[:, i, j] for i in range(size) for j in range(size)}
    return _evaluate(law, table, slopes[:, 0, 0].shape)[:, 0].swapaxes(0, 1)


def nodal_stresses(element: Element, X, parameters, state):
    """Return the stresses (nodes, k, L), fitted at the points by the recovery functions."""
    axes = REFERENCE[: element.dimension]
    fit = sympy.lambdify(axes, list(element.recovery), "numpy")
    points, _ = rule(element.cell, element.degree["stiffness"])
    at_points = np.array([fit(*p) for p in points], dtype=float)
    at_nodes = np.array([fit(*(float(x) for x in n)) for n in element.nodes], dtype=float)
    sigma = point_stresses(element, X, parameters, state)
    return np.einsum("aq,qkl->akl", at_nodes @ np.linalg.pinv(at_points), sigma)


def pressure(element: Element, X, parameters):
    """Return ``- int N^T p n dA`` (nodes, i, L)."""
    key = (element.name, element.cell, element.degree["mass"], element.shape,
           element.shape_derivatives)  # fmt: skip
    N, dN, weights = _tables(*key)
    tangents = np.einsum("ail,qaj->qijl", X, dN)
    if element.components == 2:
        normal = np.stack([tangents[:, 1, 0], -tangents[:, 0, 0]], axis=1)
    else:
        normal = np.cross(tangents[:, :, 0], tangents[:, :, 1], axis=1)
    scale = -parameters["pressure"] * _section(element, parameters)
    return scale * np.einsum("q,qa,qil->ail", weights, N, normal)


def reference(element: Element, equations, term: str, X, parameters, state=None):
    """Return any term of an element or facet."""
    if term == "pressure":
        return pressure(element, X, parameters)
    if term == "stress":
        return nodal_stresses(element, X, parameters, state)
    return integral(element, equations, term, X, parameters, state)
