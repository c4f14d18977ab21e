# SPDX-License-Identifier: BSD-3-Clause
"""The two ways things go wrong, wrong input and a failed analysis, warnings, and helpful hints."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class FlexforgeError(Exception):
    """Base of every error that flexforge raises on purpose; its text is one line for the user.

    Examples
    --------
    >>> import flexforge as ff
    >>> try:
    ...     ff.load_model({"mash": {}})
    ... except ff.FlexforgeError as error:
    ...     print(error)
    mash: unknown key; did you mean 'mesh'?
    """


class InputError(FlexforgeError):
    """The input is wrong: names the file, line or key, what was found and what is expected.

    Examples
    --------
    >>> import flexforge as ff
    >>> try:
    ...     ff.compile(ff.element("tri3"), "mas")
    ... except ff.InputError as error:
    ...     print(str(error).split("; ")[-1])
    did you mean 'mass'?
    """


class AnalysisError(FlexforgeError):
    """The input is sound but the analysis failed: says where, and what is kept.

    Examples
    --------
    Bars in a line are held along it, and move across it without a force:

    >>> import flexforge as ff
    >>> model = ff.load_model({
    ...     "mesh": {"block": {"cell": "line2", "corners": [[0, 0], [1, 0]], "divisions": [2]}},
    ...     "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800}},
    ...     "bodies": [{"name": "rod", "element": "bar2_plane", "material": "steel",
    ...                 "section": {"area": 1e-4}}],
    ...     "supports": [{"group": "xmin"}, {"group": "xmax"}],
    ...     "analysis": {"kind": "static"},
    ... })
    >>> try:
    ...     model.run("rod.results")
    ... except ff.AnalysisError as error:
    ...     print("displacement y of body 'rod'" in str(error))
    True
    """


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
    cutoff = 0.65 if len(name) > 3 else 0.5  # one letter of two is half of a short name
    close = difflib.get_close_matches(name, list(options), n=1, cutoff=cutoff)
    return f"; did you mean '{close[0]}'?" if close else ""
