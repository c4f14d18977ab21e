# SPDX-License-Identifier: BSD-3-Clause
"""Let the tests import what stands beside them, and the benchmarks' own helpers."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "benchmarks")]
