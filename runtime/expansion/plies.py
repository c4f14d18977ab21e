# SPDX-License-Identifier: BSD-3-Clause
"""Laminates of solids: every ply is a body of its own, of the same cells and nodes."""

from __future__ import annotations

from flexforge.codegen.errors import InputError
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_body import HOLLOW_ELEMENT, BodySpec
from flexforge.runtime.model.schema_loads import LoadSpec


def with_plies(model: ModelSpec) -> ModelSpec:
    """Return a model with a body for every ply of the solids that have plies.

    Parameters
    ----------
    model : ModelSpec
        The model, whose expanded bodies are solids.

    Returns
    -------
    ModelSpec
        The first ply is in the place of its body and has its name, so that what is said of nodes
        still holds; others are after all bodies. Loads of a body are those of all of its plies.

    Raises
    ------
    InputError
        For plies of anisotropic materials.
    """
    layered = {i: body for i, body in enumerate(model.bodies) if _is_layered(body)}
    if not layered:
        return model
    bodies, further = list(model.bodies), list[BodySpec]()
    others: dict[str, list[str]] = {}
    for i, body in layered.items():
        for k, name in enumerate(body.materials):
            if not model.materials[name].is_isotropic:
                raise InputError(
                    f"bodies[{i}].plies[{k}].material: found the anisotropic '{name}' of a ply of "
                    "solids; expected an isotropic material"
                )
        first, *rest = body.as_plies()
        bodies[i] = first
        further += rest
        others[body.name] = [one.name for one in rest]
    loads: list[LoadSpec] = []
    for load in model.loads:
        loads.append(load)
        # Forces and pressures act on nodes and facets, of which a body has them once.
        if load.kind in ("gravity", "body_force", "temperature", "stress"):
            names = others.get(load.body or "", [])
            loads += [load.model_copy(update={"body": name}) for name in names]
    return model.model_copy(update={"bodies": (*bodies, *further), "loads": (*loads,)})


def _is_layered(body: BodySpec) -> bool:
    """Whether a body of solids has plies."""
    return body.plies is not None and body.element == HOLLOW_ELEMENT
