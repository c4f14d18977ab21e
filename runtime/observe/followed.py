# SPDX-License-Identifier: BSD-3-Clause
"""What observers of a run have collected, as arrays, numbers and texts, and back.

An observer names its attributes in ``KEPT``: numbers, texts, arrays, lists of numbers, of tuples or
of arrays of one shape, and tables of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import numpy as np


class Observer(Protocol):
    """What collects from state to state."""

    KEPT: ClassVar[tuple[str, ...]]


def collected(observer: Observer) -> dict[str, Any]:
    """Return what an observer has collected, by the names of its attributes."""
    found = {name: getattr(observer, name) for name in observer.KEPT}
    return {
        name: np.array(value, dtype=float) if isinstance(value, list) else value
        for name, value in found.items()
    }


def restore(observer: Observer, values: Mapping[str, Any]) -> None:
    """Give an observer back what it had collected.

    Raises
    ------
    KeyError
        When something is missing.
    """
    for name in observer.KEPT:
        value = values[name]
        if isinstance(getattr(observer, name), list):
            value = value.tolist() if value.ndim < 2 else [*value]
        setattr(observer, name, value)
