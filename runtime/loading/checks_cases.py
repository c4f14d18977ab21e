# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with combinations of load cases and with envelopes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flexforge.runtime.loading.checks_plies import known_name
from flexforge.runtime.model.messages import Problem
from flexforge.runtime.model.schema import ENVELOPE, ModelSpec
from flexforge.runtime.model.schema_frame import FrameSpec
from flexforge.runtime.model.schema_mesh import LARGE
from flexforge.runtime.motion.build import build_motion

#: What holds bodies: cases that add up have the same.
_HOLDING = ("supports", "equations", "couplings", "ties")
_ADDED = ("static", "spectrum", "random")


def case_problems(model: ModelSpec) -> Iterator[Problem]:
    """Yield what is wrong with combinations and with what envelopes are of."""
    names = [step.name for step in model.steps]
    seen = set(names)
    for index, one in enumerate(model.combinations):
        if one.name in seen or one.name == ENVELOPE:
            text = f"found '{one.name}', the name of a step, a combination or the envelope; "
            yield Problem(("combinations", index, "name"), text + "expected another one")
        seen.add(one.name)
        if not model.steps:
            yield Problem(("combinations", index), "found without [[steps]]; expected steps")
            continue
        yield from _factors(model, index, names)
    if model.combinations and not model.steps:
        return
    if model.combinations or model.output.envelope:
        if "hdf5" not in model.output.formats:
            key = "envelope" if model.output.envelope else "formats"
            text = "found without format hdf5, from which combinations and envelopes are made; "
            yield Problem(("output", key), text + 'expected "hdf5" among the formats')
        yield from _envelope(model, [*names, *(one.name for one in model.combinations)])


def _factors(model: ModelSpec, index: int, names: list[str]) -> Iterator[Problem]:
    """Yield what is wrong with the cases of a combination."""
    steps = []
    for name in model.combinations[index].factors:
        where = ("combinations", index, "factors", name)
        yield from known_name(name, names, "step", where)
        if name in names:
            number = names.index(name)
            steps.append(number)
            kind = model.steps[number].analysis.kind
            if kind not in _ADDED:
                yield Problem(
                    where, f"found a {kind} analysis; expected static, spectrum or random"
                )
    whole = ("combinations", index, "factors")
    yield from _linear(model, steps, whole)
    held = [[_held(one) for key in _HOLDING for one in getattr(model.single(number), key)]
            for number in steps]  # fmt: skip
    for number, one in zip(steps, held, strict=True):
        if one != held[0]:
            text = f"found '{names[steps[0]]}' and '{names[number]}', which are held in different "
            text += "ways; expected the same supports, equations, couplings and ties"
            yield Problem(whole, text)


def _held(one: Any) -> Any:
    """Return what a support or an equation holds, without its steps and given displacements."""
    return one.model_dump(exclude={"steps", "displacement", "value"})


def _linear(model: ModelSpec, steps: list[int], where: tuple[str | int, ...]) -> Iterator[Problem]:
    """Yield what does not add up: large displacements, links, frames that move."""
    if model.links:
        yield Problem(where, "found in a model with links; expected bodies in frames at rest")
        return
    for body in model.bodies:
        if body.energy is not None or body.large_rotations or body.element in LARGE:
            text = f"found with body '{body.name}', whose displacements are large and do not add up"
            yield Problem(where, f"{text}; expected linear bodies")
    for number in steps:
        single = model.single(number)
        for body in single.bodies:
            if not isinstance(body.frame, FrameSpec):
                continue
            state = build_motion(body.frame).at(single.span)
            if state.w.any() or state.e.any():
                text = f"found step '{model.steps[number].name}' with body '{body.name}' in a frame"
                text += " that turns, whose stiffness is another; expected frames at rest"
                yield Problem(where, text)


def _envelope(model: ModelSpec, names: list[str]) -> Iterator[Problem]:
    """Yield what is wrong with what an envelope is of."""
    given = model.output.envelope
    if not given:
        return
    where = ("output", "envelope")
    if ENVELOPE in names:
        yield Problem(where, f"found with a step '{ENVELOPE}'; expected other names of steps")
    if isinstance(given, bool):
        if not model.steps and model.analysis.kind not in ("static", "transient"):
            text = f"found with a {model.analysis.kind} analysis; expected a static or transient "
            yield Problem(where, text + "one, or steps")
        return
    kinds = {one.name: one.analysis.kind for one in model.steps}
    for place, name in enumerate(given):
        if not model.steps:
            yield Problem((*where, place), "found a name without [[steps]]; expected true")
            return
        yield from known_name(name, names, "step or combination", (*where, place))
        if kinds.get(name, "static") not in ModelSpec.ENVELOPED:
            text = f"found '{name}', a {kinds[name]} analysis; expected one of "
            yield Problem((*where, place), text + ", ".join(ModelSpec.ENVELOPED))
