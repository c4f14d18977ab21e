# SPDX-License-Identifier: BSD-3-Clause
"""Drivers that move at once: they set elastic bodies, which begin undeformed, vibrating."""

from __future__ import annotations

from flexforge.runtime.mechanism.build import Parts
from flexforge.runtime.model.schema import ModelSpec


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
