# SPDX-License-Identifier: BSD-3-Clause
"""How many iterations multigrid takes where processes share the matrix."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from flexforge.runtime.machine.launcher import mpirun
from mpi_runs import needs_mpi

SCALE = Path(__file__).parents[2] / "benchmarks" / "scale.py"
pytestmark = [pytest.mark.slow, needs_mpi]


def _iterations(count: int) -> int:
    command = [sys.executable, str(SCALE), "--job", "two processes", "--sizes", "20"]
    done = subprocess.run(
        [*(mpirun(count) if count > 1 else []), *command, "--threads", "1"],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    return int(json.loads(done.stdout)["iterations"])


def test_iterations_do_not_grow_with_the_processes() -> None:
    """A cube of 26,460 unknowns in 8 and 32 parts: at most a fifth more than in one."""
    alone = _iterations(1)
    assert [_iterations(count) <= 1.2 * alone for count in (8, 32)] == [True, True]
