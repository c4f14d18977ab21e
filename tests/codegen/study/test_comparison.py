# SPDX-License-Identifier: BSD-3-Clause
"""Exact counts of the formalisms against the committed table, and what they have to be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from comparison import TABLE
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.study.comparison import compare_formalisms
from specimens import ELEMENTS, SMALL

COMMITTED = json.loads(TABLE.read_text())


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n == SMALL[0] else pytest.mark.slow) for n in ELEMENTS],
)
def test_counts_are_those_of_the_table(name):
    """Nothing of a derivation or of its kernels costs more, or less, than the table says."""
    assert json.loads(json.dumps(compare_formalisms(ELEMENTS[name]).as_dict())) == COMMITTED[name]


def test_the_table_has_every_element_and_formalism():
    """All that exist are compared."""
    assert list(COMMITTED) == list(ELEMENTS)
    for table in COMMITTED.values():
        assert tuple(table["formalisms"]) == FORMALISMS


@pytest.mark.parametrize("name", ELEMENTS)
def test_counts_that_can_be_reasoned(name):
    """p coordinates: Lagrange 3 p differentiations, Gibbs-Appell p, Hamilton 2 p and 2 p equations.

    Stages shorten: as written, after sympy.cse, after the passes.
    """
    p, table = ELEMENTS[name].size, COMMITTED[name]["formalisms"]

    def differentiations(formalism):
        kinds = ("partial_derivatives", "total_derivatives")
        return sum(sum(table[formalism][kind].values()) for kind in kinds)

    assert differentiations("lagrange") == 3 * p
    assert differentiations("gibbs_appell") == p
    assert differentiations("hamilton") == 2 * p
    assert differentiations("virtual_power") == 0
    assert {f: table[f]["equations"] for f in table} == {
        f: 2 * p if f == "hamilton" else p for f in table
    }
    for row in table.values():
        written, cse, passes = (row["kernels"][s]["operations"] for s in row["kernels"])
        assert written > cse > passes


@pytest.mark.slow
def test_counts_do_not_depend_on_the_hash_seed():
    """Other processes with other hash seeds count the same, sympy.cse included."""
    program = (
        "import json\n"
        "from flexforge.codegen.study.comparison import compare_formalisms\n"
        "from flexforge.codegen.elements.library import element\n"
        "print(json.dumps(compare_formalisms(element('tri3')).as_dict()))\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[1],
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1
    assert json.loads(texts.pop()) == COMMITTED["tri3_plane_stress"]
