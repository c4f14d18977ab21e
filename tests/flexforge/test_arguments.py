# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of wrong types are named, with what was found and what is expected: no bare errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
import pytest
from flexforge.codegen.arguments import typed, whole

POINTS = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
CELLS = {"tri3": [[0, 1, 2]]}
#: A call with one argument of a wrong type, by public function and argument.
CALLS: dict[str, Callable[[Any], object]] = {
    "assemble: kernel": lambda wrong: ff.assemble(wrong, POINTS, [[0, 1, 2]]),
    "build: sources": lambda wrong: ff.build(wrong),
    "compile: element": lambda wrong: ff.compile(wrong, "mass"),
    "compile: term": lambda wrong: ff.compile("tri3", wrong),
    "compile: lanes": lambda wrong: ff.compile("tri3", "mass", lanes=wrong),
    "derive: element": lambda wrong: ff.derive(wrong),
    "derive: frame": lambda wrong: ff.derive("tri3", wrong),
    "derive: formalism": lambda wrong: ff.derive("tri3", formalism=wrong),
    "element: name": lambda wrong: ff.element(wrong),
    "export: model": lambda wrong: ff.export(wrong, "out"),
    "export: folder": lambda wrong: ff.export({}, wrong),
    "generate: element": lambda wrong: ff.generate(wrong, "out"),
    "generate: folder": lambda wrong: ff.generate("tri3", wrong),
    "generate: terms": lambda wrong: ff.generate("tri3", "out", terms=wrong),
    "kernel_sources: kernels": lambda wrong: ff.kernel_sources(wrong),
    "kernels_of: element": lambda wrong: ff.kernels_of(wrong, ["mass"]),
    "kernels_of: terms": lambda wrong: ff.kernels_of("tri3_plane_stress", wrong),
    "ledgers: elements": lambda wrong: ff.ledgers(wrong),
    "ledgers: formalisms": lambda wrong: ff.ledgers("tri3", wrong),
    "load_model: source": lambda wrong: ff.load_model(wrong),
    "load_model: folder": lambda wrong: ff.load_model({}, wrong),
    "mesh_for_element: mesh": lambda wrong: ff.mesh_for_element(wrong, "tri3"),
    "mesh_from_arrays: cells": lambda wrong: ff.mesh_from_arrays(POINTS, wrong),
    "mesh_from_arrays: groups": lambda wrong: ff.mesh_from_arrays(POINTS, CELLS, wrong),
    "mesh_from_arrays: elements": lambda wrong: ff.mesh_from_arrays(POINTS, CELLS, elements=wrong),
    "read_mesh: path": lambda wrong: ff.read_mesh(wrong),
    "Results: folder": lambda wrong: ff.Results(wrong),
    "to_latex: formulas": lambda wrong: ff.to_latex(wrong),
    "write_report: folder": lambda wrong: ff.write_report(wrong),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("wrong", [3, 2.5, [1], b"x", object()], ids=lambda one: type(one).__name__)
def test_a_wrong_type_is_named(name: str, wrong: object, tmp_path: Path, monkeypatch) -> None:
    """Function, argument, what was found and what is expected; nothing is written."""
    monkeypatch.chdir(tmp_path)
    if name == "compile: lanes" and wrong == 3:
        wrong = "3"
    with pytest.raises(ff.InputError, match=rf"^{name}: found .*; expected ") as caught:
        CALLS[name](wrong)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_all_kernels_are_not_one() -> None:
    """What is passed for a kernel most often is the dictionary that has it."""
    kernels = ff.kernels_of("tri3_plane_stress", ["mass"])
    message = r"^assemble: kernel: found a dict with the key 'mass'; expected one kernel, .*'mass'"
    with pytest.raises(ff.InputError, match=message):
        ff.assemble(kernels, POINTS, CELLS["tri3"])  # type: ignore[arg-type]


def test_right_types_of_other_libraries_pass() -> None:
    """Paths, whole numbers of NumPy, tuples; a call that does not fit fails as Python says."""
    assert ff.compile("tri3", "mass", lanes=np.int64(4)).lanes == 4
    assert ff.ledgers(("tri3",), ("kane",)).rows
    with pytest.raises(ff.InputError, match="has no summary.json"):
        ff.Results(Path("nowhere"))

    @typed(count=whole)
    def repeat(count: int) -> int:
        return count

    assert repeat(2) == 2
    with pytest.raises(TypeError, match="unexpected keyword argument 'number'"):
        repeat(number=2)  # type: ignore[call-arg]
    with pytest.raises(ff.InputError, match="repeat: count: found True; expected a whole number"):
        repeat(True)
