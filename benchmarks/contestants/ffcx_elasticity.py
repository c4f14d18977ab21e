# SPDX-License-Identifier: BSD-3-Clause
"""FFCx: the C text of the elasticity problems of one cell, from their data on standard input.

Same quadrature points, and geometry isoparametric as the problems have it. Prints JSON: where the
header is, the nodes of the element in FFCx's order, and by problem the text and its functions.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import basix
import basix.ufl
import ffcx
import ffcx.codegeneration
import ffcx.compiler
import ffcx.options
import numpy as np
import ufl

#: FFCx's cell and degree.
KNOWN = {
    "tri3": ("triangle", 1), "tri6": ("triangle", 2), "quad4": ("quadrilateral", 1),
    "quad9": ("quadrilateral", 2), "tet4": ("tetrahedron", 1), "tet10": ("tetrahedron", 2),
    "pyramid5": ("pyramid", 1), "wedge6": ("prism", 1), "hex8": ("hexahedron", 1),
    "hex27": ("hexahedron", 2),
}  # fmt: skip
Form = Any


def to_basix(reference: str, points: np.ndarray) -> tuple[np.ndarray, float]:
    """Return points of our reference cell in basix's, and the share of the measure it has."""
    x = np.array(points, dtype=float)
    match reference:
        case "quadrilateral" | "hexahedron":
            return (x + 1) / 2, 0.5 ** x.shape[1]
        case "wedge":
            return np.column_stack([x[:, :2], (x[:, 2] + 1) / 2]), 0.5
        case "pyramid":  # our apex is above the centre of the base, theirs above a corner
            return np.column_stack([(x[:, :2] + 1 - x[:, 2:]) / 2, x[:, 2]]), 0.25
        case _:
            return x, 1.0


def forms(data: dict[str, Any]) -> tuple[dict[str, list[Form]], Any, dict[int, str]]:
    """Return the forms of every problem by its matrices, the element, and names of constants."""
    cell, degree = KNOWN[data["cell"]]
    d = data["dimension"]
    element = basix.ufl.element("Lagrange", cell, degree, shape=(d,))
    mesh = ufl.Mesh(element)
    space = ufl.FunctionSpace(mesh, element)
    u, v = ufl.TrialFunction(space), ufl.TestFunction(space)
    state = [ufl.Coefficient(space) for _ in range(3)]
    names: dict[int, str] = {}

    def constant(name: str) -> Any:
        found = ufl.Constant(mesh)
        names[found.count()] = name
        return found

    def dx(part: str) -> Any:
        rule = data["quadrature"][part]
        points, share = to_basix(data["reference"], rule["points"])
        weights = share * np.array(rule["weights"])
        return ufl.dx(
            metadata={
                "quadrature_rule": "custom",
                "quadrature_points": points,
                "quadrature_weights": weights,
            }
        )

    # The Lame constants of the linear law, which its caller computes once.
    first, second = constant("LAMBDA"), constant("SHEAR")
    lame, mu, density = constant("lame"), constant("mu"), constant("density")
    turns = (3,) if d == 2 else (1, 2, 3)
    w, e = ([constant(f"{letter}{i}") for i in turns] for letter in "we")
    thickness = constant("thickness") if d == 2 else 1.0

    def elastic(x: Any) -> Form:
        strain = 2 * second * ufl.inner(ufl.sym(ufl.grad(x)), ufl.sym(ufl.grad(v)))
        return thickness * (strain + first * ufl.div(x) * ufl.div(v)) * dx("stiffness")

    def inertia(x: Any) -> Form:
        return density * thickness * ufl.inner(x, v) * dx("mass")

    def crossed(turning: list[Any], x: Any) -> Any:
        if d == 2:
            return ufl.as_vector([-turning[0] * x[1], turning[0] * x[0]])
        return ufl.cross(ufl.as_vector(turning), x)

    F = ufl.Identity(d) + ufl.grad(state[0])
    volume = ufl.det(F)
    energy = mu / 2 * (ufl.tr(F.T * F) - d) - mu * ufl.ln(volume) + lame / 2 * ufl.ln(volume) ** 2
    residual = ufl.derivative(thickness * energy * dx("stiffness"), state[0], v)
    tangent = ufl.derivative(residual, state[0], u)

    def moving(moved: Any, rate: Any, second_rate: Any) -> list[Form]:
        return [elastic(moved), inertia(second_rate), inertia(crossed(w, rate)),
                inertia(crossed(e, moved)), inertia(crossed(w, crossed(w, moved)))]  # fmt: skip

    stiffness, mass, coriolis, euler, centrifugal = moving(*state)
    return (
        {
            "stiffness": [elastic(u)],
            "stiffness_action": [elastic(state[0])],
            "mass": [inertia(u)],
            "mass_action": [inertia(state[0])],
            "neo_hookean_residual": [residual],
            "neo_hookean_tangent": [tangent],
            "neo_hookean_tangent_action": [ufl.action(tangent, state[1])],
            "moving_frame": moving(u, u, u),
            "moving_frame_action": [stiffness + mass + 2 * coriolis + euler + centrifugal],
        },
        element,
        names,
    )


def main() -> None:
    """Print what FFCx makes of the problems."""
    data = json.load(sys.stdin)
    if data["cell"] not in KNOWN:
        print(json.dumps({"absent": f"FFCx has no element with the nodes of {data['cell']}"}))
        return
    found: dict[str, Any] = {}
    made, element, names = forms(data)
    for problem, parts in made.items():
        if len(sys.argv) > 1 and problem not in sys.argv[1:]:
            continue
        code, suffixes = ffcx.compiler.compile_ufl_objects(
            parts, options=ffcx.options.get_options({}), namespace="peer"
        )
        source = code[list(suffixes).index(".c")]
        functions = re.findall(r"^void (tabulate_tensor_\w+)\(", source, re.MULTILINE)
        constants = [[names[c.count()] for c in part.constants()] for part in parts]
        found[problem] = {"source": source, "functions": functions, "constants": constants}
    print(
        json.dumps(
            {
                "version": ffcx.__version__,
                "include": ffcx.codegeneration.get_include_path(),
                "nodes": element.basix_element.points.tolist(),
                "ours": to_basix(data["reference"], data["nodes"])[0].tolist(),
                "problems": found,
            }
        )
    )


if __name__ == "__main__":
    main()
