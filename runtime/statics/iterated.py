# SPDX-License-Identifier: BSD-3-Clause
"""The choice between factors and multigrid for the matrices of bodies."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from flexforge.runtime.machine.memory import FILLED, available_memory, require_memory
from flexforge.runtime.solvers import ITERATED, Factorization, amg, multigrid, of_ranks
from flexforge.runtime.solvers.estimate import Cost, cost_of_factors
from flexforge.runtime.solvers.layout import Blocked
from flexforge.runtime.system.swept_body import SweptBody
from flexforge.runtime.system.swept_rows import SweptRows
from flexforge.runtime.system.system import System

_LARGE = 100_000  # unknowns; factors of fewer take seconds
_SLOWER = 4.0  # times the estimate of multigrid, which thin bodies exceed


def prepared(
    system: System,
    solver: str,
    blocked: Callable[[], Blocked | None],
    factored: Callable[[str], Factorization],
    *,
    positive_definite: bool,
    required: bool = True,
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
    """
    definite, several = positive_definite and required, system.ranks.count > 1
    why = too_costly(system) if solver == "auto" and positive_definite and not several else ""
    blocks = blocked() if several or why or solver in ITERATED else None
    if blocks is None:
        assert not several  # models without blocks are refused before
        return factored(solver)
    swept = isinstance(blocks.rows, SweptRows)
    remark = "; ".join(filter(None, ("without its matrix" if swept else "", why)))
    if several:
        return of_ranks(blocks, solver, system.threads, positive_definite=definite, remark=remark)
    direct = partial(factored, "auto")
    return multigrid(blocks, direct, system.threads, positive_definite=definite, remark=remark)


def too_costly(system: System) -> str:
    """Return what factors would cost, where multigrid is estimated to be far cheaper."""
    cost = cost_of(system)
    return str(cost) if cost is not None and takes_multigrid(cost) else ""


def cost_of(system: System) -> Cost | None:
    """Return the estimated cost of factors of one large body; None for other systems."""
    (body, *others) = system.bodies
    if others or not system.is_blocked or system.unknowns < _LARGE:
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


def takes_multigrid(cost: Cost) -> bool:
    """Whether "auto" takes multigrid: where factors take far longer, or do not fit.

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
    return amg.probe().version is not None and (too_large or slower)
