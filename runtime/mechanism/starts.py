# SPDX-License-Identifier: BSD-3-Clause
"""Odd starts: drivers that move at once, placements far from where the joints close.

The first set elastic bodies, which begin undeformed, vibrating; from the second another closed
position than the intended one may be found.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mechanism.build import Parts, is_length
from flexforge.runtime.mechanism.diagnose import dependent_equations
from flexforge.runtime.mechanism.found import FoundMechanism
from flexforge.runtime.mechanism.joints import GROUND
from flexforge.runtime.mechanism.mechanism import Mechanism, as_frame
from flexforge.runtime.mechanism.open_joints import unit_hint
from flexforge.runtime.model.schema import ModelSpec

#: Displacement relative to the size of a mechanism, and rotation, rad, by which closing the joints
#: may move a link without a remark.
FAR, TURNED = 1.0, np.pi / 2
#: The same where the joints themselves are open by as much at the placements. Where they are
#: closed, drivers alone move the links: a robot arm may well be placed stretched.
NEAR, TILTED = 0.05, np.radians(10.0)
_MOST_TOLD = 3
_AT_REST = 1e-12  # rad or m over the whole analysis: round-off of tables


def start_remarks(spec: ModelSpec, mechanism: Mechanism) -> list[str]:
    """Return warnings about how a transient analysis of a mechanism begins.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    mechanism : Mechanism
        Assembled at t = 0.
    """
    found = [*sudden_starts(spec, mechanism.parts), *far_placements(mechanism)]
    # Joints between pieces of a body hold again what their deformation leaves open.
    if isinstance(mechanism, FoundMechanism) and not spec.pieces:
        told = dependent_equations(mechanism.parts, mechanism.jacobian)
        found += [told] if told else []
    return found


def far_placements(mechanism: Mechanism) -> list[str]:
    """Return warnings about links whose placements are far from where the joints close.

    Parameters
    ----------
    mechanism : Mechanism
        Assembled at t = 0.
    """
    parts = mechanism.parts
    moved = [
        _distance(given, closed)
        for given, closed in zip(parts.placements, mechanism.assembled.frames, strict=True)
    ]
    if gap := _open_at_placements(parts):
        return [_moved_by(parts, gap, moved)]
    return [
        f"links[{number}].placement: link '{parts.links[number]}' is {_length(parts, apart)} and "
        f"{np.degrees(angle):.3g} degrees from there where the joints close at t = 0; "
        "where they close in several positions, a nearer placement chooses"
        for number, (apart, angle) in enumerate(moved)
        if apart > FAR * parts.size or angle > TURNED
    ]


def left_out(spec: ModelSpec) -> list[str]:
    """Return a warning about bodies, loads and the like that kinematics does not look at.

    Parameters
    ----------
    spec : ModelSpec
        A model whose links alone move.
    """
    tables = ("bodies", "masses", "connectors", "loads", "supports")
    named = [table for table in tables if getattr(spec, table)]
    if not named:
        return []
    return [
        f'analysis.kind = "kinematics" moves links alone: {", ".join(named)} are left out; '
        'expected "transient" for bodies that deform, masses and forces'
    ]


def _distance(given: Floats, closed: Floats) -> tuple[float, float]:
    """Return the displacement, m, and the rotation, rad, from one state of a link to another."""
    cosine = 0.5 * (float(np.trace(given[1:4].T @ closed[1:4])) - 1.0)
    apart = float(np.linalg.norm(closed[0] - given[0]))
    return apart, float(np.arccos(np.clip(cosine, -1.0, 1.0)))


def _open_at_placements(parts: Parts) -> str:
    """Return the joint that is open most at the placements, and by how much; "" if none is far."""
    worst, told = 1.0, ""
    frames = [as_frame(state) for state in parts.placements]
    for number, joint in enumerate(parts.joints):
        ends = [None if link == GROUND else frames[link] for link in joint.links]
        residual = joint.rows(ends[0], ends[1])[0]
        lengths = np.array([is_length(joint.kind, row) for row in joint.held_rows], dtype=bool)
        if joint.kind == "rolling":  # whose last row is kept at the value of the start
            residual[-1] = 0.0
        apart = float(np.linalg.norm(residual[lengths]))
        angle = float(np.linalg.norm(residual[~lengths]))
        for size, text in (
            (apart / (NEAR * parts.size), f"{apart:.3g} m"),
            (angle / np.sin(TILTED), f"{np.degrees(np.arcsin(min(angle, 1.0))):.3g} degrees"),
        ):
            if size > worst:
                worst, told = size, f"joints[{number}]: '{joint.name}' is open by {text}"
    return told


def _moved_by(parts: Parts, gap: str, moved: list[tuple[float, float]]) -> str:
    """Return what is open at the placements, and which links closing it has moved most."""
    shares = [max(apart / (NEAR * parts.size), angle / TILTED) for apart, angle in moved]
    order = sorted(range(len(moved)), key=lambda k: -shares[k])
    far = [k for k in order if shares[k] > 1.0] or order[:1]
    told = [
        f"link '{parts.links[k]}' by {_length(parts, moved[k][0])} and "
        f"{np.degrees(moved[k][1]):.3g} degrees"
        for k in far[:_MOST_TOLD]
    ]
    more = [f"{len(far) - _MOST_TOLD} more"] if len(far) > _MOST_TOLD else []
    texts = [
        f"{gap} with its links at their placements",
        *unit_hint(parts),
        f"closing the joints at t = 0 moved {', '.join([*told, *more])}: are places of joints and "
        "placements as meant?",
    ]
    return "; ".join(texts)


def _length(parts: Parts, length: float) -> str:
    return f"{length if length > 1e-9 * parts.size else 0.0:.3g} m"


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
        if abs(rate * spec.span) < _AT_REST:
            continue
        unit = "m/s" if parts.coordinates[driver.coordinate].is_length else "rad/s"
        found.append(
            f"driver '{driver.name}' moves at {rate:.4g} {unit} from t = 0 on: elastic bodies "
            "begin undeformed, and the sudden start makes them vibrate; for a steady start begin "
            f'at rest, such as velocity = "{rate:.4g}*smooth_step(t, 0, 0.1)"'
        )
    return found
