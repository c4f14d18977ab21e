# SPDX-License-Identifier: BSD-3-Clause
"""Stresses that bodies have undeformed, as what they are to elements: strains without stress.

A stress ``s_0`` beside ``H eps`` is ``H (eps - eps_0)`` with ``eps_0 = -H^-1 s_0``: as with a
temperature of 1 K and a material that expands by ``eps_0``.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_loads import LoadSpec, StressLoad, TemperatureLoad
from flexforge.runtime.model.schema_material import MaterialSpec
from flexforge.runtime.model.schema_mesh import PLANAR_ELEMENTS, SPATIAL_ELEMENTS
from pydantic import PrivateAttr


class _Strained(MaterialSpec):
    """A material whose strain for 1 K is that of a stress."""

    _own: tuple[float, ...] = PrivateAttr(default=())

    def thermal_strain(self) -> Floats:
        return np.array(self._own)


def strained(model: ModelSpec) -> ModelSpec:
    """Return a model with temperatures, and materials that expand, in place of own stresses.

    Parameters
    ----------
    model : ModelSpec
        The validated model.

    Returns
    -------
    ModelSpec
        The same where no load is a stress.

    Raises
    ------
    InputError
        For bodies that cannot have one: those with a law of their own, bars, beams and shells; and
        for two stresses, or a stress and a temperature, of one body.
    """
    stresses = {i: one for i, one in enumerate(model.loads) if isinstance(one, StressLoad)}
    if not stresses:
        return model
    bodies = {body.name: body for body in model.bodies}
    materials = dict(model.materials)
    loads: list[LoadSpec] = list(model.loads)
    taken = {
        name: i
        for i, load in enumerate(loads)
        if isinstance(load, TemperatureLoad)
        for name in ([load.body] if load.body else bodies)
    }
    for i, load in stresses.items():
        for name in [load.body] if load.body else list(bodies):
            if name in taken:
                raise InputError(
                    f"loads[{i}]: found a stress of body '{name}', which loads[{taken[name]}] "
                    "strains as well; expected one stress of it, and no temperature"
                )
            taken[name] = i
            body = _require_law(bodies[name], model.materials, f"loads[{i}]")
            own = f"{body.material}:{name}"
            materials[own] = _with(model.materials[str(body.material)], load)
            bodies[name] = body.model_copy(update={"material": own})
        loads[i] = TemperatureLoad(
            kind="temperature", change=1.0, amplitude=load.amplitude, body=load.body,
            phase=load.phase, preload=load.preload,
        )  # fmt: skip
    changes = {"bodies": (*bodies.values(),), "materials": materials, "loads": (*loads,)}
    return model.model_copy(update=changes)


def _require_law(body: BodySpec, known: Mapping[str, MaterialSpec], key: str) -> BodySpec:
    """Return a body whose stress is that of its material; refuse others."""
    continuum = body.element in (*SPATIAL_ELEMENTS, *PLANAR_ELEMENTS)
    material = known.get(body.material or "")
    lawful = material is not None and material.has_law and not material.semidefinite
    if body.has_own_law or not continuum or not lawful:
        raise InputError(
            f"{key}: found a stress of body '{body.name}' of {body.element}; expected a solid or "
            "plane element, with a definite material and no energy"
        )
    return body


def _with(material: MaterialSpec, load: StressLoad) -> MaterialSpec:
    """Return a material that has a stress where it would expand by 1 K and cannot."""
    strain = -np.linalg.solve(material.stiffness(), np.array(load.stress))
    given = {key: getattr(material, key) for key in MaterialSpec.model_fields}
    found = _Strained.model_construct(**given | {"expansion": tuple(strain[:3].tolist())})
    found._own = tuple(strain.tolist())
    return found
