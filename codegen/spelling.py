# SPDX-License-Identifier: BSD-3-Clause
"""Names in the spellings that people give them: Gibbs-Appell is gibbs_appell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def spelled(name: Any, options: Iterable[str]) -> Any:
    """Return the option that a name means, in any case and with hyphens or blanks, or the name.

    Parameters
    ----------
    name : object
        What was given; what is not a text is returned as it is.
    options : iterable of str
        Known names, in small letters with underscores.

    Examples
    --------
    >>> spelled("Gibbs-Appell", ["kane", "gibbs_appell"]), spelled("kanes", ["kane"])
    ('gibbs_appell', 'kanes')
    """
    if not isinstance(name, str):
        return name
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    return plain if plain in options else name
