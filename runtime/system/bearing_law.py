# SPDX-License-Identifier: BSD-3-Clause
"""Coefficients of bearings and seals: constant, or over the speed of a shaft."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError, nearest
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_bearing import COEFFICIENTS, BearingTable, Matrix
from flexforge.runtime.model.schema_lumped import BearingSpec
from flexforge.runtime.motion.tables import read_columns
from flexforge.runtime.system.bearing_transfer import functions_of, realized
from flexforge.runtime.system.inertia import skew

#: A quarter turn across the axis.
TURN = skew(np.array([0.0, 0.0, 1.0]))[:2, :2]
#: Difference of coefficients along both axes, relative to the largest, that is round-off.
_ALIKE = 1e-12
#: Speeds below zero, relative to the last of a table, that round-off makes of zero.
_STILL = 1e-12
#: Speeds of a table that are given to six digits or more end where they are meant to.
_TO_DIGITS = 1e-6


@dataclass(frozen=True, eq=False)
class BearingLaw:
    """Stiffness, damping and mass across a shaft.

    Attributes
    ----------
    values : ndarray, (S, 3, 2 + 3 h, 2 + 3 h)
        Stiffness (N/m), damping (N s/m) and mass (kg) at every speed; one without a table. They are
        of x and y across the shaft, and along x, y and the axis of h internal vectors.
    speeds : ndarray, (S,)
        Ascending, rad/s; none without a table.
    source : str
        The file or the key of the table, for messages.
    """

    values: Floats
    speeds: Floats = field(default_factory=lambda: np.zeros(0))
    source: str = ""

    @property
    def varies(self) -> bool:
        """Whether it depends on the speed."""
        return len(self.speeds) > 0

    @property
    def internal(self) -> int:
        """Number of internal vectors, h."""
        return int(self.values.shape[2] - 2) // 3

    def at(self, speed: float) -> Floats:
        """Return stiffness, damping and mass at a speed; see :meth:`over`.

        Parameters
        ----------
        speed : float
            rad/s.
        """
        return np.asarray(self.over(np.array([speed]))[0])

    def over(self, speeds: Floats) -> Floats:
        """Return stiffness, damping and mass at speeds, as `values`.

        Between the rows of a table by monotone cubics, beyond them those of its ends.

        Parameters
        ----------
        speeds : ndarray, (S,)
            rad/s.

        Raises
        ------
        InputError
            For a speed below zero, of which a table says nothing.
        """
        if not self.varies:
            return np.repeat(self.values, len(speeds), axis=0)
        for speed in speeds[speeds < -_STILL * self.speeds[-1]]:
            raise InputError(
                f"{self.source}: found the speed {speed:g} rad/s about its axis; expected one from "
                "0, in the sense for which the table is"
            )
        return np.asarray(self._curve(np.clip(speeds, self.speeds[0], self.speeds[-1])))

    @cached_property
    def is_alike(self) -> bool:
        """Whether it is the same in all directions across the axis: ``a 1 + b J`` at all speeds."""
        from scipy.linalg import block_diag

        turn = block_diag(TURN, *[np.pad(TURN, (0, 1))] * self.internal)
        turned = self.values @ turn - turn @ self.values
        sizes = np.abs(self.values).max(axis=(0, 2, 3))
        return bool((np.abs(turned).max(axis=(0, 2, 3)) <= _ALIKE * sizes).all())

    def beyond(self, speeds: Iterable[float]) -> list[float]:
        """Return the speeds, rad/s, that are not between the first and the last of the table."""
        if not self.varies:
            return []
        low, high = self.speeds[[0, -1]] * [1.0 - _TO_DIGITS, 1.0 + _TO_DIGITS]
        return [one for one in speeds if not low <= one <= high]

    @cached_property
    def _curve(self) -> Any:
        from scipy.interpolate import PchipInterpolator

        if len(self.speeds) == 1:
            return lambda speeds: np.repeat(self.values, len(speeds), axis=0)
        return PchipInterpolator(self.speeds, self.values)


def alike_part(law: Floats) -> Floats:
    """Return what of a law across a shaft, (..., 2, 2), is the same in all directions.

    It is ``a 1 + b J``; a bearing that stands still has it in axes that turn, too, and the rest of
    its law varies there with twice their angle.
    """
    a = 0.5 * (law[..., 0, 0] + law[..., 1, 1])
    b = 0.5 * (law[..., 1, 0] - law[..., 0, 1])
    return np.asarray(a[..., None, None] * np.eye(2) + b[..., None, None] * TURN)


def bearing_law(spec: BearingSpec, key: str) -> BearingLaw:
    """Return the law of a bearing of the model file.

    Parameters
    ----------
    spec : BearingSpec
        The bearing.
    key : str
        Its key in the model file.

    Raises
    ------
    InputError
        For a table that cannot be read, or lacks columns.
    """
    if isinstance(spec.table, BearingTable):
        columns = {name: getattr(spec.table, name) for name in COEFFICIENTS}
        known = {name: np.array(one) for name, one in columns.items() if one is not None}
        found = _law(np.array(spec.table.speed), known, f"{key}.table")
    elif spec.table is not None:
        found = _read(spec.table)
    elif spec.transfer is not None:
        found = BearingLaw(realized(functions_of(spec.transfer))[None])
    else:
        given: list[Matrix | None] = [spec.stiffness, spec.damping, spec.mass]
        each = [np.zeros((2, 2)) if one is None else np.array(one, dtype=float) for one in given]
        found = BearingLaw(np.array(each)[None])
    masses = found.values[:, 2, :2, :2]
    if (masses != masses.swapaxes(1, 2)).any() or (np.linalg.eigvalsh(masses) < 0.0).any():
        where = f"{found.source}: columns mxx, mxy, myx, myy" if found.varies else f"{key}.mass"
        if spec.transfer is not None:
            where = f"{key}.transfer: s^2 beside poles"
        raise InputError(
            f"{where}: found an inertia that no mass has; expected a symmetric matrix "
            "without negative eigenvalues"
        )
    return found


def _read(path: Path) -> BearingLaw:
    """Return the law of a file."""
    heading, table = read_columns(path, "speed")
    for name in heading:
        if name not in COEFFICIENTS:
            raise InputError(
                f"{path}: found the column '{name}'; expected speed, {', '.join(COEFFICIENTS)}"
                f"{nearest(name, COEFFICIENTS)}"
            )
    if not heading:
        raise InputError(f"{path}: found the column speed alone; expected kxx and others with it")
    if table[0, 0] < 0.0:
        raise InputError(f"{path}: found the speed {table[0, 0]:g}; expected speeds from 0 (rad/s)")
    return _law(table[:, 0], dict(zip(heading, table[:, 1:].T, strict=True)), str(path))


def _law(speeds: Floats, known: Mapping[str, Floats], source: str) -> BearingLaw:
    """Return a law of columns: what lacks across the axes is zero, along y what is along x."""
    values = np.zeros((len(speeds), 3, 2, 2))
    for k, what in enumerate("kcm"):
        for i, row in enumerate("xy"):
            for j, column in enumerate("xy"):
                found = known.get(f"{what}{row}{column}")
                if found is None and i == j == 1:
                    found = known.get(f"{what}xx")
                values[:, k, i, j] = 0.0 if found is None else found
    return BearingLaw(values, speeds, source)
