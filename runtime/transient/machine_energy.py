# SPDX-License-Identifier: BSD-3-Clause
"""Energy of bodies and machines, and the power of what acts on them."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.motion.spin import Turn
from flexforge.runtime.system.bearing import BearingBody
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.inertia import Spin
from flexforge.runtime.transient.equations import Equations
from flexforge.runtime.transient.machine_model import MachineModel, Nodal, times

_NO_BLOCK = np.zeros((3, 3))
_NOTHING = np.zeros(0)
#: What does work, in the order of `powers`.
WORKS = ("torques", "loads", "damping", "bearings")


def energies(
    model: MachineModel, turn: Turn, at: Nodal, equations: Equations
) -> tuple[float, float]:
    """Return kinetic and strain energy, J; bearings are no part of what has it."""
    coupled = (model.coupling(turn, at.d) * at.v).sum(axis=(1, 2))
    kinetic = float(turn.speed @ (coupled + 0.5 * model.inertia(at.d) * turn.speed))
    strain = 0.0
    for number, body in enumerate(equations.system.bodies):
        if isinstance(body, BearingBody):
            continue
        d, v = at.d[body.nodes], at.v[body.nodes]
        kinetic += 0.5 * float((v * body.mass_times(v)).sum())
        # Stress of the rotation is in the inertia of machines.
        constant = _NOTHING if len(body.patterns) else equations.elastic[number].geometric
        law = Combination(1.0, _NO_BLOCK, constant)
        strain += 0.5 * float((d * body.apply(law, d)).sum())
    return kinetic, strain


def powers(model: MachineModel, time: float, turn: Turn, at: Nodal, equations: Equations) -> Floats:
    """Return the powers of `WORKS`, (4,), W: what these give to the bodies and machines."""
    loads = float(model.loaded(time, turn) @ turn.speed)
    damping = bearings = 0.0
    acting = model.loads.at(time, *_still(model, time))
    loads += float((acting * at.v).sum())
    turning = {one.number for one in model.machines.turning}
    for one, w in zip(model.machines.each, turn.speed.tolist(), strict=True):
        slipping = times(one.damping, at.v) + 2.0 * w * times(one.circulation, at.d)
        damping -= float((at.v * slipping).sum())
        damping -= w * w * float((at.d * times(one.slipping, at.d)).sum())
    for number, body in enumerate(equations.system.bodies):
        d, v, a = (x[body.nodes] for x in (at.d, at.v, at.a))
        if isinstance(body, BearingBody):
            elastic, viscous = equations.elastic[number], equations.viscous[number]
            bearings -= float((v * body.inner(elastic, viscous, d, v, a)).sum())
        elif number not in turning and body.is_damped:
            law = Combination(body.beta, body.alpha * np.eye(3), _NOTHING, 1.0)
            damping -= float((v * body.apply(law, v)).sum())
    return np.array([model.torques(time, turn) @ turn.speed, loads, damping, bearings])


def _still(model: MachineModel, time: float) -> tuple[list[Spin], list[FrameState]]:
    """Return inertia blocks and frames of machines at rest: loads are then without inertia."""
    count = len(model.machines.each)
    turn = Turn(*(np.zeros(count) for _ in range(3)))
    frames = model.machines.frames(model.system, time, turn)
    return model.system.spins_of(frames), frames
