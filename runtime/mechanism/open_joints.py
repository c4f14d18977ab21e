# SPDX-License-Identifier: BSD-3-Clause
"""Why the joints of a mechanism cannot be closed: too many equations, a driver, or lengths."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mechanism.build import Parts
from flexforge.runtime.mechanism.diagnose import joined, number_of, plane_hint, rank_of
from flexforge.runtime.mechanism.freer_joints import freer_joints
from numpy.typing import NDArray

Rows = NDArray[np.bool_]
#: Returns the Jacobian in a position in which the given equations hold, or None without such.
Trial = Callable[[Rows], Floats | None]

#: Distances that differ by this factor, with none between them, are of different units.
OTHER_UNIT = 100.0
#: Parts of a mechanism up to which it is tried which one is superfluous.
MOST_TRIED = 40


def why_open(parts: Parts, residual: Floats, unknowns: int, trial: Trial) -> str:
    """Return what is open, by how much, and what it contradicts, as one line.

    Parameters
    ----------
    parts : Parts
        The mechanism.
    residual : (E,) array
        Scaled residuals in the position nearest to closed; zero of what is not asked for.
    unknowns : int
        Coordinates of the links.
    trial : callable
        Closes some of the equations.
    """
    told = [_gap(parts, residual)]
    told.append("no position near the placements of the links closes all joints")
    total, blame = len(parts.names), _superfluous(parts, unknowns, trial)
    counted = f"{number_of(total, 'equation')} of {_sources(parts)} for "
    counted += number_of(unknowns, "coordinate")
    if total > unknowns and blame:
        which = "it is" if len(blame) == 1 else "one of them is"
        told.append(f"{counted}: the rest closes without {joined(blame)}, {which} superfluous")
    elif total > unknowns:
        plane = plane_hint(parts)
        many = f"{total - unknowns} too many"

        def holds(wanted: Rows) -> bool:
            jacobian = trial(wanted)
            return jacobian is not None and rank_of(jacobian[wanted]) == unknowns

        if freer := freer_joints(parts, total - unknowns, holds):
            told.append(f"{counted}: {many}; the joints close with {freer}{plane}")
        else:
            many += f", of {_involved(parts, residual)}"
            told.append(f"{counted}: {many}; expected joints that leave more free{plane}")
    elif blame:
        told.append(f"joints close without {joined(blame)}: expected a value that they can reach")
    else:
        told.append(
            f"{counted}, not too many: expected lengths and axes of {_involved(parts, residual)} "
            "that fit together, or placements nearer to the closed position"
        )
    return f"{told[0]}: {'; '.join([*unit_hint(parts), *told[1:]])}"


def unit_hint(parts: Parts) -> list[str]:
    """Return a line if distances of joints seem to be in different units, else none."""
    links = (*parts.links, "ground")
    found = [
        (float(np.linalg.norm(marker.point)), f"joint '{joint.name}' on '{links[link]}'")
        for joint in parts.joints
        for link, marker in zip(joint.links, joint.markers, strict=True)
    ]
    found += [
        (float(np.linalg.norm(state[0])), f"the placement of link '{name}'")
        for name, state in zip(parts.links, parts.placements, strict=True)
    ]
    ordered = sorted(one for one in found if one[0] > 0.0)
    for (short, near), (long, far) in zip(ordered, ordered[1:], strict=False):
        if long >= OTHER_UNIT * short:
            text = f"{far} is {long:.4g} m from the origin, {near} {short:.4g} m: lengths are "
            return [text + "in metres, is one of them in mm?"]
    return []


def _gap(parts: Parts, residual: Floats) -> str:
    """Return what is open most, as a distance or an angle."""
    worst = int(np.abs(residual).argmax())
    gap, name = abs(float(residual[worst])), parts.names[worst]
    size = f"a distance of {gap * parts.size:.3g} m"
    if not parts.lengths[worst]:
        size = f"an angle of {gap:.3g} rad ({math.degrees(gap):.3g} degrees)"
    if name.startswith("driver"):
        return f"{name} is off by {size} at t = 0"
    return f"{name} stays open by {size} at t = 0"


def _sources(parts: Parts) -> str:
    """Return what makes equations."""
    counts = {"joint": len(parts.joints), "gear": len(parts.gears), "driver": len(parts.drivers)}
    told = [number_of(count, what) for what, count in counts.items() if count]
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)


def _involved(parts: Parts, residual: Floats) -> str:
    """Return what contradicts itself: the equations that keep each other open."""
    size = np.abs(residual)
    which = np.argsort(-size)[: int((size > 1e-2 * size.max()).sum())]
    return joined(list(dict.fromkeys(parts.names[k] for k in which)))


def _superfluous(parts: Parts, unknowns: int, trial: Trial) -> list[str]:
    """Return drivers, joints and gears without which the rest closes and still determines all.

    Where there are not more equations than coordinates, those are drivers that ask too much.
    """
    names, over = np.array(parts.names), len(parts.names) > unknowns
    candidates: Sequence[str] = list(dict.fromkeys(parts.names))
    if not over:
        candidates = [name for name in candidates if name.startswith("driver")]
    found = []
    for name in candidates[-MOST_TRIED:]:
        jacobian = trial(names != name)
        if jacobian is None:
            continue
        if not over or rank_of(jacobian[names != name]) == unknowns:
            found.append(name)
    return found
