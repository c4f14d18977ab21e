# SPDX-License-Identifier: BSD-3-Clause
"""Checks of bearings whose forces depend on more than a motion at one time: transfer functions."""

from __future__ import annotations

from collections.abc import Iterator

from flexforge.runtime.model.messages import Problem
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_frame import FrameSpec

#: Analyses that solve with all matrices, also those that are not symmetric.
_KINDS = ("static", "modes", "harmonic", "transient")
#: Terms that make rates of what is internal those that an observer at rest sees.
_OF_FRAMES = ("coriolis", "euler", "centrifugal_stiffness")
_METHODS = ("generalized_alpha", "newmark", "hht", "gauss4")


def bearing_problems(model: ModelSpec) -> Iterator[Problem]:
    """Yield what does not go with forces of bearings by transfer functions."""
    with_states = [
        index
        for index, one in enumerate(model.connectors)
        if one.kind == "bearing" and one.transfer is not None
    ]
    for index in with_states[:1]:
        where, text = ("connectors", index, "transfer"), _beside(model)
        if text:
            yield Problem(where, f"found with {text}")


def _beside(model: ModelSpec) -> str:
    """Return what transfer functions do not go with, and what is expected; or nothing."""
    analysis = model.analysis
    for key in ("links", "reduction", "cyclic"):
        if getattr(model, key):
            return f"{key}; expected it without"
    turns = any(isinstance(one.frame, FrameSpec) and one.frame.given for one in model.bodies)
    for key in _OF_FRAMES if turns else ():
        if not getattr(model.include, key):
            return f"include.{key} = false in a frame that turns; expected true"
    if analysis.kind not in _KINDS:
        return f"analysis {analysis.kind}; expected {', '.join(_KINDS[:-1])} or {_KINDS[-1]}"
    if analysis.kind == "modes" and not analysis.damped:
        return "damped = false: delays are damping; expected damped modes"
    if analysis.kind == "harmonic" and analysis.modes is not None:
        return "modes of a harmonic analysis, which are undamped ones; expected it without"
    if analysis.kind == "transient" and analysis.method not in _METHODS:
        return f"method {analysis.method}; expected {', '.join(_METHODS[:-1])} or {_METHODS[-1]}"
    if analysis.kind == "transient" and analysis.is_conditional:
        return f"beta {analysis.beta:g} of newmark; expected steps that are stable at any length"
    return ""
