# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.library import element
from flexforge.codegen.jit.build import INCLUDE
from flexforge.codegen.output.generate import generate

#: Headers as they were when programs were compiled with them; they are never changed.
KEPT = Path(__file__).parent / "abi"
CURRENT = INCLUDE / "flexforge.h"
VERSION = re.compile(r"(#define FLEXFORGE_ABI )(\d+)")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of the mass of a tet4, generated now."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("abi") / "solid"
    generate(element("tet4"), folder, terms=["mass"], lanes=[1], prefix="solid")
    return _built(folder)


def _built(folder: Path) -> Path:
    _compile(folder, "-shared", "-fPIC", "solid_kernels.c", "solid_table.c", "-o", "solid.so")
    return folder / "solid.so"


def _compile(folder: Path, *arguments: str) -> None:
    command = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _caller(folder: Path, header: str) -> Path:
    """Compile the program with a header."""
    folder.mkdir()
    (folder / "flexforge.h").write_text(header)
    shutil.copy(KEPT / "caller.c", folder)
    _compile(folder, "caller.c", "-o", "caller", "-ldl")
    return folder / "caller"


def _says(caller: Path, library: Path) -> tuple[int, str]:
    done = subprocess.run([caller, library], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.rstrip("\n")


def _renumbered(text: str, version: int) -> str:
    changed, count = VERSION.subn(rf"\g<1>{version}", text)
    assert count == 1
    return changed


def test_a_caller_compiled_before_reads_and_calls_what_is_generated_now(
    library: Path, tmp_path: Path
) -> None:
    """A program with the kept header of this ABI finds every field where it was, and calls.

    The entry is density V / 10 = 12 / 60, the mass of a linear tetrahedron.
    """
    version = VERSION.search(CURRENT.read_text())
    assert version is not None
    kept = (KEPT / f"flexforge_{version[2]}.h").read_text()
    code, text = _says(_caller(tmp_path / "kept", kept), library)
    assert code == 0, text
    k = compile_kernel(element("tet4"), "mass", name="solid_mass")
    assert text.splitlines()[0].split() == [
        k.name,
        k.element,
        k.cell,
        k.term,
        k.formalism,
        k.frame,
        k.scalar,
        k.symmetry,
        k.structure,
        k.hash,
    ]
    assert text.splitlines()[1] == "1 4 3 12 12 density:kg/m^3"
    stack, workspace, vectors, entry = text.splitlines()[2].split()
    assert (int(stack), int(workspace), int(vectors)) == (k.layout.stack, 0, 0)
    assert float(entry) == pytest.approx(12 / 60, rel=1e-14)


def test_a_caller_of_version_1_is_told(library: Path, tmp_path: Path) -> None:
    """A program with the header of ABI 1 can read version and name of kernels of today."""
    old = _caller(tmp_path / "old", (KEPT / "flexforge_1.h").read_text())
    assert _says(old, library) == (2, "solid_mass: version 2, expected 1")


def test_both_sides_are_told_what_to_do(library: Path, tmp_path: Path) -> None:
    """``flexforge_refusal`` names both versions and which side has to be made again."""
    header = CURRENT.read_text()
    for version, words in (
        (1, "of flexforge.h, its caller for version 1: compile the caller with the header of"),
        (30, "of flexforge.h, its caller for version 30: generate the kernels again"),
    ):
        caller = _caller(tmp_path / f"abi{version}", _renumbered(header, version))
        code, text = _says(caller, library)
        assert code == 2
        assert text.startswith(f"solid_mass: made for version 2 {words}")


def test_a_processor_with_less_is_told(tmp_path: Path) -> None:
    """Kernels that say they need more than the processor has are refused before the call."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    folder = tmp_path / "solid"
    generate(element("tet4"), folder, terms=["mass"], lanes=[1], prefix="solid")
    source = folder / "solid_kernels.c"
    text = source.read_text()
    assert text.count("FLEXFORGE_LEVEL,") == 2
    source.write_text(text.replace("FLEXFORGE_LEVEL,", "9,"))
    caller = _caller(tmp_path / "now", CURRENT.read_text())
    code, words = _says(caller, _built(folder))
    assert code == 2
    assert words.startswith("solid_mass: compiled for instructions unknown here; this processor")


def test_long_names_do_not_overflow(tmp_path: Path) -> None:
    """A name longer than the room for the text is cut off, and ends with a zero."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    folder = tmp_path / "solid"
    generate(element("tet4"), folder, terms=["mass"], lanes=[1], prefix="solid")
    source = folder / "solid_kernels.c"
    long = "n" * 300
    text = source.read_text().replace('FLEXFORGE_ABI, "solid_mass"', f'7, "{long}"')
    source.write_text(text)
    caller = _caller(tmp_path / "now", CURRENT.read_text())
    assert _says(caller, _built(folder)) == (2, "n" * 255)
