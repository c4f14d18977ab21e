# SPDX-License-Identifier: BSD-3-Clause
"""Displacements of supports that are given functions of time: ``d = T y + g(t)``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.motion.build import build_profile
from flexforge.runtime.motion.coordinate import Coordinate
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.supports import held_places
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Given = tuple[Floats, Floats, Floats]

_HELD = -1  # by a support that stays where it is


@dataclass(frozen=True)
class Prescribed:
    """g(t) of a system.

    Attributes
    ----------
    shape : tuple of int
        Nodes and coordinates a node, (N, d).
    places : ndarray of int64, (p,)
        Places ``node * d + component`` that move.
    number : ndarray of int64, (p,)
        By which function.
    functions : tuple of Coordinate
        Displacements (m) and rotations (rad) over time.
    """

    shape: tuple[int, int]
    places: Ints
    number: Ints
    functions: tuple[Coordinate, ...]

    @cached_property
    def is_constant(self) -> bool:
        """Whether nothing ever moves."""
        return all(one.profile.is_constant for one in self.functions)

    @property
    def units(self) -> Floats:
        """Nodal displacements for a unit of every function, (f, N, d)."""
        found = np.zeros((len(self.functions), self.shape[0] * self.shape[1]))
        found[self.number, self.places] = 1.0
        return found.reshape(-1, *self.shape)

    def at(self, time: float) -> Given:
        """Return g, g' and g'' at a time, s, (N, d) each; zero of what is not given."""
        values = np.array([one.at(time) for one in self.functions])
        found = np.zeros((3, self.shape[0] * self.shape[1]))
        found[:, self.places] = values[self.number].T
        g, g1, g2 = found.reshape(3, *self.shape)
        return g, g1, g2


def prescribed_displacements(model: ModelSpec, places: NameTable) -> Prescribed | None:
    """Return the displacements that supports are given, or None where there are none.

    Parameters
    ----------
    model : ModelSpec
        With the supports.
    places : NameTable
        Its names in the system.

    Raises
    ------
    InputError
        When a component of a node is held by two supports that move it differently.
    """
    if not any(support.displacement for support in model.supports):
        return None
    system, functions = places.system, list[Coordinate]()
    holder = np.full((system.size * system.dimension, 2), _HELD)  # support, function
    for i, support in enumerate(model.supports):
        numbers: dict[str, int] = {}
        for component, profile in support.displacement.items():
            numbers[component] = len(functions)
            functions.append(Coordinate(build_profile(profile, model.span or 1.0)))
        for name, held in held_places(support, places, f"supports[{i}].group"):
            number = numbers.get(name, _HELD)
            before = holder[held]
            other = before[(before[:, 0] != _HELD) & (before[:, 1] != number)]
            if len(other):
                raise InputError(
                    f"supports[{i}]: found '{name}' at nodes of '{support.group}' that "
                    f"supports[{other[0, 0]}] moves otherwise; expected one displacement of every "
                    "node"
                )
            holder[held] = i, number
    moved = np.flatnonzero(holder[:, 1] != _HELD)
    shape = (system.size, system.dimension)
    return Prescribed(shape, moved, holder[moved, 1], tuple(functions))
