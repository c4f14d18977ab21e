# SPDX-License-Identifier: BSD-3-Clause
"""How threads wait is set before the library of threads is loaded, unless the user says it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from flexforge.runtime.machine.waiting import LOOKS

READ = """
import os
from flexforge.runtime import _operators
maps = open("/proc/self/maps").read()
assert "libgomp" in maps
print(os.environ.get("GOMP_SPINCOUNT", "none"))
"""


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, str(LOOKS)),
        ({"OMP_WAIT_POLICY": "active"}, "none"),
        ({"GOMP_SPINCOUNT": "7"}, "7"),
    ],
)
def test_the_environment_decides(given: dict[str, str], found: str) -> None:
    free = {k: v for k, v in os.environ.items() if k not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
    run = subprocess.run(
        [sys.executable, "-c", READ], env=free | given, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == found
