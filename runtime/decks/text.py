# SPDX-License-Identifier: BSD-3-Clause
"""A translated deck as the text of a model file, with a comment on where each table comes from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import tomlkit
from flexforge.runtime.decks.translation import Translation
from tomlkit.items import AoT, Table

#: Tables of tables that are written as such, not in one line.
_NAMED = ("materials",)
_OPEN = ("mesh", "cyclic", "output")
#: Tables in the order in which they are read best.
_ORDER = ("title", "mesh", "materials", "bodies", "masses", "connectors", "supports", "equations",
          "couplings", "ties", "pretensions", "cyclic", "loads", "initial", "steps", "tables",
          "output")  # fmt: skip


def model_text(translation: Translation, target: Path) -> str:
    """Return the text of the model file of a deck.

    Parameters
    ----------
    translation : Translation
        The deck.
    target : Path
        The model file; the path of the mesh is relative to its folder.
    """
    deck, document = translation.deck, tomlkit.document()
    document.add(tomlkit.comment(f"The model of {deck.path.name}, by flexforge import. Its mesh"))
    document.add(tomlkit.comment("and its sets stay in that file; lines are those of the deck."))
    for remark in translation.remarks:
        document.add(tomlkit.comment(f"left out: {remark}"))
    relative = os.path.relpath(deck.path.absolute(), target.absolute().parent)
    tables = {**translation.tables, "mesh": {**translation.tables["mesh"], "file": relative}}
    for key, value in sorted(tables.items(), key=lambda item: _ORDER.index(item[0])):
        if key in _NAMED:
            document.add(key, _named(translation, key, value))
        elif isinstance(value, list):
            document.add(key, _listed(translation, key, value))
        elif isinstance(value, dict) and key in _OPEN:
            document.add(key, _table(value, translation.notes.get((key, ""), "")))
        else:
            document.add(key, _value(value))
    return tomlkit.dumps(document)


def _named(translation: Translation, key: str, value: dict[str, Any]) -> Table:
    """Return tables by name, such as [materials.steel]."""
    table = tomlkit.table(is_super_table=True)
    for name, inside in value.items():
        table.add(name, _table(inside, translation.notes.get((key, name), "")))
    return table


def _listed(translation: Translation, key: str, value: list[dict[str, Any]]) -> AoT:
    """Return tables in a list, such as [[bodies]]."""
    tables = tomlkit.aot()
    for place, inside in enumerate(value):
        tables.append(_table(inside, translation.notes.get((key, place), "")))
    return tables


def _table(inside: dict[str, Any], note: str = "") -> Table:
    table = tomlkit.table()
    for key, value in inside.items():
        table.add(key, _value(value))
    if note:
        table.comment(note)
    return table


def _value(value: Any) -> Any:
    """Return a value in one line."""
    if isinstance(value, dict):
        inline = tomlkit.inline_table()
        for key, one in value.items():
            inline.append(key, _value(one))
        return inline
    if isinstance(value, list) and any(isinstance(one, dict) for one in value):
        array = tomlkit.array()
        for one in value:
            array.append(_value(one))
        return array.multiline(multiline=len(value) > 1)
    return value
