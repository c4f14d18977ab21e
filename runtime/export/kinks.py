# SPDX-License-Identifier: BSD-3-Clause
"""Times at which functions of time are not smooth, for integrators that stop there."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from flexforge.runtime.motion.profiles import Profile, TableProfile

#: From when, just before which a function is as before, to when, at which it is as after it, s.
Kink = tuple[float, float]

#: Of the time: importers take times that are closer for one (FMPy those within 1e-9).
APART = 4e-9


def kinks(profile: Profile) -> list[Kink]:
    """Return the kinks of a function, in any order.

    Parameters
    ----------
    profile : Profile
        The function. Of formulas the arguments of ``step`` and ``smooth_step`` that are numbers are
        known.

    Notes
    -----
    A table that holds its end values does so from ``slack`` outside of its ends on; in between, it
    goes on with the slopes of its ends.
    """
    if isinstance(profile, TableProfile) and profile.hold and not profile.is_constant:
        first, last = profile.breaks
        return [
            (first - profile.slack, first),
            (last, float(np.nextafter(last + profile.slack, np.inf))),
        ]
    return [] if profile.is_constant else [(time, time) for time in profile.breaks]


def merged(found: Iterable[Kink]) -> list[Kink]:
    """Return kinks in ascending order, those that are too close for an importer as one.

    Parameters
    ----------
    found : iterable of Kink
        In any order.
    """
    result: list[Kink] = []
    for begin, end in sorted(found):
        if result and begin - result[-1][1] <= APART * max(abs(begin), abs(result[-1][1])):
            result[-1] = result[-1][0], max(result[-1][1], end)
        else:
            result.append((begin, end))
    return result
