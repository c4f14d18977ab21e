# SPDX-License-Identifier: BSD-3-Clause
"""FFCx: the C text of stiffness and vector mass, ``CELL DEGREE K_DEGREE M_DEGREE``, as JSON.

Or, with a fifth word, of the tangent of a neo-Hookean law: the second derivative of its energy.

Quadrature of the same degree as ours. Geometry is affine in the nodes of the vertices, which is
less work than our isoparametric geometry for quadratic cells.
"""

from __future__ import annotations

import json
import re
import sys

import basix.ufl
import ffcx
import ffcx.codegeneration
import ffcx.compiler
import ffcx.options
import ufl


def main() -> None:
    """Print sources, function names, and where the header is."""
    cell, degree, of_k, of_m = sys.argv[1], *map(int, sys.argv[2:5])
    dimension = 2 if cell in ("triangle", "quadrilateral") else 3
    element = basix.ufl.element("Lagrange", cell, degree, shape=(dimension,))
    mesh = ufl.Mesh(basix.ufl.element("Lagrange", cell, 1, shape=(dimension,)))
    space = ufl.FunctionSpace(mesh, element)
    u, v = ufl.TrialFunction(space), ufl.TestFunction(space)
    first, second = ufl.Constant(mesh), ufl.Constant(mesh)

    def eps(w: ufl.core.expr.Expr) -> ufl.core.expr.Expr:
        return ufl.sym(ufl.grad(w))

    elastic = 2 * second * ufl.inner(eps(u), eps(v)) + first * ufl.div(u) * ufl.div(v)
    deformed = ufl.Coefficient(space)
    F = ufl.Identity(dimension) + ufl.grad(deformed)
    volume = ufl.det(F)
    energy = second / 2 * (ufl.tr(F.T * F) - 3) - second * ufl.ln(volume)
    energy += first / 2 * ufl.ln(volume) ** 2
    forces = ufl.derivative(energy * ufl.dx(metadata={"quadrature_degree": of_k}), deformed, v)
    forms = {
        "stiffness": elastic * ufl.dx(metadata={"quadrature_degree": of_k}),
        "mass": first * ufl.inner(u, v) * ufl.dx(metadata={"quadrature_degree": of_m}),
    }
    if "tangent" in sys.argv:
        forms = {"tangent": ufl.derivative(forces, deformed, u)}
    result = {
        "version": ffcx.__version__,
        "include": ffcx.codegeneration.get_include_path(),
        "size": element.dim,
        "vertices": len(basix.geometry(basix.CellType[cell])),
    }
    for name, form in forms.items():
        code, suffixes = ffcx.compiler.compile_ufl_objects(
            [form], options=ffcx.options.get_options({}), namespace="peer"
        )
        source = code[list(suffixes).index(".c")]
        found = re.search(r"void (tabulate_tensor_\w+)\(", source)
        assert found is not None
        result[name] = {"source": source, "function": found[1]}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
