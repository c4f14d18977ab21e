# SPDX-License-Identifier: BSD-3-Clause
"""Tables against the structs of the headers, and in memory against the same as C."""

from __future__ import annotations

import ctypes
import subprocess

import numpy as np
import pytest
from elastic_links import slider_crank
from exported import Library, compile_shared, write
from exported_mechanisms import analysis
from flexforge.runtime.export.library import HEADERS, library_files
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.native import constants
from flexforge.runtime.native.order import sparse
from flexforge.runtime.native.steps import NativeSteps
from flexforge.runtime.tables import structs
from flexforge.runtime.tables.layout import Elsewhere, fields_of
from flexforge.runtime.tables.memory import InMemory, structure
from flexforge.runtime.tables.text import Text
from flexforge.runtime.transient.loop import march
from flexforge.runtime.transient.state import State
from marks import slow
from moving import FURTHER, MODELS, spec_of

TABLES = [
    one
    for one in vars(structs).values()
    if isinstance(one, type) and issubclass(one, structs.Table) and one is not structs.Table
]


def test_every_field_is_where_the_header_has_it(tmp_path):
    """Offsets and sizes as a compiler lays them out; a field more or less would move them."""
    entries = [(table, one.name) for table in TABLES for one in fields_of(table)]
    numbers = [f"offsetof({table.struct}, {name})" for table, name in entries]
    numbers += [f"sizeof({table.struct})" for table in TABLES]
    text = tmp_path / "layout.c"
    headers = "".join(f'#include "{name}"\n' for name in ("ff_model.h", "ff_multibody.h"))
    text.write_text(f"{headers}const size_t numbers[] = {{{', '.join(numbers)}}};\n")
    subprocess.run(["gcc", "-shared", f"-I{HEADERS}", str(text), "-o", str(tmp_path / "layout.so")],
                   check=True)  # fmt: skip
    found = (ctypes.c_size_t * len(numbers)).in_dll(
        ctypes.CDLL(str(tmp_path / "layout.so")), "numbers"
    )
    wanted = [getattr(structure(table), name).offset for table, name in entries]
    assert list(found) == [*wanted, *(ctypes.sizeof(structure(table)) for table in TABLES)]
    assert len(TABLES) >= 19


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("tumbling", "generalized_alpha"),
        ("tied", "generalized_alpha"),
        *(slow(name, "generalized_alpha") for name in (*MODELS, *FURTHER) if name[0] != "t"),
        slow("turned", "generalized_alpha"),
        ("spatial", "central_difference"),
    ],
)
def test_memory_steps_as_the_text_does(name, method, tmp_path):
    """Every number of the state, bit by bit, over 40 steps: the same tables, read and compiled."""
    solver = build_solver(spec_of(name, method=method), "model")
    steps = NativeSteps(solver.matrices, solver.scheme, solver.step, 40)
    rows = march(steps, State(0.0, *solver.initial), solver.step, 40 * solver.step)
    folder = write(library_files(solver), tmp_path)
    instance = Library(compile_shared(folder, "model"), solver).create()
    for k, state in enumerate(rows):
        if k:
            assert instance.step(solver.step) == 0
        assert_same_bits(state, instance)
    assert k == 40
    assert np.abs(state.q).max() > 0.0
    instance.free()


def test_sparse_factors_are_the_same_as_text(tmp_path, monkeypatch):
    """Bit by bit, of a frame that tumbles: the pattern of the factors is a table as well."""
    monkeypatch.setattr(constants, "cheapest", sparse)
    solver = build_solver(spec_of("tumbling"), "model")
    steps = NativeSteps(solver.matrices, solver.scheme, solver.step, 20)
    *_, last = march(steps, State(0.0, *solver.initial), solver.step, 20 * solver.step)
    folder = write(library_files(solver), tmp_path)
    instance = Library(compile_shared(folder, "model"), solver).create()
    for _ in range(20):
        assert instance.step(solver.step) == 0
    assert_same_bits(last, instance)
    assert solver.matrices.order.fill is not None
    instance.free()


def test_a_late_start_is_integrated_alike(tmp_path):
    """A frame that turns fast, over 0.7 s at once: pieces are halved until they agree."""
    spec = spec_of("tumbling").model_dump(exclude_unset=True)
    spec["bodies"][0]["frame"] = {"velocity": ["60*sin(40*t)", "40*cos(50*t)", 20]}
    solver = build_solver(model_from_dict(spec), "model")
    library = Library(compile_shared(write(library_files(solver), tmp_path), "model"), solver)
    instance, steps = library.create(), NativeSteps(solver.matrices, solver.scheme, solver.step, 1)
    assert instance.start(0.7) == 0
    assert_same_bits(steps.begin(State(0.7, *solver.initial)), instance)
    instance.free()


def assert_same_bits(state, instance):
    """Compare a state with that of an instance, whose coordinates are not the first numbers."""
    n = len(state.q)
    row, wanted, head = np.r_[state.q, state.z, state.history], np.array(instance.state()), 4 + n
    wanted = np.r_[wanted[head : head + 2 * n], wanted[:head], wanted[head + 2 * n :]]
    np.testing.assert_array_equal(row, wanted)


def test_a_mechanism_steps_as_its_text_does(tmp_path):
    """But for the kernels of joints, which the machine at hand may round otherwise."""
    model = slider_crank(10.0) | analysis(0.1, 40)
    solver = build_solver(model_from_dict(model), "crank")
    steps = NativeSteps(solver.matrices, solver.scheme, solver.step, 40)
    *_, last = march(steps, State(0.0, *solver.initial), solver.step, 40 * solver.step)
    instance = Library(
        compile_shared(write(library_files(solver), tmp_path), "crank"), solver
    ).create()
    for _ in range(40):
        assert instance.step(solver.step) == 0
    n, head = solver.size, 4 + solver.size
    wanted = np.array(instance.state())[head : head + 2 * n].reshape(2, n)
    for one, other in zip((last.q, last.z), wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-10 * np.abs(other).max())
    instance.free()


def test_what_is_nothing_is_left_out():
    """C has no empty arrays; zeros need not be said; equal arrays are one."""
    once = np.array([1.5, -0.0])
    cells = structs.Linkage(1, False, radii=once, scales=once.copy(), size=2.0)
    text = str(Text(cells, "ff_it"))
    assert text.count("1.5, -0.0") == 1
    assert ".scales = ff_it_radii" in text
    assert ".equations = 2" in text
    assert "gear" not in text and "planar" not in text


def test_memory_has_nothing_from_elsewhere():
    """A mesh is defined in a text alone."""
    still = structs.Scheme(0.0, 0.0, 0.25, 0.5, False)
    model = structs.Model(
        structs.Matrices(1),
        still,
        structs.Include(*[1.0] * 6),
        2,
        0.1,
        mesh=Elsewhere("&ff_my_mesh"),
    )
    with pytest.raises(ValueError, match="mesh: found &ff_my_mesh; expected data in memory"):
        InMemory(model)
