# SPDX-License-Identifier: BSD-3-Clause
"""One probe over time, with its unit, as an array."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

if TYPE_CHECKING:
    from xarray import DataArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class History:
    """What a probe followed; NumPy takes it as the array of its values.

    Attributes
    ----------
    name : str
        Of the probe.
    unit : str
        Of the values.
    time : ndarray, (T,)
        Times, s.
    values : ndarray, (T,)
        Values at these times.

    Examples
    --------
    >>> import numpy as np
    >>> from flexforge.runtime.results.history import History
    >>> tip = History("tip", "m", np.array([0.0, 0.1, 0.2]), np.array([0.0, -3.0, 1.0]))
    >>> tip
    tip [m]: 3 values from 0 to 0.2 s, peak -3 at 0.1 s
    >>> np.abs(tip).max()
    3.0
    """

    name: str
    unit: str
    time: Floats
    values: Floats

    @property
    def peak(self) -> tuple[float, float]:
        """The value that is largest in magnitude, and when, s."""
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

        time = ("time", self.time, {"units": "s"})
        return DataArray(
            self.values, dims="time", coords={"time": time}, name=self.name,
            attrs={"units": self.unit},
        )  # fmt: skip

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
        return (
            f"{head}: {len(self)} values from {self.time[0]:g} to {self.time[-1]:g} s, "
            f"peak {value:.6g} at {at:g} s"
        )
