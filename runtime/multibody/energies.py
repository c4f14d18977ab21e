# SPDX-License-Identifier: BSD-3-Clause
"""Bodies with an energy on links whose motion is found: elements that native code evaluates.

The inertia of such a body is that of any other, as a displacement from the link may be large in all
of its terms; forces and stiffness of the energy are added by ``ff_energy.h``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

import numpy as np
from flexforge.codegen.elements.facts import GEOMETRY
from flexforge.codegen.errors import InputError
from flexforge.runtime.assembly.assemble import kernel_parameters
from flexforge.runtime.assembly.kernels import single_kernels
from flexforge.runtime.constraints.markers import Attachment
from flexforge.runtime.mechanism.build import Parts
from flexforge.runtime.multibody.elastic import ElasticCoordinates
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.finite_body import FiniteBody
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.tables.layout import Kernel
from flexforge.runtime.tables.structs import Energy

#: Kernels in the order of ``ff_energy.h``, before that of the determinants.
TERMS = ("internal_forces", "tangent", "strain_energy")


def energies_of(system: System, elastic: ElasticCoordinates) -> tuple[Energy, ...]:
    """Return the bodies with an energy, as native code reads them.

    Parameters
    ----------
    system : System
        The bodies, all on links.
    elastic : ElasticCoordinates
        The coordinates of the links.
    """
    return tuple(_energy(system, body, elastic) for body in system.bodies if not body.is_linear)


def _energy(system: System, body: Body, elastic: ElasticCoordinates) -> Energy:
    link, d = body.motion.link, body.dimension
    assert link is not None
    mapped = isinstance(body, FiniteBody)
    terms = (*TERMS, GEOMETRY) if mapped else TERMS
    kernels = single_kernels(body.source, terms)
    places = (body.nodes[:, None] * d + np.arange(d)).ravel()
    moved = (system.map.sparse[places] @ elastic.of_link(link)).tocsr()
    parameters = [kernel_parameters(kernels[term], body.values) for term in TERMS]
    cells = body.graph.cells
    return Energy(
        link=link,
        nodes=cells.shape[1],
        components=d,
        elements=len(cells),
        points=len(body.points),
        cell=cells,
        point=body.points,
        pointers=moved.indptr,
        columns=moved.indices,
        values=moved.data,
        kernel=tuple(
            Kernel(body.element, term, partial(getattr, kernels[term], "function"), body.source)
            for term in terms
        ),
        parameters_of=np.cumsum([0, *map(len, parameters)])[:-1],
        parameters=np.concatenate(parameters),
        workspace=-(-max(kernels[term].workspace for term in terms) // 8),
        determinants=kernels[GEOMETRY].rows if mapped else 0,
    )


def require_energies(
    system: System,
    loads: Loads,
    parts: Parts,
    ends: Sequence[tuple[Attachment, ...]],
    acted: Collection[int],
) -> None:
    """Refuse what bodies with an energy cannot have on links.

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    parts : Parts
        Links and joints.
    ends : sequence of tuple of Attachment
        Where each joint is attached.
    acted : collection of int
        Coordinates of joints that are driven, coupled or acted along.

    Raises
    ------
    InputError
        For shells and beams that turn by any angle about any axis, loads that follow, and joints
        whose axes would be those of nodes without rotations: these turn by small angles alone.
    """
    large = [body for body in system.bodies if not body.is_linear]
    for body in large:
        if body.turns_about or "internal_forces" not in body.kernels:
            raise InputError(
                f"body '{body.name}': found {body.element} on a link, whose nodes turn about any "
                "axis; expected solids, plane strain, cables or beams in the plane with an energy"
            )
    if loads.followers:
        name = system.bodies[loads.followers[0].body].name
        raise InputError(
            f"loads: found one that follows body '{name}' on a link; expected loads along axes of "
            "the link, or global ones"
        )
    acting = {parts.coordinates[number].joint for number in acted}
    for k, (joint, pair) in enumerate(zip(parts.joints, ends, strict=True)):
        if joint.kind == "spherical" or (
            parts.planar and joint.kind == "revolute" and k not in acting
        ):
            continue  # which hold places alone
        for i, (link, end) in enumerate(zip(joint.links, pair, strict=True)):
            for body in large:
                if body.motion.link == link and _turns_by_displacements(system, body, end):
                    raise InputError(
                        f"joints[{k}].at[{i}]: found '{joint.name}', which needs the rotation of "
                        f"nodes of '{body.name}': these have displacements of any size, and no "
                        "rotations; expected nodes that supports hold in the link, or a spherical "
                        "joint"
                    )


def _turns_by_displacements(system: System, body: Body, end: Attachment) -> bool:
    """Whether a marker on a body turns with displacements of nodes that move in the link."""
    turning = np.isin(end.columns // system.dimension, body.rotations if body.turns else [])
    moving = system.map.sparse[end.columns].getnnz(axis=1) > 0
    own = np.isin(end.columns // system.dimension, body.nodes) & moving
    return bool((own & ~turning).any() and (not end.turns or end.matrix[3:, own & ~turning].any()))
