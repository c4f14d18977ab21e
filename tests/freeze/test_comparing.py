# SPDX-License-Identifier: BSD-3-Clause
"""Two recordings are equal only if every figure, text and array of them is."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from frozen import asking
from frozen.asking import ask, clean
from frozen.comparing import compare, differences
from frozen.models import _column
from frozen.recording import _of_another, _record, state


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
        ({"array": (1.0, np.inf)}, "array q"),
        ({"array": (1.0 + 0.0j, 2.0)}, "complex128"),
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


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ((np.inf, 1.0), (np.inf, 2.0)),
        ((np.inf, 1.0), (-np.inf, 1.0)),
        ((1.0 + 0.0j, 2.0), (1.0 + 1e-9j, 2.0)),
    ],
)
def test_what_a_tolerance_does_not_hide(tmp_path, old, new):
    """Infinities are no measure of the other values, and imaginary parts are compared."""
    a, b = item(tmp_path / "a", array=old), item(tmp_path / "b", array=new)
    assert list(differences(a, b, 1e-12))


def test_bits(tmp_path):
    """Bit for bit means the sign of zero too; what is not a number equals itself."""
    a, b = item(tmp_path / "a", array=(0.0, 1.0)), item(tmp_path / "b", array=(-0.0, 1.0))
    assert list(differences(a, b, 0.0)) and not list(differences(a, b, 1e-12))
    nan = {"data": {"figure": float("nan")}, "array": (np.nan, 1.0)}
    assert not list(differences(item(tmp_path / "c", **nan), item(tmp_path / "d", **nan), 0.0))


def test_an_item_that_neither_recording_has(tmp_path, capsys):
    """What failed in both recordings is not known to be equal."""
    for name in "ab":
        item(tmp_path / name)
        assert not _record(tmp_path / name / "part" / "failing", lambda: 1 / 0)
    assert compare(tmp_path / "a", tmp_path / "b") == 1
    assert "part/failing: not finished in old and new" in capsys.readouterr().out


def test_hashes_and_numbers():
    """Hashes of source are left out; every digit of a constant is kept."""
    numbers = (
        "0.5773502691896257, 1.2345678901234567e-05, 12345678901234567890, 0x1.921fb54442d18p+1"
    )
    assert clean(numbers) == numbers
    assert clean("id-c4ded4d3d3851d53f3d1db0a2e594d1e") == "id-HASH"


def test_columns():
    """A column of a table is numbers, gaps included, or text that is kept."""
    assert np.array_equal(_column(("1.5", "")), [1.5, np.nan], equal_nan=True)
    assert list(_column(("1.5", "stable"))) == ["1.5", "stable"]


def test_another_state(tmp_path):
    """A recording does not go on when a source has changed since, nor in a folder of others."""
    source, place = tmp_path / "source", tmp_path / "recording"
    source.mkdir()
    (source / "a.py").write_text("1")
    before = state(source)
    assert not _of_another(place, before) and not _of_another(place, before)
    (source / "a.py").write_text("2")
    assert "another state" in _of_another(place, state(source))
    assert "no recording" in _of_another(source, before)


def test_a_signal(monkeypatch):
    """A signal ends a recording; it is no item that failed."""
    monkeypatch.setattr(asking, "main", lambda arguments: 143)
    with pytest.raises(KeyboardInterrupt):
        ask("claims")
