# SPDX-License-Identifier: BSD-3-Clause
"""Mutations of TOML by its structure, so that most inputs are still TOML."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

from fuzzing.mutate import INTEGERS, ODDITIES, REALS, encoded, mutate_text, number

Table = dict[str, Any]
Place = tuple[Any, Any]  # a table or list, and a key of it


def written(data: Table) -> bytes:
    """Return tables as TOML."""
    return encoded("".join(f"{_key(key)} = {_value(value)}\n" for key, value in data.items()))


def _key(key: str) -> str:
    return _text(key)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return repr(value)
        case dict():
            return "{" + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_value, value)) + "]"
        case str():
            return _text(value)
    return str(value)  # dates


@cache
def _parsed(seed: bytes) -> Table | None:
    try:
        return tomllib.loads(seed.decode())
    except ValueError:
        return None


@cache
def _pools(seeds: tuple[bytes, ...]) -> tuple[list[Table], dict[str, list[Any]], list[str]]:
    """Return the seeds as tables, all values of every key, and all keys."""
    tables = [table for seed in seeds if (table := _parsed(seed)) is not None]
    values: dict[str, list[Any]] = {}
    for table in tables:
        for holder, key in places(table):
            if isinstance(key, str):
                values.setdefault(key, []).append(holder[key])
    return tables, values, sorted(values)


def places(table: Any) -> list[Place]:
    """Return every place of a value in tables."""
    found: list[Place] = []
    stack = [table]
    while stack:
        holder = stack.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], dict | list):
                stack.append(holder[key])
    return found


def odd_value(rng: Random) -> Any:
    """Return a value of any type."""
    kind = rng.randrange(9)
    if kind < 3:
        return rng.choice(REALS)
    if kind == 3:
        return rng.choice(INTEGERS)
    if kind == 4:
        return rng.choice(ODDITIES)
    return [True, {}, [], "", "all"][kind - 4] if rng.random() < 0.5 else rng.randint(-2, 9)


def near_value(rng: Random, value: Any) -> Any:
    """Return a value that is like another."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        kind = rng.randrange(6)
        if kind == 0:
            return -value
        if kind == 1:
            return type(value)(0)
        if kind == 2:
            return rng.choice(INTEGERS) if isinstance(value, int) else rng.choice(REALS)
        if kind == 3:
            return value + rng.choice((-1, 1))
        try:
            scaled = (
                value * 10.0 ** rng.uniform(-3, 3)
                if kind == 4
                else value * 10.0 ** rng.uniform(-20, 20)
            )
            return int(scaled) if isinstance(value, int) else scaled
        except OverflowError:
            return 1
    if isinstance(value, str):
        if rng.random() < 0.5:
            return mutate_text(rng, (value.encode("utf-8", "replace"),)).decode("utf-8", "replace")
        return rng.choice(("", number(rng), value + rng.choice(ODDITIES), value.upper()))
    if isinstance(value, list) and value:
        kind = rng.randrange(4)
        new = list(value)
        if kind == 0:
            del new[rng.randrange(len(new))]
        elif kind == 1:
            new.insert(rng.randrange(len(new) + 1), copy.deepcopy(rng.choice(new)))
        elif kind == 2:
            rng.shuffle(new)
        else:
            at = rng.randrange(len(new))
            new[at] = near_value(rng, new[at])
        return new
    return odd_value(rng)


def changed(
    rng: Random, seeds: Sequence[bytes], rate: Sequence[int] = (1, 1, 1, 2, 2, 3, 5)
) -> Table:
    """Return the tables of a seed with a few changes."""
    tables, values, keys = _pools(tuple(seeds))
    table = copy.deepcopy(rng.choice(tables))
    for _ in range(rng.choice(rate)):
        found = places(table)
        if not found:
            break
        holder, key = rng.choice(found)
        kind = rng.randrange(20)
        if kind < 8:
            holder[key] = near_value(rng, holder[key])
        elif kind < 10:
            holder[key] = odd_value(rng)
        elif kind < 14 and isinstance(key, str):  # what another model has there
            holder[key] = copy.deepcopy(rng.choice(values.get(key, [0])))
        elif kind < 16 and isinstance(holder, dict):  # a key of another table
            new = rng.choice(keys)
            holder[new] = copy.deepcopy(rng.choice(values[new]))
        elif kind == 16:
            del holder[key]
        elif kind == 17 and isinstance(holder, list):
            holder.append(copy.deepcopy(rng.choice(holder)))
        elif kind == 18 and isinstance(holder, dict):
            holder[rng.choice(keys)] = holder.pop(key)
        else:
            new = rng.choice(keys)
            table[new] = copy.deepcopy(rng.choice(values[new]))
    return table


def mutate_tables(
    rng: Random, seeds: Sequence[bytes], after: Callable[[Table], Table] | None = None
) -> bytes:
    """Return TOML changed by its structure; ``after`` may change the tables once more."""
    table = changed(rng, seeds)
    return written(table if after is None else after(table))


def mutate_toml(rng: Random, seeds: Sequence[bytes]) -> bytes:
    """Return TOML changed by its structure mostly, by its text otherwise."""
    return mutate_tables(rng, seeds) if rng.random() < 0.7 else mutate_text(rng, seeds)
