# SPDX-License-Identifier: BSD-3-Clause
"""From pydantic's errors to one line: key path, what was found, what is expected."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from flexforge.codegen.errors import nearest
from flexforge.runtime.model.annotations import (
    is_table,
    is_union,
    keys_of,
    labels_of,
    unwrapped,
)
from flexforge.runtime.model.base import CUSTOM, shown, toml_type
from flexforge.runtime.model.kinds import meant_kind, other_kind
from pydantic import BaseModel, ValidationError

#: What pydantic calls a key that there is none of.
UNKNOWN = "extra_forbidden"
#: What it appends to the location of a key that is wrong itself.
_KEY = "[key]"
#: Keys by the names that other programs, or people, have for them.
_ALIASES = {"vector": "acceleration", "g": "acceleration", "gravity": "acceleration"}
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
        table = _follow(model, chosen["loc"][:-1])
        keys = keys_of(table.type)
        alias = _ALIASES.get(str(path[-1]), "")
        hint = f"; did you mean '{alias}'?" if alias in keys else ""
        hint = (
            hint
            or nearest(str(path[-1]), keys)
            or (
                other_kind(str(path[-1]), table.type, table.options)
                or f"; expected one of {', '.join(keys)}"
            )
        )
        return Problem(path, f"unknown key{hint}", is_unknown=True)
    if kind == "model_attributes_type":
        return Problem(path, "expected a table with the key kind")
    if kind == "union_tag_not_found":
        options = get_args(place.type)
        known = ", ".join(name for option in options for name in labels_of(option))
        hint = meant_kind(chosen["input"], options)
        return Problem(path, f"found no kind; expected kind, one of {known}{hint}")
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

    ``is_part`` tells that the description is of what the value is an entry of, ``options`` the
    types among which a kind has chosen this one.
    """

    path: tuple[str | int, ...]
    type: Any
    said: str
    is_part: bool
    options: tuple[Any, ...] = ()


def _follow(model: type[BaseModel], location: tuple[str | int, ...]) -> _Place:
    """Follow a location through the model.

    Where there are several types, pydantic names the one that it tried: no part of the path.
    """
    path: tuple[str | int, ...] = ()
    current: Any = model
    said, is_part = "another value", False
    chosen_from: tuple[Any, ...] = ()
    for part in location:
        current = unwrapped(current)
        if is_union(current) and part != _KEY:
            chosen_from = get_args(current)
            current = next((option for option in chosen_from if part in labels_of(option)), None)
        else:
            path, chosen_from = (*path, part), ()
            current, own = _member(current, part)
            said, is_part = own or said, own is None
    return _Place(path, unwrapped(current), said, is_part, chosen_from)


def _member(kind: Any, part: str | int) -> tuple[Any, str | None]:
    """Take one step along a location: the type there, and the description of a field."""
    if is_table(kind):
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
