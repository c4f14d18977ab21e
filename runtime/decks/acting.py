# SPDX-License-Identifier: BSD-3-Clause
"""What acts in which steps: boundary conditions and loads of a deck hold until they are changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from flexforge.runtime.arrays import Ints
from flexforge.runtime.decks.amplitudes import Amplitude
from flexforge.runtime.mesh.mesh import Mesh


@dataclass(slots=True)
class Entry:
    """One boundary condition or load of one component.

    Attributes
    ----------
    group : str
        Group of the mesh.
    what : str
        The component, or the label of a distributed load.
    value : float
        Displacement, force or pressure; of gravity the acceleration.
    where : str
        File and line.
    order : int
        Number of its card, for those that are told together.
    amplitude : Amplitude
        Its factor in time.
    places : ndarray of int
        The nodes on which it acts, where another entry may act as well.
    vector : tuple of float
        Further numbers: a direction, an axis.
    steps : list of str
        Names of the steps in which it acts.
    preload : bool
        Whether it stresses what vibrates in one of them.
    sector : int
        Number of the sector of a wheel on which it acts; 0 without one.
    after : str
        The step at whose end the component stays; empty where it has a value.
    """

    group: str
    what: str
    value: float
    where: str
    order: int
    amplitude: Amplitude = Amplitude()
    places: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    vector: tuple[float, ...] = ()
    steps: list[str] = field(default_factory=list)
    preload: bool = False
    sector: int = 0
    after: str = ""

    @property
    def key(self) -> tuple[str, str, tuple[float, ...], int]:
        """What a later entry with the same key takes the place of."""
        return self.group, self.what, self.vector, self.sector


@dataclass(slots=True)
class Acting:
    """Entries of one kind that act, step by step.

    Attributes
    ----------
    mesh : Mesh
        The mesh, whose nodes are numbered.
    adds : bool
        Whether two entries of one step with the same key add up; else the later one counts.
    entries : list of Entry
        All of them, in the order of the deck.
    """

    mesh: Mesh
    adds: bool
    entries: list[Entry] = field(default_factory=list)
    _now: list[Entry] = field(default_factory=list)
    _new: list[Entry] = field(default_factory=list)

    def clear(self) -> None:
        """End all entries of the steps before (OP=NEW)."""
        self._now = []

    def add(self, entry: Entry) -> None:
        """Begin an entry, in the place of those of steps before for the same component."""
        kept = []
        for one in self._now:
            if one.key == entry.key:
                continue
            same = one.what == entry.what and one.sector == entry.sector
            shared = same and np.isin(one.places, entry.places)
            if not np.any(shared):
                kept.append(one)
            elif not np.all(shared):
                rest = one.places[~shared]
                kept.append(replace(one, group=self.mesh.numbered(rest), places=rest, steps=[]))
        self._now = kept
        if not self.adds:
            self._new = [one for one in self._new if one.key != entry.key]
        self._new.append(entry)

    def wait(self) -> None:
        """Let new entries wait for the next step, in which others may take their place."""
        self._now += self._new
        self._new = []

    def step(self, name: str, but: Sequence[Entry] = ()) -> list[Entry]:
        """Let what there is act in a step, but for some, and return it."""
        self.wait()
        found = [one for one in self._now if not any(one is other for other in but)]
        for one in found:
            self.act(one, name)
        return found

    def act(self, entry: Entry, name: str) -> None:
        """Let an entry act in a step."""
        if not entry.steps:
            self.entries.append(entry)
        entry.steps.append(name)
