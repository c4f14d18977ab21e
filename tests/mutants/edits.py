# SPDX-License-Identifier: BSD-3-Clause
"""Edits of a text, and the lines around them that occur once."""

from __future__ import annotations

from dataclasses import dataclass

_MOST_LINES = 4


@dataclass(frozen=True, slots=True)
class Edit:
    """New text from ``start`` to ``end``, and what kind of fault it is."""

    start: int
    end: int
    new: str
    kind: str

    def in_lines(self, text: str) -> tuple[str, str] | None:
        """Return the lines of the edit before and after it, with as many in front as it takes.

        None where that is too many, or where nothing is edited.
        """
        start = text.rfind("\n", 0, self.start) + 1
        end = text.find("\n", self.end)
        for _ in range(_MOST_LINES):
            before = text[start:end].strip()
            if text.count(before) == 1:
                new = text[start : self.start] + self.new + text[self.end : end]
                after = new.strip()
                return (before, after) if before != after else None
            if not start:
                return None
            start = text.rfind("\n", 0, start - 1) + 1
        return None
