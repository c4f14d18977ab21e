# SPDX-License-Identifier: BSD-3-Clause
"""What a check found."""

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
        Whether it holds.
    found : str
        The figure, in words.
    expected : str
        What it has to be.
    """

    check: str
    passed: bool
    found: str
    expected: str


def small(check: str, value: float, limit: float, of: str) -> Finding:
    """Return the finding of a difference that must be round-off.

    Parameters
    ----------
    check : str
        What was checked.
    value, limit : float
        The difference, and the most it may be, relative to the same size.
    of : str
        What size that is.
    """
    return Finding(
        check, bool(value <= limit), f"{max(value, 0.0):.1e} of {of}", f"at most {limit:.0e}"
    )


def counted(check: str, found: int, expected: int) -> Finding:
    """Return the finding of a number."""
    return Finding(check, found == expected, str(found), str(expected))
