# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with the sector of a wheel, ``[cyclic]``, beside other tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from flexforge.runtime.model.messages import Problem
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_frame import is_free

_ALONG = 1e-9  # sine of an angle that is none


def cyclic_problems(model: ModelSpec) -> Iterator[Problem]:
    """Yield what contradicts one sector that stands for all, and nodal diameters without one.

    Parameters
    ----------
    model : ModelSpec
        Validated table by table.

    Yields
    ------
    Problem
        Key path and text.
    """
    analysis = model.analysis
    given = analysis.nodal_diameters if analysis.kind == "modes" else None
    spec = model.cyclic
    if spec is None:
        if given is not None:
            text = "found without [cyclic]; expected the sector of a wheel with them"
            yield Problem(("analysis", "nodal_diameters"), text)
        return
    if analysis.kind == "modes":
        most = spec.sectors // 2
        if given is not None and given != "all" and given[-1] > most:
            text = f"found {given[-1]}; expected at most {most}, half of {spec.sectors} sectors"
            yield Problem(("analysis", "nodal_diameters"), text)
        if analysis.speeds is not None:
            text = "found with [cyclic]; expected one speed at a time, of the frame"
            yield Problem(("analysis", "speeds"), text)
    elif analysis.kind not in ("static", "transient", "harmonic"):
        text = f"found {analysis.kind} with [cyclic]; expected static, transient, modes, harmonic"
        yield Problem(("analysis", "kind"), text)
    for key in ("links", "constraints", "reduction"):
        if getattr(model, key):
            yield Problem((key,), f"found with [cyclic]; expected it without {key}")
    for index, body in enumerate(model.bodies):
        if body.is_revolved:
            text = "found a body of revolution with [cyclic], which is a wheel already; expected a "
            yield Problem(("bodies", index, "hypothesis"), f"{text}sector")
        if is_free(body.frame):
            text = "found a free frame with [cyclic]; expected one whose motion is given"
            yield Problem(("bodies", index, "frame"), text)
    yield from _loads(model)


def _loads(model: ModelSpec) -> Iterator[Problem]:
    """Yield loads whose direction is the same in all sectors, where it is not the axis."""
    assert model.cyclic is not None
    axis = np.array(model.cyclic.axis)
    for index, load in enumerate(model.loads):
        if load.kind != "gravity":
            continue
        across = np.cross(axis, load.acceleration)
        size = np.linalg.norm(axis) * np.linalg.norm(load.acceleration)
        if np.linalg.norm(across) > _ALONG * size:
            text = f"found {[*load.acceleration]}, which is not cyclic; expected gravity along "
            yield Problem(("loads", index, "acceleration"), f"{text}cyclic.axis")
