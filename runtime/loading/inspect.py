# SPDX-License-Identifier: BSD-3-Clause
"""All mistakes of a model at once: those of its tables, and of what spans the sound ones.

A table that is wrong by itself is left out, and the rest is looked at. What is said of the rest
only because a table was left out, such as a material that is unknown then, is not told.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from flexforge.runtime.loading.checks import every_problem_across
from flexforge.runtime.loading.shafts import validated_tables
from flexforge.runtime.model.base import toml_type
from flexforge.runtime.model.messages import Problem, every_problem
from flexforge.runtime.model.schema import ModelSpec
from pydantic import ValidationError

#: Tables that a model may leave out and be complete; of lists and named tables single entries go.
_OPTIONAL = ("title", "units", "include", "output", "reduction", "planar")
_NAMED = ("materials",)


def inspect_tables(
    data: dict[str, Any], folder: Path, further: Callable[[ModelSpec], list[Problem]]
) -> tuple[ModelSpec | None, list[Problem]]:
    """Return the model without its wrong tables, None where too little is left, and all problems.

    Parameters
    ----------
    data : dict
        The tables.
    folder : Path
        What paths in them are relative to.
    further : callable
        Returns what else is wrong with a model, such as its mesh.
    """
    try:
        model = validated_tables(data, folder)
    except ValidationError as error:
        found = every_problem(error, ModelSpec)
        if "steps" in data:  # the analysis of the model is that of the first step
            found = [one for one in found if one.path[:1] != ("analysis",)] or found
    else:
        return model, _beyond(model, further)
    rest = _Rest(copy.deepcopy(data))
    for problem in found:
        if not rest.leave_out(problem):
            return None, found
    rest.close_gaps()
    try:
        model = validated_tables(rest.data, folder)
    except ValidationError:
        return None, found
    across = _beyond(model, further, whole=False)
    return model, [*found, *(rest.numbered(one) for one in across if not rest.explains(one))]


def _beyond(
    model: ModelSpec, further: Callable[[ModelSpec], list[Problem]], *, whole: bool = True
) -> list[Problem]:
    """Return what is wrong beyond single tables, and further things that do not follow from it."""
    across = every_problem_across(model, whole=whole)
    known = [one.path for one in across]
    own = [one for one in further(model) if not any(q[: len(one.path)] == one.path for q in known)]
    return [*across, *own]


@dataclass(slots=True)
class _Rest:
    """What is left of the tables."""

    data: dict[str, Any]
    gone: dict[str, set[int]] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def leave_out(self, problem: Problem) -> bool:
        """Leave out the key or the entry that a problem is about; return whether that can be."""
        path = problem.path
        if not path or path[0] not in self.data:
            return False
        top = self.data[path[0]]
        if problem.is_unknown:
            return self._drop_key(path)
        if len(path) > 1 and toml_type(top) == "list":
            place = int(path[1])
            self.gone.setdefault(str(path[0]), set()).add(place)
            if toml_type(top[place]) == "table":
                self.names.add(str(top[place].get("name")))
            return True
        if len(path) > 1 and path[0] in _NAMED:
            top.pop(path[1], None)
            self.names.add(str(path[1]))
            return True
        if path[0] in _OPTIONAL:
            del self.data[path[0]]
            return True
        return False

    def _drop_key(self, path: tuple[str | int, ...]) -> bool:
        first, *inner, key = path
        table = self.data[str(first)]
        if inner and first in _NAMED and inner[0] not in table:
            return True  # it has gone with its table
        for part in inner:
            table = table[part]
        table.pop(key, None)
        return True

    def close_gaps(self) -> None:
        """Remove the entries of lists that are left out."""
        for key, places in self.gone.items():
            kept = [entry for i, entry in enumerate(self.data[key]) if i not in places]
            self.data[key] = kept
            if not kept:
                del self.data[key]

    def explains(self, problem: Problem) -> bool:
        """Whether a problem is there only because something was left out."""
        return any(f"'{name}'" in problem.text for name in self.names)

    def numbered(self, problem: Problem) -> Problem:
        """Return a problem with the position that its entry has in the file."""
        path = problem.path
        places = self.gone.get(str(path[0]), set()) if path else set()
        if not places or len(path) < 2:
            return problem
        place = int(path[1])
        kept = [i for i in range(place + len(places) + 1) if i not in places]
        return replace(problem, path=(path[0], kept[place], *path[2:]))
