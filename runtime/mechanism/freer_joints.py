# SPDX-License-Identifier: BSD-3-Clause
"""Joints of a kind that leaves more free, with which an over-constrained mechanism is determined.

Each joint alone is given every freer kind, by leaving out as many of its equations of lengths and
of angles as that kind does not have: whether one that is left out fits the axes of the new kind is
for the user to see, who chooses them anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, islice, product

import numpy as np
from flexforge.runtime.mechanism.build import Parts, is_length
from flexforge.runtime.mechanism.joints import GROUND, Joint
from numpy.typing import NDArray

#: Whether equations that are left over close and determine all that they did together.
Holds = Callable[[NDArray[np.bool_]], bool]

#: Freer kinds, the likely ones first: balls between rods are what is given as hinges.
KINDS = ("spherical", "universal", "cylindrical", "revolute", "prismatic", "point_on_line")
#: Seldom meant, and never where a joint holds three equations more.
_RARE, _FAR = "point_on_line", 3
#: In the plane a revolute joint is the same.
_ONLY_IN_SPACE = ("spherical", "universal", "cylindrical")
#: Sets of equations that are tried, and kinds that are told.
MOST_TRIED, MOST_TOLD = 200, 3


@dataclass(frozen=True, slots=True)
class _Choice:
    """A joint, its freer kind, and the equations that it then does not have."""

    joint: Joint
    kind: str
    left_out: tuple[int, ...]

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """Bearings on the ground last, as their kind is seldom in doubt, but for rare kinds."""
        return self.kind == _RARE, GROUND in self.joint.links, KINDS.index(self.kind)


def freer_joints(parts: Parts, excess: int, holds: Holds) -> str:
    """Return joints of freer kinds that lack what is too much, in words; else nothing.

    Parameters
    ----------
    parts : Parts
        The mechanism.
    excess : int
        Number of equations that are too many.
    holds : callable
        Tells whether the given equations close and determine all.
    """
    found: list[str] = []
    told: set[tuple[str, str]] = set()
    ranked = sorted(_choices(parts, excess), key=lambda one: one.rank)
    for choice in islice(ranked, MOST_TRIED):
        if (choice.joint.name, choice.kind) in told:
            continue
        wanted = np.ones(len(parts.names), dtype=bool)
        wanted[list(choice.left_out)] = False
        if holds(wanted):
            told.add((choice.joint.name, choice.kind))
            instead = f"{choice.kind} instead of {choice.joint.kind}"
            found.append(f"joint '{choice.joint.name}' {instead}")
            if len(found) == MOST_TOLD:
                break
    return ", or ".join(found)


def _choices(parts: Parts, excess: int) -> Iterator[_Choice]:
    """Yield every joint with every freer kind and set of equations that it may lack then."""
    moved = [parts.coordinates[driver.coordinate] for driver in parts.drivers]
    moved += [parts.coordinates[number] for gear in parts.gears for number in gear.coordinates]
    start = 0
    for number, joint in enumerate(parts.joints):
        rows = range(start, start + joint.held)
        start += joint.held
        used = {one.name for one in moved if one.joint == number}
        held = _counts(joint)
        for kind in KINDS:
            if kind == joint.kind or (parts.planar and kind in _ONLY_IN_SPACE):
                continue
            if kind == _RARE and excess >= _FAR:
                continue
            freer = replace(joint, kind=kind, offsets=np.zeros(0))
            fewer = [a - b for a, b in zip(held, _counts(freer), strict=True)]
            if min(fewer) < 0 or sum(fewer) != excess or not used <= set(freer.free_rows):
                continue
            each = [
                combinations([row for row in rows if parts.lengths[row] is of_lengths], count)
                for of_lengths, count in zip((True, False), fewer, strict=True)
            ]
            for lengths, angles in product(*each):
                yield _Choice(joint, kind, (*lengths, *angles))


def _counts(joint: Joint) -> tuple[int, int]:
    """Return how many equations of lengths and of angles a joint has."""
    lengths = sum(is_length(joint.kind, row) for row in joint.held_rows)
    return lengths, joint.held - lengths
