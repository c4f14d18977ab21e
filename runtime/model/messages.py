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
from flexforge.runtime.model.base import CUSTOM, shown, toml_type
from pydantic import BaseModel, Tag, ValidationError

#: What pydantic calls a key that there is none of.
UNKNOWN = "extra_forbidden"
#: What it appends to the location of a key that is wrong itself.
_KEY = "[key]"
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
    place = _follow(model, chosen["loc"])
    path, kind, context = place.path, chosen["type"], chosen.get("ctx", {})
    choices = re.findall(_QUOTED, context.get("expected") or context.get("expected_tags") or "")
    if kind == CUSTOM:
        return Problem(path + tuple(context["keys"]), context["text"])
    if kind == UNKNOWN:
        keys = _keys(_follow(model, chosen["loc"][:-1]).type)
        hint = nearest(str(path[-1]), keys) or f"; expected one of {', '.join(keys)}"
        return Problem(path, f"unknown key{hint}", is_unknown=True)
    if kind == "model_attributes_type":
        return Problem(path, "expected a table with the key kind")
    if kind == "union_tag_not_found":
        known = ", ".join(name for option in get_args(place.type) for name in _labels(option))
        return Problem(path, f"found no kind; expected kind, one of {known}")
    if kind == "union_tag_invalid":
        hint = nearest(context["tag"], choices)
        text = f"found {context['tag'][:40]!r}; expected one of {', '.join(choices)}{hint}"
        return Problem((*path, "kind"), text)
    expected = f"a finite number, part of {place.said}" if place.is_part else place.said
    if kind not in ("float_type", "finite_number"):
        expected = place.said
    if path and path[-1] == _KEY:
        path = path[:-1]
        expected = "a name of letters, digits, spaces and _ . + -"
        if kind == "literal_error":
            expected = f"one of {', '.join(choices)}"
    if kind == "missing":
        return Problem(path, f"missing; expected {expected}")
    hint = nearest(chosen["input"], choices) if toml_type(chosen["input"]) == "text" else ""
    return Problem(path, f"found {shown(chosen['input'])}; expected {expected}{hint}")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an error is: its key path, the type there, the last description met.

    ``is_part`` tells that the description is of what the value is an entry of.
    """

    path: tuple[str | int, ...]
    type: Any
    said: str
    is_part: bool


def _follow(model: type[BaseModel], location: tuple[str | int, ...]) -> _Place:
    """Follow a location through the model.

    Where there are several types, pydantic names the one that it tried: no part of the path.
    """
    path: tuple[str | int, ...] = ()
    current: Any = model
    said, is_part = "another value", False
    for part in location:
        current = _unwrap(current)
        if _is_union(current) and part != _KEY:
            options = (option for option in get_args(current) if part in _labels(option))
            current = next(options, None)
        else:
            path = (*path, part)
            current, own = _member(current, part)
            said, is_part = own or said, own is None
    return _Place(path, _unwrap(current), said, is_part)


def _keys(kind: Any) -> list[str]:
    fields = kind.model_fields if _is_table(kind) else {}
    return [field.alias or name for name, field in fields.items()]


def _labels(option: Any) -> tuple[str, ...]:
    """Return how pydantic may call an option of a union: by its tag, or as the kind of a table."""
    table = _unwrap(option)
    kinds = get_args(table.model_fields["kind"].annotation) if "kind" in _keys(table) else ()
    return (*kinds, *(mark.tag for mark in _marks(option) if isinstance(mark, Tag)))


def _member(kind: Any, part: str | int) -> tuple[Any, str | None]:
    """Take one step along a location: the type there, and the description of a field."""
    if _is_table(kind):
        for name, field in kind.model_fields.items():
            if part == (field.alias or name):
                return field.annotation, field.description
        return None, None
    arguments = get_args(kind)
    if get_origin(kind) is dict:
        return arguments[1], None
    if get_origin(kind) is tuple:
        place = 0 if arguments[-1] is Ellipsis else min(int(part), len(arguments) - 1)
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
