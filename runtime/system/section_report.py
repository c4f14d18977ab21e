# SPDX-License-Identifier: BSD-3-Clause
"""Sections of bars and beams as a checked model reports them, with the side that bends."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.vector_body import VectorBody

#: Units of the properties, in the order of the report.
_UNITS = {"area": "m^2", "inertia_y": "m^4", "inertia_z": "m^4", "torsion": "m^4"}


def section_properties(body: Body) -> dict[str, tuple[float, float]]:
    """Return the least and largest properties of the section that the element of a body reads."""
    if not isinstance(body, VectorBody) or "stiffness" not in body.kernels:
        return {}
    read = {*body.kernels["stiffness"].parameters}
    return {
        name: (float(np.min(value)), float(np.max(value)))
        for name, value in body.section.items()
        if name in _UNITS and not read.isdisjoint((name, f"{name}1"))
    }


def section_text(spec: BodySpec, body: Body) -> str:
    """Return the section in words; empty without one.

    Parameters
    ----------
    spec : BodySpec
        The body in the model file.
    body : Body
        The same with its values.
    """
    found = section_properties(body)
    if not found:
        return ""
    text = ", ".join(
        f"{name} {least:.6g} " + f"to {most:.6g} " * (most > least) + _UNITS[name]
        for name, (least, most) in found.items()
    )
    section = spec.section
    if body.dimension == 3 or section is None or section.width is None or "inertia_z" not in found:
        return text
    width = section.sizes.get("width")
    size = "which varies" if width is None else f"{width:.6g} m"
    return f"{text}; in the plane it bends over its width along y, {size}"
