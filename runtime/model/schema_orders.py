# SPDX-License-Identifier: BSD-3-Clause
"""Orders of excitation: multiples of the speed with which loads vibrate."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from flexforge.runtime.model.base import problem
from flexforge.runtime.model.ranges import listed_orders
from pydantic import AfterValidator, BeforeValidator, Field, Strict

MOST_ORDER = 1000


def _different(orders: tuple[int, ...]) -> tuple[int, ...]:
    if len(set(orders)) != len(orders):
        raise problem(f"found {list(orders)}; expected each order once")
    return tuple(sorted(orders))


Order: TypeAlias = Annotated[int, Strict(), Field(ge=0, le=MOST_ORDER)]
Orders: TypeAlias = Annotated[
    tuple[Order, ...],
    Field(min_length=1),
    BeforeValidator(listed_orders),
    AfterValidator(_different),
]
