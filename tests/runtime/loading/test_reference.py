# SPDX-License-Identifier: BSD-3-Clause
"""The reference of the model file: every key is in it, and its examples are valid."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from flexforge.runtime.formula.functions import FUNCTIONS
from flexforge.runtime.loading.load import load_model_file
from flexforge.runtime.model import base, schema  # noqa: F401  (defines tables)
from flexforge.runtime.unit_systems import SYSTEMS, UNDECLARED, system_of

REFERENCE = Path(__file__).parents[3] / "docs" / "model.md"


def tables(kind: type[base.Table] = base.Table) -> list[type[base.Table]]:
    return [found for sub in kind.__subclasses__() for found in [sub, *tables(sub)]]


KEYS = sorted(
    {
        (table.__name__, field.alias or name)
        for table in tables()
        for name, field in table.model_fields.items()
    }
)


@pytest.mark.parametrize(("table", "key"), KEYS)
def test_every_key_is_documented(table: str, key: str) -> None:
    """Each key has a row of its own in the reference."""
    text = REFERENCE.read_text()
    assert re.search(rf"^\| `(\[+|\w+\.)?{key}(\.NAME)?\]*` \||[{{ ]{key} = ", text, re.MULTILINE)


def test_every_field_says_what_is_expected() -> None:
    """Each field has the description that error messages end with."""
    for table in tables():
        for name, field in table.model_fields.items():
            assert field.description, (table.__name__, name)


def test_every_function_is_documented() -> None:
    """Each function that formulas may call is in the reference."""
    section = REFERENCE.read_text().split("## Formulas")[1].split("## ")[0]
    for name in FUNCTIONS:
        assert re.search(rf"\b{name}\b", section), name


def test_systems_of_units_are_those_of_the_table() -> None:
    """Names of all systems, and steel in them: 7850 kg/m^3 and 2.1e11 Pa."""
    section = REFERENCE.read_text().split("### Units")[1].split("\n## ")[0]
    rows = [row.split(" | ") for row in re.findall(r"^\| (`\"[\w-]+\"` \| .*) \|$", section, re.M)]
    found = {cells[0].strip('`"'): cells[1:] for cells in rows}
    assert found.keys() == SYSTEMS.keys()
    del found[UNDECLARED]
    for name, (sizes, *names, density, modulus) in found.items():
        units = system_of(name)
        assert sizes == ", ".join(map(units.label, ("m", "kg", "s")))
        assert names == [units.label(one) for one in ("N", "Pa", "J", "W")]
        assert float(density) == pytest.approx(units.of_si(7850.0, "kg/m^3"), rel=1e-3)
        assert float(modulus) == pytest.approx(units.of_si(2.1e11, "Pa"), rel=1e-3)


def test_examples_are_valid(tmp_path: Path) -> None:
    """Complete examples load; every other piece of TOML at least parses."""
    complete = 0
    (tmp_path / "blade.msh").touch()
    for text in re.findall(r"```toml\n(.*?)```", REFERENCE.read_text(), re.DOTALL):
        if {"mesh", "links", "shafts"} & tomllib.loads(text).keys():
            path = tmp_path / "model.toml"
            path.write_text(text)
            load_model_file(path)
            complete += 1
    assert complete == 13
