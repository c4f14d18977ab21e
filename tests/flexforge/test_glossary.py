# SPDX-License-Identifier: BSD-3-Clause
"""The glossary names what is there."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`(flexforge(?:\.\w+)+)`", TEXT)))


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_the_code_exists(name):
    """A module, or an attribute of one."""
    module, _, last = name.rpartition(".")
    assert find_spec(module) and (hasattr(import_module(module), last) or find_spec(name))


def test_terms_are_explained_once():
    """No term has two meanings."""
    terms = re.findall(r"^\| ([a-z][^|]*?) \|", TEXT, re.MULTILINE)
    terms = [term for term in terms if term != "term"]
    assert len(terms) == len(set(terms)) > 50
