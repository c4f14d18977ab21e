# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from flexforge.cli import main
from flexforge.codegen.elements.catalogue import find
from flexforge.codegen.errors import InputError
from flexforge.codegen.output.foreign.basix import CELLS, nodes, order
from flexforge.codegen.output.generate import generate

STEEL = {"young": 2e11, "poisson": 0.3, "density": 7800.0, "thickness": 0.02,
         "f1": 3.0, "f2": -2.0, "f3": 5.0}  # fmt: skip
QUICK = ("tri6_plane_stress", "tet4")
SLOW = ("tri3_plane_strain", "quad4_plane_stress", "quad9_plane_strain", "tet10", "hex8", "hex27",
        "wedge6")  # fmt: skip
TERMS = ["stiffness", "mass", "scalar_mass", "body_load", "geometric", "stiffness_action"]


def _library(folder: Path, name: str, terms: list[str], **options: str) -> ctypes.CDLL:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    generate(find(name), folder, abi="ufcx", prefix="solid", terms=terms, **options)  # type: ignore[arg-type]
    done = subprocess.run(
        ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC",
         "solid_ufcx.c", "solid_kernels.c", "-o", "solid.so", "-lm"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[:3000]
    return ctypes.CDLL(str(folder / "solid.so"))


def _tabulate(
    library: ctypes.CDLL, term: str, A: np.ndarray, w: np.ndarray, c: np.ndarray, x: np.ndarray
) -> None:
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (A, w, c, x)]
    getattr(library, f"tabulate_tensor_solid_{term}")(*pointers, None, None, None)


def test_nodes_come_in_the_order_of_basix() -> None:
    """Degree 2: the points that basix 0.5.1 prints for these cells (create_element(P, .., 2))."""
    half = 0.5
    printed = {
        "triangle": [(0, 0), (1, 0), (0, 1), (half, half), (0, half), (half, 0)],
        "quadrilateral": [(0, 0), (1, 0), (0, 1), (1, 1), (half, 0), (0, half), (1, half),
                          (half, 1), (half, half)],
        "tetrahedron": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, half, half),
                        (half, 0, half), (half, half, 0), (0, 0, half), (0, half, 0),
                        (half, 0, 0)],
    }  # fmt: skip
    for cell, points in printed.items():
        assert np.array_equal(np.array(nodes(CELLS[cell], 2), dtype=float), points)
    # The faces of the cube one after the other, then its centre.
    cube = np.array(nodes(CELLS["hexahedron"], 2), dtype=float)
    faces = [(half, half, 0), (half, 0, half), (0, half, half), (1, half, half), (half, 1, half),
             (half, half, 1), (half, half, half)]  # fmt: skip
    assert np.array_equal(cube[20:], faces)
    assert np.array_equal(
        cube[8:14],
        [(half, 0, 0), (0, half, 0), (0, 0, half), (1, half, 0), (1, 0, half), (half, 1, 0)],
    )
    assert order(find("hex8")) == (0, 1, 3, 2, 4, 5, 7, 6)


def _ours(
    library: ctypes.CDLL, term: str, shape: tuple[int, ...], *arrays: np.ndarray
) -> np.ndarray:
    """Return what the kernel in the library delivers, in its own order."""
    out = np.empty(shape)
    pointers = [
        array.ctypes.data_as(ctypes.c_void_p) for array in (*arrays, out, np.empty(1 << 16))
    ]
    getattr(library, f"solid_{term}")(*pointers)
    return out


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]
)
def test_tensors_are_ours(name: str, tmp_path: Path) -> None:
    """Cells as they are and mirrored ones."""
    library = _library(tmp_path / "solid", name, TERMS)
    for mirrored in (False, True):
        _compare(library, tmp_path / "solid", name, mirrored)


