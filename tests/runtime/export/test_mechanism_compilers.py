# SPDX-License-Identifier: BSD-3-Clause
"""Exported mechanisms, whole and in shapes, under compilers, sanitizers, valgrind and threads."""

from __future__ import annotations

from pathlib import Path

import pytest
from elastic_links import slider_crank, spatial_four_bar
from exported import STRICT, write
from exported_mechanisms import analysis
from flexforge.runtime.export.fmu import fmu_sources
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.solver import Solver, build_solver
from flexforge.runtime.loading.load import model_from_dict
from test_compilers import CALLER, COUNTER, THREADS, built, run, wanted
from test_fmu_memory import COMMON, MAIN_2, MAIN_3

MORE = ("-Wconversion", "-Wshadow", "-Wstrict-prototypes", "-Wcast-align", "-Wpointer-arith",
        "-Wwrite-strings", "-fsyntax-only")  # fmt: skip
#: In coordinates of nodes, and in shapes, in space, with a driver that is an input.
MECHANISMS = {
    "whole": slider_crank("20*smooth_step(t, 0, 0.1)"),
    "reduced": spatial_four_bar(reduction={"modes": 1}) | {
        "drivers": [
            {"name": "motor", "joint": "A", "velocity": {"input": "speed", "start": 3.0}},
            {"name": "stop", "joint": "D", "coordinate": "slide", "value": 0.0},
        ],
    },
}  # fmt: skip
FOLLOWED = {"whole": ("rod.xmax", "pin"), "reduced": ("coupler.xmax", "B")}


def solver_of(name: str) -> Solver:
    """Return a mechanism with all kinds of probes, in 40 steps."""
    group, joint = FOLLOWED[name]
    probes = [
        {"name": "u", "group": group, "component": "y"},
        {"name": "a", "group": group, "component": "magnitude", "quantity": "acceleration"},
        {"name": "pull", "joint": joint, "quantity": "force", "component": "x", "axes": "joint"},
        {"name": "effort", "constraint": "motor", "quantity": "multiplier"},
    ]
    data = MECHANISMS[name] | analysis(0.02, 40) | {"probes": probes}
    return build_solver(model_from_dict(data), "block")


@pytest.fixture(scope="module", params=[pytest.param("whole", marks=pytest.mark.slow), "reduced"])
def solver(request) -> Solver:
    """Each of them."""
    return solver_of(request.param)


@pytest.fixture(scope="module")
def library(solver, tmp_path_factory) -> Path:
    """Its folder as a library."""
    return write(library_files(solver), tmp_path_factory.mktemp("mechanism"))


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_every_source_compiles_without_a_warning(solver, library, compiler, tmp_path):
    """Library, example and both kinds of FMU; conversions of the library's own too."""
    wanted(compiler)
    texts = [library / "src" / "block.c", library / "example" / "main.c"]
    run(compiler, *STRICT, *MORE, f"-I{library / 'include'}", *texts)
    for version in (2, 3):
        folder = write(fmu_sources(solver, version), tmp_path / str(version))
        run(compiler, *STRICT, *MORE, f"-I{folder}", folder / f"fmi{version}.c")


@pytest.mark.slow
def test_clang_and_gcc_agree(library, tmp_path):
    """The same figures by both, to 1e-12 of the largest, over steps for rates: `sizes`."""
    wanted("clang")
    tables = []
    for compiler in ("gcc", "clang"):
        folder = tmp_path / compiler
        folder.mkdir()
        rows = run(built(library, folder, compiler=compiler)).splitlines()[1:]
        tables.append([[float(x) for x in row.split(",")] for row in rows])
    columns = [list(zip(*table, strict=True)) for table in tables]
    largest = [max(map(abs, column)) for column in columns[0]]
    step = columns[0][0][1]
    largest[2] = max(largest[2], largest[1] / step**2)
    for size, one, other in zip(largest, *columns, strict=True):
        assert max(abs(a - b) for a, b in zip(one, other, strict=True)) <= 1e-12 * size


@pytest.mark.slow
def test_a_program_in_cpp(library, tmp_path):
    """C++ links with the library; a state set again gives the same bits."""
    wanted("g++")
    (tmp_path / "main.cpp").write_text(CALLER, encoding="ascii")
    include = f"-I{library / 'include'}"
    run("gcc", *STRICT, include, "-c", library / "src" / "block.c", "-o", tmp_path / "block.o")
    run(
        "g++",
        "-std=c++11",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Werror",
        include,
        tmp_path / "main.cpp",
        tmp_path / "block.o",
        "-o",
        tmp_path / "program",
    )
    first, second = run(tmp_path / "program").split()
    assert first == second
    assert float(first) != 0.0


@pytest.mark.slow
def test_nothing_is_allocated_after_creation(library, tmp_path):
    """A counter in place of malloc: one block of memory a life, whatever is called."""
    wraps = [f"-Wl,--wrap={name}" for name in ("malloc", "calloc", "realloc", "free")]
    first, last, given_back = run(built(library, tmp_path, *wraps, main=COUNTER)).split()
    assert (first, last, given_back) == ("1", "1", "1")


@pytest.mark.slow
def test_threads_do_not_disturb_each_other(library, tmp_path):
    """Eight threads with an instance each: every bit is that of a run alone."""
    run(built(library, tmp_path, "-pthread", main=THREADS))


@pytest.mark.slow
def test_sanitizers_find_nothing(library, tmp_path):
    """Addresses and undefined behaviour of the example, whose output stays; races of threads."""
    flags = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    plain = run(built(library, tmp_path))
    assert run(built(library, tmp_path, *flags)) == plain
    run(built(library, tmp_path, "-pthread", "-g", "-O1", "-fsanitize=thread", main=THREADS))


@pytest.mark.slow
def test_valgrind_finds_nothing(library, tmp_path):
    """No error, no leak, no value that was not set."""
    wanted("valgrind")
    program = built(library, tmp_path, "-g", "-O1")
    said = run(
        "valgrind",
        "--error-exitcode=9",
        "--leak-check=full",
        "--show-leak-kinds=all",
        "--errors-for-leak-kinds=all",
        program,
    )
    assert "0 errors from 0 contexts" in said


@pytest.mark.slow
@pytest.mark.parametrize("main", [MAIN_2, MAIN_3], ids=["fmi2", "fmi3"])
def test_sanitizers_find_nothing_in_an_fmu(main, tmp_path):
    """A life of an instance: no leak, no address and no behaviour that is undefined."""
    solver = solver_of("reduced")
    folder = write(fmu_sources(solver, 2) | fmu_sources(solver, 3), tmp_path)
    (folder / "main.c").write_text(main.replace("COMMON", COMMON), encoding="ascii")
    flags = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-I."]
    run("gcc", *STRICT, *flags, "main.c", "-o", "main", "-lm", cwd=folder)
    run("./main", cwd=folder)
