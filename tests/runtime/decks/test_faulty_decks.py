# SPDX-License-Identifier: BSD-3-Clause
"""Decks that are wrong, cut, or beyond what there is: lines, and what was expected."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flexforge.cli import main
from flexforge.codegen.errors import FlexforgeError, InputError
from flexforge.runtime.decks.translate import translate
from flexforge.runtime.loading.load import load_model_file

from .deck_texts import solid, step, written

GOOD = solid() + step("*STATIC", "*CLOAD", "right, 1, 250.", "*NODE PRINT, NSET=Nall", "U")


def line(text: str, what: str) -> int:
    """Return the number of the line that begins with something."""
    return next(n for n, one in enumerate(text.splitlines(), 1) if one.startswith(what))


@pytest.mark.parametrize(
    ("old", "new", "where", "said"),
    [
        ("*STATIC", "*CREEP\n1.\n*STATIC", "*CREEP", r"\*CREEP is not supported: .* elastic"),
        ("*DENSITY", "*DENSTY", "*DENSTY", r"\*DENSTY is not supported; did you mean 'DENSITY'"),
        (
            "right, 1, 250.",
            "rihgt, 1, 250.",
            "rihgt",
            "no node set named 'rihgt'; did you mean 'ri",
        ),
        ("right, 1, 250.", "right, 9, 250.", "right, 9", "degree of freedom 9; expected 1 to 6"),
        ("right, 1, 250.", "right, 1, x", "right, 1, x", "found 'x'; expected a number"),
        ("right, 1, 250.", "right, 1", "right, 1", "found 2 values; expected 3 or more"),
        ("right, 1, 250.", "999, 1, 250.", "999", "no node 999"),
        ("MATERIAL=STEEL", "MATERIAL=STEAL", "*SOLID", "no .MATERIAL named 'STEAL'"),
        ("210000., .3", "210000.", "*ELASTIC", "found 1 values; expected 2"),
        ("7.8E-9", "", "*DENSITY", "found 0 values; expected 1"),
        ("TYPE=C3D8", "TYPE=C3D99", "*ELEMENT", "element type C3D99 is not supported"),
        (
            "*SOLID SECTION, ELSET=eall",
            "*SOLID SECTION, ELSET=End",
            "",
            "element 1 of type C3D8 has",
        ),
        ("*STEP", "*STEP, NLGEOM\n*END STEP\n*STEP", "*STEP, NL", "a step without a procedure"),
        ("*CLOAD", "*CLOAD, AMPLITUDE=A9", "right, 1", "no .AMPLITUDE named 'A9'"),
        ("*CLOAD", "*CLOAD, LOAD CASE=3", "*CLOAD", "found LOAD CASE=3; expected 1"),
        ("*BOUNDARY", "*EQUATION\n2\n1, 1, 1.\n*BOUNDARY", "", "found 1 terms .* expected 2"),
        ("*BOUNDARY", "*MPC\nDIST, 1, 2\n*BOUNDARY", "DIST", r"\*MPC DIST is not supported; expe"),
        ("*BOUNDARY", "*MPC\nMEANROT, 1, 2, 7\n*BOUNDARY", "MEANROT", "the axis of the rotation"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, old: str, new: str, where: str, said: str
) -> None:
    text = GOOD.replace(old, new, 1)
    assert text != GOOD
    path = written(tmp_path, text)
    with pytest.raises(InputError, match=said) as error:
        translate(path)
    if where.strip():
        lines = text.splitlines()
        place = next(n for n, one in enumerate(lines, 1) if one.startswith(where.strip()))
        assert str(error.value).startswith(f"{path}:{place}: ")


FORCE = ("*CLOAD", "right, 1, 250.")
MODES = step("*FREQUENCY", "2")


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (step("*STATIC", *FORCE) + step("*BUCKLE", "2"), r"\*BUCKLE after \*STATIC is not"),
        (step("*STATIC", *FORCE) + MODES + step("*MODAL DYNAMIC", "1., 1."), r"after \*STATIC is"),
        (step("*STATIC", "*EQUATION, REMOVE", "1, 1"), "no equation begins with degree of free"),
        (step("*STATIC", "*EQUATION", "1"), r"\*EQUATION within a step without REMOVE"),
        (step("*STATIC") + step("*STATIC", *FORCE, options=", NLGEOM"), "NLGEOM from the first"),
        (step("*MODAL DYNAMIC", "1., 1."), r"no \*FREQUENCY step before"),
        (step("*DYNAMIC", "1., 1.", "*DLOAD", "eall, CENTRIF, 1., 0., 0., 0., 0., 0., 1."),
         "with CENTRIF is not supported"),
        (step("*STATIC", "*DLOAD", "eall, CENTRIF, -1., 0., 0., 0., 0., 0., 1."),
         "expected the square of a speed"),
        (step("*DYNAMIC", "0., 1."), "found increments of 0 in a time of 1"),
    ],
)  # fmt: skip
def test_steps_that_mean_something_else_are_refused(tmp_path: Path, steps: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        translate(written(tmp_path, solid() + steps))


def test_every_unsupported_card_is_listed(tmp_path: Path) -> None:
    text = GOOD.replace("*STATIC", "*NETWORK MPC, RESET\n*STATIC\n*CONTACT PRINT\nCSTR")
    with pytest.raises(InputError) as error:
        translate(written(tmp_path, text))
    lines = str(error.value).splitlines()
    found = [re.search(r":(\d+): \*(\w+)", one)[2] for one in lines]  # type: ignore[index]
    assert found == ["NETWORKMPC", "CONTACTPRINT"]
    assert all("--ignore" in one for one in lines)


def test_cards_that_are_to_be_ignored_are_told(tmp_path: Path) -> None:
    text = GOOD.replace("*STATIC", "*CONTROLS, RESET\n*STATIC")
    model = load_model_file(written(tmp_path, text), ["controls"])
    (remark,) = model.remarks
    assert re.search(r"bar.inp:\d+: \*CONTROLS is ignored, as asked for", remark)


def test_the_command_line_gives_a_line_and_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, GOOD.replace("*STATIC", "*HEAT TRANSFER"))
    assert main(["run", str(path), "-o", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert f"{path}:{line(path.read_text(), '*HEAT')}: *HEATTRANSFER is not supported" in said
    assert "Traceback" not in said
    assert not (tmp_path / "out").exists()


def test_a_deck_cut_anywhere_is_refused_or_whole(tmp_path: Path) -> None:
    """Never a traceback: cut after each of its bytes, in steps."""
    refused = 0
    for end in range(0, len(GOOD), 37):
        path = written(tmp_path, GOOD[:end])
        try:
            load_model_file(path)
        except FlexforgeError as error:
            refused += 1
            assert str(path) in str(error)
    assert refused > len(GOOD) // 37 - 5  # all but cuts within the requests of the last step
