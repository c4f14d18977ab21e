# SPDX-License-Identifier: BSD-3-Clause
"""What a reader is to the net: seeds, how they are changed, and the attempt to read the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from flexforge.codegen import driver as kernel
from flexforge.codegen.elements import catalogue
from flexforge.codegen.errors import InputError
from numpy.typing import ArrayLike

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
#: Seeds that no example and no other test has.
OWN = Path(__file__).parents[1] / "seeds"


class NonFinite(Exception):
    """Something was accepted, or finished, and what came of it is not finite."""


@dataclass(frozen=True)
class Target:
    """A reader.

    Attributes
    ----------
    name : str
        Of the target, and of the folder of its regressions.
    file : str
        Name of the file that an input is written into.
    seeds : callable
        Returns valid inputs.
    mutate : callable
        Returns an input made from seeds.
    attempt : callable
        Reads the file; the current folder is the file's own.
    prepare : callable, optional
        Puts what an input may refer to into a folder.
    share : float
        Of the time of a campaign, relative to that of the others.
    count : int
        Inputs of the short run; none of what draws pictures, which takes seconds each.
    limit : float
        Seconds after which an input counts as a hang.
    """

    name: str
    file: str
    seeds: Callable[[], Sequence[bytes]]
    mutate: Callable[[Random, Sequence[bytes]], bytes]
    attempt: Callable[[Path], None]
    prepare: Callable[[Path], None] | None = None
    share: float = 1.0
    count: int = 100
    limit: float = 10.0

    def input(self, seeds: Sequence[bytes], seed: int, number: int) -> bytes:
        """Return an input, which depends on nothing but its arguments; the first are the seeds."""
        if number < len(seeds):
            return seeds[number]
        return self.mutate(Random(f"{self.name} {seed} {number}"), seeds)


def require_finite(what: str, values: ArrayLike) -> None:
    """Raise `NonFinite` unless all numbers are finite."""
    found = np.asarray(values, dtype=float)
    if not np.isfinite(found).all():
        raise NonFinite(f"{what} is not finite")


def require_finite_figures(what: str, figures: Any) -> None:
    """Raise `NonFinite` where a number among figures is not finite, or missing as JSON has it."""
    if isinstance(figures, dict):
        for name, value in figures.items():
            require_finite_figures(f"{what}: {name}", value)
    elif isinstance(figures, list | tuple):
        for value in figures:
            require_finite_figures(what, value)
    elif isinstance(figures, float | np.floating):
        require_finite(what, float(figures))


@contextmanager
def nothing_derived() -> Iterator[None]:
    """Refuse elements whose kernels would have to be derived, which takes many seconds each."""

    def refuse(*arguments: object, **options: object) -> None:
        raise InputError("an element whose kernels are not derived here")

    kept = kernel.compile_kernel, catalogue.find
    kernel.compile_kernel = catalogue.find = refuse
    try:
        yield
    finally:
        kernel.compile_kernel, catalogue.find = kept


def contents(paths: Iterable[Path]) -> list[bytes]:
    """Return the bytes of files, in the order of their names."""
    return [path.read_bytes() for path in sorted(paths)]
