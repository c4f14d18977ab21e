# SPDX-License-Identifier: BSD-3-Clause
"""The constant vectors that the forces on a small system are combined from."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.frames import unit_blocks_of
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.tables import structs
from flexforge.runtime.tables.layout import Code
from numpy.typing import NDArray

#: What a constant load is: of a unit block, of a unit acceleration, or a load of the model.
INERTIA, TRANSLATION = Code("FF_INERTIA_LOAD"), Code("FF_TRANSLATION_LOAD")
NODAL = Code("FF_NODAL_LOAD")


class Forces:
    """Loads and inertia of the frames: what ``Loads.at`` adds up at a time.

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    basis : ndarray, (n, r), optional
        Shapes that the unknowns move in; r coordinates take their place then.

    Attributes
    ----------
    vectors : ndarray, (f, n) or (f, r)
        The constant vectors.
    meaning : tuple of Vector, (f,)
        What they are; of a turning load the global component i along axis j of the frame.
    """

    def __init__(self, system: System, loads: Loads, basis: Floats | None = None) -> None:
        self._system = system
        d = system.dimension
        vectors, meaning = [], []
        for number, body in enumerate(system.bodies):
            everywhere = np.arange(len(body.nodes))
            for k, unit in enumerate(unit_blocks_of(body)):
                vectors.append(self._spread(number, everywhere, -body.inertia_load(unit)))
                meaning.append(structs.Vector(INERTIA, number, k))
            for k, unit in enumerate(np.eye(d)):
                vectors.append(self._spread(number, everywhere, body.translation_load(unit)))
                meaning.append(structs.Vector(TRANSLATION, number, k))
        for number, load in enumerate(loads.nodal):
            if not load.turning:
                vectors.append(self._spread(load.body, load.nodes, load.force))
                meaning.append(structs.Vector(NODAL, number))
                continue
            for i, j in np.ndindex(d, d):  # its global components i along axes j of the frame
                part = np.outer(load.force[:, i], np.eye(d)[j])
                vectors.append(self._spread(load.body, load.nodes, part))
                meaning.append(structs.Vector(NODAL, number, i=i, j=j))
        found: Floats = np.array(vectors)
        self.vectors = found if basis is None else found @ basis
        self.meaning = tuple(meaning)

    def _spread(self, number: int, nodes: NDArray[np.int64], values: Floats) -> Floats:
        """Return nodal vectors of a body on the unknowns."""
        body = self._system.bodies[number]
        full = np.zeros((self._system.size, self._system.dimension))
        np.add.at(full, body.nodes[nodes], values)
        return self._system.restrict(full)
