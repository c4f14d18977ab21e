# SPDX-License-Identifier: BSD-3-Clause
"""Probes as outputs of a solver: linear forms of the coordinates, and quantities from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.export.constants import AnyConstants
from flexforge.runtime.export.found_constants import FoundConstants
from flexforge.runtime.export.mesh_outputs import sparse_rows
from flexforge.runtime.export.motion_outputs import (
    Made,
    Output,
    Small,
    forms,
    of_joint,
    of_link,
    of_position,
)
from flexforge.runtime.export.reactions import reaction_rows
from flexforge.runtime.model.schema_probe import ProbeSpec
from flexforge.runtime.native.constants import Constants
from flexforge.runtime.native.forces import NODAL
from flexforge.runtime.observe.probes import STRESSES, AnyProbe
from flexforge.runtime.observe.support_probe import SupportProbe
from flexforge.runtime.system.body import Body
from flexforge.runtime.tables import structs
from flexforge.runtime.tables.layout import Code

_ORDERS = {"displacement": 0, "velocity": 1, "acceleration": 2, "stress": 0, "section_force": 0}


def outputs(probes: Sequence[AnyProbe], constants: AnyConstants) -> list[Made]:
    """Return the outputs of a solver, with their tables.

    Parameters
    ----------
    probes : sequence of Probe
        Probes of the model.
    constants : Constants
        Its coordinates.

    Raises
    ------
    InputError
        For a probe that a solver does not support.
    """
    return [_output(probe, constants) for probe in probes]


def _output(probe: AnyProbe, constants: AnyConstants) -> Made:
    spec = probe.spec
    if probe.of == "links":
        return of_link(probe, constants)
    if probe.of == "supports":
        return _of_supports(probe, constants)
    if probe.of == "ties":
        assert constants.mesh is None  # which the checks of models see to
        return of_joint(probe, constants)
    assert probe.of == "bodies"  # machines are not exported
    if spec.quantity == "position":
        return of_position(probe, constants)
    bodies = [body for body, _ in probe.where]
    warm = any(body.name in constants.loads.heat for body in bodies)
    component = spec.component
    kind, index = "FF_COMPONENT", 0
    if component == "magnitude":
        kind = "FF_MAGNITUDE"
    elif component == "von_mises":
        kind = "FF_VON_MISES"
    elif component.startswith("principal"):
        kind, index = "FF_PRINCIPAL", 3 - int(component[-1])
    elif spec.quantity == "section_force" and component in ("largest_normal_stress", *_FACES):
        raise InputError(
            f"probe '{spec.name}': found '{component}', which is not linear in the displacements; "
            "expected forces and moments of sections to export it"
        )
    if spec.quantity in ("stress", "section_force"):
        for body in bodies:
            if not body.is_linear:
                raise InputError(
                    f"probe '{spec.name}': found stresses of body '{body.name}', which has an "
                    "energy; expected displacements or positions to export it"
                )
    viscosity = 0.0
    if _ORDERS[spec.quantity] == 0 and spec.quantity != "displacement":
        if warm and not isinstance(constants, Constants):
            raise InputError(
                f"probe '{spec.name}': found stresses of a body with a temperature load and "
                f"{constants.size} unknowns; expected none, or [reduction], to export it"
                if constants.mesh is not None
                else f"probe '{spec.name}': found stresses of a body with a temperature load on a "
                "link whose motion is found; expected displacements to export it"
            )
        viscosity = bodies[0].viscosity
        if any(body.viscosity != viscosity for body in bodies):
            raise InputError(
                f"probe '{spec.name}': found bodies with different viscosities; expected one value"
            )
    mean = spec.reduce == "mean"
    table = structs.Output(
        Code(kind), index, _ORDERS[spec.quantity], viscosity=viscosity, mean=mean
    )
    if constants.mesh is not None:
        sparse = sparse_rows(spec.quantity, component, probe.where, constants.system, mean=mean)
        table = replace(
            table,
            places=sparse.places,
            width=sparse.width,
            rows=sparse.values,
            starts=sparse.starts,
            columns=sparse.columns,
        )
    else:
        found = [
            np.concatenate([of(spec, *one, constants) for one in probe.where])
            for of in (_rows, _given)
        ]
        if warm and spec.quantity in ("stress", "section_force"):
            assert isinstance(constants, Constants)
            found.append(np.concatenate([_heated(spec, *one, constants) for one in probe.where]))
        if probe.around is not None:
            found = [np.tensordot(probe.around.weights, one, axes=1)[None] for one in found]
        elif mean and kind == "FF_COMPONENT":
            found = [one.mean(axis=0, keepdims=True) for one in found]
        rows, given, *heated = found
        table = replace(table, places=rows.shape[0], width=rows.shape[1], rows=rows, given=given)
        for one in heated:
            table = replace(table, loads=one.reshape(-1, one.shape[-1]))
    where = f"group {spec.group}" if spec.group is not None else "one point"
    if spec.group is None and spec.point is None:
        where = f"{spec.reduce} of the stations of body {spec.body}"
    text = f"{spec.quantity} {component}, {where}"
    return Output(spec.name, probe.column.unit, text), table


def _of_supports(probe: SupportProbe, constants: AnyConstants) -> Made:
    """Return the force or the moment of the supports of a body."""
    spec = probe.spec
    assert not isinstance(constants, FoundConstants)  # which the checks of models see to
    if constants.mesh is not None:
        raise InputError(
            f"probe '{spec.name}': found a reaction of supports with {constants.size} "
            "unknowns; expected none, or [reduction], to export it"
        )
    rows, loads, given = reaction_rows(probe, constants)
    places, width = rows.shape[:2]
    table = structs.Output(
        Code("FF_REACTION"), places=places, width=width, rows=rows, loads=loads, given=given
    )
    text = f"{spec.quantity} {spec.component} on body {spec.body}"
    return Output(spec.name, probe.column.unit, text), table


_FACES = ("von_mises_top", "von_mises_bottom")


def _rows(spec: ProbeSpec, body: Body, nodes: Ints, constants: Small) -> Floats:
    """Return the linear forms of a quantity at nodes of a body, (places, width, r)."""
    return forms(constants, lambda field: _values(spec, body, nodes, field[body.nodes]))


def _given(spec: ProbeSpec, body: Body, nodes: Ints, constants: Small) -> Floats:
    """Return the contribution of a unit of every support displacement, (places, width, g)."""
    fields = [one[body.nodes] for one in constants.moved]
    if not fields:
        return np.zeros((len(nodes), 1, 0))
    return np.stack([_values(spec, body, nodes, one) for one in fields], axis=-1)


def _heated(spec: ProbeSpec, body: Body, nodes: Ints, constants: Constants) -> Floats:
    """Return the contribution of a unit of every thermal load, (places, width, f)."""
    meaning, loads, still = constants.forces.meaning, constants.loads, np.zeros_like(body.points)
    number = [one.name for one in constants.system.bodies].index(body.name)
    parts: dict[int, Floats] = {}
    for one in loads.heat.get(body.name, []):
        vector = meaning.index(structs.Vector(NODAL, loads.heating(number, one)))
        parts[vector] = _values(spec, body, nodes, still, one.field)
    width = next(iter(parts.values())).shape[1] if parts else 1
    nothing = np.zeros((len(nodes), width))
    return np.stack([parts.get(k, nothing) for k in range(len(meaning))], axis=-1)


def _values(
    spec: ProbeSpec, body: Body, nodes: Ints, field: Floats, temperature: Floats | None = None
) -> Floats:
    """Return a quantity at nodes of a body for its displacements (V, d), (places, width)."""
    component = spec.component
    if spec.quantity == "stress":
        stress = body.stress(field, temperature)[nodes]
        whole = component == "von_mises" or component.startswith("principal")
        return stress if whole else stress[:, [STRESSES.index(component)]]
    if spec.quantity == "section_force":
        return np.asarray(body.at_stations(field, temperature)[component][nodes][:, None])
    values = field[nodes]
    return values if component == "magnitude" else values[:, ["xyz".index(component)]]
