# SPDX-License-Identifier: BSD-3-Clause
"""Reactions of supports as linear forms: of every constant matrix, and of every constant load."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from flexforge.runtime.native.constants import Constants
from flexforge.runtime.native.forces import Forces
from flexforge.runtime.native.matrices import STIFFNESS, Matrices
from flexforge.runtime.observe.support_probe import SupportProbe
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def reaction_rows(probe: SupportProbe, constants: Constants) -> tuple[Floats, Floats]:
    """Return what a reaction is made of.

    Parameters
    ----------
    probe : SupportProbe
        The reaction.
    constants : Constants
        The coordinates, with all matrices kept.

    Returns
    -------
    rows : ndarray, (1 + b, k, r)
        The work of the forces of the masses and of every matrix, for units of the coordinates,
        along the unit motions of the body.
    loads : ndarray, (k, f)
        The same of every load.
    """
    system = constants.system
    everything = np.arange(system.size * system.dimension)
    loose = replace(system, free=everything)
    moved = np.zeros((len(probe.motions), system.size, system.dimension))
    moved[:, probe.body.nodes] = probe.motions
    rigid = moved.reshape(len(moved), -1)
    unit = np.eye(constants.matrices.size)
    shapes = np.array([system.expand(constants.unknowns(one)).ravel() for one in unit])
    full = Matrices(loose, probe.loads, whole=True)
    assert full.meaning == constants.matrices.meaning
    rows = [rigid @ (full.sparse(values) @ shapes.T) for values in (full.mass, *full.bases)]
    names = [body.name for body in system.bodies]
    for row, base in zip(rows[1:], full.meaning, strict=True):
        if base.kind == STIFFNESS and names[base.body] == probe.body.name and not probe.strains:
            row[:] = 0.0
    return np.array(rows), rigid @ Forces(loose, probe.loads).vectors.T
