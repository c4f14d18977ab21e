# SPDX-License-Identifier: BSD-3-Clause
"""Two parts of one mesh, each with a loop of its own that sees only its own elements.

The parts run in two threads that meet where values are exchanged, as ranks of MPI would. A decision
that one part takes alone leaves the other waiting, which ends as an error.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
from flexforge.runtime.transient.linear_solver import Conjugate
from flexforge.runtime.transient.loop import march
from flexforge.runtime.transient.restrained import Restrained
from flexforge.runtime.transient.steppers.implicit import GeneralizedAlpha

from toys.tets import Mesh, Solid, at_rest, box, held


class Meeting:
    """Where two parts exchange values."""

    def __init__(self, number):
        self._slots, self._barrier = [None] * number, Barrier(number, timeout=20.0)

    def exchange(self, rank, values):
        """Return the values of all, in the order of the ranks."""
        self._slots[rank] = values
        self._barrier.wait()
        found = list(self._slots)
        self._barrier.wait()
        return found


class PartSpace:
    """Vectors of a part; ids are the numbers of its components in the whole."""

    def __init__(self, meeting, rank, all_ids):
        self._meeting, self._rank = meeting, rank
        ids = all_ids[rank]
        self.size, self.ranks = len(ids), len(all_ids)
        self._ids = all_ids
        lower = np.concatenate([np.zeros(0, dtype=int), *all_ids[:rank]])
        self._own = ~np.isin(ids, lower)

    def zeros(self):
        return np.zeros(self.size)

    def dot(self, x, y):
        return float(sum(self._meeting.exchange(self._rank, float((x * y)[self._own].sum()))))

    def norms(self, x, parts):
        own = np.where(self._own, x, 0.0)
        shares = np.array([own[part] @ own[part] for part in parts])
        return np.sqrt(sum(self._meeting.exchange(self._rank, shares)))

    def halo(self, x):
        # In the order of the ranks, so that all of them get the same bits.
        total = np.zeros(1 + max(int(ids.max()) for ids in self._ids))
        for ids, values in zip(self._ids, self._meeting.exchange(self._rank, x), strict=True):
            total[ids] += values
        return total[self._ids[self._rank]]


def split(mesh, share=0.5):
    """Return the meshes of two parts, and the nodes of each."""
    middle = mesh.points[mesh.cells].mean(axis=1)[:, 0]
    left = middle < share * mesh.points[:, 0].max()
    found = []
    for which in (left, ~left):
        nodes, cells = np.unique(mesh.cells[which], return_inverse=True)
        found.append((Mesh(mesh.points[nodes], cells.reshape(-1, 4)), nodes))
    return found


def run_parts(step, steps, tolerance=1e-13):
    """Return the displacements of all nodes at the end, of two parts that ran side by side."""
    whole = box()
    meshes = split(whole)
    meeting = Meeting(len(meshes))
    models, ids = [], []
    for mesh, nodes in meshes:
        solid = Solid(mesh, gravity=(0.0, 0.0, -2.0))
        unknowns = held_part(solid)
        # T of a support drops a component, so a column of T is a component of the whole.
        components = (3 * nodes[:, None] + np.arange(3)).ravel()
        ids.append(components[unknowns.matrix.tocsc().indices])
        models.append((solid, unknowns))
    parts = [
        Restrained(solid, unknowns, PartSpace(meeting, rank, ids))
        for rank, (solid, unknowns) in enumerate(models)
    ]

    def run(model):
        stepper = GeneralizedAlpha(model, tolerance=tolerance, solver=Conjugate())
        *_, last = march(stepper, at_rest(model), step, step * steps)
        return model.unknowns.expand(last.t, last.q, last.z, last.z)[0], stepper.counts

    with ThreadPoolExecutor(len(parts)) as pool:
        found = list(pool.map(run, parts))
    displacement = np.full((len(whole.points), 3), np.nan)
    for (_, nodes), (q, _) in zip(meshes, found, strict=True):
        both = displacement[nodes]
        known = ~np.isnan(both)
        assert (both[known] == q.reshape(-1, 3)[known]).all(), "shared nodes differ"
        displacement[nodes] = q.reshape(-1, 3)
    return displacement, [counts for _, counts in found]


def held_part(solid):
    """Return the shaken supports alone: a tie may not reach across parts."""
    return held(solid, tied=False)
