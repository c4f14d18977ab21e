# SPDX-License-Identifier: BSD-3-Clause
"""Couple FMUs of two elastic leaves with a simulator of contact: ``python couple.py``.

Every leaf answers linearly to the forces on it. How far a newton that grows on each node within a
step moves all nodes is asked once; in each step both leaves are moved under the contact forces of
its beginning, the simulator of contact finds the forces that fit its end, and the step is taken
again, from the states that were kept, with forces that change to these.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import flexforge as ff
import numpy as np
from contact import Contact
from fmpy import extract, read_model_description
from fmpy.fmi2 import FMU2Slave
from leaves import BENDING, GAP, LENGTH, PRESS, leaf, nodes

STEP, END = 1e-4, 0.06  # s
LOWER, UPPER = 40, 31  # elements of the leaves, whose nodes do not meet
STIFFNESS, RELAXATION = 1e9, 1e-4  # of contact, N/m^2 and s


class Body:
    """An FMU for co-simulation, with forces on nodes and their displacements."""

    def __init__(self, path: Path) -> None:
        description = read_model_description(str(path))
        numbers = {one.name: one.valueReference for one in description.modelVariables}
        count = sum(name.startswith("push") for name in numbers)
        self._forces = [numbers[f"push{k}"] for k in range(1, count + 1)]
        self._moves = [numbers[f"y{k}"] for k in range(1, count + 1)]
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
        self._kept = None
        self.size = count

    def step(self, time: float, length: float, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Take a step under forces that change evenly, N; return displacements at its end, m."""
        self._fmu.setReal(self._forces, begin.tolist())
        slopes = ((end - begin) / length).tolist()
        self._fmu.setRealInputDerivatives(self._forces, [1] * self.size, slopes)
        self._fmu.doStep(currentCommunicationPoint=time, communicationStepSize=length)
        return np.array(self._fmu.getReal(self._moves))

    def keep(self) -> None:
        """Keep the state."""
        self._kept = self._fmu.getFMUstate()

    def back(self) -> None:
        """Go back to the state that was kept."""
        self._fmu.setFMUstate(self._kept)

    def forget(self) -> None:
        """Release the state that was kept."""
        self._fmu.freeFMUstate(self._kept)

    def answers(self, time: float, length: float) -> np.ndarray:
        """Return by how much a newton at the end of a step moves all nodes there, m/N."""
        self.keep()
        none = np.zeros(self.size)
        still, found = self.step(time, length, none, none), []
        for unit in np.eye(self.size):
            self.back()
            found.append(self.step(time, length, none, unit) - still)
        self.back()
        self.forget()
        return np.array(found).T

    def close(self) -> None:
        """Release it."""
        self._fmu.freeInstance()


class Coupled:
    """Two bodies in contact.

    Attributes
    ----------
    forces : ndarray
        Of all pairs at the time reached, N.
    moves : tuple of ndarray
        Displacements of the nodes of the lower and the upper body, m.
    missed : float
        Largest difference of a displacement from what the forces were found for, m.
    """

    def __init__(self, lower: Body, upper: Body, contact: Contact, step: float) -> None:
        self._bodies, self._contact, self._step = (lower, upper), contact, step
        self._answers = [one.answers(0.0, step) for one in self._bodies]
        on_upper = contact.on_upper
        self._opening = self._answers[0] + on_upper @ self._answers[1] @ on_upper.T
        self.forces = np.zeros(len(on_upper))
        self.moves = np.zeros(lower.size), np.zeros(upper.size)
        self.missed = 0.0

    @property
    def distances(self) -> np.ndarray:
        """Gaps of all pairs, m."""
        return self._contact.gaps(*self.moves)

    def _acting(self, forces: np.ndarray) -> list[np.ndarray]:
        """Return forces on the nodes of both bodies: down on the lower, up on the upper one."""
        return [-forces, self._contact.on_upper.T @ forces]

    def _taken(self, time: float, forces: np.ndarray) -> list[np.ndarray]:
        acting = zip(self._bodies, self._acting(self.forces), self._acting(forces), strict=True)
        return [body.step(time, self._step, begin, end) for body, begin, end in acting]

    def advance(self, time: float) -> None:
        """Take a step that begins at a time, s."""
        for body in self._bodies:
            body.keep()
        tried = self._taken(time, self.forces)
        free = self._contact.gaps(*tried) - self._opening @ self.forces
        forces = self._contact.forces(free, self._opening, self.distances)
        for body in self._bodies:
            body.back()
            body.forget()
        changes = self._acting(forces - self.forces)
        expected = [u + a @ f for u, a, f in zip(tried, self._answers, changes, strict=True)]
        self.moves, self.forces = tuple(self._taken(time, forces)), forces
        missed = (np.abs(u - v).max() for u, v in zip(self.moves, expected, strict=True))
        self.missed = max(self.missed, *missed)


