# SPDX-License-Identifier: BSD-3-Clause
"""Which probes and figures are components of one vector: one diagram, and one scale of round-off.

The figures and the files of a run keep every number as it was computed; what is shown to people
has 0 for a component that is round-off of the others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results.data import Column

ROUND_OFF = 1e-12  # of the largest component of a vector
_OF_ONE = {"name", "component"}  # keys of a probe in which components differ
_COMPONENT = re.compile(r"(?P<stem>.+) [xyz]")


def families(columns: Sequence[Column], summary: Mapping[str, Any]) -> list[list[int]]:
    """Return the columns of each vector, in the order of the columns; a single one is by itself.

    Parameters
    ----------
    columns : sequence of Column
        The probes.
    summary : mapping
        As in ``summary.json``, whose ``model`` has the tables of the probes.
    """
    tables = summary.get("model", {}).get("probes", [])
    known = {one["name"]: one for one in tables if isinstance(one, Mapping) and "name" in one}
    found: dict[str, list[int]] = {}
    for i, column in enumerate(columns):
        own = known.get(column.name, {"name": column.name, "of": i})
        of = {key: value for key, value in own.items() if key not in _OF_ONE}
        alone = {} if "component" in own else {"of": i}
        found.setdefault(repr((sorted((of | alone).items()), column.unit)), []).append(i)
    return list(found.values())


def common_name(names: Sequence[str]) -> str:
    """Return what the names of the components of a vector begin with, or all of them.

    Examples
    --------
    >>> common_name(["ball force x", "ball force y"])
    'ball force'
    >>> common_name(["one", "two"])
    'one, two'
    """
    common = os.path.commonprefix(list(names)).rstrip(" ,_-.+")
    return common or ", ".join(names)


def cleaned(rows: Floats, found: Sequence[Sequence[int]]) -> Floats:
    """Return rows of values with 0 for what is round-off of the vector that it belongs to.

    Parameters
    ----------
    rows : ndarray, (T, P)
        The values.
    found : sequence of sequence of int
        As of :func:`families`.
    """
    rows = rows.copy()
    for columns in found:
        values = rows[:, columns]
        with np.errstate(invalid="ignore"):
            largest = np.nanmax(np.abs(values), initial=0.0)
            rows[:, columns] = np.where(np.abs(values) < ROUND_OFF * largest, 0.0, values)
    return rows


def without_round_off(figures: Mapping[str, Any], summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return figures with 0 for what is round-off of the vector that it belongs to.

    Parameters
    ----------
    figures : mapping
        Name to number, or to a number with its unit.
    summary : mapping
        As of :func:`families`.

    Examples
    --------
    >>> without_round_off({"reaction x": [-13e3, "N"], "reaction y": [7e-9, "N"]}, {})
    {'reaction x': [-13000.0, 'N'], 'reaction y': [0.0, 'N']}
    """
    columns = []
    for one in summary.get("model", {}).get("probes", []):
        value = figures.get(f"{one['name']}, peak", figures.get(one["name"]))
        if isinstance(value, list | tuple):
            columns.append(Column(one["name"], str(value[1])))
    found = families(columns, summary)
    stems = {columns[i].name: f"probes {k}" for k, own in enumerate(found) for i in own}
    groups: dict[str, list[str]] = {}
    for name, value in figures.items():
        if not (isinstance(value, list | tuple) and isinstance(value[0], float)):
            continue
        probe = name.removesuffix(", peak").removesuffix(", at the end")
        own = _COMPONENT.fullmatch(name)
        if probe in stems:
            groups.setdefault(stems[probe], []).append(name)
        elif own is not None:
            groups.setdefault(own["stem"], []).append(name)
    shown = dict(figures)
    for names in groups.values():
        largest = max(abs(figures[name][0]) for name in names)
        for name in names:
            value, unit = figures[name]
            if abs(value) < ROUND_OFF * largest:
                shown[name] = [0.0, unit]
    return shown
