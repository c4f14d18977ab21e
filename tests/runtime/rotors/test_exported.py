# SPDX-License-Identifier: BSD-3-Clause
"""The C library of a rotor that is spun up: the numbers of the run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from exported import Library, compile_shared, write
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from rotor_equations import Disc, Piece, Rotor
from shafts import histories, on, probes, tables, unbalance

STEPS, STEP = 20, 1e-3


@pytest.mark.parametrize("turning", ["spin", "frame"])
def test_the_library_of_a_rotor_is_its_run(turning: str, tmp_path: Path) -> None:
    """Damping of the shaft, coupled bearings, an unbalance, weight: outputs to 1e-12.

    In axes at rest bearings have matrices that are not symmetric; in a frame that turns they have
    to be alike in all directions.
    """
    law = [[4e5, 9e4], [-3e4, 3e5]] if turning == "spin" else [[4e5, 9e4], [-9e4, 4e5]]
    rotor = on(
        Rotor([Piece(0.4, 0.03), Piece(0.5, 0.03)], [Disc(1, 40.0, 1.0, 1.8)], alpha=0.7,
              beta=1e-4),
        law, 1e3, nodes=(0, 2),
    )  # fmt: skip
    data = tables(
        rotor, {"ramp": {"to": 120.0, "duration": 0.01}}, turning=turning,
        loads=[unbalance(1, 1e-3, 0.4), {"kind": "gravity", "acceleration": [0, -9.81, 0]}],
        probes=probes(0, 1) + probes(1, quantity="velocity"),
        analysis={"kind": "transient", "step": STEP, "duration": STEPS * STEP},
    )  # fmt: skip
    wanted = histories(data, tmp_path / "run")
    solver = build_solver(model_from_dict(data, folder=tmp_path))
    folder = write(library_files(solver), tmp_path / "c")
    one = Library(compile_shared(folder, solver.name), solver).create()
    rows = [[one.time, *one.get()]]
    for _ in range(STEPS):
        assert one.step(STEP) == 0
        rows.append([one.time, *one.get()])
    one.free()
    largest = np.abs(wanted).max(axis=0)
    assert (np.abs(np.array(rows) - wanted).max(axis=0) <= 1e-12 * largest).all()
