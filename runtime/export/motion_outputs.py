# SPDX-License-Identifier: BSD-3-Clause
"""Probes of the motion of links as outputs of a solver: points in space, joints, their forces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.export.constants import AnyConstants
from flexforge.runtime.export.found_constants import FoundConstants
from flexforge.runtime.mechanism.shapes import carried
from flexforge.runtime.model.schema_probe import MOTIONS, ProbeSpec
from flexforge.runtime.native.constants import Constants
from flexforge.runtime.observe.link_probes import JointProbe, LinkProbe
from flexforge.runtime.observe.probes import Probe, ReactionProbe
from flexforge.runtime.results.data import spatial
from flexforge.runtime.tables import structs
from flexforge.runtime.tables.layout import Code

#: Constants with coordinates of which outputs are linear forms.
Small: TypeAlias = Constants | FoundConstants


@dataclass(frozen=True)
class Output:
    """Name and unit of an output.

    Attributes
    ----------
    name, unit, description : str
        Its entry in the model description.
    """

    name: str
    unit: str
    description: str


#: An output with its table; load contributions cover all loads of the constants.
Made: TypeAlias = tuple[Output, structs.Output]


def forms(constants: Small, values: Callable[[Floats], Floats]) -> Floats:
    """Return linear forms of the coordinates: values of nodal displacements (N, d), (..., r)."""
    system = constants.system
    fields = (system.expand(constants.unknowns(unit)) for unit in np.eye(constants.size))
    found = [values(field) for field in fields]
    if not found:
        return np.zeros((*values(np.zeros((system.size, system.dimension))).shape, 0))
    return np.stack(found, axis=-1)


def of_link(probe: LinkProbe | JointProbe, constants: AnyConstants) -> Made:
    """Return a point of a link, or a coordinate of a joint."""
    spec = probe.spec
    if isinstance(probe, LinkProbe):
        body = probe.body
        rows = np.zeros((1, 3, 0))
        small = _moving(spec, constants)
        if body is not None and small.size:
            nodes, at = body.nodes, probe.probe.point[None]
            rows = forms(small, lambda field: spatial(carried(at, field[nodes])))
        points = probe.probe.point[None]
        return _point(spec, probe.column.unit, probe.probe.link, points, rows)
    if not isinstance(constants, FoundConstants):
        raise InputError(
            f"probe '{spec.name}': found a coordinate of a joint of driven links, which is not "
            "linear in their displacements; expected displacement, or position, to export it"
        )
    table = structs.Output(Code("FF_COORDINATE"), probe.probe.number, probe.probe.order)
    return Output(spec.name, probe.column.unit, f"{spec.quantity} of joint {spec.joint}"), table


def of_position(probe: Probe, constants: AnyConstants) -> Made:
    """Return the position in space of nodes of a body on a link."""
    spec = probe.spec
    small = _moving(spec, constants)
    links = {body.motion.link for body, _ in probe.where}
    if len(links) > 1 or None in links:
        raise InputError(
            f"probe '{spec.name}': found a position of a body in a prescribed frame, or of several "
            "links; expected one link, or displacement, to export it"
        )
    (link,) = links
    assert link is not None
    places = np.concatenate([body.part.points[nodes] for body, nodes in probe.where])
    numbers = np.concatenate([body.nodes[nodes] for body, nodes in probe.where])
    rows = forms(small, lambda field: spatial(field[numbers]))
    return _point(spec, probe.column.unit, link, places, rows, mean=spec.reduce == "mean")


def _moving(spec: ProbeSpec, constants: AnyConstants) -> Small:
    """Return constants of links, which have positions in space."""
    if constants.mesh is not None or (
        isinstance(constants, Constants) and constants.joints is None
    ):
        raise InputError(
            f"probe '{spec.name}': found {spec.quantity} in space in a model without links; "
            "expected displacement to export it"
        )
    return constants


def _point(
    spec: ProbeSpec, unit: str, link: int, places: Floats, rows: Floats, *, mean: bool = False
) -> Made:
    component = 3 if spec.component == "magnitude" else "xyz".index(spec.component)
    table = structs.Output(
        Code("FF_POINT"),
        link,
        MOTIONS.index(spec.quantity),
        component,
        places=len(places),
        width=3,
        mean=mean,
        rows=rows,
        points=places,
    )
    where = spec.link or spec.body or spec.group or "a body"
    return Output(spec.name, unit, f"{spec.quantity} {spec.component} of {where}"), table


def of_joint(probe: ReactionProbe, constants: Small) -> Made:
    """Return the force of a joint, the multiplier of an equation, or the state of a controller."""
    spec = probe.spec
    if spec.controller is not None:
        assert isinstance(constants, FoundConstants)
        number = constants.links.model.controller(spec.controller)
        speeds = constants.steps.speeds
        table = structs.Output(Code("FF_STATE"), speeds + number)
        return Output(spec.name, "", f"state of {spec.controller}"), table
    if isinstance(constants, FoundConstants):
        joints = constants.links.model.parts.joints
    else:
        assert constants.joints is not None
        joints = constants.joints.mechanism.joints
    if spec.constraint is not None:
        table = structs.Output(Code("FF_MULTIPLIER"), _equation(constants, spec.constraint))
        return Output(spec.name, "", f"effort of {spec.constraint}"), table
    kind = "FF_JOINT_FORCE" if spec.quantity == "force" else "FF_JOINT_MOMENT"
    component = 3 if spec.component == "magnitude" else "xyz".index(spec.component)
    along = spec.axes == "joint" and component < 3
    text = f"{spec.quantity} {spec.component} of joint {spec.joint}"
    number = [one.name for one in joints].index(spec.joint or "")
    table = structs.Output(Code(kind), number, component=component, mean=along)
    return Output(spec.name, probe.column.unit, text), table


def _equation(constants: Small, name: str) -> int:
    """Return the number of the equation of a driver or a gear."""
    if isinstance(constants, FoundConstants):
        return constants.links.model.multiplier(name)
    assert constants.joints is not None
    names = constants.joints.pattern.names
    return len(names) - 1 - names[::-1].index(name)  # joints of that name are first
