# SPDX-License-Identifier: BSD-3-Clause
"""A moment about the axis of a body of revolution, as forces along the circles of its nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.model.schema_loads import ForceLoad, MomentLoad
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.system import System


def torque(
    load: ForceLoad | MomentLoad, pairs: Sequence[tuple[Body, Ints]], system: System, key: str
) -> Iterator[tuple[int, Ints, Floats]]:
    """Yield the number of a body, its nodes, and their forces (n, 3), N, of a moment.

    The third displacement of a node at the radius r is along ``e_1 x e_2``, against a positive turn
    about the axis e_2: a force F there has the moment ``- r F``. A whole moment is spread in
    proportion to r, as the stress of torsion is; one at each node is that of its circle.

    Parameters
    ----------
    load : MomentLoad
        The load.
    pairs : sequence of (Body, ndarray of int)
        Its nodes, body by body.
    system : System
        The bodies.
    key : str
        Key of the load, for messages.

    Raises
    ------
    InputError
        For a body without torsion, a moment about another axis, or nodes without an arm.
    """
    if system.dimension == 2:
        raise InputError(
            f"{key}.kind: found a moment with hypothesis axisymmetric, which has no torsion; "
            "expected hypothesis axisymmetric_torsion"
        )
    given = load.each if load.total is None else load.total
    assert given is not None
    if given[0] or given[2]:
        raise InputError(
            f"{key}: found the moment {[*given]} with a body of revolution; expected one about its "
            "axis, [0, M, 0]"
        )
    for name in ("axes", "follows"):
        if getattr(load, name):
            raise InputError(f"{key}.{name}: found with a moment about an axis; expected none")
    numbers = {body.name: n for n, body in enumerate(system.bodies)}
    seen = np.zeros(system.size, dtype=bool)
    found = []
    for body, every in pairs:
        nodes = every[~seen[body.nodes[every]]]  # a node shared by bodies counts once
        seen[body.nodes[nodes]] = True
        found.append((body, nodes, body.points[nodes, 0]))
    arms = np.concatenate([radii for _, _, radii in found])
    if not arms.any() or (load.total is None and not arms.all()):
        raise InputError(
            f"{key}.group: found nodes of '{load.group}' on the axis; expected circles on which a "
            "moment can act"
        )
    for body, nodes, radii in found:
        forces = np.zeros((len(nodes), 3))
        shares = radii / (arms @ arms) if load.total is not None else 1.0 / radii
        forces[:, 2] = -given[1] * shares
        yield numbers[body.name], nodes, forces
