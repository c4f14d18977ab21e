# SPDX-License-Identifier: BSD-3-Clause
"""Two recordings are equal only if every figure, text and array of them is."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from comparing import compare, differences
from recording import _record


def item(folder: Path, data=None, text="a\nb\n", array=(1.0, 2.0)) -> Path:
    """Return the place of a small recorded item."""
    content = {"figure": [1.0, "kg"], "steps": 3} if data is None else data
    arrays = {"q": np.array(array)}
    assert _record(folder / "part" / "item", lambda: (content, {"x/y.c": text}, arrays))
    return folder / "part" / "item"


def test_equal_recordings(tmp_path):
    """Nothing is found where nothing differs, and the exit code says so."""
    item(tmp_path / "a"), item(tmp_path / "b")
    assert compare(tmp_path / "a", tmp_path / "b") == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"data": {"figure": [1.0 + 1e-13, "kg"], "steps": 3}}, "data.figure[0]"),
        ({"data": {"figure": [1.0, "g"], "steps": 3}}, "'g'"),
        ({"data": {"figure": [1.0, "kg"]}}, "data.steps: missing"),
        ({"data": {"figure": [1.0, "kg"], "steps": 3.0}}, "3.0"),
        ({"text": "a\nc\n"}, "x/y.c"),
        ({"array": (1.0, 2.0 + 1e-13)}, "array q"),
        ({"array": (1.0, np.nan)}, "array q"),
        ({"array": (1.0,)}, "array q"),
    ],
)
def test_one_difference(tmp_path, change, said):
    """Each kind of difference is found and named."""
    found = list(differences(item(tmp_path / "a"), item(tmp_path / "b", **change), 0.0))
    assert len(found) == 1 and said in found[0]


def test_tolerance(tmp_path):
    """A tolerance is a share of the largest value of an array; what is beyond it is told."""
    a = item(tmp_path / "a", array=(1e3, 0.0))
    near, far = item(tmp_path / "b", array=(1e3, 1e-10)), item(tmp_path / "c", array=(1e3, 1e-8))
    assert not list(differences(a, near, 1e-12))
    assert list(differences(a, far, 1e-12))


def test_a_missing_item(tmp_path):
    """An item that only one recording has is a difference, and so is an empty recording."""
    item(tmp_path / "a")
    (tmp_path / "b").mkdir()
    assert compare(tmp_path / "a", tmp_path / "b") == 1
    assert compare(tmp_path / "b", tmp_path / "b") == 1
