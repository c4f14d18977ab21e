# SPDX-License-Identifier: BSD-3-Clause
"""Exported sources under compilers, sanitizers, valgrind and threads, and once installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from exported import QUICK, STRICT, write
from flexforge.runtime.export.fmu import fmu_sources
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.solver import Solver, build_solver
from moving import spec_of

CALLER = """
#include "block.h"
#include <cstdio>
#include <vector>
int main()
{
    block_instance *one = block_create();
    if (one == nullptr || block_abi() != BLOCK_ABI)
        return 1;
    std::vector<double> state(block_state_size());
    block_get_state(one, state.data());
    int code = block_advance(one, 10 * BLOCK_STEP);
    const double first = block_get(one, BLOCK_OUTPUT_u);
    block_set_state(one, state.data());
    code = code ? code : block_advance(one, 10 * BLOCK_STEP);
    std::printf("%.17g\\n%.17g\\n", first, block_get(one, block_output("u")));
    block_free(one);
    return code;
}
"""
COUNTER = """
#include "block.h"
#include <stdio.h>
#include <stdlib.h>
static int taken, given_back;
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size) { ++taken; return __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { ++taken; return __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { ++taken; return __real_realloc(old, size); }
void __wrap_free(void *old) { ++given_back; __real_free(old); }
int main(void)
{
    block_instance *one = block_create();
    const int first = taken;
    static double state[1 << 16];
    double sum = 0.0;
    if (one == NULL || block_state_size() > sizeof state / sizeof state[0])
        return 1;
    for (int i = 0; i < 60; ++i) {
        if (block_step(one, BLOCK_STEP) || block_settle(one))
            return 2;
        block_get_state(one, state);
        if (block_set_state(one, state))
            return 3;
        for (int k = 0; k < BLOCK_OUTPUTS; ++k)
            sum += block_get(one, k);
    }
    if (block_step(one, -1.0) != BLOCK_ARGUMENT || block_start(one, 0.1) || !(sum == sum))
        return 4;
    const int last = taken;
    block_free(one);
    fprintf(stderr, "%d %d %d\\n", first, last, given_back);
    return 0;
}
"""
THREADS = """
#include "block.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
enum { THREADS = 8, STEPS = 200 };
static double rows[THREADS + 1][STEPS][BLOCK_OUTPUTS];
static void *follow(void *number)
{
    double (*out)[BLOCK_OUTPUTS] = rows[*(int *)number];
    block_instance *one = block_create();
    for (int i = 0; one != NULL && i < STEPS; ++i) {
        if (block_step(one, BLOCK_STEP))
            break;
        for (int k = 0; k < BLOCK_OUTPUTS; ++k)
            out[i][k] = block_get(one, k);
    }
    block_free(one);
    return NULL;
}
int main(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS + 1];
    for (int i = 0; i <= THREADS; ++i)
        numbers[i] = i;
    follow(&numbers[THREADS]);
    for (int i = 0; i < THREADS; ++i)
        if (pthread_create(&threads[i], NULL, follow, &numbers[i]))
            return 2;
    for (int i = 0; i < THREADS; ++i)
        pthread_join(threads[i], NULL);
    if (rows[THREADS][STEPS - 1][0] == 0.0)
        return 3;
    for (int i = 0; i < THREADS; ++i)
        if (memcmp(rows[i], rows[THREADS], sizeof rows[i]))
            return 4;
    return 0;
}
"""


@pytest.fixture(scope="module")
def solver() -> Solver:
    """A spatial block of few coordinates with integrated motions and every kind of load."""
    return build_solver(spec_of("spatial", {"modes": 3}), "block")


@pytest.fixture(scope="module")
def library(solver, tmp_path_factory) -> Path:
    """Its folder as a library."""
    return write(library_files(solver), tmp_path_factory.mktemp("block library"))


def wanted(*commands: str) -> None:
    """Skip a test where a program is missing."""
    for one in commands:
        if not shutil.which(one):
            pytest.skip(f"{one} is not installed")


def run(*command: object, **options) -> str:
    """Run a command; what it says is in the error when it fails."""
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}"
    return done.stdout + done.stderr


def built(
    library: Path, folder: Path, *flags: str, main: str | None = None, compiler: str = "gcc"
) -> Path:
    """Compile a program, the example by default, with the library; return it."""
    text = library / "example" / "main.c"
    if main is not None:
        text = folder / "main.c"
        text.write_text(main, encoding="ascii")
    out = folder / "program"
    source = library / "src" / "block.c"
    run(compiler, *STRICT, *flags, f"-I{library / 'include'}", text, source, "-o", out, "-lm")
    return out


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("standard", ["c99", "c17", "gnu11"])
def test_every_source_compiles_without_a_warning(solver, library, compiler, standard, tmp_path):
    """Library, example and both kinds of FMU, with more warnings than usual."""
    wanted(compiler)
    flags = [*STRICT[1:], f"-std={standard}", "-Wshadow", "-Wstrict-prototypes", "-Wcast-align",
             "-Wpointer-arith", "-Wwrite-strings", "-fsyntax-only"]  # fmt: skip
    texts = [library / "src" / "block.c", library / "example" / "main.c"]
    run(compiler, *flags, f"-I{library / 'include'}", *texts)
    for version in (2, 3):
        folder = write(fmu_sources(solver, version), tmp_path / str(version))
        run(compiler, *flags, f"-I{folder}", folder / f"fmi{version}.c")


def test_clang_and_gcc_agree(library, tmp_path):
    """The same figures by both compilers, to 1e-11 of the largest: they round sums differently."""
    wanted("clang")
    tables = []
    for compiler in ("gcc", "clang"):
        folder = tmp_path / compiler
        folder.mkdir()
        rows = run(built(library, folder, compiler=compiler)).splitlines()[1:]
        tables.append([[float(x) for x in row.split(",")] for row in rows])
    for column in zip(*[zip(*table, strict=True) for table in tables], strict=True):
        size = max(map(abs, column[0]))
        assert max(abs(a - b) for a, b in zip(*column, strict=True)) <= 1e-11 * size


def test_a_program_in_cpp(library, tmp_path):
    """C++ links with the library; a state set again gives the same bits."""
    wanted("g++")
    (tmp_path / "main.cpp").write_text(CALLER, encoding="ascii")
    include = f"-I{library / 'include'}"
    run("gcc", *QUICK, include, "-c", library / "src" / "block.c", "-o", tmp_path / "block.o")
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


def test_nothing_is_allocated_after_creation(library, tmp_path):
    """A counter in place of malloc: one block of memory a life, whatever is called."""
    wraps = [f"-Wl,--wrap={name}" for name in ("malloc", "calloc", "realloc", "free")]
    first, last, given_back = run(built(library, tmp_path, "-O0", *wraps, main=COUNTER)).split()
    assert (first, last, given_back) == ("1", "1", "1")


def test_threads_do_not_disturb_each_other(library, tmp_path):
    """Eight threads with an instance each: every bit is that of a run alone."""
    run(built(library, tmp_path, "-O0", "-pthread", main=THREADS))


@pytest.mark.slow
def test_sanitizers_find_nothing(library, tmp_path):
    """Addresses and undefined behaviour of the example, whose output stays; races of threads."""
    flags = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    plain = run(built(library, tmp_path))
    assert run(built(library, tmp_path, *flags)) == plain
    run(built(library, tmp_path, "-pthread", "-g", "-fsanitize=thread", main=THREADS))


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


USER = """
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(block 1 REQUIRED)
add_executable(user main.c)
target_link_libraries(user PRIVATE block::block)
"""


@pytest.mark.slow
@pytest.mark.parametrize("shared", ["OFF", "ON"])
def test_another_project_finds_what_is_installed(library, shared, tmp_path):
    """By find_package and by pkg-config, after it was moved; in folders with spaces."""
    wanted("cmake", "pkg-config")
    build, prefix = tmp_path / "build it", tmp_path / "first place"
    run("cmake", "-S", library, "-B", build, f"-DBUILD_SHARED_LIBS={shared}")
    run("cmake", "--build", build)
    run("cmake", "--install", build, "--prefix", prefix)
    alone = run(build / "block_main")
    place = prefix.rename(tmp_path / "second place")
    user = tmp_path / "user"
    user.mkdir()
    (user / "CMakeLists.txt").write_text(USER, encoding="ascii")
    shutil.copy(library / "example" / "main.c", user / "main.c")
    run("cmake", "-S", user, "-B", user / "build", f"-DCMAKE_PREFIX_PATH={place}")
    run("cmake", "--build", user / "build")
    assert run(user / "build" / "user") == alone
    (found,) = place.rglob("block.pc")
    environment = os.environ | {"PKG_CONFIG_PATH": str(found.parent)}
    shell = 'eval cc -std=c99 main.c -o by_hand "$(pkg-config --cflags --libs block)"'
    run("bash", "-c", shell, cwd=user, env=environment)
    libraries = os.environ | {"LD_LIBRARY_PATH": str(found.parent.parent)}
    assert run(user / "by_hand", env=libraries) == alone
    version = run("pkg-config", "--modversion", "block", env=environment)
    assert version.strip() == "1.0.0"
