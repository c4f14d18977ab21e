# SPDX-License-Identifier: BSD-3-Clause
"""What spans forces between links, the links and the analysis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.checks_mechanism import coordinate_problems
from flexforge.runtime.loading.checks_plies import known_name, out_of_plane
from flexforge.runtime.model.messages import Problem
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_forces import ForceSpec
from flexforge.runtime.model.schema_mechanism import GROUND
from flexforge.runtime.model.schema_switching import unknown_at_rest

_KINDS = ("transient", "modes")


def force_problems(model: ModelSpec) -> Iterator[Problem]:
    """Yield what is wrong with forces between links beyond single tables.

    Parameters
    ----------
    model : ModelSpec
        Validated table by table.
    """
    if not model.forces:
        return
    if not model.links:
        yield Problem(("forces",), "found them in a model without links; expected links")
        return
    if model.analysis.kind not in _KINDS:
        text = f"found them with {model.analysis.kind}; expected transient or modes"
        yield Problem(("forces",), text)
    names = [GROUND, *(link.name for link in model.links)]
    states = tuple(one.name for one in model.controllers)
    joints = {one.name: one for one in model.joints}
    for index, force in enumerate(model.forces):
        key = ("forces", index)
        for k, link in enumerate(force.links or ()):
            yield from known_name(link, names, "link", (*key, "links", k))
        if force.joint is not None:
            yield from known_name(force.joint, joints, "joint", (*key, "joint"))
            yield from coordinate_problems(
                joints[force.joint], force.coordinate, (*key, "coordinate"), (*key, "joint")
            )
        elif model.is_planar:
            yield from _in_plane(force, key)
        if force.rubs:
            continue  # the law depends on the kind of the joint
        law = force.law(force.plane(planar=model.is_planar), states)
        if force.contact is None:  # that of a contact is known to be one
            from flexforge.codegen.forces.formulas import Formulas

            try:
                Formulas(law, "").check_hold()
            except InputError as error:
                where, _, text = str(error).removeprefix(".").partition(": ")
                yield Problem((*key, where) if where else key, text)
            if not law.efforts and not law.holds and not model.is_planar:
                yield Problem(key, "found a force that is zero; expected a formula that is not")
        yield from _unknown_at_rest(model, force, key)
        for name in force.where:
            if name not in law.used:
                text = "found a quantity that no formula uses; expected one that some does"
                yield Problem((*key, "where", name), text)


def _unknown_at_rest(model: ModelSpec, force: ForceSpec, key: tuple[Any, ...]) -> Iterator[Problem]:
    """Yield numbers that a law keeps whose values at rest an analysis needs and nobody tells."""
    if model.analysis.kind != "modes" and getattr(model.analysis, "start", "") != "equilibrium":
        return
    for name in unknown_at_rest(force.kept):
        text = "found a formula for a number that equilibria and modes need; expected "
        yield Problem((*key, "kept", name), f"{text}{{ start = .., rest = a number }}")


def _in_plane(force: ForceSpec, key: tuple[Any, ...]) -> Iterator[Problem]:
    """Yield what leaves the plane of a planar model."""
    for place in force.at:
        if not isinstance(place, str):
            yield from out_of_plane(place, (*key, "at"))
    for axis in force.axis:
        if bool(axis[2]) == any(axis[:2]) or bool(axis[2]) != bool(force.axis[0][2]):
            text = f"found {list(axis)}; expected [0, 0, 1] in a planar model, or for both links "
            yield Problem((*key, "axis"), text + "a direction in its plane")
    plane = force.plane(planar=True)
    law = force.law(plane)
    if not law.efforts and not (law.holds and law.moves):
        text = "found a force that does not act in the plane of the model"
        if force.contact is not None:
            other = "[0, 0, 1], across" if plane == "along" else "in"
            text += f"; expected a contact with an axis {other} it"
        yield Problem(key, text)
