# SPDX-License-Identifier: BSD-3-Clause
"""Errors for invalid input and for failed analyses, warnings, and hints."""

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

    #: Warnings about the model of a run that failed, one line each, in the order found.
    warnings: tuple[str, ...] = ()

    def with_warnings(self, texts: Iterable[str]) -> None:
        """Keep warnings that may explain the error; tracebacks show them as notes.

        Examples
        --------
        >>> import flexforge as ff
        >>> error = ff.FlexforgeError("the steps do not converge")
        >>> error.with_warnings(["a modulus of 210 Pa is less than that of rubber"])
        >>> error.warnings
        ('a modulus of 210 Pa is less than that of rubber',)
        """
        self.warnings = tuple(texts)
        for text in self.warnings:
            self.add_note(f"warning: {text}")


class InputError(FlexforgeError):
    """Invalid input: the text names the file, line or key, what was found and what is expected.

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
    """A failed analysis of valid input: the text tells where it failed, and what is kept.

    Examples
    --------
    Bars in a line resist motion along it, but not across it:

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
    """Warning about a model, or a problem that was repaired; its text is one line for the user.

    Examples
    --------
    Those of runs that are expected may be silenced:

    >>> import warnings
    >>> import flexforge as ff
    >>> warnings.filterwarnings("ignore", "body 'blade': turns by", ff.FlexforgeWarning)
    """


def nearest(name: str, options: Iterable[str]) -> str:
    """Return a hint such as ``; did you mean 'tet10'?``, or an empty string.

    Parameters
    ----------
    name : str
        Name given by the user.
    options : iterable of str
        Valid names.

    Returns
    -------
    str
        The hint, to be appended to an error message.
    """
    cutoff = (
        0.65 if len(name) > 3 else 0.5
    )  # in a name of two letters, one wrong letter is half of it
    close = difflib.get_close_matches(name, list(options), n=1, cutoff=cutoff)
    return f"; did you mean '{close[0]}'?" if close else ""
