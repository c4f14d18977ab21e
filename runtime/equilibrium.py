# SPDX-License-Identifier: BSD-3-Clause
"""The static equilibrium from which a transient analysis starts, of free and of tied bodies.

Bodies in prescribed frames are those of a static analysis. Tied bodies satisfy ``K(q) q + J^T l =
f`` and ``J q + c = 0``, with the stiffness of their own stresses in K as in every step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.build import Ties
from flexforge.runtime.constraints.generalized_speeds import null_space
from flexforge.runtime.constraints.null_space import Reducer
from flexforge.runtime.constraints.rows import Rows
from flexforge.runtime.finite.equilibrium import equilibrium_at
from flexforge.runtime.model.schema_analysis import TransientAnalysis
from flexforge.runtime.solvers import Factorization, factorize, gmres
from flexforge.runtime.solvers.interface import SingularMatrixError, singular
from flexforge.runtime.statics.balance import is_large
from flexforge.runtime.statics.rigid import name_equation, require_held
from flexforge.runtime.statics.static import solve_static
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.equations import Equations
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.system_model import TiedModel

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_TOLERANCE = 1e-11  # relative change of the unknowns
_MOST = 60  # solves, each under the stresses of the one before
_RESIDUAL = 1e-13  # of the linear equations, relative
_RELIABLE = 1e-6  # error of a known solution
_AT_REST = 1e-9  # speed of a constraint relative to its terms
_LEAST_SHARE = 0.1  # smallest fraction of a change that is applied


def starting_state(
    analysis: TransientAnalysis,
    system: System,
    loads: Loads,
    state: tuple[Floats, Floats],
    ties: Ties | None,
) -> tuple[Floats, Floats]:
    """Return displacement and velocity at t = 0, (N, d) each, m and m/s.

    Parameters
    ----------
    analysis : TransientAnalysis
        Whose ``start`` says which they are.
    system : System
        The bodies, with their prestress.
    loads : Loads
        What acts on them.
    state : tuple of ndarray
        The state of ``[[initial]]``; in an equilibrium its velocity counts.
    ties : Ties, optional
        What ties the unknowns.

    Raises
    ------
    InputError
        When there is no equilibrium: a motion is free, joints move at t = 0, or equations between
        velocities have none.
    AnalysisError
        When it is unstable or not found.
    """
    if analysis.start != "equilibrium":
        return state
    if ties is None:
        if is_large(system):
            return equilibrium_at(system, loads, 0.0, analysis.solver).displacement, state[1]
        require_held(system, "to start in equilibrium")
        return solve_static(system, loads, 0.0, analysis.solver).displacement, state[1]
    if ties.equations is not None:
        raise InputError(
            "analysis.start: found equilibrium with [[constraints]] of velocities, which do not "
            "say where bodies rest; expected initial"
        )
    return _tied(analysis, TiedModel(system, loads, ties.joints)), state[1]


def _tied(analysis: TransientAnalysis, model: TiedModel) -> Floats:
    """Return the displacement of tied bodies in equilibrium, (N, d), m."""
    scheme, system = Scheme.of(analysis), model.system
    rows = model.constraints.at(0.0)
    Reducer(rows.pattern, null_space).choose(rows)  # refuses those that depend on others
    q, still = np.zeros(system.unknowns), np.zeros(system.unknowns)
    share, before = 1.0, np.inf
    for _ in range(_MOST):
        end = model.end(0.0, analysis.step_size, scheme, q)
        bordered = _Bordered.of(end.equations, rows)
        left = end.equations.left(still, still, still)
        found = bordered.solve(left, -rows.position_left(still), analysis.solver)
        change = found - q
        moved, size = float(np.linalg.norm(change)), float(np.linalg.norm(found))
        if not np.isfinite(size):
            break
        if moved <= _TOLERANCE * size or not model.stiffened:
            _require_rest(rows, found)
            displacement = system.expand(found)
            given = model.loads.given
            return displacement if given is None else displacement + given.at(0.0)[0]
        if moved > 0.7 * before:  # it oscillates about the state, or diverges
            share = max(0.5 * share, _LEAST_SHARE)
        q = q + share * change
        before = moved
    raise AnalysisError(
        f"analysis.start: found equilibrium, but bodies come to no rest in {_MOST} turns; expected "
        "loads that they hold (include.geometric = false leaves their stresses out)"
    )


def _require_rest(rows: Rows, q: Floats) -> None:
    """Refuse constraints that make bodies move relative to their links at t = 0."""
    asked = np.abs(rows.velocity_asked(q))
    pattern = rows.pattern
    terms = np.abs(rows.data[1] * q[pattern.columns])
    size = np.bincount(pattern.rows, terms, minlength=pattern.shape[0])
    if rows.given is not None:
        size = size + np.abs(rows.given[1])
    moving = np.flatnonzero(asked > _AT_REST * np.maximum(size, np.finfo(float).tiny))
    if len(moving):
        raise InputError(
            f"analysis.start: found equilibrium, but '{pattern.names[moving[0]]}' moves at t = 0, "
            "so that deformed bodies cannot be at rest relative to their links; expected drivers "
            "and supports that start from rest, such as velocity = "
            '"60*smooth_step(t, 0, 0.1)"'
        )


@dataclass(frozen=True, slots=True)
class _Bordered:
    """``[[K, s J^T], [s J, 0]]``: stiffness and constraints, scaled to its size."""

    system: System
    rows: Rows
    matrix: csr_matrix
    scale: float

    @classmethod
    def of(cls, equations: Equations, rows: Rows) -> _Bordered:
        """Return the matrix at a time."""
        from scipy.sparse import bmat, csr_matrix, diags

        system, jacobian = equations.system, rows.matrix()
        stiffness = system.matrix(equations.elastic)
        if equations.coupling is not None:
            springs = equations.coupling.rows.matrix()
            held = diags(equations.coupling.stiffness, format="csr")
            stiffness = stiffness + springs.T @ held @ springs
        scale = float(np.abs(stiffness.diagonal()).max(initial=0.0)) or 1.0
        blocks = [[stiffness, scale * jacobian.T], [scale * jacobian, None]]
        return cls(system, rows, csr_matrix(bmat(blocks, format="csr")), scale)

    def solve(self, force: Floats, gap: Floats, solver: str) -> Floats:
        """Return the unknowns, (n,), under forces (n,) and with given values of the rows (m,)."""
        factors: Factorization | None = None
        try:
            factors = factorize(self.matrix, solver, self.system.threads, check=False)
            # Pivoting within blocks loses digits of bordered matrices: iterated, not refused.
            known = np.where(np.arange(self.matrix.shape[0]) % 3, 1.0, -1.0)
            apart = np.abs(self._iterated(factors, self.matrix @ known) - known)
            worst = int(np.argmax(np.where(np.isfinite(apart), apart, np.inf)))
            if not apart[worst] <= _RELIABLE:
                raise singular(worst, f"a known solution returns with error {apart[worst]:.1e}")
            found = self._iterated(factors, np.concatenate([force, self.scale * gap]))
        except SingularMatrixError as error:
            raise self._free(error) from None
        finally:
            if factors is not None:
                factors.close()
        return found[: len(force)]

    def _iterated(self, factors: Factorization, rhs: Floats) -> Floats:
        """Return the solution, iterated with the factors."""
        product = self.matrix.__matmul__
        return gmres(product, rhs, factors.solve, tolerance=_RESIDUAL).solution

    def _free(self, error: SingularMatrixError) -> InputError:
        number, n = error.equation, self.system.unknowns
        if number is not None and number >= n:
            where = f"'{self.rows.pattern.names[number - n]}'"
        else:
            where = name_equation(self.system, number)
        return InputError(
            f"analysis.start: found equilibrium, but nothing holds {where}; expected supports, "
            "joints, drivers and springs that hold every motion"
        )
