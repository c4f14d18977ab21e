# SPDX-License-Identifier: BSD-3-Clause
"""Modal analyses of links: about a position at rest, or about a steady motion."""

from __future__ import annotations

from functools import partial

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.multibody.build import FoundLinks, given_speeds, scales_of
from flexforge.runtime.multibody.modes import SteadyState, shapes_of
from flexforge.runtime.multibody.steady import Steady, steady
from flexforge.runtime.observe.record import CarriedShapes, Figures, Recorder, largest_displacement
from flexforge.runtime.system.deformation import Deformation
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.vibrations import RESIDUAL, modal_figures

#: Unknowns at most: the matrices of motions that joints leave open are dense.
MOST = 1500


def run_link_modes(
    spec: ModelSpec,
    system: System,
    loads: Loads,
    links: FoundLinks,
    recorder: Recorder,
    deformation: Deformation,
    phases: Phases,
) -> Figures:
    """Compute the vibrations of links, and write them and the state that they are about.

    Parameters
    ----------
    spec : ModelSpec
        The model, with an analysis of modes.
    system, loads : System, Loads
        The bodies and what acts on them.
    links : FoundLinks
        The links.
    recorder : Recorder
        Receives the state and the shapes.
    deformation : Deformation
        Follows the deformation of the state.
    phases : Phases
        Measures the time of the phases.

    Raises
    ------
    InputError
        When nothing may move, there are too many unknowns, or as of `steady`.
    AnalysisError
        As of `steady`; if some modes do not converge, after the others are written.
    """
    analysis, model = spec.analysis, links.model
    assert analysis.kind == "modes"
    if model.space.size > MOST:
        raise InputError(
            f"links: found {model.space.size} unknowns in an analysis of modes; expected at most "
            f"{MOST}: [reduction], or fewer nodes"
        )
    with phases("steady state"):
        given = partial(given_speeds, spec, links.mechanism, model)
        found = analysis.start == "equilibrium"
        about = steady(model, links.start, scales_of(model), given, found=found)
    if not about.motions.size:
        raise InputError(
            "links: found joints and drivers that leave no motion open, and no elastic bodies; "
            "expected fewer drivers, or bodies on the links"
        )
    with phases("solve"):
        target = None if analysis.shift is None else 2.0 * np.pi * abs(analysis.shift)
        solved = about.motions.eigenvalues(analysis.count, target, analysis.solver, system.threads)
    with phases("write"):
        state = SteadyState(system, loads, links, about)
        recorder.record(0.0, state)
        recorder.flush()
        deformation.follow(0.0, state.displacement)
        shapes = shapes_of(system, links, about, solved)
        frequencies = solved.values.imag / (2.0 * np.pi)
        carried = CarriedShapes(state, shapes.links)
        recorder.modes(frequencies, shapes.nodes, carried)
    figures = _steady_figures(about) | {
        "free motions": links.mechanism.freedom,
        "gyroscopic": about.motions.gyroscopic,
        "largest steady displacement": [largest_displacement(system, state.displacement), "m"],
        RESIDUAL: solved.residual,
        "solver": solved.solver,
        **modal_figures(solved.values),
        **recorder.figures(),
    }
    if solved.missing:
        recorder.writer.summary({"figures": figures})
        raise AnalysisError(f"modes: {solved.missing}; completed modes are kept")
    return figures


def _steady_figures(about: Steady) -> Figures:
    """Return the speed of a steady motion."""
    turn, moved = (float(np.linalg.norm(one)) for one in (about.twist[3:], about.twist[:3]))
    if turn:
        return {"steady angular velocity": [turn, "rad/s"]}
    return {"steady velocity": [moved, "m/s"]} if moved else {}
