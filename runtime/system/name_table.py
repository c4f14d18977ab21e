# SPDX-License-Identifier: BSD-3-Clause
"""Names of a model file: mesh groups in the numbering of the bodies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.mechanism.mechanism import Mechanism
from flexforge.runtime.mesh import Mesh, group_at
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.equation_forces import EquationForces
from flexforge.runtime.system.sector import Sector
from flexforge.runtime.system.system import System
from flexforge.runtime.system.unknown_map import UnknownMap


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
    unknowns_at : callable, optional
        Returns the unknowns of a sector at a number of nodal diameters, once supports are known.
    equation_forces : EquationForces, optional
        What separates the forces of equations from those of supports.
    """

    mesh: Mesh
    system: System
    mechanism: Mechanism | None = None
    sector: Sector | None = None
    unknowns_at: Callable[[int], UnknownMap] | None = None
    equation_forces: EquationForces | None = None

    def at_diameter(self, system: System, diameter: int) -> System:
        """Return a system of the bodies of a sector with its unknowns at some nodal diameters.

        Parameters
        ----------
        system : System
            The bodies, under any stresses.
        diameter : int
            Number of nodal diameters.
        """
        assert self.unknowns_at is not None
        return replace(system, map=self.unknowns_at(diameter))

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
