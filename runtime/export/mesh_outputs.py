# SPDX-License-Identifier: BSD-3-Clause
"""Linear forms of large systems: sparse rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.assembly.assemble import evaluate
from flexforge.runtime.observe.probes import STRESSES
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.system import System

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, slots=True)
class SparseRows:
    """Linear forms of the coordinates.

    Attributes
    ----------
    places, width : int
        Number of forms: ``places * width``.
    starts : ndarray of int, (places * width + 1,)
        Start of the entries of every form.
    columns, values : ndarray, (entries,)
        Coordinate and factor of every entry.
    """

    places: int
    width: int
    starts: Ints
    columns: Ints
    values: Floats


def sparse_rows(
    quantity: str, component: str, where: Sequence[tuple[Body, Ints]], system: System, *, mean: bool
) -> SparseRows:
    """Return the linear forms of a quantity at nodes of bodies.

    Parameters
    ----------
    quantity : str
        ``displacement``, ``velocity``, ``acceleration`` or ``stress``.
    component : str
        A component, or a quantity computed from several components.
    where : sequence of tuple
        Bodies, and the nodes of each.
    system : System
        The system, which numbers the coordinates.
    mean : bool
        Whether the forms are averaged over the nodes; for a single component only.
    """
    from scipy.sparse import csr_matrix, vstack

    of = _stress_rows if quantity == "stress" else _nodal_rows
    found = [of(body, nodes, component) for body, nodes in where]
    full = csr_matrix(
        vstack(
            [_in_system(rows, body, system) for rows, (body, _) in zip(found, where, strict=True)]
        )
    )
    rows = csr_matrix(full @ system.map.sparse)
    places = sum(len(nodes) for _, nodes in where)
    width = rows.shape[0] // places
    if mean and width == 1:
        rows, places = csr_matrix(np.full((1, places), 1.0 / places) @ rows), 1
    rows.sum_duplicates()
    rows.eliminate_zeros()
    rows.sort_indices()
    return SparseRows(
        places, width, rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data
    )


def _in_system(rows: csr_matrix, body: Body, system: System) -> csr_matrix:
    """Return forms of the nodal vectors of a body as forms of those of the system."""
    from scipy.sparse import csr_matrix

    d, entries = system.dimension, rows.tocoo()
    columns = body.nodes[entries.col // d] * d + entries.col % d
    shape = (rows.shape[0], system.size * d)
    return csr_matrix((entries.data, (entries.row, columns)), shape=shape)


def _nodal_rows(body: Body, nodes: Ints, component: str) -> csr_matrix:
    """Return the forms of components of nodal vectors, (places * width, P d)."""
    from scipy.sparse import csr_matrix

    d = body.dimension
    wanted = np.arange(d) if component == "magnitude" else np.array(["xyz".index(component)])
    columns = (nodes[:, None] * d + wanted).ravel()
    count = len(columns)
    shape = (count, len(body.points) * d)
    return csr_matrix((np.ones(count), (np.arange(count), columns)), shape=shape)


def _stress_rows(body: Body, nodes: Ints, component: str) -> csr_matrix:
    """Return the forms of stresses averaged at nodes, (places * width, P d).

    The kernel is called with a unit value of every nodal coordinate of the elements at these nodes,
    element by element.
    """
    from scipy.sparse import csr_matrix

    d, kernel, cells = body.dimension, body.kernels["stress"], body.graph.cells
    near = np.flatnonzero(np.isin(cells, nodes).any(axis=1))
    some = cells[near].astype(np.int64)
    count, corners = some.shape
    alone = np.arange(some.size).reshape(count, corners).astype(np.int32)
    points = body.points[some].reshape(-1, d)
    sides = kernel.rows * kernel.columns // corners
    forms = np.empty((count, corners, sides, corners, d))
    for b in range(corners):
        for i in range(d):
            state = np.zeros((count, corners, d))
            state[:, b, i] = 1.0
            values = evaluate(kernel, alone, points, body.values, state=state.reshape(-1, d))
            forms[..., b, i] = values.reshape(count, corners, sides)
    whole = np.einsum("sk,eakbi->easbi", body.law.spread, forms)[:, :, [0, 1, 2, 5, 3, 4]]
    if component != "von_mises" and not component.startswith("principal"):
        whole = whole[:, :, [STRESSES.index(component)]]
    width = whole.shape[2]
    place = np.full(len(body.points), -1)
    place[nodes] = np.arange(len(nodes))
    e, a = np.nonzero(place[some] >= 0)
    shares = 1.0 / np.bincount(cells.ravel(), minlength=len(body.points))[some[e, a]]
    values = whole[e, a] * shares[:, None, None, None]
    first = place[some[e, a]][:, None] * width + np.arange(width)
    rows = np.broadcast_to(first[:, :, None, None], values.shape)
    columns = np.broadcast_to(
        (some[e][:, :, None] * d + np.arange(d))[:, None], values.shape
    )  # of (entry, component, corner, coordinate)
    shape = (len(nodes) * width, len(body.points) * d)
    return csr_matrix((values.ravel(), (rows.ravel(), columns.ravel())), shape=shape)
