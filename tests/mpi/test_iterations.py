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


def _iterations(size: int, cell: str, count: int) -> int:
    command = [sys.executable, str(SCALE), "--job", "two processes", "--sizes", str(size)]
    command += ["--cells", cell]
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
    ("size", "cell", "counts"),
    [
        (14, "hex8", (3,)),
        (8, "hex20", (3,)),
        pytest.param(20, "hex8", (8, 32), marks=pytest.mark.slow),
    ],
)
def test_iterations_do_not_grow_with_the_processes(
    size: int, cell: str, counts: tuple[int, ...]
) -> None:
    """A cube of 9,450 unknowns in 3 parts, or of 26,460 in 8 and 32: at most a fifth more."""
    alone = _iterations(size, cell, 1)
    found = [_iterations(size, cell, count) for count in counts]
    assert [one <= 1.2 * alone for one in found] == [True] * len(counts)
