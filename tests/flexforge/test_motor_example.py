# SPDX-License-Identifier: BSD-3-Clause
"""The example of an arm coupled with a motor: its limits, and a run of the arm alone."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest
from flexforge.cli import main
from scipy.integrate import solve_ivp

HERE = Path(__file__).parents[2] / "examples" / "motor"
pytestmark = pytest.mark.slow
#: ohm, H, N m/A, kg m^2: as in motor.c.
R, L, K, J = 0.5, 1e-3, 0.05, 0.02
#: kg, and kg m^2 about the shaft by the parallel axis theorem: a bar from 0.05 to 0.65 m.
MASS = 2700 * 0.004 * 0.02 * 0.6
J_ARM = MASS * (0.6**2 / 12 + 0.35**2)


@pytest.fixture(scope="module")
def couple():
    """The program of the example."""
    if not shutil.which("cc"):
        pytest.skip("cc is not installed")
    spec = importlib.util.spec_from_file_location("couple", HERE / "couple.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def coupled(couple, folder: Path, step: float, *changes: tuple[str, str]) -> np.ndarray:
    """Return the rows of a coupled run of the arm with some text of its model changed."""
    text = (HERE / "arm.toml").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (folder / "arm.toml").write_text(text, encoding="utf-8")
    arm = couple.Part(couple.build_arm(folder / "arm", folder / "arm.toml"))
    motor = couple.Part(couple.build_motor(folder))
    rows = couple.couple(arm, motor, step)
    arm.close()
    motor.close()
    return rows


def test_a_stiff_arm_is_a_flywheel(couple, tmp_path):
    """10,000 times as stiff: the speed of (J + J_arm) w' = k i with SciPy, to the square of a step.

    What is left of the vibration at 1e4 times the stiffness is 1e-4 of what it was.
    """

    def rates(time, y, voltage):
        current, speed = y
        return [(voltage - R * current - K * speed) / L, K * current / (J + J_ARM)]

    exact, state = [], [0.0, 0.0]
    for begin, end, voltage in ((0.0, couple.OFF, couple.VOLTAGE), (couple.OFF, couple.END, 0.0)):
        found = solve_ivp(rates, (begin, end), state, "Radau", args=(voltage,), rtol=1e-10,
                          atol=1e-12, dense_output=True)  # fmt: skip
        exact.append(found.sol)
        state = found.y[:, -1]
    rows = coupled(couple, tmp_path, 2e-4, ("young = 7e10", "young = 7e14"))
    time, speed = rows[:, 0], rows[:, 2]
    wanted = np.where(time < couple.OFF, exact[0](time)[1], exact[1](time)[1])
    error = np.abs(speed - wanted).max() / wanted.max()
    print(f"largest error of the speed, relative: {error:.2e}")
    assert error < 2e-4


def test_the_arm_of_the_coupling_is_that_of_a_run(couple, tmp_path):
    """Turned as the motor turned it, ``flexforge run`` moves its tip by the same, to 1e-3."""
    rows = coupled(couple, tmp_path, 2e-4)
    time, _, _, torque, tip, current = rows.T
    table = np.column_stack([time, (K * current - torque) / J])
    np.savetxt(tmp_path / "alpha.csv", table, delimiter=",", header="t,alpha", comments="")
    text = (HERE / "arm.toml").read_text(encoding="utf-8")
    text = text.replace('{ input = "alpha" }', '{ table = "alpha.csv" }')
    (tmp_path / "alone.toml").write_text(text + '\n[output]\nformats = ["csv"]\n', encoding="utf-8")
    assert main(["run", str(tmp_path / "alone.toml"), "-o", str(tmp_path / "out")]) == 0
    alone = np.loadtxt(tmp_path / "out" / "probes.csv", delimiter=",", skiprows=1)
    assert np.abs(tip).max() > 5e-3
    error = np.abs(alone[:, 1] - tip).max() / np.abs(tip).max()
    print(f"largest difference of the tip, relative: {error:.2e}")
    assert error < 1e-3
