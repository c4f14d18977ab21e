# SPDX-License-Identifier: BSD-3-Clause
"""What spans masses, connectors and the bodies beside them: one dimension for all."""

from __future__ import annotations

from collections.abc import Iterator

from flexforge.runtime.loading.checks_plies import out_of_plane
from flexforge.runtime.model.messages import Problem
from flexforge.runtime.model.schema import ModelSpec


def lumped_problems(model: ModelSpec) -> Iterator[Problem]:
    """Yield where masses and connectors do not fit the dimension of the model.

    Parameters
    ----------
    model : ModelSpec
        Validated table by table.
    """
    revolved = any(body.is_revolved for body in model.bodies)
    for key, items in (("masses", model.masses), ("connectors", model.connectors)):
        if items and revolved:
            text = "found them beside bodies of revolution; expected none"
            yield Problem((key,), text)
    if any(body.is_user_element for body in model.bodies):
        return  # its dimension is known once it is read
    sizes = (
        {"inertia": (1,), "law": (2, 3)} if model.is_planar else {"inertia": (3, 6), "law": (3, 6)}
    )
    where = "in a planar model" if model.is_planar else "in space"
    for index, mass in enumerate(model.masses):
        if mass.inertia is not None and len(mass.inertia) not in sizes["inertia"]:
            found, wanted = len(mass.inertia), _either(sizes["inertia"])
            text = f"found {found} numbers; expected {wanted} {where}"
            yield Problem(("masses", index, "inertia"), text)
        if model.is_planar:
            yield from out_of_plane(mass.centre, ("masses", index, "centre"))
    for index, one in enumerate(model.connectors):
        for key in ("stiffness", "damping"):
            law = getattr(one, key)
            if one.kind == "bushing" and law is not None and len(law) not in sizes["law"]:
                text = f"found {len(law)} rows; expected {_either(sizes['law'])} {where}"
                yield Problem(("connectors", index, key), text)
        if model.is_planar and one.axis is not None:
            yield from out_of_plane(one.axis, ("connectors", index, "axis"))


def _either(sizes: tuple[int, ...]) -> str:
    return " or ".join(map(str, sizes))
