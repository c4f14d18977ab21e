# SPDX-License-Identifier: BSD-3-Clause
"""Gears that couple the torsion of shafts: a ratio, and a planetary stage.

Both are a spring whose elongation is a sum of weights times the rotations of shafts about their
axes, ``e = sum w_i n_i . r_i``, which vanishes when all turn at their ratio.

Of a planetary stage with the pitch radii s of the sun and p of the planets, the teeth of a planet
that turns by y approach by ``s (a - c) + p y`` at the sun and by ``(s + 2 p) (b - c) - p y`` at the
ring, for rotations a, b, c of sun, ring and carrier. Without inertia it has the same force in both
meshes: they are springs in series, whose elongations add up to ``s a + (s + 2 p) b - 2 (s + p) c``.
Forces of equally spaced planets across the axis cancel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_frame import FrameSpec
from flexforge.runtime.model.schema_lumped import GearRatioSpec, PlanetarySpec
from flexforge.runtime.motion.build import build_motion

#: Relative error of places, axes and speeds that is more than that of their digits.
_CLOSE = 1e-6
#: Times at which speeds are compared.
_LOOKS = 101
_NAMES = ("sun", "ring", "carrier")


@dataclass(frozen=True, slots=True)
class TrainLaw:
    """A spring and a damper between rotations.

    Attributes
    ----------
    weights : ndarray, (k, 3)
        Factors of the rotations of its nodes in the elongation.
    stiffness, damping : float
        Of the elongation.
    """

    weights: Floats
    stiffness: float
    damping: float


def train_law(
    spec: GearRatioSpec | PlanetarySpec,
    key: str,
    centres: Floats,
    spins: Sequence[FrameSpec | None],
    span: float,
) -> TrainLaw:
    """Return the law of gears.

    Parameters
    ----------
    spec : GearRatioSpec or PlanetarySpec
        The gears.
    key : str
        Its key in the model file.
    centres : ndarray, (k, 3)
        Places of its nodes, m.
    spins : sequence of FrameSpec
        Frames that turn with the shafts; None of those that do not spin.
    span : float
        Time of the analysis, s.

    Raises
    ------
    InputError
        For axes that are missing, nodes of a stage beside its axis, and speeds of another ratio.
    """
    axes = _axes(spec, key, spins)
    if isinstance(spec, GearRatioSpec):
        weights = np.array([-spec.ratio, 1.0])
        stiffness, damping = spec.stiffness, spec.damping
    else:
        sun, ring = spec.radii
        _require_coaxial(key, centres, axes, ring)
        axes = np.tile(axes[0], (3, 1))  # whatever the sense of those of the shafts
        weights = np.cos(spec.pressure_angle) * np.array([sun, ring, -sun - ring])
        first, second = spec.stiffness
        stiffness = spec.planets * first * second / (first + second)
        damping = spec.planets * spec.damping
    _require_ratio(spec, key, weights, axes, spins, span)
    return TrainLaw(weights[:, None] * axes, stiffness, damping)


def _axes(
    spec: GearRatioSpec | PlanetarySpec, key: str, spins: Sequence[FrameSpec | None]
) -> Floats:
    """Return the axes of all shafts, (k, 3): of those that do not spin the key's, or of others."""
    known = [None if one is None else one.axis for one in spins]
    given = spec.axis
    if isinstance(spec, PlanetarySpec) and given is None:
        given = next((one for one in known if one is not None), None)
    found = [given if one is None else one for one in known]
    if any(one is None for one in found):
        raise InputError(f"{key}.axis: missing with shafts that do not spin; expected theirs")
    axes = np.array(found, dtype=float)
    return np.asarray(axes / np.linalg.norm(axes, axis=1)[:, None])


def _require_coaxial(key: str, centres: Floats, axes: Floats, size: float) -> None:
    """Refuse a stage whose sun, ring and carrier are not on one axis."""
    across = np.cross(centres - centres[0], axes[0])
    off = np.linalg.norm(across, axis=1) > _CLOSE * size
    off |= np.linalg.norm(np.cross(axes, axes[0]), axis=1) > _CLOSE
    for name, wrong in zip(_NAMES, off.tolist(), strict=True):
        if wrong:
            raise InputError(
                f"{key}.between: found the {name} beside the axis of the sun; expected sun, ring "
                "and carrier on one axis"
            )


def _require_ratio(
    spec: GearRatioSpec | PlanetarySpec,
    key: str,
    weights: Floats,
    axes: Floats,
    spins: Sequence[FrameSpec | None],
    span: float,
) -> None:
    """Refuse speeds with which the teeth would not stay together."""
    if all(one is None for one in spins):
        return
    times = np.linspace(0.0, span, _LOOKS)
    turned = np.array(
        [
            np.zeros(_LOOKS)
            if one is None
            else build_motion(one, span).rotation.over(times)[1] @ axis
            for one, axis in zip(spins, axes, strict=True)
        ]
    )
    left = np.abs(weights @ turned)
    worst = int(np.argmax(left))
    if left[worst] <= _CLOSE * float(np.abs(weights[:, None] * turned).max()):
        return
    speeds = turned[:, worst]
    told = ", ".join(f"{one:g}" for one in speeds)
    wanted = float(-(weights[:-1] @ speeds[:-1]) / weights[-1])
    last = "the carrier" if isinstance(spec, PlanetarySpec) else "the second shaft"
    raise InputError(
        f"{key}: found the speeds {told} rad/s; expected those of its gears, with {wanted:g} rad/s "
        f"of {last}"
    )