def _compare(library: ctypes.CDLL, folder: Path, name: str, mirrored: bool) -> None:
    """Every A is our kernel's result in basix's order, to 1e-12; a mirrored cell's is mirrored.

    DOLFINx adds to A, passes three coordinates a point and integrates with |det J|. The mirror
    image of an element has the stiffness Q K Q with Q = diag(-1, 1, 1) at every node.
    """
    element = find(name)
    count, size = len(element.nodes), element.components
    rng = np.random.default_rng(8)
    points = np.array(element.nodes, dtype=float) + 0.03 * rng.standard_normal((count, size))
    d = 1e-3 * rng.standard_normal((count, size))
    permutation = np.array(order(element))
    mirror = np.ones(size)
    if mirrored:
        mirror[0] = -1
    x = np.full((count, 3), 99.0)
    x[:, :size] = (points * mirror)[permutation]
    w = np.ascontiguousarray((d * mirror)[permutation])
    readme = (folder / "README.md").read_text()
    shapes = {"stiffness": (count * size,) * 2, "mass": (count * size,) * 2,
              "scalar_mass": (count, count), "geometric": (count, count)}  # fmt: skip
    for term in TERMS:
        constants = re.findall(rf"tensor_solid_{term}` \|.*?\|.*?\| (.*?) \|", readme)[0]
        c = np.array([*(STEEL[p] for p in re.findall(r"(\w+) \[", constants)), np.nan])
        result = _ours(library, term, shapes.get(term, (count, size)), points, c, d)
        expected, signs = result.reshape(-1), np.array([1.0])
        if term in ("stiffness", "mass", "geometric"):
            blocks = np.kron(result, np.eye(size)) if term == "geometric" else result
            blocks = blocks.reshape(count, size, count, size)[permutation][:, :, permutation]
            signs = np.multiply.outer(mirror, mirror)[None, :, None, :]
            expected = (blocks * signs).reshape(-1)
        elif term == "scalar_mass":
            expected = result[permutation][:, permutation].reshape(-1)
        elif term == "stiffness_action":
            expected = (result[permutation] * mirror).reshape(-1)
        else:  # a body load is given in the frame, which is not mirrored
            expected = result[permutation].reshape(-1)
        before = rng.standard_normal(expected.size) * abs(expected).max()
        A = np.append(before, 77.0)
        _tabulate(library, term, A, w, c, x)
        atol = 1e-12 * abs(expected).max()
        np.testing.assert_allclose(A[:-1] - before, expected, rtol=0, atol=atol)
        assert A[-1] == 77.0, "written beyond the end"


def test_single_precision(tmp_path: Path) -> None:
    """With ``scalar="float"`` all arrays are float32; the mass of the reference is 1/6."""
    library = _library(tmp_path / "solid", "tet4", ["mass"], scalar="float")
    A = np.zeros(144, dtype=np.float32)
    x = np.array(find("tet4").nodes, dtype=np.float32)
    _tabulate(library, "mass", A, A, np.array([1.0], dtype=np.float32), x)
    assert A.reshape(4, 3, 4, 3)[:, 0, :, 0].sum() == pytest.approx(1 / 6, rel=1e-6)


def test_the_readme_lists_constants_in_order(tmp_path: Path) -> None:
    """The command writes the folder; its README has the constants of every form in order."""
    folder = tmp_path / "brick"
    assert main(["generate", "tet4", "-o", str(folder), "--abi", "ufcx", "--name", "brick"]) == 0
    text = (folder / "README.md").read_text()
    row = next(line for line in text.splitlines() if "tensor_brick_stiffness`" in line)
    assert "bilinear, vector space | young [Pa], poisson [1] | not read" in row
    assert "tabulate_tensor_brick_stress" not in text
    assert {path.name for path in folder.iterdir()} == {
        "README.md",
        "flexforge.h",
        "brick_kernels.c",
        "brick_kernels.h",
        "brick_ufcx.c",
        "brick_ufcx.h",
    }
    assert not re.search(re.escape(str(tmp_path)), text)


@pytest.mark.parametrize(
    ("name", "terms", "words"),
    [
        ("hex20", None, "basix has no Lagrange element with its nodes"),
        ("euler_beam", None, "cannot be an integral over cells of DOLFINx"),
        ("hex8", ["stress"], "term 'stress': its rows are not degrees of freedom"),
        ("hex8", ["stifness"], "did you mean 'stiffness'"),
    ],
)
def test_what_it_cannot_be_is_refused(
    name: str, terms: list[str] | None, words: str, tmp_path: Path
) -> None:
    """Serendipity elements, beams, stresses: one line, and no folder."""
    with pytest.raises(InputError, match=re.escape(words)):
        generate(find(name), tmp_path / "out", abi="ufcx", terms=terms)
    assert not list(tmp_path.iterdir())
