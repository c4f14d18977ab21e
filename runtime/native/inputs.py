# SPDX-License-Identifier: BSD-3-Clause
"""The functions of time of a model, with what it is told while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime._functions import Function
from flexforge.runtime.motion.profiles import Kink, Profile
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Input:
    """What a model is told while it runs.

    Attributes
    ----------
    name : str
        As in the model.
    unit : str
        Of its value.
    start : float
        Its value until it is told another.
    derivatives : int
        How many derivatives of it count: those of an angle 2, of a velocity 1.
    """

    name: str
    unit: str
    start: float
    derivatives: int


@dataclass(slots=True)
class Functions:
    """The functions of time of a model, whose inputs are numbered over all of them.

    Attributes
    ----------
    inputs : dict
        Every input, by its name and the value it starts with, in the order in which they were met.
    kinks : set of Kink
        Of all functions.
    """

    inputs: dict[tuple[str, float], Input] = field(default_factory=dict)
    kinks: set[Kink] = field(default_factory=set)

    def add(
        self,
        profile: Profile,
        unit: str = "1",
        derivatives: int = 0,
        integral: Function | None = None,
    ) -> Function:
        """Return the function that is a profile, of the inputs of the model.

        Parameters
        ----------
        profile : Profile
            The function.
        unit : str
            Of its value.
        derivatives : int
            How many derivatives of it count.
        integral : Function, optional
            What is wanted instead of the profile: an integral of it.

        Raises
        ------
        InputError
            When an input has two units.
        """
        starts = zip(profile.inputs, profile.start[::4].tolist(), strict=True)
        numbers = [self._meet(Input(name, unit, start, derivatives)) for name, start in starts]
        self.kinks.update(profile.kinks)
        return (integral or profile.function).of_inputs(numbers)

    def told_number(self, name: str, start: float) -> int:
        """Return the number of an input that is a number without a unit.

        Raises
        ------
        InputError
            When the input is known with a unit.
        """
        return self._meet(Input(name, "1", start, 0))

    @property
    def start(self) -> NDArray[np.float64]:
        """Values that the inputs start with, (i,)."""
        return np.array([one.start for one in self.inputs.values()])

    def told(self) -> Iterator[Input]:
        """Yield the inputs, of which others know the names alone.

        Raises
        ------
        InputError
            When an input has two start values.
        """
        starts: dict[str, float] = {}
        for one in self.inputs.values():
            if one.name in starts:
                raise InputError(
                    f"input '{one.name}': found the initial values {starts[one.name]:g} and "
                    f"{one.start:g}; expected one value"
                )
            starts[one.name] = one.start
            yield one

    def _meet(self, found: Input) -> int:
        """Return the number of an input, whose uses agree."""
        key = (found.name, found.start)
        known = self.inputs.setdefault(key, found)
        if known.unit != found.unit:
            raise InputError(
                f"input '{found.name}': found the units {known.unit} and {found.unit}; expected "
                "one unit"
            )
        if found.derivatives > known.derivatives:
            self.inputs[key] = found
        return list(self.inputs).index(key)
