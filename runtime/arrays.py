# SPDX-License-Identifier: BSD-3-Clause
"""Types of arrays: real numbers in two precisions, whole and complex numbers, truth values."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]
Complex = NDArray[np.complex128]
Flags = NDArray[np.bool_]
Number = TypeVar("Number", np.float64, np.complex128)
