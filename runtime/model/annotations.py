# SPDX-License-Identifier: BSD-3-Clause
"""Annotations of the tables of a model file: keys, and types among which a kind chooses."""

from __future__ import annotations

import functools
import operator
import types
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, Tag


def keys_of(kind: Any) -> list[str]:
    """Return the keys of a table as users write them; none for another type."""
    fields = kind.model_fields if is_table(kind) else {}
    return [field.alias or name for name, field in fields.items()]


def labels_of(option: Any) -> tuple[str, ...]:
    """Return how pydantic may call an option of a union: by its tag, or as the kind of a table."""
    table = unwrapped(option)
    kinds = get_args(table.model_fields["kind"].annotation) if "kind" in keys_of(table) else ()
    return (*kinds, *(mark.tag for mark in _marks(option) if isinstance(mark, Tag)))


def is_table(kind: Any) -> bool:
    """Whether a type is that of a table."""
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _marks(kind: Any) -> tuple[Any, ...]:
    return get_args(kind)[1:] if get_origin(kind) is Annotated else ()


def is_union(kind: Any) -> bool:
    """Whether a type is one of several."""
    return get_origin(kind) in (Union, types.UnionType)


def unwrapped(kind: Any) -> Any:
    """Strip annotations and "or None"."""
    while True:
        if get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
        elif is_union(kind) and type(None) in get_args(kind):
            rest = [option for option in get_args(kind) if option is not type(None)]
            if len(rest) > 1:
                return functools.reduce(operator.or_, rest)
            kind = rest[0]
        else:
            return kind