def couple(
    lower: Path,
    upper: Path,
    counts: tuple[int, int],
    step: float,
    end: float,
    layer: tuple[float, float] = (STIFFNESS, RELAXATION),
) -> tuple[np.ndarray, Coupled]:
    """Couple the FMUs of two leaves up to a time.

    Returns
    -------
    ndarray, (steps, 4)
        Rows of time (s), both tips (m) and the force of all pairs together (N).
    Coupled
        What was reached.
    """
    bodies = Body(lower), Body(upper)
    contact = Contact(*(nodes(count) for count in counts), GAP, *layer, step)
    coupled, rows = Coupled(*bodies, contact, step), []
    for k in range(round(end / step)):
        coupled.advance(k * step)
        tips = (one[-1] for one in coupled.moves)
        rows.append([(k + 1) * step, *tips, coupled.forces.sum()])
    for body in bodies:
        body.close()
    return np.array(rows), coupled


def at_rest(x: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Return how far a leaf is bent towards the middle, m, the force between both, N, and where.

    A leaf of bending stiffness B under q is clamped at half of the gap, h, and lies on the plane of
    symmetry from a on: ``w = w' = w'' = 0`` there, ``w = h, w' = 0`` at the clamp, so that
    ``a^4 = 72 B h / q``. The plane pushes with q a / 3 at a and with q beyond.
    """
    half = 0.5 * GAP
    a = (72.0 * BENDING * half / PRESS) ** 0.25
    s = np.maximum(a - x, 0.0)
    height = PRESS / BENDING * (a * s**3 / 18.0 - s**4 / 24.0)
    return half - height, PRESS * (LENGTH - 2.0 * a / 3.0), a


def draw(rows: np.ndarray, coupled: Coupled, path: Path) -> None:
    """Draw tips and force over time, and the leaves at rest."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
    time = 1e3 * rows[:, 0]
    axes[0].plot(time, 1e3 * (rows[:, 2] + 0.5 * GAP), label="upper leaf")
    axes[0].plot(time, 1e3 * (rows[:, 1] - 0.5 * GAP), label="lower leaf")
    axes[0].set(xlabel="time, ms", ylabel="tips, mm", title="The tips meet")
    axes[0].set_xlim(0.0, 30.0)
    axes[0].legend()
    known, force, a = at_rest(nodes(LOWER))
    axes[1].plot(time, rows[:, 3], lw=0.9, label="coupled")
    axes[1].axhline(force, color="k", ls="--", lw=0.8, label="closed form at rest")
    axes[1].set(xlabel="time, ms", ylabel="force between the leaves, N", title="Contact force")
    axes[1].set(xlim=(0.0, 30.0), ylim=(0.0, 1.5 * force))
    axes[1].legend()
    for sign, moves, count in ((1, coupled.moves[1], UPPER), (-1, coupled.moves[0], LOWER)):
        x = np.concatenate([[0.0], nodes(count)])
        y = 0.5 * sign * GAP + np.concatenate([[0.0], moves])
        axes[2].plot(1e3 * x, 1e3 * y, "o-", ms=3, lw=1)
    x = np.linspace(0.0, LENGTH, 200)
    for sign in (1, -1):
        line = 1e3 * sign * (0.5 * GAP - at_rest(x)[0])
        axes[2].plot(1e3 * x, line, "k--", lw=0.8, label="closed form" if sign > 0 else None)
    axes[2].axvline(1e3 * a, color="gray", lw=0.6)
    axes[2].set(xlabel="x, mm", ylabel="y, mm", title="Leaves at rest")
    axes[2].legend()
    for axis in axes:
        axis.grid(alpha=0.3)
    figure.savefig(path, dpi=75)


def main() -> None:
    """Export, couple, draw."""
    with tempfile.TemporaryDirectory() as scratch:
        paths = []
        for name, side, count in (("lower", -1.0, LOWER), ("upper", 1.0, UPPER)):
            folder = Path(scratch) / name
            ff.export(leaf(side, count, STEP, END), folder, "fmu2", name=name)
            paths.append(folder / f"{name}.fmu")
        rows, coupled = couple(*paths, (LOWER, UPPER), STEP, END)
    draw(rows, coupled, Path("coupling.png"))
    known, force, a = at_rest(nodes(LOWER))
    touching = nodes(LOWER)[coupled.forces > 0.0]
    print(f"force at the end {rows[-1, 3]:.4f} N, closed form {force:.4f} N")
    print(f"first node that touches {1e3 * touching[0]:.1f} mm, closed form {1e3 * a:.1f} mm")
    error = coupled.distances - (GAP - 2.0 * known)
    print(f"largest error of the distance {1e6 * np.abs(error).max():.2f} um of {1e6 * GAP:.0f}")
    print(f"displacements miss those that forces were found for by {1e6 * coupled.missed:.1e} um")


if __name__ == "__main__":
    main()
