# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with the steps of a model: with their names, and with each step as a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.checks_plies import known_name
from flexforge.runtime.model.messages import Problem
from flexforge.runtime.model.schema import STEPPED, ModelSpec
from flexforge.runtime.model.schema_frame import FrameSpec

Check = Callable[[ModelSpec], Iterator[Problem]]


def over_steps(check: Check, model: ModelSpec) -> Iterator[Problem]:
    """Yield what a check finds in a model, or in every step of one, once each.

    Parameters
    ----------
    check : callable
        Of a model without steps.
    model : ModelSpec
        The model.

    Yields
    ------
    Problem
        With the path that it has in the file.
    """
    if not model.steps:
        yield from check(model)
        return
    told = set()
    for number in range(len(model.steps)):
        for found in check(model.single(number)):
            there = _in_file(found, model, number)
            if there not in told:
                told.add(there)
                yield there


def step_problems(model: ModelSpec) -> Iterator[Problem]:
    """Yield what is wrong with the names of steps, and of bodies in them."""
    seen: set[str] = set()
    for number, step in enumerate(model.steps):
        if step.name in seen:
            text = f"found '{step.name}', the name of another step too; expected distinct names"
            yield Problem(("steps", number, "name"), text)
        yield from _after_problems(model, number)
        seen.add(step.name)
        if step.analysis.kind == "kinematics":
            text = (
                "found kinematics; expected static, transient, modes, buckling, harmonic, spectrum "
            )
            text += "or random"
            yield Problem(("steps", number, "analysis", "kind"), text)
        for body in step.frames:
            names = [one.name for one in model.bodies]
            yield from known_name(body, names, "body", ("steps", number, "frames", body))
    yield from _held_problems(model)
    for key in STEPPED:
        for index, one in enumerate(getattr(model, key)):
            for place, name in enumerate(one.steps or ()):
                where = (key, index, "steps", place)
                if not model.steps:
                    yield Problem(where, "found in a model without [[steps]]; expected none")
                    break
                yield from known_name(name, seen, "step", where)


def _held_problems(model: ModelSpec) -> Iterator[Problem]:
    """Yield what is wrong with the steps whose ends supports keep."""
    names = [step.name for step in model.steps]
    kinds = {step.name: step.analysis.kind for step in model.steps}
    for index, one in enumerate(model.supports):
        if one.after is None:
            continue
        where = ("supports", index, "after")
        if not model.steps:
            yield Problem(where, "found in a model without [[steps]]; expected none")
            continue
        yield from known_name(one.after, names, "step", where)
        if kinds.get(one.after) not in (None, "static", "transient"):
            text = f"found '{one.after}', whose analysis is {kinds[one.after]}; expected static or "
            yield Problem(where, text + "transient")
        first = next((k for k, name in enumerate(names) if one.acts_in(name)), len(names))
        if one.after in names[first:]:
            text = f"found '{one.after}', which is not before all steps in which it acts"
            yield Problem(where, f"{text}; expected an earlier one, and its key steps")
        if model.links or any(body.expanded for body in model.bodies):
            what = "links" if model.links else "expanded bodies"
            yield Problem(where, f"found in a model with {what}; expected others")


def _after_problems(model: ModelSpec, number: int) -> Iterator[Problem]:
    """Yield what is wrong with the step after which another begins."""
    step, where = model.steps[number], ("steps", number, "after")
    if step.after is None:
        return
    before = {one.name: one for one in model.steps[:number]}
    yield from known_name(step.after, list(before), "earlier step", where)
    kind = step.analysis.kind
    if kind != "transient":
        yield Problem(where, f"found with a {kind} analysis; expected a transient one")
    if step.after in before and before[step.after].analysis.kind not in ("static", "transient"):
        kind = before[step.after].analysis.kind
        text = f"found '{step.after}', whose analysis is {kind}; expected static or transient"
        yield Problem(where, text)
    free = any(isinstance(one.frame, FrameSpec) and one.frame.free for one in model.bodies)
    if model.links or free:
        yield Problem(where, "found in a model with links or free frames; expected others")


def in_file(text: str, model: ModelSpec, number: int) -> str:
    """Return a message of one step with the places that its keys have in the file.

    Parameters
    ----------
    text : str
        The message.
    model : ModelSpec
        The model.
    number : int
        Of the step, from zero.
    """

    def there(key: re.Match[str]) -> str:
        return f"{key[1]}[{model.acting(key[1], number)[int(key[2])]}]"

    return re.sub(rf"\b({'|'.join(STEPPED)})\[(\d+)\]", there, text)


def require_one_analysis(model: ModelSpec, purpose: str) -> None:
    """Refuse a model with steps where one analysis is needed.

    Parameters
    ----------
    model : ModelSpec
        The model.
    purpose : str
        What it is needed for, after ``to``.

    Raises
    ------
    InputError
    """
    if model.steps:
        raise InputError(
            f"steps: found {len(model.steps)}; expected a model with one [analysis] to {purpose}"
        )


def _in_file(found: Problem, model: ModelSpec, number: int) -> Problem:
    """Return a problem of one step with the path that it has in the file."""
    path = found.path
    if len(path) > 1 and path[0] in STEPPED and isinstance(path[1], int):
        place = model.acting(str(path[0]), number)[path[1]]
        return replace(found, path=(path[0], place, *path[2:]))
    if path[:1] == ("analysis",) or (path[:1] == ("include",) and model.steps[number].include):
        return replace(found, path=("steps", number, *path))
    if len(path) > 2 and path[0] == "bodies" and path[2] == "frame":
        name = model.bodies[int(path[1])].name
        if name in model.steps[number].frames:
            return replace(found, path=("steps", number, "frames", name, *path[3:]))
    return found
