# SPDX-License-Identifier: BSD-3-Clause
"""A buckling analysis: stresses under the loads, factors, shapes."""

from __future__ import annotations

from flexforge.codegen.errors import InputError
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.model.schema_analysis import BucklingAnalysis
from flexforge.runtime.observe.record import Figures, Recorder
from flexforge.runtime.results.modal_tables import printed_factors
from flexforge.runtime.statics.balance import is_large
from flexforge.runtime.statics.buckling import buckling
from flexforge.runtime.system.system import System


def run_buckling(
    analysis: BucklingAnalysis, system: System, recorder: Recorder, phases: Phases
) -> Figures:
    """Compute the buckling factors of a system under its loads, and write them.

    Parameters
    ----------
    analysis : BucklingAnalysis
        The settings of the analysis.
    system : System
        The bodies, with the stresses of their loads.
    recorder : Recorder
        Receives the shapes.
    phases : Phases
        Measures the time of the phases.

    Returns
    -------
    dict
        Name to number.

    Raises
    ------
    InputError
        For bodies with an energy, whose equilibria tell their stability, and supports that leave
        a motion free.
    AnalysisError
        As of :func:`flexforge.runtime.statics.buckling.buckling`.
    """
    if is_large(system):
        raise InputError(
            "analysis.kind: found buckling of bodies with an energy; expected a static analysis, "
            "which finds where their equilibria lose stability"
        )
    with phases("solve"):
        found = buckling(system, analysis.count, analysis.solver)
    with phases("write"):
        recorder.buckling(found.factors, found.shapes)
        recorder.writer.printed(printed_factors(found.factors))
    factors = {f"buckling factor {i}": float(f) for i, f in enumerate(found.factors, start=1)}
    return {**factors, "solver": found.solver}
