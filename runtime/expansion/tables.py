# SPDX-License-Identifier: BSD-3-Clause
"""The tables of a model whose shells and beams are expanded: what they mean of the solids."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.mesh.mesh import Group, Mesh, group_at
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_loads import (
    ChangeAtNodes,
    ForceLoad,
    LoadSpec,
    MomentLoad,
    PressureLoad,
    TemperatureLoad,
)
from flexforge.runtime.model.schema_profile import (
    InputProfileSpec,
    PointsProfileSpec,
    PolynomialProfileSpec,
    RampProfileSpec,
    TableProfileSpec,
)
from flexforge.runtime.model.schema_table import AT_NODES
from numpy.typing import NDArray

_AXES = ("x", "y", "z")


@dataclass(frozen=True, slots=True)
class Meant:
    """Which nodes tables mean, by node of the mesh.

    Attributes
    ----------
    held : ndarray of bool, (n, 3)
        Displacements that supports hold.
    turned : ndarray of bool, (n,)
        Whether a support, a moment or an equation is of its rotation.
    stiff : ndarray of bool, (n,)
        Whether a support holds its rotation.
    loaded : ndarray of bool, (n,)
        Whether a force acts there.
    """

    held: NDArray[np.bool_]
    turned: NDArray[np.bool_]
    stiff: NDArray[np.bool_]
    loaded: NDArray[np.bool_]


def meant(model: ModelSpec, mesh: Mesh) -> Meant:
    """Return which nodes the tables of a model mean.

    Raises
    ------
    InputError
        For groups that are missing.
    """
    count = len(mesh.points)
    held = np.zeros((count, 3), dtype=bool)
    turned, stiff, loaded = (np.zeros(count, dtype=bool) for _ in range(3))
    for i, support in enumerate(model.supports):
        nodes = group_at(mesh, support.group, f"supports[{i}].group").nodes
        along = [axis in support.components for axis in _AXES]
        # Along local axes every component takes part.
        held[nodes] |= np.array(along if support.axes is None else [any(along)] * 3)
        if any(one.startswith("r") for one in support.components):
            turned[nodes] = stiff[nodes] = True
    for i, load in enumerate(model.loads):
        if isinstance(load, ForceLoad | MomentLoad):
            nodes = group_at(mesh, load.group, f"loads[{i}].group").nodes
            (turned if isinstance(load, MomentLoad) else loaded)[nodes] = True
    for i, equation in enumerate(model.equations):
        for k, term in enumerate(equation.terms):
            if term.component.startswith("r"):
                key = f"equations[{i}].terms[{k}].group"
                turned[group_at(mesh, term.group, key).nodes] = True
    for name in _turning_groups(model):
        turned[group_at(mesh, name, "group").nodes] = True
    return Meant(held, turned, stiff, loaded)


def _turning_groups(model: ModelSpec) -> Iterator[str]:
    """Yield the groups of masses, connectors and couplings that turn with their nodes."""
    for mass in model.masses:
        if mass.turns:
            yield mass.group
    for connector in model.connectors:
        if connector.kind in ("bushing", "gear_mesh", "gear_ratio", "planetary"):
            yield from (group for group, _ in connector.ends)
    for coupling in model.couplings:
        if coupling.point is not None:
            yield coupling.point


def attached(model: ModelSpec, mesh: Mesh, solids: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which nodes other bodies, masses and connectors have as well.

    Parameters
    ----------
    model : ModelSpec
        The model.
    mesh : Mesh
        Its mesh.
    solids : ndarray of bool
        Which bodies are not expanded.
    """
    found = np.zeros(len(mesh.points), dtype=bool)
    for body, stays in zip(model.bodies, solids, strict=True):
        if stays:
            for block, rows in mesh.rows_of(body.cells, 1).items():
                found[mesh.blocks[block].nodes[rows]] = True
    for mass in model.masses:
        found[group_at(mesh, mass.group, "masses").nodes] = True
    for connector in model.connectors:
        for group, _ in connector.ends:
            found[group_at(mesh, group, "connectors").nodes] = True
    return found


