# SPDX-License-Identifier: BSD-3-Clause
"""No result without a number: what is NaN or infinite is an error, never a figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.results.data import BodyState
from flexforge.runtime.results.stacked import parts_of
from numpy.typing import ArrayLike


def require_finite(where: str, values: Mapping[str, ArrayLike]) -> None:
    """Refuse numbers that are not finite.

    Parameters
    ----------
    where : str
        Of what or when they are, for the error.
    values : mapping of str to array_like
        Numbers by name.

    Raises
    ------
    AnalysisError
        Naming the first that contains one.
    """
    for name, value in values.items():
        if not np.isfinite(np.asarray(value, dtype=float)).all():
            raise AnalysisError(
                f"{where}{name}: contains NaN or infinity; expected finite float64 values: "
                "check the model for values of wrong magnitude"
            )


def require_finite_state(time: float, name: str, state: BodyState) -> None:
    """Refuse a state of a body that is not finite.

    Parameters
    ----------
    time : float
        Time, s.
    name : str
        Of the body.
    state : BodyState
        Its state.

    Raises
    ------
    AnalysisError
        As of :func:`require_finite`.
    """
    require_finite(f"t = {time:.6g} s, body '{name}', ", parts_of(state))


def require_finite_figures(figures: Mapping[str, Any]) -> None:
    """Refuse figures of a run that are not finite.

    Parameters
    ----------
    figures : mapping
        Name to number, to text, or to a number with its unit.

    Raises
    ------
    AnalysisError
        As of :func:`require_finite`.
    """
    require_finite("figure ", dict(_numbers(figures)))


def _numbers(figures: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for name, value in figures.items():
        number = value[0] if isinstance(value, list | tuple) and value else value
        if isinstance(number, float):
            yield name, number
