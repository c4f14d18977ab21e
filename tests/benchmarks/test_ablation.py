# SPDX-License-Identifier: BSD-3-Clause
"""The ablation's page, and the textbook kernel the benchmark of kernels compares with."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.library import element
from flexforge.codegen.errors import InputError
from flexforge.codegen.passes import PIPELINE
from kernels import shapes
from support.ablation_page import BEGIN, END, write_page
from support.harness import our_calls
from support.textbook import CONSTANTS, textbook_calls


def _results(operations: int) -> dict:
    """Return made-up results: without cse a kernel costs a half more, the rest changes nothing."""
    same = {"operations": operations, "bytes": 80, "ns": 2.0, "changed": False}
    case = {"all passes": same} | dict.fromkeys(PIPELINE, same)
    case["cse"] = {"operations": operations * 3 // 2, "bytes": 80, "ns": 3.0, "changed": True}
    mean = {"operations": 1.5, "bytes": 1.0, "ns": 1.5, "kernels changed": 1, "worst ns": 1.5}
    return {
        "machine": {"processor": "a processor", "cores": 2, "lanes": 8},
        "load": 0.5, "compiler": "a compiler", "lanes": 8, "kernels": {"tri3 stiffness": case},
        "passes": dict.fromkeys(PIPELINE, mean),
    }  # fmt: skip


def test_the_page_keeps_what_stands_around_the_ablation(tmp_path: Path):
    """Written anew, only what is between the markers changes; "=" where the text is the same."""
    page = tmp_path / "performance.md"
    write_page(page, _results(100))
    first = page.read_text()
    page.write_text(first + "\n## By hand\n")
    write_page(page, _results(300))
    text = page.read_text()
    assert text.startswith("# Performance\n")
    assert text.endswith(f"{END}\n\n## By hand\n")
    assert "| tri3 stiffness | 300 |" in text
    assert "| tri3 stiffness | 100 |" not in text
    row = next(line for line in text.splitlines() if line.startswith("| tri3 stiffness | 300"))
    cells = dict(zip(PIPELINE, row.strip("| ").split(" | ")[2:], strict=True))
    assert cells == dict.fromkeys(PIPELINE, "=") | {"cse": "1.50"}
    assert "a processor" in text
    assert "a compiler" in text


def test_a_page_without_markers_is_refused(tmp_path: Path):
    """Nothing is written over a page that has no place for the ablation."""
    page = tmp_path / "other.md"
    page.write_text("# Other\n")
    with pytest.raises(InputError, match=BEGIN):
        write_page(page, _results(100))
    assert page.read_text() == "# Other\n"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("lanes", [1, 8])
def test_the_textbook_has_our_stiffness(lanes):
    """Every entry of distorted bricks agrees to 1e-12 of the largest, whatever the flags."""
    brick = element("hex8")
    nodes, _ = shapes(brick)
    kernel = compile_kernel(brick, "stiffness", lanes=lanes)
    ours = our_calls([kernel], nodes)[kernel.name]
    ours.set_parameters(CONSTANTS)
    ours(lanes)
    for call in textbook_calls("hex8", nodes, lanes).values():
        call(lanes)
        assert np.abs(call.out - ours.out).max() < 1e-12 * np.abs(ours.out).max()
