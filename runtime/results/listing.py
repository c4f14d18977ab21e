# SPDX-License-Identifier: BSD-3-Clause
"""Tables of values at nodes or points of cells: as CSV, and as CalculiX prints them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.results.data import Column

#: What CalculiX calls a quantity, with the components in the order in which it prints them.
_CALLED = {
    "displacement": ("displacements (vx,vy,vz) for set", (0, 1, 2)),
    "velocity": ("velocities (vx,vy,vz) for set", (0, 1, 2)),
    "nodal_force": ("forces (fx,fy,fz) for set", (0, 1, 2)),
    "nodal_moment": ("moments (mx,my,mz) for set", (0, 1, 2)),
    "rotation": ("rotations (rx,ry,rz) for set", (0, 1, 2)),
    "stress": ("stresses (elem, integ.pnt.,sxx,syy,szz,sxy,sxz,syz) for set", (0, 1, 2, 3, 5, 4)),
    "energy_density": ("internal energy density (elem, integ.pnt.,energy) for set", (0,)),
    "strain": ("strains (elem, integ.pnt.,exx,eyy,ezz,exy,exz,eyz) for set", (0, 1, 2, 3, 5, 4)),
}
#: What it calls those of whole elements, and their sum.
_OF_ELEMENTS = {
    "strain_energy": ("internal energy (element, energy) for set", "total internal energy for set"),
    "kinetic_energy": ("kinetic energy (elem, energy) for set", "total kinetic energy for set"),
    "volume": ("volume (element, volume) for set", "total volume for set"),
}
_CALLED |= {quantity: (called, (0,)) for quantity, (called, _) in _OF_ELEMENTS.items()}
_TOTALS = {quantity: total for quantity, (_, total) in _OF_ELEMENTS.items()}
_COMPONENTS = {1: ("value",), 3: ("x", "y", "z"), 6: ("xx", "yy", "zz", "xy", "yz", "zx")}
#: Names of the columns of numbers of nodes, and of cells and what is in them.
NODES, POINTS, ENDS = ("node",), ("element", "point"), ("element", "node")


@dataclass(frozen=True, slots=True)
class Listing:
    """The values of a quantity at one time.

    Attributes
    ----------
    title, quantity, group : str
        Name of the table, quantity, and group of the mesh.
    unit : str
        Unit of the values.
    time : float
        Time, s; of modes the frequency, Hz.
    labels : ndarray of int, (n, 1 or 2)
        Numbers of nodes, or of elements and points in them.
    values : ndarray, (n, 1, 3 or 6)
        Components.
    total : str
        Whether the sum over the rows is written: ``no``, ``also``, or ``only`` that.
    summed : ndarray, (3,), optional
        The total where it is not the sum of the values, as that of combined peaks is not.
    labelled : tuple of str
        Names of the columns of labels.
    columns : tuple of Column, optional
        Names and units of the components; by default x, y, z, or xx to zx.
    """

    title: str
    quantity: str
    group: str
    unit: str
    time: float
    labels: Ints
    values: Floats
    total: str = "no"
    summed: Floats | None = None
    labelled: tuple[str, ...] = NODES
    columns: tuple[Column, ...] | None = None

    @property
    def sum(self) -> Floats:
        """The total over the nodes, (c,)."""
        return np.asarray(self.values.sum(axis=0)) if self.summed is None else self.summed

    @property
    def heads(self) -> list[str]:
        """Heads of the columns of a CSV file."""
        names = _COMPONENTS.get(self.values.shape[1], ())
        columns = self.columns or tuple(Column(name, self.unit) for name in names)
        return ["time", *self.labelled, *(one.title for one in columns)]

    def csv(self) -> str:
        """Return lines of a CSV file, without heads; numbers to the last digit."""
        labels, values = self.labels.tolist(), self.values.tolist()
        if self.total == "only":
            labels, values = [], []
        if self.total != "no":
            labels.append(["total"])
            values.append(self.sum.tolist())
        rows = zip(labels, values, strict=True)
        time = repr(float(self.time))
        return "".join(
            f"{time},{','.join(map(str, label))},{','.join(map(repr, row))}\n"
            for label, row in rows
        )

    def printed(self) -> str:
        """Return the block that CalculiX prints for it; empty for a quantity that it has not."""
        if self.quantity not in _CALLED:
            return ""
        called, order = _CALLED[self.quantity]
        of = f"{self.group.partition(':')[0].upper()} and time {fortran(self.time)}"
        text = ""
        if self.total != "only":
            rows = zip(self.labels.tolist(), self.values[:, list(order)].tolist(), strict=True)
            lines = (
                f"{label[0]:10d}{''.join(f'{n:4d}' for n in label[1:])}{_numbers(row)}\n"
                for label, row in rows
            )
            text = f"\n {called} {of}\n\n{''.join(lines)}"
        if self.total != "no":
            total = self.sum[list(order)].tolist()
            called = _TOTALS.get(self.quantity, "total force (fx,fy,fz) for set")
            text += f"\n {called} {of}\n\n      {_numbers(total)}\n"
        return text


def _numbers(row: Sequence[float]) -> str:
    return "".join(f"{value:14.6E}" for value in row)


def fortran(value: float) -> str:
    """Return a number as Fortran prints it, with a zero before the point."""
    if value == 0.0:
        return " 0.0000000E+00"
    exponent = int(np.floor(np.log10(abs(value)))) + 1
    scaled = value / 10.0**exponent
    if f"{abs(scaled):.7f}".startswith("1"):  # rounded up
        scaled, exponent = scaled / 10.0, exponent + 1
    return f"{scaled:10.7f}E{exponent:+03d}".rjust(14)
