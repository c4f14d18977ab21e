# SPDX-License-Identifier: BSD-3-Clause
"""Theories used in a run where there are several, in words for its summary."""

from __future__ import annotations

from collections.abc import Callable

from flexforge.codegen.elements.facts import TAPERED
from flexforge.runtime.model.schema_mesh import LAMINATED_BEAMS, RODS, SHELLS
from flexforge.runtime.statics.stress_state import Theory
from flexforge.runtime.system.bearing import bearings_of
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.system import System

_PRESTRESS: dict[Theory, str] = {
    "steady": "steady: of the deflected state at rest in the frames, by k + k_omega + k_geo and "
    "the loads that are constant there",
    "linear": "linear: of all loads that are constant in the frames, by k alone",
    "rigid_load": "rigid_load: of the rotation of the undeformed bodies, by k alone",
    "own_state": "own_state: of the bodies' own displacements, at every step",
}


def theories(system: System, theory: Theory | None) -> dict[str, str]:
    """Return the theories used, by subject.

    Parameters
    ----------
    system : System
        The bodies.
    theory : str, optional
        Theory of the prestress of the bodies, if they have any.

    Examples
    --------
    For a rotor of beams::

        {"prestress": "rigid_load: of the rotation of the undeformed bodies, by k alone",
         "strain of k_geo": "shaft: Green's, along every fibre of the section, and the twist",
         "rotary inertia": "shaft: yes"}
    """
    found = {}
    if theory is not None:
        found = {"prestress": _PRESTRESS[theory], "strain of k_geo": _grouped(system, _strain)}
    left_out = any(_rotary(body) == "no" for body in system.bodies)
    if (turning := _grouped(system, _rotary)) and (found or left_out):
        found["rotary inertia"] = turning
    swinging = [body.name for body in bearings_of(system) if body.swings]
    if swinging:
        found["coefficients"] = (
            f"vary with twice the angle of the frame, by {', '.join(swinging)}: modes by Hill's "
            "method, motions in time as they are"
        )
    return found


def _grouped(system: System, said: Callable[[Body], str]) -> str:
    """Return the descriptions of all bodies, with equal descriptions grouped."""
    groups: dict[str, dict[str, None]] = {}
    for body in system.bodies:
        if text := said(body):
            groups.setdefault(text, {})[body.in_file] = None
    return "; ".join(f"{', '.join(names)}: {text}" for text, names in groups.items())


def _strain(body: Body) -> str:
    """Return the second-order strain on which stress does work; every element has one or none."""
    if "geometric" not in body.kernels:
        return ""
    if body.stiffens_itself:
        return "none, its own inertia forces as it turns"
    base = body.element.removesuffix("_laminate").removesuffix(TAPERED).removesuffix("_plane")
    if body.declared is not None and body.has_field and not body.lumped:
        return "the one that its declaration states"
    if base in SHELLS:
        return "Green's, in the surface of every layer"
    if base in LAMINATED_BEAMS:
        twists = ", and the twist" if body.dimension == 3 else ""
        return f"Green's, along every fibre of the section{twists}"
    if base in RODS or body.lumped:
        return "Green's, along the axis"
    return "Green's, all components"


def _rotary(body: Body) -> str:
    """Return whether the sections of a beam have rotary inertia."""
    beam = body.declared is None and body.element.startswith(LAMINATED_BEAMS)
    if not beam:
        return ""
    return "yes" if body.rotary_inertia else "no"
