# SPDX-License-Identifier: BSD-3-Clause
"""Sections of bars and beams as a checked model reports them, with the side that bends."""

from __future__ import annotations

from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.system.body import Body

#: Units of the properties, in the order of the report.
_UNITS = {"area": "m^2", "inertia_y": "m^4", "inertia_z": "m^4", "torsion": "m^4"}


def section_properties(body: Body) -> dict[str, float]:
    """Return the properties of the section that the element of a body reads, by name."""
    if not body.has_field or "stiffness" not in body.kernels:
        return {}
    read = body.kernels["stiffness"].parameters
    return {name: float(body.values[name]) for name in _UNITS if name in read}


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
    text = ", ".join(f"{name} {value:.6g} {_UNITS[name]}" for name, value in found.items())
    section = spec.section
    if body.dimension == 3 or section is None or section.width is None or "inertia_z" not in found:
        return text
    return f"{text}; in the plane it bends over its width along y, {section.width:.6g} m"
