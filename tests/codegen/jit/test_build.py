# SPDX-License-Identifier: BSD-3-Clause
"""Building: cached by what the bytes depend on, atomic, and plain about what went wrong."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.errors import FlexforgeError, InputError
from flexforge.codegen.jit import build as build_module
from flexforge.codegen.jit.build import build
from flexforge.codegen.jit.compilers import Compiler, find_compiler
from flexforge.codegen.output.sources import kernel_sources
from flexforge.runtime.assembly.kernels import kernels_of
from specimens import ELEMENTS


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache folder of its own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("FLEXFORGE_CACHE", str(folder))
    return folder


@pytest.fixture(scope="module")
def sources():
    return kernel_sources([compile_kernel(ELEMENTS["tri3_plane_stress"], "scalar_mass")])


@pytest.fixture
def logged(tmp_path):
    """A compiler that notes down how it is called, and its log."""
    script, log = tmp_path / "logged-cc", tmp_path / "log"
    log.write_text("")
    script.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec {find_compiler().command[0]} "$@"\n')
    script.chmod(0o755)
    return Compiler("logged", (str(script),)), log


def _compilations(log):
    return sum("-shared" in line for line in log.read_text().splitlines())


def test_a_hit_does_not_compile(cache, sources, logged):
    """The second build of the same text returns the same file and starts no compilation."""
    compiler, log = logged
    first = build(sources, compiler)
    stamp = first.stat().st_mtime_ns
    assert _compilations(log) == 1
    assert build(sources, compiler) == first
    assert _compilations(log) == 1
    assert first.stat().st_mtime_ns == stamp
    assert first.parent == cache
    # nothing else is left: no lock, no scratch folder
    assert list(cache.iterdir()) == [first]


def test_what_the_key_depends_on(cache, sources, logged, monkeypatch, tmp_path):
    """Another text, another flag, another header with another ABI: another file each time."""
    compiler, log = logged
    files = {build(sources, compiler)}
    changed = {name: text + "\n/* another */\n" for name, text in sources.items()}
    files.add(build(changed, compiler))
    files.add(build(sources, Compiler("logged", compiler.command, ("-march=x86-64",))))
    other = tmp_path / "include"
    other.mkdir()
    header = (build_module.INCLUDE / "flexforge.h").read_text()
    (other / "flexforge.h").write_text(re.sub(r"(FLEXFORGE_ABI) \d+", r"\1 999", header))
    monkeypatch.setattr(build_module, "INCLUDE", other)
    files.add(build(sources, compiler))
    monkeypatch.undo()
    monkeypatch.setenv("FLEXFORGE_CACHE", str(cache))
    monkeypatch.setattr(build_module, "COMMON", (*build_module.COMMON, "-DANOTHER"))
    files.add(build(sources, compiler))
    assert len(files) == 5
    assert _compilations(log) == 5


def test_the_key_follows_the_processor(sources, cache):
    """-march=native is resolved: two machines with other features never share a file."""
    compiler = find_compiler()
    resolved = compiler.resolved_target()
    assert "#define __" in resolved
    baseline = Compiler(compiler.name, compiler.command, ("-march=x86-64",)).resolved_target()
    if "__AVX2__" in resolved:
        assert baseline != resolved


def test_broken_text_shows_the_compilers_words(cache, sources):
    """What the compiler says about the text is in the error, and nothing is left in the cache."""
    broken = dict(sources)
    name = next(n for n in broken if n != "kernel_table.c")
    broken[name] = broken[name].replace("const double determinant", "const dobule determinant")
    with pytest.raises(FlexforgeError, match="dobule") as caught:
        build(broken)
    assert not isinstance(caught.value, InputError)
    assert "error:" in str(caught.value)
    assert not [p for p in cache.iterdir() if p.suffix == ".so" or p.is_dir()]
    # the text is repaired: the lock of the failure is in nobody's way
    assert build(sources).exists()


@pytest.mark.usefixtures("no_compiler")
def test_no_compiler_is_one_clear_line():
    """Without a compiler on PATH: what is missing and what it is needed for."""
    with pytest.raises(
        InputError, match=r"no C compiler: gcc, clang, cc or zig not found"
    ) as caught:
        find_compiler()
    with pytest.raises(InputError, match="'clang' not found on PATH"):
        find_compiler("clang")
    assert "\n" not in str(caught.value)


def test_no_compiler_exits_with_two(tmp_path, no_compiler):
    """The command line turns that line into exit code 2, without a traceback."""
    element = tmp_path / "own.toml"
    element.write_text(
        'name = "own"\ncell = "point"\nnodes = [[]]\nmonomials = ["1"]\ncomponents = 2\n'
        'strain = "displacement"\nlaw = "spring"\ndensity = "mass"\n'
        "degree = { stiffness = 0, mass = 0 }\n"
    )
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "import flexforge.cli as cli\n"
        "from flexforge.codegen.elements.user import load_element\n"
        "from flexforge.runtime.assembly.kernels import kernels_of\n"
        "class Fails:\n"
        "    def execute(self, arguments):\n"
        f"        kernels_of(load_element(Path({str(element)!r})), ['mass'])\n"
        "    def parse_args(self, given):\n"
        "        return self\n"
        "cli.build_parser = Fails\n"
        "cli._check_command = lambda given: None\n"
        "sys.exit(cli.main(['run', 'x']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "no C compiler" in done.stderr
    assert not no_compiler.exists()


@pytest.mark.parametrize(
    ("element", "terms"),
    [("tet10", ("stiffness", "scalar_mass", "geometric", "stress")),
     ("timoshenko_beam", ("stiffness", "mass", "geometric", "section_geometric")),
     ("rigid_inertia", ("mass", "centrifugal_load", "geometric")),
     ("ground_bushing_plane", ("stiffness",))],
)  # fmt: skip
@pytest.mark.usefixtures("no_compiler")
def test_standard_kernels_need_no_compiler(element, terms):
    """Kernels that came with the installation are there without one."""
    found = kernels_of(element, terms)
    assert {k.element for k in found.values()} == {element}


def test_a_compiler_that_speaks_another_encoding(tmp_path, cache, sources):
    """Words in Latin 1 are shown escaped: they end neither the message nor the program."""
    script = tmp_path / "cc"
    script.write_text("#!/bin/sh\nprintf 'pas trouv\\351\\n' >&2\nexit 1\n")
    script.chmod(0o755)
    compiler = Compiler("mine", (str(script),))
    assert compiler.version() == "pas trouv\\xe9"
    with pytest.raises(FlexforgeError, match=r"pas trouv\\xe9"):
        build(sources, compiler)


def test_a_compiler_that_is_not_there():
    """A compiler given by hand that cannot be started is named."""
    with pytest.raises(InputError, match="compiler 'mine': /nowhere/cc cannot be started"):
        build({"a.c": ""}, Compiler("mine", ("/nowhere/cc",)))


@pytest.mark.parametrize("kind", ["a file stands in the way", "the folder is read-only"])
def test_a_cache_that_cannot_be_written(kind, tmp_path, monkeypatch, sources):
    """One line that names the folder and the variable that chooses another."""
    if kind.startswith("a file"):
        (tmp_path / "file").write_text("")
        folder = tmp_path / "file" / "cache"
    else:
        folder = tmp_path / "locked"
        folder.mkdir()
        folder.chmod(0o555)
        if os.access(folder, os.W_OK):
            folder = None
            for candidate in ("/proc/flexforge", "/sys/flexforge"):
                if os.path.isdir(os.path.dirname(candidate)):
                    folder = candidate
            if folder is None:
                pytest.skip("running as root: every folder can be written")
    monkeypatch.setenv("FLEXFORGE_CACHE", str(folder))
    with pytest.raises(InputError, match="cannot write the kernel cache") as caught:
        build(sources)
    assert str(folder) in str(caught.value)
    assert "FLEXFORGE_CACHE" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_processes_build_the_same_text(tmp_path):
    """Concurrent builds give one valid library; the text is compiled once."""
    log = tmp_path / "log"
    log.write_text("")
    wrapper = tmp_path / "slow-cc"
    real = shutil.which(find_compiler().command[0])
    wrapper.write_text(
        f'#!/bin/sh\ncase "$*" in *-shared*) echo compiled >> {log}; sleep 1;; esac\n'
        f'exec {real} "$@"\n'
    )
    wrapper.chmod(0o755)
    program = (
        "from flexforge.codegen.jit.build import build\n"
        "from flexforge.codegen.jit.compilers import Compiler\n"
        "from flexforge.codegen.elements.library import element\n"
        "from flexforge.codegen.driver import compile_kernel\n"
        "from flexforge.codegen.output.sources import kernel_sources\n"
        "from flexforge.runtime.assembly.kernels import load_library\n"
        "text = kernel_sources([compile_kernel(element('tri3'), 'scalar_mass')])\n"
        f"path = build(text, Compiler('slow', ({str(wrapper)!r},)))\n"
        "print(path, load_library(path)[0].name)\n"
    )
    environment = {**os.environ, "FLEXFORGE_CACHE": str(tmp_path / "cache")}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    results = [p.communicate(timeout=120) for p in processes]
    assert [p.returncode for p in processes] == [0, 0], results
    assert results[0][0] == results[1][0]
    assert results[0][0].endswith("tri3_plane_stress_scalar_mass\n")
    assert log.read_text().split() == ["compiled"]
    left = [p for p in (tmp_path / "cache").iterdir() if p.suffix != ".lock"]
    assert [p.suffix for p in left] == [".so"]
