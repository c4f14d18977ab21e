# SPDX-License-Identifier: BSD-3-Clause
"""Control the arm from Python by its six torques: ``python control.py``; writes control.png.

The arm is an FMU of FMI 3.0 that tells its six angles and their rates two thousand times a second
and is told six torques. Every axis has a controller of its own, which knows nothing of the others,
of gravity or of the tubes that bend.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from fmpy import extract, read_model_description
from fmpy.fmi3 import FMU3Slave

HERE = Path(__file__).parent
STEP, END, MOVES, REST = 5e-4, 3.2, 1.0, 0.6  # s; length of a move, and of the rest after it
FROM = np.array([0.0, 0.9, -1.6, 0.0, 0.7, 0.0])  # rad
TO = np.array([1.2, 0.4, -0.7, 0.5, 0.9, -1.0])
STIFFNESS = np.array([1500.0, 2000.0, 800.0, 60.0, 100.0, 15.0])  # N m/rad
DAMPING = np.array([110.0, 80.0, 40.0, 2.0, 4.0, 0.5])  # N m s/rad
GATHERED = 3.0  # 1/s, of the error over time
PLACES = ("shoulder", "elbow", "wrist", "tip")


class Arm:
    """The arm as an FMU.

    Parameters
    ----------
    path : Path
        Its file.
    """

    def __init__(self, path: Path) -> None:
        description = read_model_description(str(path))
        self._numbers = {one.name: one.valueReference for one in description.modelVariables}
        self._fmu = FMU3Slave(
            guid=description.instantiationToken,
            unzipDirectory=extract(str(path), unzipdir=str(path.with_suffix(""))),
            instanceName="arm",
            modelIdentifier=description.coSimulation.modelIdentifier,
        )
        self._fmu.instantiate()
        self._fmu.enterInitializationMode()
        self._fmu.exitInitializationMode()

    def get(self, *names: str) -> np.ndarray:
        """Return outputs."""
        return np.array(self._fmu.getFloat64([self._numbers[name] for name in names]))

    def push(self, torques: np.ndarray) -> None:
        """Set the six torques, N m."""
        numbers = [self._numbers[f"torque{k}"] for k in range(1, 7)]
        self._fmu.setFloat64(numbers, torques.tolist())

    def step(self, now: float) -> None:
        """Take a step of the loop."""
        self._fmu.doStep(currentCommunicationPoint=now, communicationStepSize=STEP)


def wanted(now: float) -> tuple[np.ndarray, np.ndarray]:
    """Return angles and rates of a move there and one back, by polynomials of the fifth degree."""
    share, first, last = now / MOVES, FROM, TO
    if now > MOVES + REST:
        share, first, last = (now - MOVES - REST) / MOVES, TO, FROM
    s = min(share, 1.0)
    way = s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
    rate = 30.0 * s * s * (1.0 - s) ** 2 / MOVES
    return first + way * (last - first), rate * (last - first)


def controlled(path: Path) -> dict[str, np.ndarray]:
    """Return what happens in the loop: times, angles, errors, torques and places."""
    arm, gathered = Arm(path), np.zeros(6)
    angles, rates = ([f"{name}{k}" for k in range(1, 7)] for name in ("angle", "rate"))
    places = [f"{place}.{axis}" for place in PLACES for axis in "xyz"]
    found: dict[str, list[np.ndarray]] = {"angles": [], "errors": [], "torques": [], "places": []}
    times = np.arange(round(END / STEP)) * STEP
    for now in times.tolist():
        there, moving = wanted(now)
        here = arm.get(*angles)
        error = there - here
        gathered += STEP * GATHERED * error
        torques = STIFFNESS * (error + gathered) + DAMPING * (moving - arm.get(*rates))
        arm.push(torques)
        found["angles"].append(here)
        found["errors"].append(error)
        found["torques"].append(torques)
        found["places"].append(arm.get(*places).reshape(4, 3))
        arm.step(now)
    return {"times": times} | {name: np.array(values) for name, values in found.items()}


def draw(found: dict[str, np.ndarray], path: Path) -> None:
    """Draw angles, torques, and how the tool comes to rest."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(3, 1, figsize=(8, 8), sharex=True, layout="constrained")
    times = found["times"]
    lines = axes[0].plot(times, found["angles"])
    axes[0].plot(times, [wanted(t)[0] for t in times.tolist()], "k:", linewidth=0.8)
    axes[0].set_ylabel("angle, rad (dotted: wanted)")
    names = [f"axis {k}" for k in range(1, 7)]
    figure.legend(lines, names, ncol=6, loc="outside upper center")
    axes[1].plot(times, found["torques"])
    axes[1].set_ylabel("torque, N m")
    axes[2].plot(times, 1e3 * found["errors"])
    axes[2].set_ylabel("error, mrad")
    axes[2].set_xlabel("time, s")
    figure.savefig(path, dpi=110)


def animate(found: dict[str, np.ndarray], path: Path) -> None:
    """Draw the arm in space over time."""
    from matplotlib import animation, pyplot

    figure = pyplot.figure(figsize=(5, 4.4), layout="constrained")
    axes = figure.add_subplot(projection="3d")
    places = np.concatenate([np.zeros((len(found["times"]), 1, 3)), found["places"]], axis=1)
    axes.set(xlim=(-0.3, 1.0), ylim=(-0.3, 1.0), zlim=(0.0, 1.1))
    axes.set_box_aspect((1.3, 1.3, 1.1))
    axes.view_init(22, -60)
    (trace,) = axes.plot([], [], [], color="C3", linewidth=0.8)
    (line,) = axes.plot([], [], [], "o-", color="C0", linewidth=3, markersize=5)

    def show(frame: int) -> None:
        line.set_data_3d(*places[frame].T)
        trace.set_data_3d(*places[: frame + 1, -1].T)

    frames = range(0, len(places), 80)
    animation.FuncAnimation(figure, show, frames).save(path, writer="pillow", fps=25, dpi=70)


def main() -> None:
    """Export the arm, control it, draw what happens."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "flexforge", "export", str(HERE / "model.toml")]
        subprocess.run([*command, "--as", "fmu3", "--name", "arm", "-o", folder], check=True)
        begun = time.perf_counter()
        found = controlled(Path(folder) / "arm.fmu")
        took = time.perf_counter() - begun
    errors, torques = 1e3 * np.abs(found["errors"]), np.abs(found["torques"]).max(axis=0)
    rest = errors[found["times"] > END - 0.2]
    print(f"{len(found['times'])} steps of the loop in {took:.2f} s")
    print("largest error of each axis, mrad:", np.array2string(errors.max(axis=0), precision=1))
    print("in the last 0.2 s:", np.array2string(rest.max(axis=0), precision=2))
    print("largest torques, N m:", np.array2string(torques, precision=1))
    draw(found, HERE / "control.png")
    animate(found, HERE / "motion.gif")


if __name__ == "__main__":
    main()
