# SPDX-License-Identifier: BSD-3-Clause
"""The model as the results keep it: its tables; where joints, supports and loads are."""

from __future__ import annotations

from typing import Any

from flexforge.runtime.mechanism.build import Parts
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.observe.symbols import symbols
from flexforge.runtime.system.name_table import NameTable

_TABLES = {
    "materials", "bodies", "masses", "connectors", "links", "joints", "gears", "drivers",
    "actuators", "controllers", "forces", "constraints", "supports", "equations", "loads",
    "initial", "probes",
}  # fmt: skip


def described(
    spec: ModelSpec, parts: Parts | None, places: NameTable | None = None
) -> dict[str, Any]:
    """Return the part of a summary that describes the model.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    parts : Parts, optional
        Links and joints of its mechanism.
    places : NameTable, optional
        Its names in the system; without it there are no ``symbols``.

    Returns
    -------
    dict
        ``model``, its tables without what has its default value; ``joint_points``, for each joint
        its name, its kind, a body, its point there (m), and whether it is on the ground;
        ``symbols``, as of :func:`flexforge.runtime.observe.symbols.symbols`.
    """
    joints = tuple(joint for joint in spec.joints if joint.name not in spec.seams)
    told = spec.model_copy(update={"joints": joints})
    tables = told.model_dump(mode="json", exclude_defaults=True, include=_TABLES, warnings=False)
    points = []
    if parts is not None:
        bodies = {str(body.frame): body.name for body in spec.bodies}
        for joint in (one for one in parts.joints if one.name not in spec.seams):
            side = max(range(2), key=lambda k: joint.links[k])  # one of them is a link
            link = parts.links[joint.links[side]]
            points.append({
                "name": joint.name,
                "kind": joint.kind,
                "body": bodies.get(link, link) if spec.analysis.kind != "kinematics" else link,
                "point": joint.markers[side].point.tolist(),
                "ground": min(joint.links) < 0,
            })  # fmt: skip
    return {
        "model": tables,
        "joint_points": points,
        "symbols": symbols(spec, places) if places is not None else [],
    }
