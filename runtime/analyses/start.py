# SPDX-License-Identifier: BSD-3-Clause
"""From the method an analysis names to a motion: second-order equations, or Hamilton's pair."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.analyses.gauss import METHODS
from flexforge.runtime.analyses.hamilton import Hamilton
from flexforge.runtime.analyses.scheme import Scheme
from flexforge.runtime.analyses.transient import Transient
from flexforge.runtime.loads import Loads
from flexforge.runtime.model.schema_analysis import TransientAnalysis
from flexforge.runtime.system import System
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def start(
    analysis: TransientAnalysis,
    system: System,
    loads: Loads,
    displacement: Floats,
    velocity: Floats,
) -> Transient | Hamilton:
    """Return the motion that an analysis asks for, at t = 0.

    Parameters
    ----------
    analysis : TransientAnalysis
        Method and step.
    system : System
        The bodies; prestress has been added.
    loads : Loads
        What acts on them.
    displacement, velocity : ndarray, (N, d)
        State at t = 0, relative to the frames, m and m/s.
    """
    if analysis.method in METHODS:
        return Hamilton(
            system, loads, METHODS[analysis.method], analysis.step_size, analysis.tolerance,
            analysis.solver, displacement, velocity,
        )  # fmt: skip
    return Transient(
        system, loads, Scheme.of(analysis), analysis.step_size, analysis.tolerance,
        analysis.solver, displacement, velocity,
    )  # fmt: skip
