# SPDX-License-Identifier: BSD-3-Clause
"""Couple the FMU of a flexible arm with that of a motor, and draw what happens: ``python couple.py``.

Both are stepped together; what one says at the end of a step is what the other hears in the next.
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
STEP, END = 1e-4, 1.0


class Part:
    """An FMU of FMI 2.0 for co-simulation."""

    def __init__(self, path: Path) -> None:
        description = read_model_description(str(path))
        self._numbers = {one.name: one.valueReference for one in description.modelVariables}
        self._fmu = FMU2Slave(
            guid=description.guid, unzipDirectory=extract(str(path)), instanceName=path.stem,
            modelIdentifier=description.coSimulation.modelIdentifier,
        )  # fmt: skip
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

    def step(self, time: float) -> None:
        """Take a step."""
        self._fmu.doStep(currentCommunicationPoint=time, communicationStepSize=STEP)


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


def couple(arm: Part, motor: Part) -> np.ndarray:
    """Return rows of time, voltage, speed of the shaft, torque and tip of the arm."""
    rows = []
    for i in range(round(END / STEP)):
        time = i * STEP
        voltage = 6.0 if time < 0.6 else 0.0  # on, then off: the motor brakes by itself
        rows.append([time, voltage, motor.get("speed"), arm.get("torque"), arm.get("tip")])
        motor.set("voltage", voltage)
        motor.set("load", arm.get("torque"))
        motor.step(time)
        arm.set("alpha", motor.get("acceleration"))
        arm.step(time)
    return np.array(rows)


def draw(rows: np.ndarray, path: Path) -> None:
    """Draw speed, torque and tip over time."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(3, 1, sharex=True, figsize=(7, 6), layout="constrained")
    names = ("speed of the shaft, rad/s", "torque on the arm, N m", "tip of the arm, mm")
    for axis, name, column in zip(axes, names, rows.T[2:] * [[1], [1], [1e3]], strict=True):
        axis.plot(rows[:, 0], column, lw=1.2)
        axis.set_ylabel(name)
        axis.grid(alpha=0.3)
    axes[-1].set_xlabel("time, s")
    axes[0].set_title("6 V until 0.6 s, then short-circuited")
    figure.savefig(path, dpi=110)


def main() -> None:
    """Export, build, couple, draw."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        command = [
            sys.executable,
            "-m",
            "flexforge",
            "export",
            str(HERE / "arm.toml"),
            "--as",
            "fmu2",
        ]
        subprocess.run([*command, "-o", str(folder / "arm")], check=True)
        rows = couple(Part(folder / "arm" / "arm.fmu"), Part(build_motor(folder)))
    draw(rows, Path("coupling.png"))
    print(
        f"speed at 0.6 s {rows[6000, 2]:.3f} rad/s, largest tip {np.abs(rows[:, 4]).max() * 1e3:.2f} mm"
    )


if __name__ == "__main__":
    main()
