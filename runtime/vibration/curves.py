# SPDX-License-Identifier: BSD-3-Clause
"""Spectra and densities: values over the frequency or the period, between given points.

Straight lines between the logarithms of points are the custom of both, and the meaning of slopes in
dB per octave.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_excitation import CurveSpec
from flexforge.runtime.motion.tables import read_table


@dataclass(frozen=True, slots=True)
class Curve:
    """Values between points, constant outside.

    Attributes
    ----------
    x, y : ndarray, (n,)
        The points, ascending in x.
    logarithmic : bool
        Whether lines are straight between the logarithms of points.
    """

    x: Floats
    y: Floats
    logarithmic: bool

    def at(self, x: Floats) -> Floats:
        """Return the values at some places, of their shape."""
        given = np.asarray(x, dtype=float)
        if not self.logarithmic:
            return np.asarray(np.interp(given, self.x, self.y))
        inside = np.clip(given, self.x[0], self.x[-1])
        powers = np.interp(np.log(inside), np.log(self.x), np.log(self.y))
        return np.asarray(np.exp(powers))

    def covers(self, x: Floats) -> Floats:
        """Return whether places are between the first and the last point."""
        return np.asarray((x >= self.x[0]) & (x <= self.x[-1]))


def build_curve(spec: CurveSpec, factor: float = 1.0) -> Curve:
    """Return a curve of the model file.

    Parameters
    ----------
    spec : CurveSpec
        Its points, or where they are.
    factor : float
        Of the values, which converts them to SI units.

    Raises
    ------
    InputError
        For a table that cannot be read, negative numbers, and zeros that have no logarithm.
    """
    if spec.table is not None:
        x, y = read_table(spec.table, spec.column)
        where = f"{spec.table}: "
    else:
        assert spec.points is not None
        x, y = np.array(spec.points).T
        where = ""
    logarithmic = spec.between == "logarithms"
    for values in (x, y):
        least = float(values.min())
        if least < 0.0:
            raise InputError(f"{where}found {least:g}; expected numbers >= 0")
        if logarithmic and least == 0.0:
            raise InputError(
                f"{where}found 0, which has no logarithm; expected numbers above 0, or between = "
                '"lines"'
            )
    return Curve(x, factor * spec.scale * y, logarithmic)
