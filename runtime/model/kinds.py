# SPDX-License-Identifier: BSD-3-Clause
"""Hints for tables with a kind: which kind, or which key of a kind, was meant."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from flexforge.codegen.errors import nearest
from flexforge.runtime.model.annotations import keys_of, labels_of, unwrapped
from flexforge.runtime.model.base import toml_type

#: Keys that say what a table is and where, not its value.
_COMMON = ("axes", "steps", "kind", "group")


def other_kind(key: str, own: Any, options: tuple[Any, ...]) -> str:
    """Return a hint for a key that is the name of a kind, or a key of other kinds of a table.

    Parameters
    ----------
    key : str
        The unknown key.
    own : type
        The table that it is in.
    options : tuple of type
        All kinds of that table.
    """
    kinds = {label: option for option in options for label in labels_of(option)}
    named = key if key in kinds else _close(key, kinds)
    if named and unwrapped(kinds[named]) is own:
        values = " or ".join(map(repr, _values_of(kinds[named], options)))
        return f"; did you mean {values}?" if values else ""
    if named:
        return _of_kind(named, kinds[named])
    having = [label for label, option in kinds.items() if key in keys_of(unwrapped(option))]
    if not having:
        return ""
    others = " or ".join(f'kind = "{label}"' for label in having[:3])
    return f"; expected one of {', '.join(keys_of(own))}; {key} is a key of {others}"


def meant_kind(table: Any, options: tuple[Any, ...]) -> str:
    """Return a hint which kind a table without one may be: a key names it, or all fit one only."""
    if toml_type(table) != "table":
        return ""
    kinds = {label: option for option in options for label in labels_of(option)}
    named = [key for key in table if key in kinds]
    fitting = [
        label for label, option in kinds.items() if set(table) <= set(keys_of(unwrapped(option)))
    ]
    if named:
        return _of_kind(named[0], kinds[named[0]])
    return f'; did you mean kind = "{fitting[0]}"?' if table and len(fitting) == 1 else ""


def _of_kind(label: str, option: Any) -> str:
    values = " or ".join(_required(option))
    return f'; did you mean kind = "{label}"{f", with {values}" if values else ""}?'


def _required(option: Any) -> list[str]:
    """Return the keys that give the value of a kind: those required besides kind and group."""
    fields = unwrapped(option).model_fields
    return [key for key, one in fields.items() if one.is_required() and key not in _COMMON]


def _values_of(option: Any, options: tuple[Any, ...]) -> list[str]:
    """Return the required keys of a kind, or else one or two that few others have."""
    fields = unwrapped(option).model_fields
    others = Counter(key for one in options for key in keys_of(unwrapped(one)))
    own = [
        key
        for key, one in fields.items()
        if one.default is None and others[key] <= 2 and key not in _COMMON
    ]
    return _required(option) or (own if len(own) <= 2 else [])


def _close(key: str, kinds: Iterable[str]) -> str:
    hint = re.search("'([^']*)'", nearest(key, kinds))
    return hint[1] if hint and len(key) > 3 else ""
