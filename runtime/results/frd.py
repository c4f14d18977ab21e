# SPDX-License-Identifier: BSD-3-Clause
"""The frames of a run, or its modes, as one file of CalculiX's viewer cgx.

Format: "Result Format" in the manual of CalculiX GraphiX, in its ASCII form. Every frame has a
block of displacements, relative to the frames of the bodies, and one of stresses where bodies have
them at nodes; nodes and cells have the numbers of the mesh. Nodes that bodies share are written
once, with the mean of their stresses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.results.data import BodyGeometry, BodyState, spatial

#: Number of the element type of every cell, and our nodes in its order where that is another.
KINDS: dict[str, tuple[int, Sequence[int]]] = {
    "hex8": (1, range(8)),
    "wedge6": (2, range(6)),
    "tet4": (3, range(4)),
    "hex20": (4, (*range(12), *range(16, 20), *range(12, 16))),
    "wedge15": (5, (*range(9), *range(12, 15), *range(9, 12))),
    "tet10": (6, range(10)),
    "tri3": (7, range(3)),
    "tri6": (8, range(6)),
    "quad4": (9, range(4)),
    "quad8": (10, range(8)),
    "line2": (11, range(2)),
}
#: Cells that are shown by nothing: masses.
_HIDDEN = "point1"
_PER_LINE = 10
#: Ends of a block, and of the file.
_BLOCK_END, _FILE_END = " -3\n", " 9999\n"
_NUMBER = "{:12.5E}"


class _Kind(NamedTuple):
    """A quantity: its name, and the lines that describe its components."""

    name: str
    components: tuple[str, ...]

    @property
    def head(self) -> str:
        count = len(self.components)
        lines = [
            f" -4  {self.name:<8s}{count:5d}{1:5d}",
            *(f" -5  {one}" for one in self.components),
        ]
        return "\n".join(lines) + "\n"


_DISPLACEMENTS = _Kind(
    "DISP",
    (*(f"{f'D{i}':<8s}    1    2{i:5d}    0" for i in (1, 2, 3)),
     "ALL         1    2    0    0    1ALL"),
)  # fmt: skip
_STRESSES = _Kind(
    "STRESS",
    tuple(
        f"S{'XYZ'[i - 1]}{'XYZ'[j - 1]:<6s}    1    4{i:5d}{j:5d}"
        for i, j in ((1, 1), (2, 2), (3, 3), (1, 2), (2, 3), (3, 1))
    ),
)


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Numbers of the nodes of every body in the file, and the rows of all nodes there."""

    labels: Ints
    rows: tuple[Ints, ...]


