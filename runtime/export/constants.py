# SPDX-License-Identifier: BSD-3-Clause
"""The kind of constants of a solver: with matrices, for bodies on links, or for a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.build import build_ties, joints_of
from flexforge.runtime.constraints.joints import JointConstraints
from flexforge.runtime.export.found_constants import FoundConstants, found_constants
from flexforge.runtime.export.mesh_constants import MeshConstants, mesh_constants
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import TransientAnalysis
from flexforge.runtime.native.constants import Constants, is_small
from flexforge.runtime.native.order import MOST_UNKNOWNS, MOST_WORK
from flexforge.runtime.observe.probes import AnyProbe
from flexforge.runtime.reduction.reduce import reduced_basis
from flexforge.runtime.statics.stress_over_time import exported_stress
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.transient.coordinates.canonical import check_momenta

AnyConstants: TypeAlias = Constants | MeshConstants | FoundConstants

_MOST = "1,500 unknowns, or fewer where their factors take more work than a band of 60"


def solver_constants(
    spec: ModelSpec,
    analysis: TransientAnalysis,
    places: NameTable,
    loads: Loads,
    probes: Sequence[AnyProbe],
    state: tuple[Floats, Floats],
) -> AnyConstants:
    """Return the constants of a solver.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    analysis : TransientAnalysis
        Its analysis.
    places : NameTable
        Its names in the system.
    loads : Loads
        What acts on it.
    probes : sequence of Probe
        Its probes.
    state : tuple of ndarray, (N, d)
        Displacements and velocities relative to the frames at t = 0.

    Raises
    ------
    InputError
        When the model is too large, or contains something that cannot be exported.
    AnalysisError
        When it cannot be reduced, or its prestress cannot be computed.
    """
    if places.mechanism is not None and places.mechanism.is_found:
        return found_constants(spec, analysis, places, loads, state)
    ties = build_ties(spec, places)
    joints = joints_of(ties)
    if ties is not None and analysis.formalism == "hamilton":
        check_momenta(ties, places.system)
    if joints is not None:
        return _tied(spec, analysis, places, loads, joints)
    system = exported_stress(places.system, loads, analysis.solver).system
    shapes = None if spec.reduction is None else reduced_basis(spec, places, loads).shapes
    if shapes is None and not is_small(system):
        if analysis.method != "central_difference":
            raise _too_large(system.unknowns, ", or central_difference with lumped masses")
        if loads.given is not None:
            raise InputError(
                f"supports: found a moving support with {system.unknowns} unknowns; expected none, "
                "or [reduction], to export so many"
            )
        if not system.map.is_selection:
            raise InputError(
                f"equations: found some, or supports with axes, with {system.unknowns} unknowns; "
                "expected none, or [reduction], to export so many"
            )
        return mesh_constants(system, loads)
    # Supports may still carry a term that moves no coordinate.
    reactions = any(one.of == "supports" for one in probes)
    return Constants(system, loads, shapes, whole=reactions)


def _tied(
    spec: ModelSpec,
    analysis: TransientAnalysis,
    places: NameTable,
    loads: Loads,
    joints: JointConstraints,
) -> Constants:
    """Return the constants of the bodies of a mechanism."""
    system, shapes = places.system, None
    if loads.given is not None:
        raise InputError(
            "supports: found a moving support with links; expected none to export the model"
        )
    if spec.reduction is not None:
        shapes = reduced_basis(spec, places, loads, joints).shapes
    elif system.unknowns > MOST_UNKNOWNS:
        raise _too_large(system.unknowns)
    found = Constants(system, loads, shapes, joints, formalism=analysis.formalism or "maggi")
    if shapes is None and found.work > MOST_WORK:
        raise _too_large(system.unknowns)
    return found


def _too_large(unknowns: int, other: str = "") -> InputError:
    return InputError(
        f"model: found {unknowns} unknowns; expected at most {_MOST}, or [reduction] with a number "
        f"of modes{other}, to export it"
    )
