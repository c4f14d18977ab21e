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
pytestmark = needs_mpi


def _iterations(size: int, count: int) -> int:
    command = [sys.executable, str(SCALE), "--job", "two processes", "--sizes", str(size)]
    done = subprocess.run(
        [*(mpirun(count) if count > 1 else []), *command, "--threads", "1"],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    return int(json.loads(done.stdout)["iterations"])


@pytest.mark.parametrize(
    ("size", "counts"), [(14, (3,)), pytest.param(20, (8, 32), marks=pytest.mark.slow)]
)
def test_iterations_do_not_grow_with_the_processes(size: int, counts: tuple[int, ...]) -> None:
    """A cube of 9,450 unknowns in 3 parts, or of 26,460 in 8 and 32: at most a fifth more."""
    alone = _iterations(size, 1)
    assert [_iterations(size, count) <= 1.2 * alone for count in counts] == [True] * len(counts)
