# SPDX-License-Identifier: BSD-3-Clause
"""Number of elements that a kernel computes at once, by level of the processor."""

from __future__ import annotations

#: Elements per call by level of the processor: the number of doubles in its vectors.
LANES = {1: 2, 2: 4, 3: 4, 4: 8}
