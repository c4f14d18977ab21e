# SPDX-License-Identifier: BSD-3-Clause
"""How many frames describe what is on a link: a number of pieces, or groups of cells."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from flexforge.runtime.model.base import MOST, is_list, is_number, problem, shown, toml_type
from pydantic import PlainValidator

FRAMES = (
    "a whole number from 1, frames one after the other along beams, or a list of two or more "
    "groups of cells, a frame each"
)


def _frames(value: Any) -> int | tuple[str, ...]:
    if is_number(value) and value == int(value) and 1 <= value <= MOST:
        return int(value)
    texts = is_list(value) and all(one and toml_type(one) == "text" for one in value)
    if not texts or len(value) < 2:
        raise problem(f"found {shown(value)}; expected {FRAMES}")
    if len(set(value)) < len(value):
        twice = next(one for one in value if value.count(one) > 1)
        raise problem(f"found '{twice}' twice; expected every group once")
    return tuple(value)


Frames: TypeAlias = Annotated[int | tuple[str, ...], PlainValidator(_frames)]
