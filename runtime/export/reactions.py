# SPDX-License-Identifier: BSD-3-Clause
"""Reactions of supports as linear forms: per constant matrix, and per constant load."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.native.constants import Constants
from flexforge.runtime.native.forces import Forces
from flexforge.runtime.native.matrices import STIFFNESS, products
from flexforge.runtime.observe.support_probe import SupportProbe
from flexforge.runtime.system.unknown_map import UnknownMap


def reaction_rows(probe: SupportProbe, constants: Constants) -> tuple[Floats, Floats, Floats]:
    """Return the linear forms of a reaction.

    Parameters
    ----------
    probe : SupportProbe
        The reaction.
    constants : Constants
        The coordinates, with all matrices kept.

    Returns
    -------
    rows : ndarray, (1 + b, k, r)
        Work of the forces of the mass and of every matrix, for unit coordinates, in the unit
        motions of the body.
    loads : ndarray, (k, f)
        The same for every load.
    given : ndarray, (1 + b, k, g)
        The same for a unit of every displacement of supports.
    """
    system, meaning = constants.system, constants.matrices.meaning
    motions = np.zeros((len(probe.motions), system.size, system.dimension))
    motions[:, probe.body.nodes] = probe.motions
    work = products(system, meaning, motions, transposed=True)
    names = [body.name for body in system.bodies]
    for along, base in zip(work[1:], meaning, strict=True):
        if base.kind == STIFFNESS and names[base.body] == probe.body.name and not probe.strains:
            along[:] = 0.0
    shapes = np.eye(constants.size) if constants.shapes is None else constants.shapes.matrix
    loose = replace(system, map=UnknownMap.everything(system.size, system.dimension))
    loads = motions.reshape(len(motions), -1) @ Forces(loose, probe.loads).vectors.T
    moved = np.tensordot(work, constants.moved, axes=((2, 3), (1, 2)))
    return system.restrict(work) @ shapes, loads, moved
