# SPDX-License-Identifier: BSD-3-Clause
"""Where supports and loads act, for pictures of the model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Ints
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_loads import ForceLoad, MomentLoad, PressureLoad
from flexforge.runtime.system.name_table import NameTable

_MOST = 24  # symbols per group and body


def symbols(spec: ModelSpec, places: NameTable) -> list[dict[str, Any]]:
    """Return the supports, forces and pressures of a model.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    places : NameTable
        Its names in the system.

    Returns
    -------
    list of dict
        For each group on each body: ``kind`` ("support" or "load"), ``name``, ``body``, ``nodes``
        (rows of the points of the body, at most 24, evenly spread), ``direction`` (of a force;
        empty for others) and ``fixed``, whether the direction is global.
    """
    found: list[dict[str, Any]] = []
    for i, support in enumerate(spec.supports):
        held = " ".join(support.components) if len(support.components) < 6 else "all"
        name = f"support {support.group}: {held}"
        found += _acting("support", name, support.group, support.body, places, f"supports[{i}]")
    for i, load in enumerate(spec.loads):
        if isinstance(load, PressureLoad | MomentLoad):
            name = f"{load.kind} on {load.group}"
            found += _acting("load", name, load.group, load.body, places, f"loads[{i}]")
        elif isinstance(load, ForceLoad):
            force = load.total or load.each or ()
            for one in _acting(
                "load", f"force on {load.group}", load.group, load.body, places, f"loads[{i}]"
            ):
                found.append(one | {"direction": [*force], "fixed": load.frame == "global"})
    return found


def _acting(
    kind: str, name: str, group: str, body: str | None, places: NameTable, key: str
) -> Iterator[dict[str, Any]]:
    for one, nodes in places.nodes(group, body, f"{key}.group"):
        yield {
            "kind": kind,
            "name": name,
            "body": one.name,
            "nodes": _spread(nodes).tolist(),
            "direction": [],
            "fixed": False,
        }


def _spread(nodes: Ints) -> Ints:
    """Return at most 24 of the nodes, evenly spread over their numbers."""
    chosen = np.linspace(0, len(nodes) - 1, min(len(nodes), _MOST)).round().astype(int)
    return np.asarray(nodes[chosen])
