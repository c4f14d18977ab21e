# SPDX-License-Identifier: BSD-3-Clause
"""Renamed arguments: the old name works for one more version, with a warning."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., Any])


def renamed(**names: str) -> Callable[[_Function], _Function]:
    """Let a function accept keyword arguments by their old names.

    Parameters
    ----------
    **names : str
        New name by old name.

    Examples
    --------
    >>> @renamed(force="overwrite")
    ... def write(overwrite=False):
    ...     return overwrite
    >>> write(overwrite=True)
    True
    """

    def decorate(function: _Function) -> _Function:
        @wraps(function)
        def accepting(*args: Any, **keywords: Any) -> Any:
            for old, new in names.items():
                if old in keywords:
                    text = f"{function.__name__}: '{old}' is now called '{new}'"
                    warnings.warn(text, FutureWarning, stacklevel=2)
                    keywords[new] = keywords.pop(old)
            return function(*args, **keywords)

        return cast(_Function, accepting)

    return decorate
