# SPDX-License-Identifier: BSD-3-Clause
"""Result of a check."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check.

    Attributes
    ----------
    check : str
        What was checked.
    passed : bool
        Whether it passed.
    found : str
        The value found, in words.
    expected : str
        The expected value.
    """

    check: str
    passed: bool
    found: str
    expected: str


def small(check: str, value: float, limit: float, of: str) -> Finding:
    """Return the finding for a difference that must be round-off.

    Parameters
    ----------
    check : str
        What was checked.
    value, limit : float
        The difference and its limit, relative to the same reference.
    of : str
        Name of the reference.
    """
    return Finding(
        check, bool(value <= limit), f"{max(value, 0.0):.1e} of {of}", f"at most {limit:.0e}"
    )
