# SPDX-License-Identifier: BSD-3-Clause
"""Analyses that know forces of bearings that depend on more than the motion at the same time."""

from __future__ import annotations

from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_frame import FrameSpec

#: Analyses that solve with all matrices, also those that are not symmetric.
_KINDS = ("static", "modes", "harmonic", "transient")
#: Terms that make rates of what is internal those that an observer at rest sees.
_OF_FRAMES = ("coriolis", "euler", "centrifugal_stiffness")
_METHODS = ("generalized_alpha", "newmark", "hht", "gauss4")


def unsuited(model: ModelSpec) -> str:
    """Return what of a model needs forces of its motion at the same time, and what is expected.

    Parameters
    ----------
    model : ModelSpec
        With bearings that have transfer functions or tables over the frequency.

    Returns
    -------
    str
        Empty where nothing does.
    """
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
