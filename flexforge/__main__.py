# SPDX-License-Identifier: BSD-3-Clause
"""``python -m flexforge``: the command line."""

from __future__ import annotations

import sys

from flexforge.cli import main

if __name__ == "__main__":
    sys.exit(main())
