# SPDX-License-Identifier: BSD-3-Clause
"""Names of a model file: mesh groups in the numbering of the bodies."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.mechanism.mechanism import Mechanism
from flexforge.runtime.mesh import Mesh, group_at
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.sector import Sector
from flexforge.runtime.system.system import System


@dataclass(frozen=True, slots=True)
class NameTable:
    """Maps the names of a model file to the system.

    Attributes
    ----------
    mesh : Mesh
        The mesh, scaled.
    system : System
        The bodies.
    mechanism : Mechanism, optional
        The mechanism of the links, if there are any.
    sector : Sector, optional
        The boundaries of the bodies, where they are one sector of a wheel.
    frames : ndarray of int64, (N,)
        Number of the frame that every node is in; empty before supports are known.
    """

    mesh: Mesh
    system: System
    mechanism: Mechanism | None = None
    sector: Sector | None = None
    frames: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def bodies(self, name: str | None) -> list[Body]:
        """Return the body of that name, its pieces where it was cut, or all bodies."""
        return [body for body in self.system.bodies if name in (None, body.name, body.whole)]

    def nodes(self, group: str, body: str | None, key: str) -> list[tuple[Body, Ints]]:
        """Return the nodes of a group, in the numbering of each body that has any.

        Parameters
        ----------
        group : str
            Its name.
        body : str, optional
            The body; by default all.
        key : str
            Key of the group in the model file, for messages.

        Raises
        ------
        InputError
            When there is no such group, or no body has a node of it.
        """
        found = group_at(self.mesh, group, key)
        pairs = [(b, b.part.local(found.nodes)) for b in self.bodies(body)]
        pairs = [(b, nodes) for b, nodes in pairs if len(nodes)]
        if not pairs:
            where = f"body '{body}'" if body else "a body"
            raise InputError(
                f"{key}: no node of group '{group}' belongs to {where}; expected at least one"
            )
        return pairs
