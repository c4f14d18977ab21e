# SPDX-License-Identifier: BSD-3-Clause
"""What joints demand of the coordinates of tied bodies, as tables of ``ff_model.h``."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.constraints.clusters import batches_of
from flexforge.runtime.constraints.generalized_speeds import independent, twice
from flexforge.runtime.constraints.joints import JointConstraints
from flexforge.runtime.constraints.null_space import SPEEDS
from flexforge.runtime.constraints.rows import Pattern
from flexforge.runtime.mechanism.joints import ACROSS
from flexforge.runtime.mechanism.tables import kernels
from flexforge.runtime.tables import structs


def build_ties(pattern: Pattern, formalism: str) -> structs.Ties:
    """Return which constraints hang together, and where A has entries.

    Parameters
    ----------
    pattern : Pattern
        Where J has entries.
    formalism : str
        How steps solve the equations: a key of `SPEEDS`, or ``lagrange`` for multipliers.

    Raises
    ------
    InputError
        When there are more constraints than coordinates.
    """
    m, n = pattern.shape
    tied = np.zeros(n, dtype=bool)
    tied[pattern.columns] = True
    lone = np.flatnonzero(~tied)
    first, choice = len(lone), 0  # where speeds, and what is chosen of a cluster, begin
    found = []
    width = np.ones(n, dtype=np.int64)
    begin = np.zeros(n, dtype=np.int64)
    begin[lone] = np.arange(first)
    for batch in batches_of(pattern):
        (count, rows), columns = batch.rows.shape, batch.columns.shape[1]
        if rows > columns:
            raise twice([pattern.names[r] for r in batch.rows[0]])
        entries = np.full(count * rows * columns, -1)
        entries[batch.places] = batch.entries
        for k, dense in enumerate(entries.reshape(count, rows, columns)):
            own = batch.columns[k]
            found.append(structs.Cluster(first, choice, batch.rows[k], own, dense))
            begin[own], width[own] = first, columns - rows
            first, choice = first + columns - rows, choice + columns**2 + 1
    pointers = np.concatenate([[0], np.cumsum(width)])
    each = np.arange(pointers[-1]) - np.repeat(pointers[:-1], width)
    return structs.Ties(
        n,
        n - m,
        len(pattern.rows),
        choice,
        SPEEDS.get(formalism) is independent,
        m if formalism == "lagrange" else 0,
        formalism == "hamilton",
        tuple(found),
        lone,
        pointers,
        np.repeat(begin, width) + each,
    )


def build_tied(
    joints: JointConstraints, ties: structs.Ties, stiffened: structs.Stiffened
) -> structs.TiesModel:
    """Return what ties the bodies on the links of a mechanism.

    Parameters
    ----------
    joints : JointConstraints
        The joints, on the coordinates.
    ties : Ties
        Which constraints hang together.
    stiffened : Stiffened
        The geometric stiffness that displacements make.
    """
    mechanism = joints.mechanism
    starts = mechanism.linkage.starts
    rows = [[*one.held_rows, *one.free_rows.values()] for one in mechanism.joints]
    shares = []
    for one in joints.held.shares:
        matrix = one.matrix.copy()
        if mechanism.parts.planar:
            matrix[[k for k in ACROSS if k < 6]] = 0.0
        place = int(starts[one.joint]) + rows[one.joint][one.row]
        shares.append(structs.Share(place, one.side.start // 6, matrix, one.entries))
    held = []
    for number, row in enumerate(joints.tied):
        if row.is_joint:
            joint, place, _ = row.parts[0]
            held.append(structs.Held(joint, int(starts[joint]) + rows[joint][place], number))
    kept = np.zeros(ties.entries)
    kept[ties.entries - len(joints.held.kept) :] = joints.held.kept
    return structs.TiesModel(
        ties,
        stiffened,
        kernels(mechanism.joints, "elastic"),
        joints.pattern.shape[0],
        tuple(shares),
        tuple(held),
        kept if kept.any() else np.zeros(0),
    )
