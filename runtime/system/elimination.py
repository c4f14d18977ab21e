# SPDX-License-Identifier: BSD-3-Clause
"""Linear equations solved for some of their coordinates: ``C q = B f`` to ``q = T y + D f``.

C may be complex, as for the sector of a wheel at a nodal diameter; so is T then.

The unknowns y are coordinates themselves; every independent equation removes one. An equation with
a coordinate that occurs in no other one is solved for it, round after round: nothing else is needed
for nodes in local axes, and for nodes that follow others. What is left is solved densely with
column pivoting, one connected set of equations at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.solvers.triangular import solve_upper
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_RANK = 1e-10
_PIVOT = 1e-3  # least coefficient, relative to the largest of its equation, that is divided by
_ROUNDS = 20
_MOST = 3000  # equations of one connected set that are solved densely
_NAMED = 6  # names in a message


@dataclass(frozen=True)
class Elimination:
    """What linear equations leave.

    Attributes
    ----------
    matrix : csr_matrix, (z, n)
        T.
    given : csr_matrix, (z, f)
        D.
    kept : ndarray of bool, (z,)
        Which coordinates are the unknowns.
    """

    matrix: csr_matrix
    given: csr_matrix
    kept: NDArray[np.bool_]


def eliminate(rows: csr_matrix, given: csr_matrix, names: Sequence[str]) -> Elimination:
    """Solve ``C q = B f`` for as many coordinates as there are independent equations.

    Equations that follow from the others are left out.

    Parameters
    ----------
    rows : csr_matrix, (m, z)
        C.
    given : csr_matrix, (m, f)
        B.
    names : sequence of str, (m,)
        Of the equations, for messages.

    Raises
    ------
    InputError
        When equations contradict each other, naming them, or too many hang together.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> found = eliminate(csr_matrix([[1.0, -2.0]]), csr_matrix([[3.0]]), ["lever"])
    >>> found.kept, found.matrix.toarray().T, found.given.toarray().T
    (array([ True, False]), array([[1. , 0.5]]), array([[ 0. , -1.5]]))
    """
    from scipy.sparse import csr_matrix, diags, eye

    count, width = rows.shape[1], given.shape[1]
    rows, given = csr_matrix(rows), csr_matrix(given)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    left, peeled = np.arange(rows.shape[0]), list[tuple[Ints, Ints]]()
    for _ in range(_ROUNDS):
        solved, columns = _alone(rows[left])
        if not len(solved):
            break
        peeled.append((left[solved], columns))
        left = np.delete(left, solved)
    dependent, along, fixed = _dense(rows, given, left, names)
    kept = np.ones(count, dtype=bool)
    kept[dependent] = False
    kept[[column for _, columns in peeled for column in columns.tolist()]] = False
    # Coordinates in terms of the unknowns: first what the dense sets found, then round by round
    # backwards, as a coordinate of an earlier round may be in terms of one of a later round.
    identity = eye(count, format="csr")
    selected = diags(kept.astype(float), format="csr")
    matrix = selected + identity[:, dependent] @ along
    matrix, offsets = csr_matrix(matrix @ selected), csr_matrix((count, width))
    offsets = csr_matrix(offsets + identity[:, dependent] @ fixed)
    for solved, columns in reversed(peeled):
        own = rows[solved]
        scale = diags(1.0 / np.asarray(own[np.arange(len(solved)), columns]).ravel())
        into = identity[:, columns]
        matrix = csr_matrix(matrix - into @ (scale @ (own @ matrix)))
        offsets = csr_matrix(offsets + into @ (scale @ (given[solved] - own @ offsets)))
    matrix, offsets = matrix[:, np.flatnonzero(kept)], offsets
    matrix.sort_indices()
    return Elimination(matrix, offsets, kept)


def _alone(rows: csr_matrix) -> tuple[Ints, Ints]:
    """Return equations with a coordinate that is in no other one, and that coordinate."""
    occurrences = np.bincount(rows.indices, minlength=rows.shape[1])
    number = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    sizes = np.abs(rows.data)
    largest = np.zeros(rows.shape[0])
    np.maximum.at(largest, number, sizes)
    candidates = np.flatnonzero(
        (occurrences[rows.indices] == 1) & (sizes >= _PIVOT * largest[number])
    )
    order = candidates[np.lexsort((-sizes[candidates], number[candidates]))]
    solved, first = np.unique(number[order], return_index=True)
    return solved, rows.indices[order[first]].astype(np.int64)


def _dense(
    rows: csr_matrix, given: csr_matrix, left: Ints, names: Sequence[str]
) -> tuple[Ints, csr_matrix, csr_matrix]:
    """Return coordinates that the equations left are solved for, their T (r, z) and D (r, f)."""
    from scipy.sparse import coo_matrix, csr_matrix, vstack
    from scipy.sparse.csgraph import connected_components

    dependent, along = [np.zeros(0, dtype=np.int64)], [csr_matrix((0, rows.shape[1]))]
    fixed = [csr_matrix((0, given.shape[1]))]
    some = rows[left]
    labels = connected_components(abs(some) @ abs(some).T, directed=False)[1] if len(left) else left
    order = np.argsort(labels, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if len(left) else ():
        which = left[group]
        if len(which) > _MOST:
            raise InputError(
                f"found {len(which)} coupled equations ({_listed(names, which)}); "
                f"expected at most {_MOST}"
            )
        columns = np.unique(rows[which].indices).astype(np.int64)
        solved, factors, values = _solved(
            rows[which][:, columns].toarray(), given[which].toarray(), [names[i] for i in which]
        )
        others = np.setdiff1d(np.arange(len(columns)), solved)
        shape = (len(solved), rows.shape[1])
        place = np.broadcast_to(columns[others], factors.shape)
        number = np.broadcast_to(np.arange(len(solved))[:, None], factors.shape)
        entries = coo_matrix((factors.ravel(), (number.ravel(), place.ravel())), shape=shape)
        dependent.append(columns[solved])
        along.append(entries.tocsr())
        fixed.append(csr_matrix(values))
    return np.concatenate(dependent), vstack(along, format="csr"), vstack(fixed, format="csr")


def _solved(rows: Floats, given: Floats, names: Sequence[str]) -> tuple[Ints, Floats, Floats]:
    """Solve dense equations: which coordinates they give, by the others (sorted), and by f."""
    from scipy.linalg import qr

    scale = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
    scale[scale == 0.0] = 1.0
    turned, upper, order = qr(rows / scale, pivoting=True)
    right = turned.conj().T @ (given / scale)
    pivots = np.abs(np.diag(upper))
    rank = int((pivots > _RANK * pivots.max(initial=0.0)).sum())
    unmet = np.abs(right[rank:]).max(initial=0.0)
    if unmet > _RANK * np.abs(given / scale).max(initial=0.0):
        raise InputError(
            "found contradictory equations or supports: " + _listed(names, range(len(names)))
        )
    solved, others = order[:rank], order[rank:]
    ahead = np.argsort(others)
    triangle = upper[:rank, :rank]
    factors = -solve_upper(triangle, upper[:rank, rank:][:, ahead])
    return solved, factors, solve_upper(triangle, right[:rank])


def _listed(names: Sequence[str], which: Sequence[int] | Ints | range) -> str:
    found = list(dict.fromkeys(f"'{names[i]}'" for i in which))
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return ", ".join(found[:_NAMED]) + more
