# SPDX-License-Identifier: BSD-3-Clause
"""Checks of bodies in free frames: what goes with a motion that is not prescribed."""

from __future__ import annotations

from collections.abc import Iterator

from flexforge.runtime.model.messages import Problem
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_frame import FREE, FrameSpec, FreeSpec

_METHODS = ("generalized_alpha", "newmark", "hht", "midpoint")
_SOLVERS = ("auto", "scipy", "pardiso", "cholmod")
_WITHOUT = ("links", "joints", "constraints", "connectors")


def free_problems(model: ModelSpec) -> Iterator[Problem]:
    """Yield what a model with free frames cannot have."""
    free = {
        index: body.frame.free
        for index, body in enumerate(model.bodies)
        if isinstance(body.frame, FrameSpec) and body.frame.free is not None
    }
    if not free:
        return
    first, analysis = next(iter(free)), model.analysis
    where: tuple[str | int, ...] = ("bodies", first, "frame")
    if analysis.kind != "transient":
        text = f"found a free frame with analysis {analysis.kind}; expected transient"
        yield Problem(where, text)
        return
    if analysis.method not in _METHODS:
        text = f"found {analysis.method} with a free frame; expected {', '.join(_METHODS)}"
        yield Problem(("analysis", "method"), text)
    if analysis.accuracy is not None:
        text = f"found {analysis.accuracy:g} with a free frame; expected none: equal steps"
        yield Problem(("analysis", "accuracy"), text)
    if analysis.solver not in _SOLVERS:
        text = f"found {analysis.solver} with a free frame; expected one of {', '.join(_SOLVERS)}"
        yield Problem(("analysis", "solver"), text)
    if analysis.start == "equilibrium":
        yield Problem(
            ("analysis", "start"), "found equilibrium with a free frame; expected initial"
        )
    if model.include.prestress == "steady":
        text = "found steady with a free frame, whose body is stiffened by its own stress; "
        yield Problem(("include", "prestress"), text + "expected none")
    if model.reduction is not None:
        yield Problem(("reduction",), "found with a free frame; expected it without")
    for key in _WITHOUT:
        if getattr(model, key):
            text = f"found [[{key}]] with a free frame; expected [[equations]] and [[supports]] "
            yield Problem((key,), text + "to join such bodies")
    for index, mass in enumerate(model.masses):
        if mass.turns:
            text = "found an inertia or a centre in a model with a free frame; expected neither"
            yield Problem(("masses", index), text)
    if model.is_planar:
        for index, spec in free.items():
            yield from _in_plane(("bodies", index, "frame", FREE), spec)


def _in_plane(where: tuple[str | int, ...], spec: FreeSpec) -> Iterator[Problem]:
    """Yield where a motion begins out of the plane."""
    if spec.position[2]:
        yield Problem((*where, "position"), "found a z component; expected 0 in a planar model")
    if spec.angle and (spec.axis[0] or spec.axis[1]):
        yield Problem((*where, "axis"), "found a planar model; expected the axis z")
    if spec.velocity[2]:
        yield Problem((*where, "velocity"), "found a z component; expected 0 in a planar model")
    if spec.angular_velocity[0] or spec.angular_velocity[1]:
        text = "found x or y components; expected [0, 0, w] in a planar model"
        yield Problem((*where, "angular_velocity"), text)
