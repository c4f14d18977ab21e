# SPDX-License-Identifier: BSD-3-Clause
"""What the benchmark of the formalisms measures with, and the instructions its kernels execute."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.library import element
from instructions import ELEMENTS, TABLE, compiler, counted
from support.harness import DISTINCT, nanoseconds, own_costs, valgrind_missing
from support.ops_page import write_page

TRACE = """fl=(1) main.c
fn=(1) main
3 10
cfn=(2) kernel
calls=1 7
4 500
5 2
fn=(2)
7 200
+1 300
fn=(3) other
* 4
"""


def test_own_costs_leave_out_what_is_called():
    """Costs after `calls=` belong to the called function; compressed names and lines are known."""
    assert own_costs(TRACE) == {"main": 12, "kernel": 500, "other": 4}


@pytest.mark.skipif(bool(valgrind_missing()), reason="valgrind is not installed")
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=() if one == "tri3" else pytest.mark.slow) for one in ELEMENTS]
)
def test_instructions_are_those_of_the_table(name):
    """Executed instructions are exact: with the table's compiler they are the same to the last."""
    table = json.loads(TABLE.read_text())
    if compiler() != table["compiler"]:
        pytest.skip(f"the table was made with {table['compiler']}, here is {compiler()}")
    assert counted(name) == table[name]


def test_every_kernel_gets_a_time():
    """Kernels that take turns each get a positive time; how long is no matter of a test."""
    declared = element("tet4")
    nodes = np.array([[float(x) for x in node] for node in declared.nodes])
    kernels = [compile_kernel(declared, term) for term in ("stiffness", "mass")]
    found = nanoseconds(kernels, np.repeat(nodes[None], DISTINCT, axis=0))
    assert list(found) == ["tet4_stiffness", "tet4_mass"]
    assert all(taken > 0 for taken in found.values())


def test_page_shows_every_formalism(tmp_path: Path):
    """Bars of all formalisms, the least one marked, longest at 100 %; missing figures no chart."""
    counts = json.loads((Path(__file__).parents[1] / "codegen" / "comparison.json").read_text())
    results = {
        "elements": {"tri3": counts["tri3_plane_stress"]},
        "compiler": None,
        "instructions_missing": "counts only",
    }
    write_page(tmp_path / "new" / "ops.html", results)
    text = (tmp_path / "new" / "ops.html").read_text()
    for name in ("lagrange", "gibbs appell", "hamilton", "maggi", "kane", "virtual power"):
        assert text.count(f">{name}</span>") == 10
    # Lengths are in percent of a box that holds nothing but the bar: the longest fills it.
    bars = re.findall(r'<span><span class="bar" style="width: ([\d.]+)%"></span></span>', text)
    assert len(bars) == 6 * 10
    assert max(map(float, bars)) == 100
    assert '<div class="row least"><span class="label">virtual power</span>' in text
    assert "Nanoseconds" not in text
    assert "counts only" in text
