# SPDX-License-Identifier: BSD-3-Clause
"""The model as data, and the prescribed motions in it.

Read in this order: `jets` (a function with its derivatives), `functions`, `program` and
`expressions` (formulas from a whitelist), `integrals` (cached quadrature), `profiles` (functions of
time), `coordinate` (one prescribed coordinate), `rotation` and `motion` (the frame's state at a
time); then the model file: `base` and `schema*` (its tables), `tables` (CSV), `build` (from tables
to functions), `checks` (what spans tables), `lines` and `messages` (errors that say where), and
`load`, the way in.
"""

from flexforge.runtime.model.build import build_field, build_motion, build_profile
from flexforge.runtime.model.expressions import Expression, parse_expression
from flexforge.runtime.model.load import load_model_file, model_from_dict, require_consistent
from flexforge.runtime.model.motion import FrameMotion, FrameState
from flexforge.runtime.model.profiles import Profile
from flexforge.runtime.model.schema import ModelSpec

__all__ = [
    "Expression",
    "FrameMotion",
    "FrameState",
    "ModelSpec",
    "Profile",
    "build_field",
    "build_motion",
    "build_profile",
    "load_model_file",
    "model_from_dict",
    "parse_expression",
    "require_consistent",
]
