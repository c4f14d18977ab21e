# SPDX-License-Identifier: BSD-3-Clause
"""A large system as constants of a solver without matrices: elements, masses, loads, kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.output.derived import Derived, derived_for_lanes, fingerprint
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    pass


#: Elements per kernel call: with vectors of 256 bits or of 128 (``FF_LANES``), and without.
LANES = (4, 2, 1)
STIFFNESS, GEOMETRIC = "stiffness_action", "geometric"


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a body.

    Attributes
    ----------
    element : str
        Full name of the element.
    cells : ndarray of int, (E, nodes)
        Nodes of the elements, numbers in the system.
    nodes : ndarray of int, (P,)
        Nodes of the body.
    masses : ndarray, (P,)
        Lumped nodal masses, kg.
    parameters : dict
        Scalar arguments of the kernels, by term.
    """

    element: str
    cells: Ints
    nodes: Ints
    masses: Floats
    parameters: dict[str, Floats]


@dataclass(frozen=True)
class MeshConstants:
    """The constants of a system with prescribed frame motion, element by element.

    Attributes
    ----------
    system : System
        The bodies, with the prestress of rotation and lumped masses.
    loads : Loads
        What acts on them.
    cells : tuple of Cells
        One per body.
    points : ndarray, (N, d)
        Positions of the nodes, m.
    stressing : ndarray, (patterns, N, d)
        Displacements by the loads of the prestress, m.
    kernels : dict
        C text of the kernels of every element, by element and lanes.
    """

    system: System
    loads: Loads
    cells: tuple[Cells, ...]
    points: Floats
    stressing: Floats
    kernels: dict[tuple[str, int], str]

    #: Shapes, and constraints of driven links: none.
    shapes: ClassVar[None] = None
    joints: ClassVar[None] = None

    @property
    def mesh(self) -> MeshConstants:
        """These constants; constants with matrices return None."""
        return self

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return self.system.unknowns

    def coordinates(self, unknowns: Floats) -> Floats:
        """Return the coordinates (n,), which are the unknowns themselves."""
        return unknowns

    def arrays(self) -> Iterator[NDArray[Any]]:
        """Yield all data in which two systems may differ."""
        yield self.points
        yield self.stressing
        yield self.system.map.places
        for one in self.cells:
            yield from (one.cells, one.nodes, one.masses, *one.parameters.values())
        for load in self.loads.nodal:
            yield load.nodes
            yield load.force


def mesh_constants(system: System, loads: Loads) -> MeshConstants:
    """Return the constants of a large system.

    Parameters
    ----------
    system : System
        The bodies, with the prestress of rotation.
    loads : Loads
        What acts on them.

    Raises
    ------
    InputError
        When masses are not diagonal, or an element has no matrix-free kernel.
    """
    if not all(body.lumps_mass for body in system.bodies):
        raise InputError(
            f"analysis.mass: found consistent with {system.unknowns} unknowns; expected lumped to "
            "export them (explicit steps without a matrix), or [reduction]"
        )
    derived: dict[tuple[str, int], Derived] = {}
    cells = tuple(_cells(body, derived) for body in system.bodies)
    require_distinct_names(system.bodies)
    d = system.dimension
    points = np.zeros((system.size, d))
    patterns = max(len(body.stressing) for body in system.bodies)
    stressing = np.zeros((patterns, system.size, d))
    for body in system.bodies:
        points[body.nodes] = body.points
        for k, shape in enumerate(body.stressing):
            stressing[k, body.nodes] = shape
    kernels = {key: kernel_text(one) for key, one in derived.items()}
    return MeshConstants(system, loads, cells, points, stressing, kernels)


def _cells(body: Body, derived: dict[tuple[str, int], Derived]) -> Cells:
    """Return the cells of a body; new kernels are added to the known ones."""
    _require_action(body)
    terms = (STIFFNESS, GEOMETRIC) if body.geometric else (STIFFNESS,)
    found = derived_for_lanes(body.source, terms, LANES)
    for lanes, one in found.items():
        known = derived.setdefault((body.element, lanes), one)
        if len(terms) > len(known.parameters):  # of a body that is prestressed as well
            derived[body.element, lanes] = one
    names = found[LANES[0]].parameters
    parameters = {term: _values(body, term, names[term]) for term in terms}
    return Cells(
        body.element,
        body.nodes[body.graph.cells],
        body.nodes,
        body.mass_diagonal()[:, 0],
        parameters,
    )


def require_distinct_names(bodies: Sequence[Body]) -> None:
    """Refuse two elements of the same name, because their kernels would have the same name too.

    Parameters
    ----------
    bodies : sequence of Body
        All bodies.

    Raises
    ------
    InputError
        Naming the body and the element.
    """
    said: dict[str, str] = {}
    for body in bodies:
        one = fingerprint(body.source)
        if said.setdefault(body.element, one) != one:
            raise InputError(
                f"body '{body.name}': found two elements named '{body.element}'; expected "
                "distinct names to export them"
            )


def _require_action(body: Body) -> None:
    """Refuse axisymmetric elements and elements whose stiffness is not a sum over points."""
    from flexforge.codegen.elements.catalogue import find
    from flexforge.codegen.elements.terms import terms_of

    declared = find(body.element) if body.declared is None else body.declared
    if STIFFNESS not in terms_of(declared):
        raise InputError(
            f"body '{body.name}': element {body.element} has no kernel {STIFFNESS}; "
            "expected a solid or plane element that has, or [reduction], to export so many unknowns"
        )


def _values(body: Body, term: str, names: tuple[str, ...]) -> Floats:
    missing = [name for name in names if name not in body.values]
    if missing:
        raise InputError(
            f"body '{body.name}': no value for parameter '{missing[0]}' of its {term}; expected "
            "one in 'parameters'"
        )
    return np.array([body.values[name] for name in names])


def kernel_text(derived: Derived) -> str:
    """Return the C text of the kernels of an element, without the table of a library."""
    (text,) = (text for name, text in derived.files.items() if name != "kernel_table.c")
    return text
