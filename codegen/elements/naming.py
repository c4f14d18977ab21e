# SPDX-License-Identifier: BSD-3-Clause
"""Hints for names of elements that do not exist; imports nothing heavy, for model files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from flexforge.codegen.elements.facts import FACTS
from flexforge.codegen.errors import nearest

#: Full names of plane elements, with the element and its hypothesis.
FULL = {f"{name}_{one}": (name, one) for name, facts in FACTS.items() for one in facts.hypotheses}


def nearest_element(name: str, options: Iterable[str], folder: Path | str = "") -> str:
    """Return a hint for an unknown name, to be appended to an error message.

    Parameters
    ----------
    name : str
        Name given by the user.
    options : iterable of str
        Valid names.
    folder : Path or str
        Folder in which the file of an own element may lie.

    Examples
    --------
    >>> nearest_element("quad4_planestress", FULL)
    "; did you mean 'quad4_plane_stress'?"
    """
    file = f"{name}.toml"
    # Of os.path: it is false for names that no file can have, where pathlib raises an error.
    if os.path.isfile(os.path.join(folder, file)):
        return f"; did you mean the file '{file}'?"
    return nearest(name, options)
