# SPDX-License-Identifier: BSD-3-Clause
"""Odd starts: drivers that move at once, placements far from where the joints close.

The first set elastic bodies, which begin undeformed, vibrating; from the second another closed
position than the intended one may be found.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.mechanism.build import Parts
from flexforge.runtime.mechanism.mechanism import Mechanism
from flexforge.runtime.model.schema import ModelSpec

#: Displacement relative to the size of a mechanism, and rotation, rad, by which closing the joints
#: may move a link without a remark.
FAR, TURNED = 1.0, np.pi / 2


def far_placements(mechanism: Mechanism) -> list[str]:
    """Return a warning for every link whose placement is far from where the joints close.

    Parameters
    ----------
    mechanism : Mechanism
        Assembled at t = 0.
    """
    parts, found = mechanism.parts, []
    pairs = zip(parts.placements, mechanism.assembled.frames, strict=True)
    for number, (given, closed) in enumerate(pairs):
        apart = float(np.linalg.norm(closed[0] - given[0]))
        cosine = 0.5 * (float(np.trace(given[1:4].T @ closed[1:4])) - 1.0)
        angle = float(np.arccos(np.clip(cosine, -1.0, 1.0)))
        if apart > FAR * parts.size or angle > TURNED:
            found.append(
                f"links[{number}].placement: link '{parts.links[number]}' is {apart:.3g} m and "
                f"{np.degrees(angle):.3g} degrees from there where the joints close at t = 0; "
                "where they close in several positions, a nearer placement chooses"
            )
    return found


def sudden_starts(spec: ModelSpec, parts: Parts) -> list[str]:
    """Return a warning for every driver that has a velocity at t = 0, where bodies are elastic.

    Parameters
    ----------
    spec : ModelSpec
        The model, of a transient analysis; its own initial state is taken as meant.
    parts : Parts
        Links, joints and drivers.
    """
    found: list[str] = []
    if not spec.bodies or spec.initial:
        return found
    for driver in parts.drivers:
        rate = driver.motion.at(0.0)[1]
        if not rate:
            continue
        unit = "m/s" if parts.coordinates[driver.coordinate].is_length else "rad/s"
        found.append(
            f"driver '{driver.name}' moves at {rate:.4g} {unit} from t = 0 on: elastic bodies "
            "begin undeformed, and the sudden start makes them vibrate; for a steady start begin "
            f'at rest, such as velocity = "{rate:.4g}*smooth_step(t, 0, 0.1)"'
        )
    return found
