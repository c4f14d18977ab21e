# SPDX-License-Identifier: BSD-3-Clause
"""CSV tables of time: what is read, and what is refused with file and line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.motion.tables import read_table


@pytest.mark.parametrize(
    "text",
    [
        "0,1,10\n1,2,20\n2,4,40\n",
        "time, speed, force\n0, 1, 10\n1, 2, 20\n2, 4, 40\n",
        "# measured\ntime;speed;force\r\n0;1;10\r\n1;2;20\r\n\r\n2;4;40",
        '\ufeff"t","speed","force"\n0,1,10\n1,2,20\n2,4,40\n',
        "0 1  10\n1\t2\t20\n2 4 40\n",
    ],
)
def test_separators_headings_and_comments(tmp_path: Path, text: str) -> None:
    """Commas, semicolons or white space, with or without heading, give the same table."""
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode())
    times, values = read_table(path, 3)
    np.testing.assert_array_equal(times, [0, 1, 2])
    np.testing.assert_array_equal(values, [10, 20, 40])
    if "speed" in text:
        np.testing.assert_array_equal(read_table(path, "speed")[1], [1, 2, 4])


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        (b"0,1\n1,2\n1,3\n", 2, ":3: found t = 1 after t = 1; expected increasing times"),
        (b"0,1\n2,2\n1,3\n", 2, ":3: found t = 1 after t = 2; expected increasing times"),
        (b"t,v\n0,1\n1,x\n", 2, ":3: found 'x'; expected a finite number"),
        (b"0,1\n1,nan\n", 2, ":2: found 'nan'; expected a finite number"),
        (b"0,1\n1,2\n", 3, ":1: found 2 columns; expected at least 3"),
        (b"0,1\n1\n", 2, ":2: found 1 columns; expected at least 2"),
        (b"t,speed\n0,1\n1,2\n", "sped", "found no column 'sped'; expected one of t, speed; did"),
        (b"0,1\n1,2\n", "speed", "expected a column number, as it has no heading"),
        (b"t,v\n0,1\n", 2, "found 1 rows of numbers; expected at least 2"),
        (b"", 2, "found no rows"),
        (b"\xff\xfe\x00\x01", 2, "not UTF-8"),
    ],
)
def test_refused(tmp_path: Path, text: bytes, column: int | str, message: str) -> None:
    """Each fault of a table is one line with file and line."""
    path = tmp_path / "table.csv"
    path.write_bytes(text)
    with pytest.raises(InputError) as caught:
        read_table(path, column)
    assert str(caught.value).startswith(f"{path}")
    assert message in str(caught.value)


def test_missing_file(tmp_path: Path) -> None:
    """A file that is not there is named."""
    with pytest.raises(InputError, match="gone.csv: found no readable file"):
        read_table(tmp_path / "gone.csv")
