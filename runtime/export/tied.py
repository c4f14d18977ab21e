# SPDX-License-Identifier: BSD-3-Clause
"""What joints demand of the coordinates of tied bodies as constants of ``ff_model.h``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.export.identifiers import c_numbers
from flexforge.runtime.mechanism.joints import ACROSS
from flexforge.runtime.native.constants import TiedConstants
from flexforge.templates import render
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class _Share:
    """What one end of a joint gives to the entries of a constraint."""

    row: int
    side: int
    matrix: NDArray[np.float64]
    entries: NDArray[np.int64]


def tied_text(constants: TiedConstants) -> str:
    """Return the definition of ``ff_my_ties``, of tied bodies.

    Parameters
    ----------
    constants : TiedConstants
        Their constants.
    """
    joints, ties = constants.joints, constants.ties
    mechanism = joints.mechanism
    starts = mechanism.tables.starts
    rows = [[*one.held_rows, *one.free_rows.values()] for one in mechanism.joints]
    flat = mechanism.parts.planar
    shares = []
    for one in joints.held.shares:
        side = one.side.start // 6
        matrix = one.matrix.copy()
        if flat:
            matrix[[k for k in ACROSS if k < 6]] = 0.0
        place = int(starts[one.joint]) + rows[one.joint][one.row]
        shares.append(_Share(place, side, matrix, one.entries))
    held = []
    for number, row in enumerate(joints.tied):
        if row.is_joint:
            joint, place, _ = row.parts[0]
            held.append((joint, int(starts[joint]) + rows[joint][place], number))
    kept = np.zeros(ties.entries)
    kept[ties.entries - len(joints.held.kept) :] = joints.held.kept
    stiffened = constants.matrices.stiffened
    integers = {
        "lone": ties.lone, "free_pointers": ties.pointers, "free_columns": ties.columns,
        "stiffened_pointers": stiffened.indptr, "stiffened_columns": stiffened.indices,
    }  # fmt: skip
    reals = {"stiffened": stiffened.data, "kept": kept if kept.any() else np.zeros(0)}
    return render(
        "export/tied.c.jinja",
        clusters=ties.clusters,
        ties=ties,
        shares=shares,
        held=held,
        constraints=joints.pattern.shape[0],
        integers={name: one.tolist() for name, one in integers.items() if len(one)},
        reals={name: one.tolist() for name, one in reals.items() if len(one)},
        numbers=c_numbers,
    )
