# SPDX-License-Identifier: BSD-3-Clause
"""Checks of bearings whose forces depend on more than a motion at one time: transfer functions."""

from __future__ import annotations

from collections.abc import Iterator

from flexforge.runtime.model.messages import Problem
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.system.bearing_analyses import unsuited


def bearing_problems(model: ModelSpec) -> Iterator[Problem]:
    """Yield what does not go with forces of bearings by transfer functions."""
    functions = (
        index
        for index, one in enumerate(model.connectors)
        if one.kind == "bearing" and one.transfer is not None
    )
    index = next(functions, None)
    text = "" if index is None else unsuited(model)
    if index is not None and text:
        yield Problem(("connectors", index, "transfer"), f"found with {text}")
