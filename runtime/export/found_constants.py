# SPDX-License-Identifier: BSD-3-Clause
"""What never changes of links whose motion is found, as a solver has it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.export.mesh_constants import require_distinct_names
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import TransientAnalysis
from flexforge.runtime.multibody.build import FoundLinks, build_links
from flexforge.runtime.multibody.steps import FoundSteps
from flexforge.runtime.native.inputs import Functions
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.system import System
from flexforge.runtime.tables import structs

#: Elastic coordinates of a link at most: its matrices are in the text of the solver.
MOST = 150


@dataclass(frozen=True, eq=False)
class FoundConstants:
    """Links whose motion is found.

    Attributes
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    links : FoundLinks
        The links.
    steps : FoundSteps
        What takes their steps, from the start on.
    """

    #: Elements, constraints of driven links, and shapes: none.
    mesh: ClassVar[None] = None
    joints: ClassVar[None] = None
    shapes: ClassVar[None] = None

    system: System
    loads: Loads
    links: FoundLinks
    steps: FoundSteps

    @property
    def size(self) -> int:
        """Number of elastic coordinates."""
        return self.links.elastic.starts[-1]

    @cached_property
    def moved(self) -> Floats:
        """Nodal displacements of moving supports: there are none, (0, N, d)."""
        return np.zeros((0, self.system.size, self.system.dimension))

    def unknowns(self, coordinates: Floats) -> Floats:
        """Return the values of the unknowns (n,) from those of the coordinates (r,)."""
        return self.links.elastic.unknowns(coordinates)

    def model(self, functions: Functions, outputs: tuple[structs.Output, ...]) -> structs.Model:
        """Return the tables of the links at their start."""
        return self.steps.table(functions, outputs)


def found_constants(
    spec: ModelSpec,
    analysis: TransientAnalysis,
    places: NameTable,
    loads: Loads,
    state: tuple[Floats, Floats],
) -> FoundConstants:
    """Return the constants of links whose motion is found.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    analysis : TransientAnalysis
        Its analysis.
    places : NameTable
        Its names in the system.
    loads : Loads
        What acts on it.
    state : tuple of ndarray, (N, d)
        Displacements and velocities relative to the links at t = 0.

    Raises
    ------
    InputError
        For what such links do not have; for links with too many elastic coordinates; for two laws
        of one name.
    """
    require_distinct_names([body for body in places.system.bodies if not body.is_linear])
    links = build_links(spec, places, loads, state)
    counts = np.diff(links.elastic.starts)
    if counts.max(initial=0) > MOST:
        name = links.model.parts.links[int(np.argmax(counts))]
        raise InputError(
            f"link '{name}': found {counts.max()} elastic coordinates; expected at most {MOST}, or "
            "[reduction], to export it"
        )
    steps = FoundSteps.of(analysis, links.model, links.mechanism.near)
    steps.begin(links.start)
    return FoundConstants(places.system, loads, links, steps)
