# SPDX-License-Identifier: BSD-3-Clause
"""Corrections of bodies in free frames: an exact derivative, with factors of a matrix nearby."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers import Factorization, GmresResult, factorize, gmres
from flexforge.runtime.transient.floating_model import FloatingModel, FloatingOperator
from flexforge.runtime.transient.linear_solver import Conjugate, Solve
from flexforge.runtime.transient.newton import NotConvergedError
from flexforge.runtime.transient.operator import Operator
from flexforge.runtime.transient.space import Space

#: Residual of corrections, relative: of bodies each by itself, where the factors are near the
#: matrix in every direction, and of others.
_NEAR, _CLOSE = 1e-2, 1e-5
#: Most passes of a correction, and those after which factors are old.
_MOST, _STALE = 60, 8


class FloatingSolver:
    """Solves for corrections of Newton's method with factors of a nearby matrix.

    The matrix is the exact derivative of the forces, as a product; GMRES needs one pass through the
    factors where bodies deform little, some more where they bend far. Where no constant matrix
    serves, bodies are factored anew when that takes many.

    Parameters
    ----------
    model : FloatingModel
        The equations.
    solver : str
        Backend: as ``analysis.solver`` of a model file.

    Attributes
    ----------
    name : str
        Backend that factored last.
    bytes : int
        Memory of its factors.
    solves, factorizations : int
        Passes through factors, and matrices factored, so far.
    """

    def __init__(self, model: FloatingModel, solver: str) -> None:
        self._model, self._solver = model, solver
        self.name, self.bytes = "", 0
        self.solves = self.factorizations = 0
        self._passed = (np.nan, 0.0)  # time and size of the right-hand side solved for last

    def prepare(self, operator: Operator, space: Space) -> Solve:
        """Return a solver; the mass matrix, of which a start needs one solution, is iterated with.

        The solver refers to the state at which the residual was last asked for.
        """
        assert isinstance(operator, FloatingOperator)
        if operator.is_mass:
            return Conjugate().prepare(operator.inner, space)
        factors = [self._factored(operator)]
        a, b, c = operator.coefficients
        model = self._model

        def precondition(x: Floats) -> Floats:
            self.solves += 1
            if not model.turns_whole:
                return factors[0].precondition(x)
            return model.turn(factors[0].precondition(model.turn(x)), back=True)

        def solved(right: Floats, most: int) -> GmresResult:
            return gmres(
                model.tangent(a, b, c),
                right,
                precondition,
                tolerance=_NEAR if model.turns_whole else _CLOSE,
                least_iterations=1,
                most_iterations=most,
                estimated=True,
            )

        def solve(right: Floats) -> Floats:
            t, size = model.reached.point.t, float(np.linalg.norm(right))
            before, self._passed = self._passed, (t, size)
            if model.turns_whole and before[0] == t and size <= _NEAR * before[1]:
                return precondition(right)  # the last correction shows that no more is needed
            found = solved(right, _MOST if model.turns_whole else _STALE)
            if not found.converged and not model.turns_whole:
                factors[0].close()
                here = model.linearize(model.reached.point).combine(a, b, c)
                assert isinstance(here, FloatingOperator)
                factors[0] = self._factored(here)
                found = solved(right, _MOST)
            if not found.converged:
                raise NotConvergedError(
                    f"transient: the equations of the step to t = {t:g} s have no "
                    f"solution near (residual {found.residual:.1e}): take shorter steps"
                )
            return found.solution

        return solve

    def _factored(self, operator: FloatingOperator) -> Factorization:
        factors = factorize(
            operator.assemble(),
            self._solver,
            self._model.system.threads,
            symmetric=operator.symmetric,
            check=False,
        )
        self.factorizations += 1
        self.name, self.bytes = factors.name, factors.bytes or 0
        return factors
