# SPDX-License-Identifier: BSD-3-Clause
"""A model and its mesh, with a link and bodies of its own for every frame of a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from flexforge.codegen.errors import InputError
from flexforge.runtime.expansion.build import expanded
from flexforge.runtime.materials.own_stress import strained
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_loads import PressureLoad
from flexforge.runtime.multibody.forces import with_joints
from flexforge.runtime.pretensions import tightened
from flexforge.runtime.substructures.cells import cells_of, require_own_cells
from flexforge.runtime.substructures.chain import pieces_along
from flexforge.runtime.substructures.cut import Cut, cut_mesh
from flexforge.runtime.substructures.parts import pieces_of_groups
from flexforge.runtime.substructures.seams import seams_of
from flexforge.runtime.substructures.tables import (
    CutLink,
    add_group,
    piece_name,
    tables_of_pieces,
)


def in_pieces(model: ModelSpec, mesh: Mesh) -> tuple[ModelSpec, Mesh]:
    """Return a model and its mesh as all that follows expects them.

    Shells and beams are solids where the model says so, and every link has one frame.

    Parameters
    ----------
    model : ModelSpec
        The validated model.
    mesh : Mesh
        Its mesh, in metres.

    Returns
    -------
    model : ModelSpec
        The same where no body is expanded, no bolt tightened and no link asks for several frames;
        else with solids, and with links and bodies for all pieces.
    mesh : Mesh
        The same, or one with solids, in which pieces share no nodes.

    Raises
    ------
    InputError
        When bodies cannot be cut as the model says.
    """
    model, mesh = tightened(*expanded(strained(with_joints(model)), mesh))
    whole = model
    cuts: list[Cut] = []
    for number, link in enumerate(whole.links):
        if link.frames == 1:
            continue
        one = _cut(number, model, mesh)
        _require_supported(whole, one, f"links[{number}].frames")
        model, mesh = tables_of_pieces(model, mesh, one)
        cuts.append(one.cut)
    return _on_all_copies(model, mesh, cuts) if cuts else (model, mesh)


def _cut(number: int, model: ModelSpec, mesh: Mesh) -> CutLink:
    """Return how a link is cut."""
    link, key = model.links[number], f"links[{number}].frames"
    every = [cells_of(k, model, mesh) for k in range(len(model.bodies))]
    bodies, others = (
        tuple(body for body in every if (model.bodies[body.body].frame == link.name) == on)
        for on in (True, False)
    )
    if not bodies:
        raise InputError(
            f"{key}: found it on link '{link.name}', which bears no body; expected a link with "
            "bodies"
        )
    require_own_cells(bodies, key)
    if isinstance(link.frames, int):
        pieces = pieces_along(link.frames, bodies, mesh, key)
        count = link.frames
        names = [f"'{piece_name(link.name, k)}'" for k in range(count)]
    else:
        pieces = pieces_of_groups(link.frames, bodies, mesh, key)
        names = [f"group '{name}'" for name in link.frames]
    seams = seams_of(bodies, pieces, names, mesh, key)
    cut = cut_mesh(mesh, bodies, pieces, others)
    return CutLink(number, bodies, tuple(pieces), tuple(seams), cut)


def _require_supported(model: ModelSpec, one: CutLink, key: str) -> None:
    """Refuse tables whose displacements would be relative to several frames."""
    names = [body.name for body in one.bodies]
    for k, initial in enumerate(model.initial):
        if initial.body is None or initial.body in names:
            raise InputError(
                f"initial[{k}]: found displacements or velocities of bodies with {key}, which are "
                'relative to several frames; expected start = "equilibrium", or velocities of '
                "links"
            )


def _on_all_copies(model: ModelSpec, mesh: Mesh, cuts: Sequence[Cut]) -> tuple[ModelSpec, Mesh]:
    """Return the model with supports and pressures on all copies of nodes.

    Other tables count every node once.
    """
    groups = dict(mesh.groups)

    def complete(name: str) -> str:
        if name not in groups:
            return name
        nodes = groups[name].nodes
        for cut in cuts:
            nodes = cut.of_all(nodes)
        if len(nodes) == len(groups[name].nodes):
            return name
        return add_group(groups, f"{name} of all frames", replace(groups[name], nodes=nodes))

    supports = [one.model_copy(update={"group": complete(one.group)}) for one in model.supports]
    loads = [
        one.model_copy(update={"group": complete(one.group)})
        if isinstance(one, PressureLoad)
        else one
        for one in model.loads
    ]
    changed = model.model_copy(update={"supports": tuple(supports), "loads": tuple(loads)})
    return changed, replace(mesh, groups=groups)
