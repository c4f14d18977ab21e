# SPDX-License-Identifier: BSD-3-Clause
"""Times at which functions of time are not smooth, for integrators that stop there."""

from __future__ import annotations

from collections.abc import Iterable

from flexforge.runtime.motion.profiles import Kink

#: Relative to the time: importers merge times that are closer (FMPy those within 1e-9).
APART = 4e-9


def merged(found: Iterable[Kink]) -> list[Kink]:
    """Return kinks in ascending order; those too close for an importer are merged.

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
