# SPDX-License-Identifier: BSD-3-Clause
"""The choice between factors and multigrid for the matrices of bodies."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from flexforge.runtime.machine.memory import FILLED, available_memory, require_memory
from flexforge.runtime.solvers import ITERATED, Factorization, amg, multigrid, of_ranks
from flexforge.runtime.solvers.estimate import Cost, cost_of_factors
from flexforge.runtime.solvers.kept import cases, kept
from flexforge.runtime.solvers.layout import Blocked
from flexforge.runtime.solvers.rows import KeptRows
from flexforge.runtime.system.swept_body import SweptBody
from flexforge.runtime.system.swept_rows import SweptRows
from flexforge.runtime.system.system import System

#: Unknowns from which on multigrid is thought of: factors of fewer take seconds, or for a few
#: solutions a second.
_LARGE, _MODEST = 100_000, 20_000
#: How often the estimate of multigrid, which thin and flat elements exceed, factors have to take.
_SLOWER = 4.0
#: The same for at most so many solutions of others: with at least so many nodes across the body,
#: and a node at most so many times as stiff in one direction as in another.
_SLOWER_ONCE, _FEW, _THICK, _EVEN = 1.5, 8, 6.0, 2.2


def prepared(
    system: System,
    solver: str,
    blocked: Callable[[], Blocked | None],
    factored: Callable[[str], Factorization],
    *,
    positive_definite: bool,
    required: bool = True,
    solves: int | None = None,
) -> Factorization:
    """Return factors of a symmetric matrix, or multigrid on its blocks.

    Parameters
    ----------
    system : System
        The bodies.
    solver : str
        Linear solver; "auto" takes multigrid where factors are estimated to cost far more.
    blocked : callable
        Returns the matrix in blocks of nodes, or None where it has none.
    factored : callable
        Factors it with a solver.
    positive_definite : bool
        Whether the matrix is expected to be, which multigrid is for.
    required : bool
        Refuse one that turns out not to be; else it is factored.
    solves : int, optional
        Number of solutions that are asked for, where it is small.
    """
    definite, several = positive_definite and required, system.ranks.count > 1
    choosing = solver == "auto" and positive_definite and not several
    why = too_costly(system, solves) if choosing else ""
    blocks = blocked() if several or why or solver in ITERATED else None
    if blocks is None:
        assert not several  # models without blocks are refused before
        return factored(solver)
    swept = isinstance(blocks.rows, SweptRows)
    remark = "; ".join(filter(None, ("without its matrix" if swept else "", why)))
    if several:
        return of_ranks(blocks, solver, system.threads, positive_definite=definite, remark=remark)
    direct = partial(factored, "auto")

    def set_up() -> Factorization:
        return multigrid(
            blocks,
            direct,
            system.threads,
            positive_definite=definite,
            remark=remark,
            solver=solver,
        )

    if not isinstance(blocks.rows, KeptRows):
        return set_up()
    return kept(blocks.rows.matrix, (solver, system.threads, definite), set_up)


def too_costly(system: System, solves: int | None = None) -> str:
    """Return what factors would cost, where multigrid is estimated to be far cheaper."""
    if solves is not None and not (solves * cases() <= _FEW and _is_even(system)):
        solves = None
    cost = cost_of(system, solves)
    return str(cost) if cost is not None and takes_multigrid(cost, solves) else ""


def _is_even(system: System) -> bool:
    """Whether most nodes are about as stiff in all directions: elements are neither flat nor long.

    In discs of elements four times as long as thick a node is three times as stiff across, and
    multigrid takes 100 iterations instead of 25.
    """
    (body, *others) = system.bodies
    if others or system.unknowns < _MODEST or isinstance(body, SweptBody):
        return False
    d = body.dimension
    sizes = np.linalg.eigvalsh(body.stiffness.reshape(-1, d, d)[body.diagonal])
    return bool((sizes[:, -1] <= _EVEN * sizes[:, 0]).mean() > 0.5)


def cost_of(system: System, solves: int | None = None) -> Cost | None:
    """Return the estimated cost of factors of one large body; None for other systems.

    Parameters
    ----------
    system : System
        The bodies.
    solves : int, optional
        Number of solutions that are asked for, where it is small.
    """
    (body, *others) = system.bodies
    least = _LARGE if solves is None else _MODEST
    if others or not system.is_blocked or system.unknowns < least:
        return None
    graph = body.graph
    return cost_of_factors(
        graph.pointers,
        graph.columns,
        body.points,
        system.dimension,
        system.threads,
        kept=not isinstance(body, SweptBody),
    )


def takes_multigrid(cost: Cost, solves: int | None = None) -> bool:
    """Whether "auto" takes multigrid: where factors take far longer, or do not fit.

    Parameters
    ----------
    cost : Cost
        Of the factors.
    solves : int, optional
        Number of solutions that are asked for, where it is small.

    Raises
    ------
    InputError
        When neither fits into the free memory.
    """
    free = available_memory()
    too_large = free is not None and cost.bytes > FILLED * free
    if too_large:
        require_memory(cost.multigrid_bytes, "analysis.solver", "equations")
    slower = cost.seconds > _SLOWER * cost.multigrid
    if solves is not None and cost.thinnest >= _THICK:
        slower |= cost.seconds + cost.order > _SLOWER_ONCE * cost.multigrid
    return amg.probe().version is not None and (too_large or slower)
