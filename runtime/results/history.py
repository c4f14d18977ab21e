# SPDX-License-Identifier: BSD-3-Clause
"""One probe over time, with its unit: an array of values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import DTypeLike, NDArray

if TYPE_CHECKING:
    from xarray import DataArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class History(NDArrayOperatorsMixin):
    """What a probe followed: an array of values, with times and unit.

    Indices, arithmetic and functions of NumPy act on the values and return numbers and arrays.

    Attributes
    ----------
    name : str
        Of the probe.
    unit : str
        Of the values.
    time : ndarray, (T,)
        Times.
    values : ndarray, (T,)
        Values at these times.
    second : str
        Unit of the times.

    Examples
    --------
    >>> import numpy as np
    >>> from flexforge.runtime.results.history import History
    >>> tip = History("tip", "m", np.array([0.0, 0.1, 0.2]), np.array([0.0, -3.0, 1.0]))
    >>> tip
    tip [m]: 3 values from 0 to 0.2 s, peak -3 at 0.1 s
    >>> float(tip[-1]), float(tip.min()), tip.time[tip < 0.0]
    (1.0, -3.0, array([0.1]))
    >>> 1000.0 * tip
    array([    0., -3000.,  1000.])
    """

    name: str
    unit: str
    time: Floats
    values: Floats
    second: str = "s"

    @property
    def peak(self) -> tuple[float, float]:
        """The value that is largest in magnitude, and when."""
        at = int(np.abs(self.values).argmax())
        return float(self.values[at]), float(self.time[at])

    def to_xarray(self) -> DataArray:
        """Return the values as an xarray with the coordinate ``time`` and units.

        Raises
        ------
        ImportError
            Without xarray: ``pip install xarray``.
        """
        from xarray import DataArray

        time = ("time", self.time, {"units": self.second})
        return DataArray(
            self.values, dims="time", coords={"time": time}, name=self.name,
            attrs={"units": self.unit},
        )  # fmt: skip

    def max(self, **options: Any) -> Any:
        """Return the largest value; options are those of the method of NumPy's arrays."""
        return self.values.max(**options)

    def min(self, **options: Any) -> Any:
        """Return the smallest value; options are those of the method of NumPy's arrays."""
        return self.values.min(**options)

    def __getitem__(self, index: Any) -> Any:
        """Return values by an index of NumPy's arrays: a number, or an array."""
        return self.values[index]

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Apply a function to the values (called by NumPy, for operators too)."""
        if any(isinstance(one, History) for one in options.get("out", ())):
            return NotImplemented  # what was recorded is not written to
        plain = [one.values if isinstance(one, History) else one for one in inputs]
        return getattr(function, method)(*plain, **options)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the values (called by NumPy)."""
        found = np.asarray(self.values, dtype=dtype)
        return found.copy() if copy else found

    def __len__(self) -> int:
        """Return the number of times."""
        return len(self.time)

    def __repr__(self) -> str:
        head = f"{self.name} [{self.unit}]" if self.unit else self.name
        if not len(self):
            return f"{head}: no values"
        value, at = self.peak
        second = f" {self.second}" if self.second else ""
        return (
            f"{head}: {len(self)} values from {self.time[0]:g} to {self.time[-1]:g}{second}, "
            f"peak {value:.6g} at {at:g}{second}"
        )
