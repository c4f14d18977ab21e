# SPDX-License-Identifier: BSD-3-Clause
"""Types of the arguments of public functions: a wrong one is named before anything else is done.

A rule returns nothing for a value that fits, and what is expected for any other one.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from flexforge.codegen.errors import InputError

P = ParamSpec("P")
R = TypeVar("R")
Rule = Callable[[Any], str]


def typed(**rules: Rule) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function refuse arguments of wrong types.

    Parameters
    ----------
    **rules : callable
        Rule by argument; a default value is not judged.

    Examples
    --------
    >>> @typed(folder=path)
    ... def show(folder, *, times=1):
    ...     return folder
    >>> show("results")
    'results'
    >>> try:
    ...     show({"a": 1})
    ... except InputError as error:
    ...     print(error)
    show: folder: found a dict with the key 'a'; expected a path (a text or a Path)
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)

        @wraps(function)
        def checking(*args: P.args, **keywords: P.kwargs) -> R:
            try:
                given = signature.bind(*args, **keywords).arguments
            except TypeError:  # the call itself says better what is wrong
                return function(*args, **keywords)
            for name, rule in rules.items():
                if name in given and (expected := rule(given[name])):
                    called = function.__qualname__.removesuffix(".__init__")
                    raise InputError(
                        f"{_PUBLIC.get(called, called)}: {name}: found {described(given[name])}; "
                        f"expected {expected}"
                    )
            return function(*args, **keywords)

        return checking

    return decorate


#: Names under which functions are public, where they have others.
_PUBLIC = {"compile_kernel": "compile", "find": "element", "standard_elements": "elements"}


def described(value: object) -> str:
    """Return a short text of a value of any type, with its type where that tells more.

    Examples
    --------
    >>> described(None), described("tet10"), described([1, 2]), described({"mass": 1})
    ('None', "'tet10'", 'a list of 2', "a dict with the key 'mass'")
    """
    kind = type(value).__name__
    if value is None or isinstance(value, bool | int | float | str | bytes):
        shown = repr(value)
        return shown if len(shown) <= 60 else f"{shown[:57]}..."
    article = "an" if kind[0].lower() in "aeiou" else "a"
    if isinstance(value, Mapping | list | tuple) and not value:
        return f"an empty {kind}"
    if isinstance(value, Mapping):
        keys = ", ".join(map(repr, list(value)[:3])) + ", .." * (len(value) > 3)
        return f"{article} {kind} with the key{'s' * (len(value) > 1)} {keys}"
    if isinstance(value, list | tuple):
        return f"{article} {kind} of {len(value)}"
    if kind == "ndarray":
        return f"an array of shape {getattr(value, 'shape', ())}"
    return f"{article} {kind}"


def of(*types: type, expected: str) -> Rule:
    """Return the rule for instances of types."""
    return lambda value: "" if isinstance(value, types) else expected


def optional(rule: Rule) -> Rule:
    """Return a rule that also permits None."""
    return lambda value: "" if value is None else rule(value)


def either(first: Rule, second: Rule) -> Rule:
    """Return a rule for what fits one of two."""
    return lambda value: first(value) and second(value) and f"{first(value)}, or {second(value)}"


def path(value: object) -> str:
    """Rule of a path."""
    fits = isinstance(value, str) or (
        isinstance(value, os.PathLike) and isinstance(os.fspath(value), str)
    )
    return "" if fits else "a path (a text or a Path)"


def text(value: object) -> str:
    """Rule of a text."""
    return "" if isinstance(value, str) else "a text"


def whole(value: object) -> str:
    """Rule of a whole number; those of NumPy are some."""
    fits = hasattr(value, "__index__") and not isinstance(value, bool)
    return "" if fits else "a whole number"


def mapping(value: object) -> str:
    """Rule of a mapping."""
    return "" if isinstance(value, Mapping) else "a dictionary"


def element(value: object) -> str:
    """Rule of an element; declarations are told by their law, without an import of SymPy."""
    fits = not path(value) or hasattr(value, "constitutive")
    return "" if fits else "an element: its name, its file, or a declaration of flexforge.element"


def element_name(value: object) -> str:
    """Rule of a name of an element, or its file."""
    return path(value) and "an element: its name or its file"


def elements(value: object) -> str:
    """Rule of one element or a list of them."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return element(value)
    wrong = [one for one in value if element(one)]
    return f"{element(wrong[0])}, for each; found {described(wrong[0])} in it" if wrong else ""


def texts(value: object) -> str:
    """Rule of a list of texts."""
    if isinstance(value, str):
        return f"a list, [{value[:40]!r}]"
    fits = (
        not isinstance(value, bytes | Mapping)
        and isinstance(value, Sequence)
        and all(isinstance(one, str) for one in value)
    )
    return "" if fits else "a list of texts"
