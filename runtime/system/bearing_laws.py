# SPDX-License-Identifier: BSD-3-Clause
"""From the model file to the law of a bearing: matrices, tables, transfer functions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from flexforge.codegen.errors import InputError, nearest
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_bearing import (
    AXES,
    COEFFICIENTS,
    COLUMNS,
    MEASURED,
    BearingTable,
    Matrix,
)
from flexforge.runtime.model.schema_lumped import BearingSpec
from flexforge.runtime.motion.tables import read_columns
from flexforge.runtime.system.bearing_frequencies import FrequencyLaw
from flexforge.runtime.system.bearing_law import BearingLaw
from flexforge.runtime.system.bearing_transfer import functions_of, realized

_HERTZ = 2.0 * np.pi  # rad/s
#: Imaginary part at rest, relative to the largest, that is round-off.
_AT_REST = 1e-9


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
        columns = {name: getattr(spec.table, name) for name in (*AXES, *COLUMNS)}
        known = {name: np.array(one) for name, one in columns.items() if one is not None}
        found = law_of_table(known, f"{key}.table")
    elif spec.table is not None:
        found = law_of_table(read_bearing(spec.table), str(spec.table))
    elif spec.transfer is not None:
        found = BearingLaw(realized(functions_of(spec.transfer))[None])
    else:
        given: list[Matrix | None] = [spec.stiffness, spec.damping, spec.mass]
        each = [np.zeros((2, 2)) if one is None else np.array(one, dtype=float) for one in given]
        found = BearingLaw(np.array(each)[None])
    masses = found.masses
    if (masses != masses.swapaxes(-1, -2)).any() or (np.linalg.eigvalsh(masses) < 0.0).any():
        where = f"{found.source}: columns mxx, mxy, myx, myy" if spec.table else f"{key}.mass"
        if spec.transfer is not None:
            where = f"{key}.transfer: s^2 beside poles"
        raise InputError(
            f"{where}: found an inertia that no mass has; expected a symmetric matrix "
            "without negative eigenvalues"
        )
    return found


def read_bearing(path: Path) -> dict[str, Floats]:
    """Return the columns of a table in a file.

    Raises
    ------
    InputError
        For a table that cannot be read, or has other columns.
    """
    heading, table = read_columns(path, AXES)
    for name in heading:
        if name not in (*AXES, *COLUMNS):
            raise InputError(
                f"{path}: found the column '{name}'; expected {', '.join((*AXES, *COLUMNS))}"
                f"{nearest(name, (*AXES, *COLUMNS))}"
            )
    columns = dict(zip(heading, table.T, strict=True))
    axes = [name for name in AXES if name in columns]
    if len(columns) == len(axes):
        raise InputError(
            f"{path}: found the column {axes[0]} alone; expected kxx and others with it"
        )
    for name in axes:
        lowest = float(columns[name].min())
        if lowest < 0.0:
            unit = "rad/s" if name == "speed" else "Hz"
            many = "speeds" if name == "speed" else "frequencies"
            raise InputError(
                f"{path}: found the {name} {lowest:g}; expected {many} from 0 ({unit})"
            )
    return columns


def law_of_table(columns: Mapping[str, Floats], source: str) -> BearingLaw:
    """Return the law of a table: what lacks across the axes is zero, along y what is along x.

    Parameters
    ----------
    columns : mapping
        Columns of one length by their names.
    source : str
        The file or the key of the table, for messages.

    Raises
    ------
    InputError
        For rows that lack in a grid of speeds and frequencies, and columns that do not go together.
    """
    measured = [name for name in columns if name in MEASURED]
    others = [name for name in columns if name in COEFFICIENTS]
    if measured and others:
        raise InputError(
            f"{source}: found the columns {others[0]} and {measured[0]}; expected coefficients, or "
            "real and imaginary parts"
        )
    if measured and "frequency" not in columns:
        raise InputError(
            f"{source}: found {measured[0]} without frequency; expected a column of it"
        )
    values = _matrices(columns, measured=bool(measured))
    if "frequency" not in columns:
        return BearingLaw(values, columns["speed"], source)
    speeds, frequencies, grid = _gridded(columns, values, source)
    if measured and not frequencies[0]:
        left = np.abs(grid[:, 0, 1])
        if left.max() > _AT_REST * np.abs(grid).max():
            raise InputError(
                f"{source}: found an imaginary part of {left.max():g} at frequency 0; expected 0"
            )
    return FrequencyLaw.of(speeds, frequencies * _HERTZ, grid, source, measured=bool(measured))


def _matrices(columns: Mapping[str, Floats], *, measured: bool) -> Floats:
    """Return stiffness, damping and mass of every row, or parts of the stiffness, (R, 3, 2, 2)."""
    rows = len(next(iter(columns.values())))
    values = np.zeros((rows, 3, 2, 2))
    for k, what in enumerate(("re_", "im_") if measured else "kcm"):
        for i, row in enumerate("xy"):
            for j, column in enumerate("xy"):
                found = columns.get(f"{what}{row}{column}")
                if found is None and i == j == 1:
                    found = columns.get(f"{what}xx")
                values[:, k, i, j] = 0.0 if found is None else found
    return values


def _gridded(
    columns: Mapping[str, Floats], values: Floats, source: str
) -> tuple[Floats, Floats, Floats]:
    """Return speeds (S,), frequencies (F,) and values on the grid of both, (S or 1, F, 3, 2, 2).

    Raises
    ------
    InputError
        Naming a speed with a frequency that has no row, or two.
    """
    frequencies = np.unique(columns["frequency"])
    if "speed" not in columns:
        return np.zeros(0), frequencies, values[None]
    speeds = np.unique(columns["speed"])
    row = np.searchsorted(speeds, columns["speed"])
    place = np.searchsorted(frequencies, columns["frequency"])
    counts = np.zeros((len(speeds), len(frequencies)), dtype=int)
    np.add.at(counts, (row, place), 1)
    for i, k in np.argwhere(counts != 1).tolist()[:1]:
        found = "no row" if not counts[i, k] else f"{counts[i, k]} rows"
        raise InputError(
            f"{source}: found {found} of speed {speeds[i]:g} and frequency {frequencies[k]:g}; "
            "expected one for every speed with every frequency"
        )
    grid = np.zeros((*counts.shape, *values.shape[1:]))
    grid[row, place] = values
    return speeds, frequencies, grid
