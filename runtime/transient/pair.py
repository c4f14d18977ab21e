# SPDX-License-Identifier: BSD-3-Clause
"""Hamilton's first-order pair of a system, which needs only w and v_O of the frames.

With the momentum ``p = dL/dd' = m d' + c d + s`` and ``s = int rho N^T (v_O + w~ x)``

    m d' = p - c d - s
    p'   = -c d' - damping - (k + k_omega + k_geo) d + q - q_omega - m_O w~ v_O

(physics.md sections 1 and 3). It is the second-order equation again: ``c' = k_eps``, ``s' = q_eps +
m_O v_O'`` and ``a_O = v_O' + w x v_O``. A term that the model leaves out is left out of both
equations alike; the Euler force is the rate of ``c d``, so its flag goes with that term, and
``-c d'`` makes up what the Coriolis force lacks then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.combinations import elastic_of
from flexforge.runtime.system.inertia import Spin, skew
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System


@dataclass(frozen=True, slots=True)
class Pair:
    """Coefficients of the pair at one time; matrices are one combination a body.

    Attributes
    ----------
    momentum : list of Combination
        ``c`` of the momentum.
    viscous : list of Combination
        ``c`` of the force, and damping.
    elastic : list of Combination
        ``k + k_omega + k_geo``.
    own : ndarray, (n,)
        ``s``: momentum of the frame's own motion, kg m/s.
    force : ndarray, (n,)
        ``q - q_omega - m_O w~ v_O``, N.
    """

    momentum: list[Combination]
    viscous: list[Combination]
    elastic: list[Combination]
    own: Floats
    force: Floats


def hamilton_pair(system: System, loads: Loads, time: float) -> Pair:
    """Return the pair of a system at a time.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added.
    loads : Loads
        What acts on them.
    time : float
        Time, s.
    """
    frames = [_as_if_steady(frame) for frame in system.frames(time)]
    spins = system.spins_of(frames)
    momentum, own = frame_momentum(system, frames)
    identity = np.eye(system.dimension)
    viscous = [
        Combination(b.beta, s.coriolis - m.inertia + b.alpha * identity, m.geometric, 1.0)
        for b, s, m in zip(system.bodies, spins, momentum, strict=True)
    ]
    force, elastic = loads.at(time, spins, frames), _elastic(spins)
    if loads.given is not None:
        g, g_rate, _ = loads.given.at(time)
        force = force - system.apply(elastic, g) - system.apply(viscous, g_rate)
        own = own + momentum_of_supports(system, loads, momentum, time)
    return Pair(momentum, viscous, elastic, own, system.restrict(force))


def momentum_of_supports(
    system: System, loads: Loads, momentum: list[Combination], time: float
) -> Floats:
    """Return ``m g' + c g``: what given displacements of supports add to ``s``, (n,).

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        With the displacements, where any are given.
    momentum : list of Combination
        ``c`` of the momentum.
    time : float
        Time, s.
    """
    if loads.given is None:
        return np.zeros(system.unknowns)
    g, g_rate, _ = loads.given.at(time)
    return system.restrict(system.mass_times(g_rate) + system.apply(momentum, g))


def frame_momentum(
    system: System, frames: Sequence[FrameState]
) -> tuple[list[Combination], Floats]:
    """Return the part of the momentum besides ``m d'``: the matrix ``c`` and ``s``, (n,).

    Parameters
    ----------
    system : System
        The bodies.
    frames : sequence of FrameState
        Motion of every body's frame.
    """
    include, cut = system.include, slice(0, system.dimension)
    matrices = []
    own = np.zeros((system.size, system.dimension))
    for body, frame in zip(system.bodies, frames, strict=True):
        turn = skew(frame.w)[cut, cut]
        matrices.append(Combination(0.0, include.euler * turn, np.zeros(len(body.patterns))))
        own[body.nodes] += include.euler_load * body.inertia_load(turn)
        own[body.nodes] += include.origin_load * body.translation_load(frame.v_O[cut])
    return matrices, system.restrict(own)


def weighted(*terms: tuple[float, list[Combination]]) -> list[Combination]:
    """Return a sum of matrices, each with its factor."""
    bodies = zip(*(matrices for _, matrices in terms), strict=True)
    factors = [factor for factor, _ in terms]
    return [_sum(factors, matrices) for matrices in bodies]


def _sum(factors: list[float], matrices: Sequence[Combination]) -> Combination:
    parts = list(zip(factors, matrices, strict=True))
    first, c = parts[0]
    stiffness, inertia, geometric = first * c.stiffness, first * c.inertia, first * c.geometric
    for factor, c in parts[1:]:
        stiffness += factor * c.stiffness
        inertia = inertia + factor * c.inertia
        geometric = geometric + factor * c.geometric
    damping = sum(factor * c.damping for factor, c in parts)
    circulation = sum(factor * c.circulation for factor, c in parts)
    return Combination(stiffness, inertia, geometric, damping, circulation)


def _as_if_steady(frame: FrameState) -> FrameState:
    """Return a frame as it were if w and v_O stayed: e = 0, and ``a_O = w x v_O``."""
    return replace(frame, e=np.zeros(3), a_O=np.cross(frame.w, frame.v_O))


def _elastic(spins: list[Spin]) -> list[Combination]:
    return elastic_of(spins)
