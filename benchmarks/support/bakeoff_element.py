# SPDX-License-Identifier: BSD-3-Clause
"""The bake-off problems as elements of our own, and their operators on a mesh."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from flexforge.codegen.elements.catalogue import declaration
from flexforge.codegen.elements.field import AnyElement
from flexforge.runtime.assembly.action import build_action
from flexforge.runtime.assembly.graph import build_graph
from flexforge.runtime.assembly.kernels import kernels_of
from flexforge.runtime.mesh import structured

from support.bakeoff import LENGTHS, Apply, Floats, Problem, inside, points_along

CELLS = {1: "hex8", 2: "hex27"}
_UNIT = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))


def declared(problem: Problem, degree: int) -> str:
    """Return the element of a problem as a declaration in TOML.

    The energy is half the sum of squares of the field, or of its slopes: ``strain`` lists them, and
    the law multiplies each by ``k``. A field of one component is a displacement along x alone.
    """
    fields = [f"u{letter}" for letter in "xyz"[: problem.components]]
    rows = [f"{u}_{j}" for u in fields for j in "xyz"] if problem.diffusion else fields
    law = [["k" if i == j else "0" for j in range(len(rows))] for i in range(len(rows))]
    exact = 2 * points_along(degree) - 1
    quoted = str(law).replace("'", '"')
    return (
        f'name = "{problem.name.lower()}_{CELLS[degree]}"\nextends = ["{CELLS[degree]}"]\n'
        f"strain = {str(rows).replace(chr(39), chr(34))}\n"
        f'law = {{ parameters = ["k"], matrix = {quoted} }}\n'
        f"degree = {{ stiffness = {exact}, mass = {exact} }}\n"
    )


def element_of(problem: Problem, degree: int) -> AnyElement:
    """Return the element of a problem."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "element.toml"
        path.write_text(declared(problem, degree))
        return declaration(path)


class Operator:
    """The operator of a problem on the box, without a matrix.

    Parameters
    ----------
    problem : Problem
        Which.
    degree : int
        1 or 2.
    divisions : int
        Elements along each axis.
    """

    def __init__(self, problem: Problem, degree: int, divisions: int) -> None:
        self.problem = problem
        corners = np.array(_UNIT) * np.array(LENGTHS)
        mesh = structured(CELLS[degree], corners, [divisions] * 3)
        self.points, cells = mesh.points, mesh.blocks[0].nodes
        (kernel,) = kernels_of(element_of(problem, degree), ("stiffness_action",)).values()
        self.kernel = kernel
        self._action = build_action(kernel, build_graph(self.points, cells, 1), self.points)
        self._given = np.zeros((len(self.points), 3))
        self._out = np.empty((len(self.points) + 1, 3))
        self._free = inside(self.points) if problem.diffusion else None

    @property
    def apply(self) -> Apply:
        """The product, of vectors (P, components); rows of the boundary are zero."""
        count = self.problem.components

        def product(x: Floats, out: Floats) -> None:
            self._given[:, :count] = x
            found = self._action(self._given, {"k": 1.0}, self._out)
            out[:] = found[:, :count]
            if self._free is not None:
                out *= self._free[:, None]

        return product
