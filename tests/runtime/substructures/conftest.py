# SPDX-License-Identifier: BSD-3-Clause
"""Let the tests import what stands beside them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
