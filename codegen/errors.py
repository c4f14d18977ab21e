# SPDX-License-Identifier: BSD-3-Clause
"""The two ways things go wrong, wrong input and a failed analysis, warnings, and helpful hints."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class FlexforgeError(Exception):
    """Base of every error that flexforge raises on purpose; its text is one line for the user."""


class InputError(FlexforgeError):
    """The input is wrong: names the file, line or key, what was found and what is expected."""


class AnalysisError(FlexforgeError):
    """The input is sound but the analysis failed: says where, and what is kept."""


class FlexforgeWarning(UserWarning):
    """Something was wrong and has been mended: its text is one line for the user."""


def nearest(name: str, options: Iterable[str]) -> str:
    """Return a hint such as ``; did you mean 'tet10'?``, or an empty string.

    Parameters
    ----------
    name : str
        What the user wrote.
    options : iterable of str
        What would have been understood.

    Returns
    -------
    str
        The hint, to be appended to an error message.
    """
    close = difflib.get_close_matches(name, list(options), n=1, cutoff=0.5)
    return f"; did you mean '{close[0]}'?" if close else ""
