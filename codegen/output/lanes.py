# SPDX-License-Identifier: BSD-3-Clause
"""How many elements a kernel computes at once, by what the processor has."""

from __future__ import annotations

#: Elements per call by level of the processor: the doubles its vectors hold.
LANES = {1: 2, 2: 4, 3: 4, 4: 8}
