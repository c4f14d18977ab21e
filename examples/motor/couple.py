# SPDX-License-Identifier: BSD-3-Clause
"""Couple the FMUs of a flexible arm and of a motor, and draw what happens: ``python couple.py``.

Both are stepped together. The torque on the arm follows from the acceleration of the shaft at once,
and the acceleration from the torque: every step is taken twice to see how one changes with the
other, and once more with the torque that fits.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave

HERE = Path(__file__).parent
STEP, END, OFF = 2e-4, 1.0, 0.6  # s
VOLTAGE = 6.0


class Part:
    """An FMU of FMI 2.0 for co-simulation."""

    def __init__(self, path: Path) -> None:
        description = read_model_description(str(path))
        self._numbers = {one.name: one.valueReference for one in description.modelVariables}
        self._fmu = FMU2Slave(
            guid=description.guid,
            unzipDirectory=extract(str(path), unzipdir=str(path.with_suffix(""))),
            instanceName=path.stem,
            modelIdentifier=description.coSimulation.modelIdentifier,
        )
        self._fmu.instantiate()
        self._fmu.setupExperiment(startTime=0.0)
        self._fmu.enterInitializationMode()
        self._fmu.exitInitializationMode()

    def get(self, name: str) -> float:
        """Return a variable."""
        return self._fmu.getReal([self._numbers[name]])[0]

    def set(self, name: str, value: float) -> None:
        """Set an input."""
        self._fmu.setReal([self._numbers[name]], [value])

    def set_slope(self, name: str, value: float) -> None:
        """Set how fast an input changes during the next step."""
        self._fmu.setRealInputDerivatives([self._numbers[name]], [1], [value])

    def step(self, time: float, length: float) -> None:
        """Take a step."""
        self._fmu.doStep(currentCommunicationPoint=time, communicationStepSize=length)

    def keep(self) -> None:
        """Keep the state."""
        self._kept = self._fmu.getFMUstate()

    def back(self) -> None:
        """Go back to the state that was kept."""
        self._fmu.setFMUstate(self._kept)

    def forget(self) -> None:
        """Release the state that was kept."""
        self._fmu.freeFMUstate(self._kept)

    def close(self) -> None:
        """Release it."""
        self._fmu.freeInstance()


def build_arm(folder: Path, model: Path = HERE / "arm.toml") -> Path:
    """Export the arm as an FMU; return it."""
    command = [sys.executable, "-m", "flexforge", "export", str(model), "--as", "fmu2"]
    subprocess.run([*command, "--name", "arm", "-o", str(folder)], check=True)
    return folder / "arm.fmu"


def build_motor(folder: Path) -> Path:
    """Compile and pack the FMU of the motor; return it."""
    library = folder / "motor.so"
    subprocess.run(
        ["cc", "-std=c99", "-O2", "-shared", "-fPIC", str(HERE / "motor.c"), "-o", str(library)],
        check=True,
    )
    path = folder / "motor.fmu"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(HERE / "modelDescription.xml", "modelDescription.xml")
        archive.write(library, "binaries/linux64/motor.so")
    return path


def attempt(arm: Part, motor: Part, time: float, step: float, torque: float) -> float:
    """Take a step at whose end the arm is said to take a torque; return what it takes."""
    motor.back()
    arm.back()
    begin, before = motor.get("acceleration"), arm.get("torque")
    motor.set("load", 0.5 * (before + torque))
    motor.step(time, step)
    motor.set("load", torque)
    arm.set("alpha", begin)
    arm.set_slope("alpha", (motor.get("acceleration") - begin) / step)
    arm.step(time, step)
    return arm.get("torque")


def couple(arm: Part, motor: Part, step: float = STEP) -> np.ndarray:
    """Return rows of time, voltage, speed of the shaft, torque and tip of the arm, current."""
    rows = []
    count = round(END / step)
    for i in range(count + 1):
        time = i * step
        voltage = VOLTAGE if time < OFF - 0.5 * step else 0.0  # then the motor brakes by itself
        rows.append(
            [
                time,
                voltage,
                motor.get("speed"),
                arm.get("torque"),
                arm.get("tip"),
                motor.get("current"),
            ]
        )
        if i == count:
            break
        motor.set("voltage", voltage)
        for part in (arm, motor):
            part.keep()
        guess = arm.get("torque")
        answer = attempt(arm, motor, time, step, guess)
        # Both parts are linear: the torque that is its own answer is on the line through two.
        other = answer + 1e-3
        slope = (attempt(arm, motor, time, step, other) - answer) / (other - guess)
        attempt(arm, motor, time, step, guess + (answer - guess) / (1.0 - slope))
        for part in (arm, motor):
            part.forget()
    return np.array(rows)


def draw(rows: np.ndarray, path: Path) -> None:
    """Draw speed, torque and tip over time."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(3, 1, sharex=True, figsize=(7, 6), layout="constrained")
    names = ("speed of the shaft, rad/s", "torque on the arm, N m", "tip of the arm, mm")
    for axis, name, column in zip(axes, names, rows.T[2:5] * [[1], [1], [1e3]], strict=True):
        axis.plot(rows[:, 0], column, lw=1.2)
        axis.set_ylabel(name)
        axis.grid(alpha=0.3)
    axes[-1].set_xlabel("time, s")
    axes[0].set_title(f"{VOLTAGE:g} V until {OFF:g} s, then short-circuited")
    figure.savefig(path, dpi=70)


def main() -> None:
    """Export, build, couple, draw."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        parts = Part(build_arm(folder / "arm")), Part(build_motor(folder))
        rows = couple(*parts)
        for part in parts:
            part.close()
    draw(rows, Path("coupling.png"))
    speed = rows[round(OFF / STEP), 2]
    tip = np.abs(rows[:, 4]).max() * 1e3
    print(f"speed at {OFF:g} s {speed:.3f} rad/s, largest tip {tip:.2f} mm")


if __name__ == "__main__":
    main()
