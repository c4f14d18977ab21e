# SPDX-License-Identifier: BSD-3-Clause
"""From pydantic's errors to one line: key path, what was found, what is expected."""

from __future__ import annotations

import functools
import operator
import re
import types
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin

from flexforge.codegen.errors import nearest
from flexforge.runtime.model.base import CUSTOM, shown
from pydantic import BaseModel, Tag, ValidationError

#: What pydantic calls a key that there is none of.
UNKNOWN = "extra_forbidden"
#: The choices that it tells of.
_QUOTED = "'([^']*)'"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong: its key path and the text after it; whether the key itself is unknown."""

    path: tuple[str | int, ...]
    text: str
    is_unknown: bool = False

    @property
    def key(self) -> str:
        """The path as users write it, such as ``bodies[0].frame.axis``."""
        text = ""
        for part in self.path:
            if isinstance(part, int):
                text += f"[{part}]"
            else:
                text += f".{part}" if text else part
        return text


def first_problem(error: ValidationError, model: type[BaseModel]) -> Problem:
    """Return the most telling problem: an unknown key before the missing one it was meant to be.

    Parameters
    ----------
    error : ValidationError
        What pydantic found.
    model : type
        The model that was validated.

    Returns
    -------
    Problem
        Path and text.
    """
    errors = error.errors(include_url=False)
    unknown = next((item for item in errors if item["type"] == UNKNOWN), errors[0])
    return _problem(unknown, model)


def every_problem(error: ValidationError, model: type[BaseModel]) -> list[Problem]:
    """Return all problems, one for each key; parameters are those of :func:`first_problem`."""
    found: dict[str, Problem] = {}
    meant: set[tuple[str | int, ...]] = set()  # what is missing because it was spelt wrongly
    for item in error.errors(include_url=False):
        problem = _problem(item, model)
        found.setdefault(problem.key, problem)
        hint = re.search(r"did you mean '([^']*)'", problem.text) if problem.is_unknown else None
        if hint is not None:
            meant.add((*problem.path[:-1], hint[1]))
    return [one for one in found.values() if one.path not in meant]


def _problem(chosen: Any, model: type[BaseModel]) -> Problem:
    """Return one of pydantic's errors in our words."""
    location = chosen["loc"]
    path = tuple(part for part in location if not _is_tag(part))
    context = chosen.get("ctx", {})
    if chosen["type"] == CUSTOM:
        return Problem(path + tuple(context["keys"]), context["text"])
    if chosen["type"] == UNKNOWN:
        keys, _ = _describe(model, location[:-1])
        hint = nearest(str(location[-1]), keys) or f"; expected one of {', '.join(keys)}"
        return Problem(path, f"unknown key{hint}", is_unknown=True)
    _, description = _describe(model, location)
    if path and path[-1] == "[key]":
        path = path[:-1]
        description = "a name of letters, digits, spaces and _ . + -"
        if chosen["type"] == "literal_error":
            description = f"one of {', '.join(re.findall(_QUOTED, context['expected']))}"
    if chosen["type"] == "missing":
        return Problem(path, f"missing; expected {description}")
    expected = description
    if path and isinstance(path[-1], int) and chosen["type"] in ("float_type", "finite_number"):
        expected = f"a finite number, part of {description}"
    hint = ""
    if chosen["type"] == "literal_error" and isinstance(chosen["input"], str):
        hint = nearest(chosen["input"], re.findall(_QUOTED, context["expected"]))
    return Problem(path, f"found {shown(chosen['input'])}; expected {expected}{hint}")


def _is_tag(part: str | int) -> bool:
    return str(part).startswith("<")


def _describe(model: type[BaseModel], location: tuple[str | int, ...]) -> tuple[list[str], str]:
    """Follow a location through the model: keys of the table there, last description met."""
    current: Any = model
    description = "another value"
    for part in location:
        current, said = _member(_unwrap(current), part)
        description = said or description
    inner = _unwrap(current)
    if _is_table(inner):
        return [field.alias or name for name, field in inner.model_fields.items()], description
    return [], description


def _member(kind: Any, part: str | int) -> tuple[Any, str | None]:
    """Take one step along a location: the type there, and the description of a field."""
    if _is_table(kind):
        for name, field in kind.model_fields.items():
            if part == (field.alias or name):
                return field.annotation, field.description
        return None, None
    if _is_union(kind):
        for option in get_args(kind):
            if any(isinstance(mark, Tag) and mark.tag == part for mark in _marks(option)):
                return option, None
        return None, None
    arguments = get_args(kind)
    if get_origin(kind) is dict:
        return arguments[1], None
    if get_origin(kind) is tuple and isinstance(part, int):
        place = 0 if arguments[-1] is Ellipsis else min(part, len(arguments) - 1)
        return arguments[place], None
    return None, None


def _is_table(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _marks(kind: Any) -> tuple[Any, ...]:
    return get_args(kind)[1:] if get_origin(kind) is Annotated else ()


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def _unwrap(kind: Any) -> Any:
    """Strip annotations and "or None"."""
    while True:
        if get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
        elif _is_union(kind) and type(None) in get_args(kind):
            rest = [option for option in get_args(kind) if option is not type(None)]
            if len(rest) > 1:
                return functools.reduce(operator.or_, rest)
            kind = rest[0]
        else:
            return kind
