# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import flexforge as ff
import pytest

BIN = Path(sys.executable).parent

PROJECT = """
cmake_minimum_required(VERSION 3.15)
project(caller C)
find_package(flexforge {version} CONFIG REQUIRED)
add_executable(headers headers.c)
target_link_libraries(headers PRIVATE flexforge::headers)
flexforge_add_kernels(solid ELEMENT tet4 TERMS stiffness mass LANES 1)
add_executable(caller caller.c)
target_link_libraries(caller PRIVATE solid)
message(STATUS "abi ${{flexforge_ABI}} of flexforge ${{flexforge_VERSION}}")
"""
HEADERS = """
#include <flexforge.h>
int main(void) { return FLEXFORGE_ABI > 0 ? 0 : 1; }
"""
CALLER = """
#include <solid_kernels.h>
#include <stdio.h>
int main(void)
{
    const double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, density[] = {12.0};
    double m[12][12], sum = 0;
    solid_mass(&x[0][0], density, 0, &m[0][0], 0);
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b)
            sum += m[3 * a][3 * b];
    printf("%.15g\\n", sum);
    const double turned[4][3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
    return solid_check_geometry(&x[0][0]) != 0 || solid_check_geometry(&turned[0][0]) != 1;
}
"""


def _run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _configure(
    folder: Path, version: str = "", *, before: str = "", after: str = ""
) -> subprocess.CompletedProcess[str]:
    """Write the project and configure it."""
    cmake = shutil.which("cmake", path=str(BIN)) or shutil.which("cmake")
    if cmake is None or _run(cmake, "--version").returncode != 0:
        pytest.skip("cmake is not installed (pip install cmake)")
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    project = PROJECT.format(version=version).replace(before, after)
    texts = {"CMakeLists.txt": project, "headers.c": HEADERS,
             "caller.c": CALLER}  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text)
    return _run(
        cmake,
        "-S",
        folder,
        "-B",
        folder / "build",
        f"-Dflexforge_DIR={ff.get_cmake_dir()}",
        f"-DFLEXFORGE_EXECUTABLE={BIN / 'flexforge'}",
        "-DCMAKE_BUILD_TYPE=Release",
    )


def test_a_cmake_project_finds_headers_and_makes_kernels(tmp_path: Path) -> None:
    """``find_package`` gives the header, ``flexforge_add_kernels`` a library of kernels.

    The entries of one direction of the mass sum to density times volume, 12 / 6; the geometry of
    an element is told from that of one whose nodes are in the reverse order.
    """
    said = _configure(tmp_path, ff.__version__)
    assert said.returncode == 0, said.stderr
    assert f"abi 2 of flexforge {ff.__version__}" in said.stdout
    cache = (tmp_path / "build" / "CMakeCache.txt").read_text()
    cmake = next(x.split("=")[1] for x in cache.splitlines() if x.startswith("CMAKE_COMMAND:"))
    built = _run(cmake, "--build", tmp_path / "build")
    assert built.returncode == 0, built.stdout + built.stderr
    assert _run(tmp_path / "build" / "headers").returncode == 0
    called = _run(tmp_path / "build" / "caller")
    assert called.returncode == 0
    assert float(called.stdout) == pytest.approx(2.0, rel=1e-14)


def test_a_version_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """A project that asks for a later version is told which one there is."""
    said = _configure(tmp_path, "99.0")
    assert said.returncode != 0
    assert f"version: {ff.__version__}" in said.stderr


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("project(caller C)", "project(caller NONE)", "kernels are C; expected project("),
        ("ELEMENT tet4", "ELEMNT tet4", "unknown: ELEMNT"),
    ],
)
def test_wrong_projects_are_told(tmp_path: Path, before: str, after: str, words: str) -> None:
    """A project without C, or a misspelt word: CMake stops and says what is expected."""
    said = _configure(tmp_path, before=before, after=after)
    assert said.returncode != 0
    assert words in " ".join(said.stderr.split())


def test_the_command_line_prints_both_folders(
    flexforge, capsys: pytest.CaptureFixture[str]
) -> None:
    """``--include-dir`` and ``--cmake-dir`` print what the functions return."""
    for option, folder, name in (
        ("--include-dir", ff.get_include(), "flexforge.h"),
        ("--cmake-dir", ff.get_cmake_dir(), "flexforge-config.cmake"),
    ):
        with pytest.raises(SystemExit) as caught:
            flexforge(option)
        assert caught.value.code == 0
        assert capsys.readouterr().out == f"{folder}\n"
        assert (Path(folder) / name).is_file()
