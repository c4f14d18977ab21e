# SPDX-License-Identifier: BSD-3-Clause
"""Matrices and vectors of the stages of a Gauss step of Hamilton's pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.gauss import Gauss
from flexforge.runtime.transient.linear.step_matrix import StepMatrix
from flexforge.runtime.transient.pair import Pair, hamilton_pair, weighted

Matrix = list[Combination]


@dataclass(frozen=True, slots=True)
class Stages:
    """A step of length h, its state (d, p) and stage velocities V left open.

    The step solves ``sum_j S_ij V_j = p + gain_i - start_i d``; then d grows by ``h sum_i b_i V_i``
    and p by ``impulse - elastic d - sum_i rate_i V_i``.

    Attributes
    ----------
    matrix : StepMatrix
        S, kg.
    starts, rates : list of matrices, one a stage
        kg/s; kg.
    elastic : matrix
        kg/s.
    gains : list of ndarray, (n,) each
        kg m/s.
    impulse : ndarray, (n,)
        kg m/s.
    size : float
        Norm of what balances in the gains, kg m/s.
    inside : float
        The like of the forces inside the elements for a unit displacement, kg/s.
    """

    matrix: StepMatrix
    starts: list[Matrix]
    elastic: Matrix
    rates: list[Matrix]
    gains: list[Floats]
    impulse: Floats
    size: float
    inside: float


def prepare(system: System, loads: Loads, rule: Gauss, time: float, step: float) -> Stages:
    """Return the stages of a step.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added.
    loads : Loads
        What acts on them.
    rule : Gauss
        Method of integration.
    time, step : float
        Begin and length of the step, s.
    """
    pairs = [hamilton_pair(system, loads, time + c * step) for c in rule.nodes]
    a, b = step * np.array(rule.matrix), step * np.array(rule.weights)
    elastic = [pair.elastic for pair in pairs]
    starts = [
        weighted((1.0, pair.momentum), *zip(row, elastic, strict=True))
        for row, pair in zip(a, pairs, strict=True)
    ]
    rates = [
        weighted((share, pair.viscous), *zip(b * column, elastic, strict=True))
        for share, column, pair in zip(b, a.T, pairs, strict=True)
    ]
    forces = np.array([pair.force for pair in pairs])
    gains = [share - pair.own for share, pair in zip(a @ forces, pairs, strict=True)]
    return Stages(
        matrix=StepMatrix(system, _blocks(system, pairs, a), rule.symmetrizer),
        starts=starts,
        elastic=weighted(*zip(b, elastic, strict=True)),
        rates=rates,
        gains=gains,
        impulse=b @ forces,
        size=step * system.ranks.norm(forces.ravel())
        + sum(system.ranks.norm(pair.own) for pair in pairs),
        inside=max(abs(c.stiffness) for start in starts for c in start) * system.stiffness_scale,
    )


def _blocks(system: System, pairs: list[Pair], a: Floats) -> tuple[tuple[Matrix, ...], ...]:
    """Return S, with the shares ``a`` in seconds."""
    identity = np.eye(system.dimension)
    mass = [Combination(0.0, identity, c.geometric * 0.0) for c in pairs[0].elastic]
    elastic = [pair.elastic for pair in pairs]
    return tuple(
        tuple(
            weighted(
                (float(i == j), mass),
                (a[i, j], pairs[i].momentum),
                (a[i, j], pairs[j].viscous),
                *zip(a[i] * a[:, j], elastic, strict=True),
            )
            for j in range(len(pairs))
        )
        for i in range(len(pairs))
    )
