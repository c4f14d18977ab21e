# SPDX-License-Identifier: BSD-3-Clause
"""Pre-tension sections of decks: bolts that pull on what they hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.decks.translate import translate
from flexforge.runtime.loading.load import load_model_file
from flexforge.runtime.run import run_model

from .deck_texts import solid, step, written

#: A bolt along x through a bar of two cubes, from node 1 at x = 0 to node 9 at x = 2.
BOLT = """\
*NODE
99, 5., 5., 5.
*ELEMENT, TYPE=T3D2, ELSET=Bolt
77, 1, 9
*SOLID SECTION, ELSET=Bolt, MATERIAL=Steel
0.1
*PRE-TENSION SECTION, ELEMENT=77, NODE=99
"""


def bar(direction: str = "") -> str:
    """Return a bar of two cubes whose sections stay plane, held at x = 0."""
    text = solid(cells=2) + BOLT + direction
    for first in (5, 9):
        rows = "".join(f"2\n{first + k}, 1, 1., {first}, 1, -1.\n" for k in (1, 2, 3))
        text += f"*EQUATION\n{rows}"
    return text


def moved(folder: Path, text: str) -> dict[int, np.ndarray]:
    """Return the displacements of the nodes that a deck prints."""
    text = text.replace("*STEP", "*NSET, NSET=all\n1, 9, 99\n*STEP", 1)
    outcome = run_model(load_model_file(written(folder, text)), output=folder / "results")
    file = outcome.steps["1"].folder / "tables" / "displacement all.csv"
    rows = np.genfromtxt(file, delimiter=",", skip_header=1)
    last = rows[rows[:, 0] == rows[-1, 0]]
    return {int(row[1]): row[2:] for row in last}


@pytest.mark.parametrize("direction", ["", "2., 0., 0.\n"])
def test_a_bolt_squeezes_a_bar(tmp_path: Path, direction: str) -> None:
    """A force F at the node squeezes the bar by F L/(E A); the node moves as far as its ends."""
    force = step("*STATIC", "*CLOAD", "99, 1, 1000.", "*NODE PRINT, NSET=all", "U")
    found = moved(tmp_path, bar(direction) + force)
    short = 1000.0 * 2.0 / 210000.0
    assert found[9][0] == pytest.approx(-short, rel=1e-9)
    assert found[99] == pytest.approx([short, 0.0, 0.0], rel=1e-9)


def test_a_bolt_is_shortened(tmp_path: Path) -> None:
    """A displacement d of the node brings the ends nearer by d."""
    held = step("*STATIC", "*BOUNDARY", "99, 1, 1, 0.003", "*NODE PRINT, NSET=all", "U")
    found = moved(tmp_path, bar() + held)
    assert found[9][0] == pytest.approx(-0.003, rel=1e-12)


@pytest.mark.parametrize(
    ("card", "said"),
    [
        ("*PRE-TENSION SECTION, NODE=99", "found neither SURFACE= nor ELEMENT=; expected one"),
        ("*PRE-TENSION SECTION, ELEMENT=1, NODE=99", "no beam or bar 1; expected one"),
        ("*PRE-TENSION SECTION, ELEMENT=77, NODE=99\n0., 0., 0.", "a direction of length 0"),
    ],
)
def test_faulty_pretensions_are_told(tmp_path: Path, card: str, said: str) -> None:
    text = bar().replace("*PRE-TENSION SECTION, ELEMENT=77, NODE=99", card)
    with pytest.raises(InputError, match=said):
        translate(written(tmp_path, text + step("*STATIC")))
