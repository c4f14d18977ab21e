# SPDX-License-Identifier: BSD-3-Clause
"""What an analysis of critical speeds takes, and which bearings a map replaces."""

from __future__ import annotations

from collections.abc import Iterator

from flexforge.runtime.loading.checks_plies import known_name
from flexforge.runtime.model.messages import Problem
from flexforge.runtime.model.schema import ModelSpec


def critical_problems(model: ModelSpec) -> Iterator[Problem]:
    """Yield what a model of which critical speeds are asked cannot have.

    Parameters
    ----------
    model : ModelSpec
        Validated table by table.
    """
    analysis = model.analysis
    if analysis.kind != "critical_speeds":
        return
    without: list[tuple[str, object]] = [
        ("links", model.links),
        ("cyclic", model.cyclic),
        ("reduction", model.reduction),
        ("constraints", model.constraints),
    ]
    for key, given in without:
        if given:
            yield Problem((key,), "found with analysis critical_speeds; expected a model without")
    bearings = [one.name for one in model.connectors if one.kind == "bearing"]
    if analysis.stiffness is not None and not bearings:
        text = "found in a model without bearings; expected connectors of kind bearing, or no map"
        yield Problem(("analysis", "stiffness"), text)
    for place, name in enumerate(analysis.connectors or ()):
        yield from known_name(name, bearings, "bearing", ("analysis", "connectors", place))