@dataclass(frozen=True, slots=True)
class Views:
    """What stands for the nodes of a mesh in tables of a model.

    Attributes
    ----------
    faces : dict
        By groups of cells of shells those of the facets below them.
    edges : dict
        By groups of edges of shells those of the facets along them.
    loaded, printed : ndarray of int64, (n,)
        By node that on which forces act, and that whose motion is printed.
    owner : ndarray of int64, (p,)
        By point of the new mesh the node around which it is; -1 where it is none of a solid.
    """

    faces: dict[str, str]
    edges: dict[str, str]
    loaded: Ints
    printed: Ints
    owner: Ints


def replaced(model: ModelSpec, mesh: Mesh, views: Views) -> tuple[ModelSpec, Mesh]:
    """Return the model and its mesh with groups of the nodes and facets that its tables mean.

    Parameters
    ----------
    model : ModelSpec
        The model.
    mesh : Mesh
        Its mesh.
    views : Views
        The nodes and facets.
    """
    groups = dict(mesh.groups)

    def with_nodes(name: str, ending: str, number: Ints) -> str:
        group = mesh.select(name)
        nodes = np.unique(number[group.nodes])
        if np.array_equal(nodes, group.nodes):
            return name
        made = f"{name}:{ending}"
        groups[made] = Group(made, 0, {}, nodes)
        return made

    loads: list[LoadSpec] = []
    for number, load in enumerate(model.loads):
        change: dict[str, Any] = {}
        if isinstance(load, ForceLoad):
            change = {"group": with_nodes(load.group, "loaded", views.loaded)}
        elif isinstance(load, PressureLoad) and load.group in views.faces:
            change = {"group": views.faces[load.group], "value": negative(load.value)}
        elif isinstance(load, PressureLoad) and load.group in views.edges:
            change = {"group": views.edges[load.group]}
        elif isinstance(load, TemperatureLoad) and isinstance(load.change, ChangeAtNodes):
            key = f"loads[{number}].change.nodes"
            change = {"change": _around(load.change, mesh, views.owner, groups, key)}
        loads.append(load.model_copy(update=change))
    tables = []
    for table in model.tables:
        change = {}
        if table.quantity in AT_NODES:
            name = with_nodes(table.group, "printed", views.printed)
            change = {"group": name, "name": table.title}
        tables.append(table.model_copy(update=change))
    changed = model.model_copy(update={"loads": tuple(loads), "tables": tuple(tables)})
    return changed, replace(mesh, groups=groups)


def _around(
    change: ChangeAtNodes, mesh: Mesh, owner: Ints, groups: dict[str, Group], key: str
) -> ChangeAtNodes:
    """Return changes of temperature of the points around nodes as well; their groups are added."""
    found = []
    for k, (name, value) in enumerate(change.nodes):
        nodes = group_at(mesh, name, f"{key}[{k}]").nodes
        points = np.flatnonzero(np.isin(owner, nodes))
        made = f"around {name}"
        groups[made] = Group(made, 0, {}, np.union1d(nodes, points))
        found.append((made, value))
    return change.model_copy(update={"nodes": tuple(found)})


def negative(value: Any) -> Any:
    """Return a profile of time with the other sign.

    Raises
    ------
    InputError
        For an input, whose sign is not that of the model file.
    """
    match value:
        case float() | int():
            return -value
        case str():
            return f"-({value})"
        case RampProfileSpec():
            ramp = value.ramp.model_copy(update={"to": -value.ramp.to, "begin": -value.ramp.begin})
            return value.model_copy(update={"ramp": ramp})
        case PolynomialProfileSpec():
            return value.model_copy(update={"polynomial": tuple(-c for c in value.polynomial)})
        case PointsProfileSpec() | TableProfileSpec():
            return value.model_copy(update={"scale": -value.scale})
        case InputProfileSpec():
            raise InputError(
                "found an input as the pressure on an expanded shell; expected a function of time"
            )
    raise AssertionError(value)
