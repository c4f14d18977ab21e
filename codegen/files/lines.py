# SPDX-License-Identifier: BSD-3-Clause
"""Line numbers of the keys of a TOML text, which the standard parser does not provide.

The text is known to be valid TOML, so that a short scan suffices.
"""

from __future__ import annotations

import re
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]

_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^,\]}\n#]*")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}' r"|'''.*?'{3,5}" r'|"(?:\\.|[^"\\])*"' r"|'[^']*'", re.DOTALL
)


def line_of(text: str, path: Path) -> int | None:
    """Return the line (from 1) of a key path, or of the nearest table around it.

    Parameters
    ----------
    text : str
        Valid TOML.
    path : tuple of str and int
        Keys, and positions in arrays.

    Returns
    -------
    int or None
        The line, or None if not even the first key occurs.
    """
    try:
        places = _Scan(text).places
    except RecursionError:  # arrays within arrays, hundreds deep
        return None
    for length in range(len(path), 0, -1):
        if path[:length] in places:
            return text.count("\n", 0, places[path[:length]]) + 1
    return None


class _Scan:
    """Scan of the text that records where each key and array entry begins."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.places: dict[Path, int] = {}
        self._at = 0
        self._tables: dict[Path, int] = {}  # number of entries so far in arrays of tables
        self._scan()

    def _scan(self) -> None:
        table: Path = ()
        self._skip_space()
        while self._at < len(self.text):
            if self.text.startswith("[", self._at):
                table = self._header()
            else:
                self._pair(table)
            self._skip_space()

    def _header(self) -> Path:
        begin = self._at
        is_array = self.text.startswith("[[", begin)
        self._at += 2 if is_array else 1
        keys = self._keys()
        self._at = self.text.find("]", self._at) + (2 if is_array else 1)
        table: Path = ()
        for position, key in enumerate(keys):
            table = (*table, key)
            if is_array and position == len(keys) - 1:
                self._tables[table] = self._tables.get(table, 0) + 1
            self.places.setdefault(table, begin)
            if table in self._tables:
                table = (*table, self._tables[table] - 1)
        self.places.setdefault(table, begin)
        return table

    def _pair(self, table: Path) -> None:
        begin = self._at
        path = table
        for key in self._keys():
            path = (*path, key)
            self.places.setdefault(path, begin)
        self._at = self.text.index("=", self._at) + 1
        self._value(path)

    def _keys(self) -> list[str]:
        keys: list[str] = []
        while True:
            self._skip_space()
            match = _STRING.match(self.text, self._at) or _BARE_KEY.match(self.text, self._at)
            if match is None:
                return keys
            self._at = match.end()
            key = match.group()
            keys.append(key[1:-1] if key[0] in "\"'" else key)
            self._skip_space()
            if not self.text.startswith(".", self._at):
                return keys
            self._at += 1

    def _value(self, path: Path) -> None:
        self._skip_space()
        if self.text.startswith("[", self._at):
            self._array(path)
        elif self.text.startswith("{", self._at):
            self._inline_table(path)
        else:
            match = _STRING.match(self.text, self._at) or _SCALAR.match(self.text, self._at)
            assert match is not None  # _SCALAR matches the empty text
            self._at = match.end()

    def _array(self, path: Path) -> None:
        self._at += 1
        position = 0
        self._skip_space()
        while self._at < len(self.text) and not self.text.startswith("]", self._at):
            self.places.setdefault((*path, position), self._at)
            self._value((*path, position))
            position += 1
            self._skip_comma()
        self._at += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        self._skip_space()
        while self._at < len(self.text) and not self.text.startswith("}", self._at):
            self._pair(path)
            self._skip_comma()
        self._at += 1

    def _skip_comma(self) -> None:
        self._skip_space()
        if self.text.startswith(",", self._at):
            self._at += 1
        self._skip_space()

    def _skip_space(self) -> None:
        match = _SPACE.match(self.text, self._at)
        assert match is not None  # it matches the empty text
        self._at = match.end()
