# SPDX-License-Identifier: BSD-3-Clause
"""Probes as outputs of a solver: linear forms of the coordinates, and what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.constants import AnyConstants
from flexforge.runtime.export.mesh_constants import MeshConstants
from flexforge.runtime.export.mesh_outputs import SparseRows, sparse_rows
from flexforge.runtime.export.reactions import reaction_rows
from flexforge.runtime.native.constants import TiedConstants
from flexforge.runtime.native.free import Constants
from flexforge.runtime.observe.probes import STRESSES, AnyProbe, ReactionProbe
from flexforge.runtime.observe.support_probe import SupportProbe
from flexforge.runtime.system.body import Body
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_ORDERS = {"displacement": 0, "velocity": 1, "acceleration": 2, "stress": 0, "section_force": 0}


@dataclass(frozen=True)
class Output:
    """A figure of the state.

    Attributes
    ----------
    name, unit, description : str
        What it is.
    kind : str
        ``COMPONENT``, ``MAGNITUDE``, ``VON_MISES``, ``PRINCIPAL``, ``REACTION``, ``JOINT_FORCE``,
        ``JOINT_MOMENT`` or ``MULTIPLIER``.
    index : int
        Which principal stress, ascending from 0; which joint or constraint.
    order : int
        0 of the coordinates, 1 of their velocities, 2 of their accelerations; of a joint the
        component, 3 its magnitude.
    viscosity : float
        Time of viscosity, s: velocities are added to coordinates.
    mean : bool
        Whether it is the mean over the places, not the value of largest size; of a joint, whether
        it is along the joint's axes.
    rows : ndarray, (places, width, r)
        Linear forms; of a reaction, of the masses and of every matrix.
    loads : ndarray, (places * width, f)
        What every load adds to the linear forms: of a reaction, of stresses of what is heated.
    sparse : SparseRows, optional
        The linear forms of a large system, instead of ``rows``.
    """

    name: str
    unit: str
    description: str
    kind: str
    index: int
    order: int
    viscosity: float
    mean: bool
    rows: Floats
    loads: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    sparse: SparseRows | None = None

    @property
    def places(self) -> int:
        """Places at which there are linear forms."""
        return int(self.rows.shape[0]) if self.sparse is None else self.sparse.places

    @property
    def width(self) -> int:
        """Linear forms of a place."""
        return int(self.rows.shape[1]) if self.sparse is None else self.sparse.width

    @property
    def values(self) -> Floats:
        """Numbers of the linear forms, one after the other."""
        return self.rows.ravel() if self.sparse is None else self.sparse.values


def outputs(probes: Sequence[AnyProbe], constants: AnyConstants) -> list[Output]:
    """Return the outputs of a solver.

    Parameters
    ----------
    probes : sequence of Probe
        Of the model.
    constants : Constants
        Its coordinates.

    Raises
    ------
    InputError
        For a probe that a solver cannot follow.
    """
    return [_output(probe, constants) for probe in probes]


def _output(probe: AnyProbe, constants: AnyConstants) -> Output:
    spec = probe.spec
    if isinstance(probe, SupportProbe):
        if isinstance(constants, MeshConstants):
            raise InputError(
                f"probe '{spec.name}': found a reaction of supports with {constants.size} "
                "unknowns; expected none, or [reduction], to export it"
            )
        assert isinstance(constants, Constants)  # supports of tied bodies tell of no reactions
        rows, loads = reaction_rows(probe, constants)
        text = f"{spec.quantity} {spec.component} on body {spec.body}"
        return Output(spec.name, probe.column.unit, text, "REACTION", 0, 0, 0.0, False, rows, loads)
    if isinstance(probe, ReactionProbe):
        assert isinstance(constants, TiedConstants)  # which the checks of models see to
        return _of_joint(probe, constants)
    bodies = [body for body, _ in probe.where]
    warm = any(body.name in constants.loads.heat for body in bodies)
    component = spec.component
    kind, index = "COMPONENT", 0
    if component == "magnitude":
        kind = "MAGNITUDE"
    elif component == "von_mises":
        kind = "VON_MISES"
    elif component.startswith("principal"):
        kind, index = "PRINCIPAL", 3 - int(component[-1])
    elif spec.quantity == "section_force" and component in ("largest_normal_stress", *_FACES):
        raise InputError(
            f"probe '{spec.name}': found '{component}', no linear form of displacements; "
            "expected forces and moments of sections to export it"
        )
    viscosity = 0.0
    if _ORDERS[spec.quantity] == 0 and spec.quantity != "displacement":
        if warm and isinstance(constants, MeshConstants):
            raise InputError(
                f"probe '{spec.name}': found stresses of a body with a temperature load and "
                f"{constants.size} unknowns; expected none, or [reduction], to export it"
            )
        viscosity = bodies[0].viscosity
        if any(body.viscosity != viscosity for body in bodies):
            raise InputError(
                f"probe '{spec.name}': found bodies of different viscosity; expected one"
            )
    mean = spec.reduce == "mean"
    rows, sparse, heated = np.zeros((0, 0, 0)), None, np.zeros((0, 0))
    if isinstance(constants, MeshConstants):
        sparse = sparse_rows(spec.quantity, component, probe.where, constants.system, mean=mean)
    else:
        rows = np.concatenate(
            [_rows(spec.quantity, component, *one, constants) for one in probe.where]
        )
        if warm and spec.quantity in ("stress", "section_force"):
            heated = np.concatenate(
                [_heated(spec.quantity, component, *one, constants) for one in probe.where]
            )
        if mean and kind == "COMPONENT":
            rows = rows.mean(axis=0, keepdims=True)
            heated = heated.mean(axis=0, keepdims=True) if heated.size else heated
    where = f"group {spec.group}" if spec.group is not None else "one point"
    text = f"{spec.quantity} {component}, {where}"
    return Output(
        spec.name,
        probe.column.unit,
        text,
        kind,
        index,
        _ORDERS[spec.quantity],
        viscosity,
        mean,
        rows,
        heated.reshape(-1, heated.shape[-1]) if heated.size else heated,
        sparse=sparse,
    )


def _of_joint(probe: ReactionProbe, constants: TiedConstants) -> Output:
    """Return the force or moment of a joint, or the multiplier of a driver or a gear."""
    spec, joints, none = probe.spec, constants.joints, np.zeros((0, 0, 0))
    if spec.constraint is not None:
        names = joints.pattern.names
        last = len(names) - 1 - names[::-1].index(spec.constraint)  # joints of that name are first
        text = f"effort of {spec.constraint}"
        return Output(spec.name, "", text, "MULTIPLIER", last, 0, 0.0, False, none)
    kind = "JOINT_FORCE" if spec.quantity == "force" else "JOINT_MOMENT"
    names = tuple(one.name for one in joints.mechanism.joints)
    component = 3 if spec.component == "magnitude" else "xyz".index(spec.component)
    along = spec.axes == "joint" and component < 3
    text = f"{spec.quantity} {spec.component} of joint {spec.joint}"
    index = names.index(spec.joint or "")
    return Output(spec.name, probe.column.unit, text, kind, index, component, 0.0, along, none)


_FACES = ("von_mises_top", "von_mises_bottom")


def _rows(
    quantity: str,
    component: str,
    body: Body,
    nodes: NDArray[np.int64],
    constants: Constants | TiedConstants,
) -> Floats:
    """Return the linear forms of a quantity at nodes of a body, (places, width, r)."""
    fields = (
        constants.system.expand(constants.unknowns(unit))[body.nodes]
        for unit in np.eye(constants.matrices.size)
    )
    return np.stack([_values(quantity, component, body, nodes, one) for one in fields], axis=-1)


def _heated(
    quantity: str, component: str, body: Body, nodes: NDArray[np.int64],
    constants: Constants | TiedConstants,
) -> Floats:  # fmt: skip
    """Return what a unit of every load adds to a quantity, (places, width, f): of temperatures."""
    forces, still = constants.forces, np.zeros_like(body.points)
    number = [one.name for one in constants.system.bodies].index(body.name)
    parts: dict[int, Floats] = {}
    for one in constants.loads.heat.get(body.name, []):
        owner = forces.owner(number, one.amplitude)
        vector = next(
            k for k, m in enumerate(forces.meaning) if (m.kind, m.owner) == ("load", owner)
        )
        parts[vector] = _values(quantity, component, body, nodes, still, one.field)
    width = next(iter(parts.values())).shape[1] if parts else 1
    nothing = np.zeros((len(nodes), width))
    return np.stack([parts.get(k, nothing) for k in range(len(forces.meaning))], axis=-1)


def _values(
    quantity: str, component: str, body: Body, nodes: NDArray[np.int64], field: Floats,
    temperature: Floats | None = None,
) -> Floats:  # fmt: skip
    """Return a quantity at nodes of a body for displacements (V, d) of it, (places, width)."""
    if quantity == "stress":
        stress = body.stress(field, temperature)[nodes]
        whole = component == "von_mises" or component.startswith("principal")
        return stress if whole else stress[:, [STRESSES.index(component)]]
    if quantity == "section_force":
        return np.asarray(body.at_stations(field, temperature)[component][nodes][:, None])
    values = field[nodes]
    return values if component == "magnitude" else values[:, ["xyz".index(component)]]
