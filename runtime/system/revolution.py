# SPDX-License-Identifier: BSD-3-Clause
"""What bodies of revolution do not have: each point of their section stands for a circle.

Without torsion nothing moves along the circles; with torsion everything that acts at single points
of space, instead of on circles, is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.motion.frame import FrameMotion
from flexforge.runtime.system.body import Body

#: Number of times at which the angular acceleration of a frame is checked.
_LOOKS = 129
#: Keys of a model whose entries act at points, or turn them about other axes.
_AT_POINTS = (
    "links", "masses", "connectors", "couplings", "pretensions", "forces", "constraints", "cyclic",
)  # fmt: skip


def require_symmetric(model: ModelSpec, bodies: Sequence[Body]) -> None:
    """Refuse what a model has besides its bodies of revolution that would break their symmetry.

    Parameters
    ----------
    model : ModelSpec
        The validated model.
    bodies : sequence of Body
        Those of its tables ``[[bodies]]`` first.

    Raises
    ------
    InputError
        Naming the key, what was found, and what is expected.
    """
    _require_axial(model, bodies)
    _require_no_swirl(model, bodies)
    if not any(body.revolved and body.dimension == 3 for body in bodies):
        return
    for key in _AT_POINTS:
        if getattr(model, key):
            raise InputError(
                f"{key}: found with a body of revolution with torsion, each of whose points stands "
                "for a circle; expected none, or a mesh of solids"
            )


def _require_axial(model: ModelSpec, bodies: Sequence[Body]) -> None:
    """Refuse other motions of frames than about and along y, with elements of users too."""
    for number, body in enumerate(bodies[: len(model.bodies)]):
        if body.revolved and not isinstance(body.motion, FrameMotion):
            raise InputError(
                f"bodies[{number}].frame: found link '{model.bodies[number].frame}' with a body of "
                "revolution, whose section a link would turn about z; expected a frame about y"
            )
        if body.revolved and not body.motion.is_axial:
            raise InputError(
                f"bodies[{number}].frame: found motion out of the axis of symmetry of element "
                f"'{body.element}'; expected axis [0, 1, 0], and x and z of the origin at rest"
            )


def _require_no_swirl(model: ModelSpec, bodies: Sequence[Body]) -> None:
    """Refuse angular accelerations of bodies of revolution without torsion."""
    analysis, include = model.analysis, model.include
    if not (include.euler or include.euler_load):
        return
    times = np.array([getattr(analysis, "time", 0.0)])
    if analysis.kind == "transient":
        times = np.linspace(0.0, analysis.duration, _LOOKS)
    for number, body in enumerate(bodies[: len(model.bodies)]):
        if not body.revolved or body.dimension == 3 or not isinstance(body.motion, FrameMotion):
            continue
        frame = body.motion.over(times)
        sizes = np.linalg.norm(frame.e, axis=1)
        most = int(sizes.argmax())
        if sizes[most] > 0.0:
            raise InputError(
                f"bodies[{number}].frame: found an angular acceleration of {sizes[most]:.3g} "
                f"rad/s^2 at t = {times[most]:g} s with hypothesis axisymmetric, which has no "
                "displacement around the axis; expected hypothesis axisymmetric_torsion, a "
                "constant angular velocity, or include.euler = false and include.euler_load = false"
            )
