# SPDX-License-Identifier: BSD-3-Clause
"""Constraint equations of a system from joints and constraints of the model file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.equations import Equation, Equations
from flexforge.runtime.constraints.joints import JointConstraints, Reaction
from flexforge.runtime.constraints.rows import Pattern, Rows
from flexforge.runtime.formula.expressions import parse_expression
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_ties import ConstraintSpec
from flexforge.runtime.system.components import component_place
from flexforge.runtime.system.name_table import NameTable


class Untied:
    """No constraint of positions at all.

    Parameters
    ----------
    unknowns : int
        Of the system.
    """

    def __init__(self, unknowns: int) -> None:
        none = np.zeros(0, dtype=np.int64)
        self.pattern = Pattern(none, none, (0, unknowns), ())

    def at(self, time: float) -> Rows:
        """Return nothing."""
        del time
        return Rows(self.pattern, np.zeros((3, 0)))

    def coupling(self, time: float) -> None:
        """Return nothing."""
        del time

    def reactions(self, times: Floats, multipliers: Floats) -> dict[str, Reaction]:
        """Return nothing."""
        del times, multipliers
        return {}

    def power(
        self, time: float, rows: Rows, q: Floats, v: Floats, multipliers: Floats
    ) -> tuple[float, float]:
        """Return no power."""
        del time, rows, q, v, multipliers
        return 0.0, 0.0


@dataclass(frozen=True, slots=True)
class Ties:
    """What ties the unknowns of a system: joints, and equations of velocities if there are any."""

    joints: JointConstraints | Untied
    equations: Equations | None


def joints_of(ties: object) -> JointConstraints | None:
    """Return the joints among what ties a system, if there are any."""
    found = ties.joints if isinstance(ties, Ties) else None
    return found if isinstance(found, JointConstraints) else None


def build_ties(model: ModelSpec, places: NameTable) -> Ties | None:
    """Return the constraints of the unknowns of a model, or None without any.

    Parameters
    ----------
    model : ModelSpec
        The validated model.
    places : NameTable
        Its names in the system.

    Raises
    ------
    InputError
        When a joint or an equation refers to what is not there, or an equation is not linear in
        the velocities; for what only links have whose motion is found.
    """
    if not model.links and not model.constraints:
        return None
    system = places.system
    joints: JointConstraints | Untied = Untied(system.unknowns)
    if places.mechanism is not None and places.mechanism.is_found:
        raise InputError(
            "links: joints and drivers leave motions open, which runs find by integration; "
            "expected drivers for all of them in a model to be reduced or exported"
        )
    if model.analysis.kind == "transient" and model.analysis.accuracy is not None:
        raise InputError(
            f"analysis.accuracy: found {model.analysis.accuracy:g} where joints and drivers "
            "determine every motion, or with [[constraints]]; expected links whose motion is "
            "found, or neither"
        )
    if model.controllers:
        raise InputError(
            "controllers: found them where joints and drivers determine every motion; expected "
            "links whose motion is found"
        )
    if places.mechanism is not None:
        _check_reduction(model)
        joints = JointConstraints(model, places.mesh, system, places.mechanism)
        _check_probes(model, joints)
    equations = [_equation(i, spec, places) for i, spec in enumerate(model.constraints)]
    return Ties(joints, Equations(equations, system.map.given) if equations else None)


def _check_reduction(model: ModelSpec) -> None:
    """Refuse what reduced models do not have where drivers determine every motion."""
    if model.reduction is None:
        return
    if model.actuators:
        raise InputError("reduction: found with [[actuators]]; expected it without")


def _check_probes(model: ModelSpec, joints: JointConstraints) -> None:
    """Refuse probes of forces that are not those of joints or drivers, but of supports."""
    for index, probe in enumerate(model.probes):
        name = probe.joint or probe.constraint
        if name in joints.held_by_supports:
            key = "joint" if probe.joint else "constraint"
            raise InputError(
                f"probes[{index}].{key}: supports already hold the coordinates of '{name}' and "
                "carry the force; expected no support there"
            )


def _equation(index: int, spec: ConstraintSpec, places: NameTable) -> Equation:
    names = tuple(spec.coordinates)
    coordinates = []
    for name, one in spec.coordinates.items():
        key = f"constraints[{index}].coordinates.{name}"
        if one.joint is not None:
            raise InputError(
                f"{key}.joint: found one where joints and drivers determine every motion; expected "
                "group and component"
            )
        coordinates.append(component_place(one.place, places, key))
    expression = parse_expression(spec.equation, spec.variables)
    columns = places.system.map.reaching(np.array(coordinates))
    moved = places.system.map.sparse[coordinates][:, columns].toarray()
    prescribed = places.system.map.given
    given = np.zeros((len(names), 0))
    if prescribed is not None:
        given = prescribed.matrix[coordinates].toarray()
    found = Equation(spec.name, expression, names, columns, moved, given)
    found.check()
    if not len(columns):
        raise InputError(
            f"constraints[{index}].coordinates: supports hold all of them; expected at least "
            "one free coordinate"
        )
    return found
