# SPDX-License-Identifier: BSD-3-Clause
"""Let the tests of this folder import what stands beside them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