class FrdSeries:
    """Writes ``results.frd``: nodes and cells at once, then a step for every frame or mode.

    Parameters
    ----------
    path : Path
        The file.
    bodies : sequence of BodyGeometry
        The bodies.
    title : str
        Name of the model.
    after : int
        Frames of the file that are kept, where a run goes on; none where it begins.

    Raises
    ------
    InputError
        For a cell that such files do not have.
    """

    def __init__(
        self, path: Path, bodies: Sequence[BodyGeometry], title: str = "", after: int = 0
    ) -> None:
        for body in bodies:
            if body.cell not in KINDS and body.cell != _HIDDEN:
                raise InputError(
                    f"output.formats: found \"frd\" with body '{body.name}' of cells {body.cell}; "
                    f"expected cells of such files, {', '.join(KINDS)}"
                )
        self._path, self._bodies, self._title = path, tuple(bodies), title
        self._blocks, self._count = 0, after
        if after:
            self._keep(after)
            return
        with path.open("w", encoding="ascii", errors="replace") as file:
            file.writelines(self._mesh())

    def frame(self, time: float, states: Mapping[str, BodyState]) -> None:
        """Append a frame."""
        self._count += 1
        moved = {body.name: states[body.name].displacement for body in self._bodies}
        parts = list(self._block(_DISPLACEMENTS, moved, _Step(time, self._count)))
        stressed = {
            body.name: stress
            for body in self._bodies
            if (stress := states[body.name].stress) is not None
        }
        if stressed:
            parts += self._block(_STRESSES, stressed, _Step(time, self._count))
        self._append(parts)

    def modes(self, values: Floats, shapes: Mapping[str, Floats]) -> None:
        """Append the shapes of modes, (count, n, d) by body, of their frequencies or factors."""
        parts: list[str] = []
        for number, value in enumerate(np.asarray(values).tolist()):
            each = {name: shape[number] for name, shape in shapes.items()}
            step = _Step(value, self._count + number + 1, number + 1)
            parts += self._block(_DISPLACEMENTS, each, step)
        self._append(parts)

    def close(self) -> None:
        """End the file."""
        self._append([_FILE_END])

    def _append(self, parts: Sequence[str]) -> None:
        with self._path.open("a", encoding="ascii") as file:
            file.writelines(parts)

    def _keep(self, frames: int) -> None:
        """Cut what comes after some frames of a file."""
        lines = self._path.read_text(encoding="ascii").splitlines(keepends=True)
        kept: list[str] = []
        for line in lines:
            if line.startswith("    1PSTEP"):
                if int(line[34:46]) > frames:
                    break
                self._blocks += 1
            if line != _FILE_END:
                kept.append(line)
        self._path.write_text("".join(kept), encoding="ascii")

    @cached_property
    def _numbers(self) -> _Numbers:
        """Number the nodes: as in the mesh, from 1, or after those where bodies have none."""
        known = [body.nodes for body in self._bodies if body.nodes is not None]
        least = min((int(one.min(initial=1)) for one in known), default=1)
        shift = 1 - min(least, 1)
        following = max((int(one.max(initial=0)) for one in known), default=0) + shift
        numbers = []
        for body in self._bodies:
            if body.nodes is not None:
                numbers.append(np.asarray(body.nodes) + shift)
                continue
            count = len(body.points)
            numbers.append(np.arange(following + 1, following + count + 1))
            following += count
        labels, rows = np.unique(np.concatenate(numbers), return_inverse=True)
        ends = np.cumsum([len(one) for one in numbers])[:-1]
        return _Numbers(labels, tuple(np.split(rows.ravel(), ends)))

    def _mesh(self) -> Iterator[str]:
        labels, rows = self._numbers.labels, self._numbers.rows
        points = np.zeros((len(labels), 3))
        for body, own in zip(self._bodies, rows, strict=True):
            points[own] = body.points
        yield f"    1C\n    1U{self._title[:66]:<66s}\n"
        yield "    1UPGM               flexforge\n"
        yield f"    2C{'':18s}{len(labels):12d}{'':37s}1\n"
        yield from _rows(labels, points)
        yield _BLOCK_END
        shown = [body.cell in KINDS for body in self._bodies]
        cells = sum(len(one.connectivity) for one, is_shown in zip(self._bodies, shown, strict=True)
                    if is_shown)  # fmt: skip
        yield f"    3C{'':18s}{cells:12d}{'':37s}1\n"
        used = 0
        for number, (body, own) in enumerate(zip(self._bodies, rows, strict=True)):
            if shown[number]:
                yield from self._cells(body, labels[own], number, used)
                used += len(body.connectivity)
        yield _BLOCK_END

    def _cells(self, body: BodyGeometry, labels: Ints, number: int, used: int) -> Iterator[str]:
        """Yield the cells of a body: their numbers in the mesh if all bodies have some."""
        kind, order = KINDS[body.cell]
        own = np.arange(used + 1, used + len(body.connectivity) + 1)
        if all(one.cells is not None for one in self._bodies if one.cell in KINDS):
            assert body.cells is not None
            every = [one.cells for one in self._bodies if one.cells is not None]
            if len(np.unique(np.concatenate(every))) == sum(map(len, every)):
                own = body.cells + (min(int(one.min(initial=1)) for one in every) < 1)
        ordered = labels[body.connectivity[:, list(order)]]
        for label, nodes in zip(own.tolist(), ordered.tolist(), strict=True):
            yield f" -1{label:10d}{kind:5d}{number:5d}{1:5d}\n"
            for start in range(0, len(nodes), _PER_LINE):
                yield f" -2{''.join(f'{one:10d}' for one in nodes[start : start + _PER_LINE])}\n"

    def _block(self, kind: _Kind, values: Mapping[str, Floats], step: _Step) -> Iterator[str]:
        """Yield the block of a quantity at the nodes of some bodies."""
        labels, rows = self._numbers.labels, self._numbers.rows
        width = 6 if kind is _STRESSES else 3
        total, seen = np.zeros((len(labels), width)), np.zeros(len(labels), dtype=np.int64)
        for body, own in zip(self._bodies, rows, strict=True):
            if body.name in values:
                given = np.asarray(values[body.name])
                np.add.at(total, own, given if width == 6 else spatial(given))
                np.add.at(seen, own, 1)
        there = seen > 0
        self._blocks += 1
        yield step.head(self._blocks, int(there.sum()))
        yield kind.head
        yield from _rows(labels[there], total[there] / seen[there, None])
        yield _BLOCK_END


@dataclass(frozen=True, slots=True)
class _Step:
    """A step of the file: its time, or the frequency of a mode; its number; that of the mode."""

    value: float
    number: int
    mode: int = 0

    def head(self, block: int, nodes: int) -> str:
        """Return the lines before a block of a quantity."""
        first = f"    1PSTEP{block:26d}{self.number:12d}{1:12d}\n"
        if self.mode:
            first += f"    1PMODE{self.mode:26d}\n"
        # At most 12 characters, as CalculiX writes it.
        value = f"{self.value:.9f}"[:12] if 0 < abs(self.value) < 1e10 else f"{self.value:.5E}"
        if 0.0 < abs(self.value) < 1e-3:
            value = f"{self.value:.5E}"
        kind, name = (2, "MODAL") if self.mode else (1 if self.number > 1 else 0, "")
        return (
            f"{first}  100CL{100 + self.number:5d}{value:>12s}{nodes:12d}{'':20s}{kind:2d}"
            f"{self.number:5d}{name:<10s}{1:2d}\n"
        )


def _rows(labels: Ints, values: Floats) -> Iterator[str]:
    """Yield a line for every node."""
    form = " -1{:10d}" + _NUMBER * values.shape[1] + "\n"
    for label, row in zip(labels.tolist(), values.tolist(), strict=True):
        yield form.format(label, *row)
