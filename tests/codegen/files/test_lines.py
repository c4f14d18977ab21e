# SPDX-License-Identifier: BSD-3-Clause
"""The line of a key path in TOML text: tables, arrays of tables, inline tables, long strings."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from flexforge.codegen.files.lines import Path, line_of

TEXT = '''title = "[not.a.table] # not a comment"
# a comment with [brackets] and key = 1
[mesh]
file = "blade.msh"   # the mesh
  scale = 1e-3
[materials."a b"]
young = 1
[materials.steel]
damping.alpha = 1.0
damping.beta = 2.0
[[bodies]]
name = "one"
[bodies.frame]
axis = [
    0.0,  # x, not "y"
    0.0, 1.0
]
velocity = { ramp = { to = 5, duration = 1.0 } }
[[bodies]]
name = 'two'
frame.origin.position = [0, "sin(t)", { polynomial = [1, 2] }]
text = """
name = "no key"
[no.table]
"""
[bodies.frame.extra]
deep = [[1, 2], [3,
 4]]
[[loads]]
[[loads]]
kind = "force"
'''

LINES: dict[Path, int] = {
    ("title",): 1,
    ("mesh",): 3,
    ("mesh", "file"): 4,
    ("mesh", "scale"): 5,
    ("materials", "a b", "young"): 7,
    ("materials", "steel"): 8,
    ("materials", "steel", "damping", "beta"): 10,
    ("bodies", 0): 11,
    ("bodies", 0, "name"): 12,
    ("bodies", 0, "frame"): 13,
    ("bodies", 0, "frame", "axis"): 14,
    ("bodies", 0, "frame", "axis", 0): 15,
    ("bodies", 0, "frame", "axis", 2): 16,
    ("bodies", 0, "frame", "velocity", "ramp", "duration"): 18,
    ("bodies", 1): 19,
    ("bodies", 1, "name"): 20,
    ("bodies", 1, "frame", "origin", "position", 2, "polynomial", 1): 21,
    ("bodies", 1, "text"): 22,
    ("bodies", 1, "frame", "extra"): 26,
    ("bodies", 1, "frame", "extra", "deep", 1, 1): 28,
    ("loads", 0): 29,
    ("loads", 1, "kind"): 31,
}


@pytest.mark.parametrize("path", LINES)
def test_line_of_every_form_of_key(path: Path) -> None:
    """Each key path is found on the line where it is written."""
    assert line_of(TEXT, path) == LINES[path]


def test_missing_keys_point_at_the_table_around_them() -> None:
    """A key that does not occur gives the line of the nearest table that does."""
    assert line_of(TEXT, ("bodies", 0, "frame", "axxis")) == 13
    assert line_of(TEXT, ("materials", "steel", "young")) == 8
    assert line_of(TEXT, ("analysis",)) is None


def test_every_path_of_the_text_is_known() -> None:
    """The scan and the standard parser agree on which paths there are."""

    def walk(value: Any, path: Path) -> list[Path]:
        pairs = (
            value.items()
            if isinstance(value, dict)
            else enumerate(value)
            if isinstance(value, list)
            else ()
        )
        return [found for key, item in pairs for found in [(*path, key), *walk(item, (*path, key))]]

    from flexforge.codegen.files.lines import _Scan

    assert set(_Scan(TEXT).places) == set(walk(tomllib.loads(TEXT), ()))
