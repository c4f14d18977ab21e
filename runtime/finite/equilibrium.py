# SPDX-License-Identifier: BSD-3-Clause
"""The equilibrium of bodies with an energy under whole loads, from which analyses begin."""

from __future__ import annotations

from contextlib import suppress

from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.finite.load_steps import PathEndError, follow_loads
from flexforge.runtime.finite.newton import Equilibrium, Newton, NoEquilibriumError, Tangents
from flexforge.runtime.model.schema_analysis import StaticAnalysis
from flexforge.runtime.statics.rigid import require_held
from flexforge.runtime.statics.tied_balance import balance_of
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System


def equilibrium_at(
    system: System, loads: Loads, time: float, solver: str, near: Floats | None = None
) -> Equilibrium:
    """Return the equilibrium under the loads of a time, reached from a state.

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    time : float
        s.
    solver : str
        Linear solver.
    near : ndarray, (n,), optional
        Unknowns of an equilibrium nearby; without one, and where none is found from there, the
        loads grow from the undeformed state.

    Raises
    ------
    InputError
        When supports leave a motion free.
    AnalysisError
        When bodies bear a part of the loads only.
    """
    require_held(system, "to be deformed by their loads")
    balance = balance_of(system, loads, time)
    tangents = Tangents(balance, solver)
    newton = Newton(balance, tangents, StaticAnalysis.model_fields["tolerance"].default)
    steps = StaticAnalysis.model_fields["load_steps"].default
    try:
        if near is not None:
            with suppress(NoEquilibriumError):  # of a state too far away
                return newton.solve(near, 1.0)
        *_, last = follow_loads(newton, steps)
    except PathEndError as end:
        raise AnalysisError(
            f"no equilibrium to vibrate or start from: of its loads, with those of the rotation, "
            f"bodies bear {100.0 * end.factor:.4g} % ({end.why})"
        ) from None
    finally:
        tangents.close()
    return last.state
