# SPDX-License-Identifier: BSD-3-Clause
"""Let the tests import what stands beside them, and what compiles exports."""

import sys
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "export")]
