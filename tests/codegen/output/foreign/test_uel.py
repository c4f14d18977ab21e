# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import flexforge as ff
import numpy as np
import pytest
from flexforge.codegen.elements.catalogue import find
from flexforge.codegen.errors import InputError
from flexforge.codegen.output.generate import generate
from marks import slow

STEEL = {"young": 2e11, "poisson": 0.3, "density": 7800.0, "thickness": 0.02}
#: alpha, beta, gamma of Hilber, Hughes and Taylor with alpha = -0.05, beta = (1 - alpha)^2 / 4.
HHT = np.array([-0.05, 1.05**2 / 4, 0.55])


class UserElement:
    """A generated user element in a library, called as Abaqus calls it: all by reference."""

    def __init__(self, folder: Path, name: str) -> None:
        if shutil.which("cc") is None:
            pytest.skip("no C compiler")
        self.element = find(name)
        generate(self.element, folder, abi="uel", prefix="solid")
        _run(
            folder,
            "cc",
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-pedantic",
            "-O2",
            "-shared",
            "-fPIC",
            "solid_uel.c",
            "solid_kernels.c",
            "-o",
            "solid.so",
            "-lm",
        )
        self.library = ctypes.CDLL(str(folder / "solid.so"))
        self.properties = re.findall(r"\| \d+ \| `(\w+)` \|", (folder / "README.md").read_text())
        nodes, dimension = len(self.element.nodes), self.element.components
        self.size = nodes * dimension
        rng = np.random.default_rng(6)
        reference = np.array(self.element.nodes, dtype=float)
        self.points = (
            reference + 0.03 * rng.standard_normal(reference.shape) + [2.0, 0.0, 0.0][:dimension]
        )
        self.u, self.du, self.v, self.a = 1e-3 * rng.standard_normal((4, self.size))
        self.matrices = {
            term: kernel(self.points, **{p: STEEL[p] for p in kernel.parameters})
            for term, kernel in ff.kernels_of(self.element, ["stiffness", "mass"]).items()
        }

    def __call__(
        self,
        asked: int,
        procedure: int = 1,
        *,
        perturbed: int = 0,
        mcrd: int | None = None,
        columns: int = 1,
        svars: np.ndarray | None = None,
        params: np.ndarray = HHT,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return RHS, AMATRX and ENERGY; what is not asked for stays as it is: -1."""
        n, rows = self.size, self.size + 3
        wide = mcrd or self.element.components
        coords = np.full((len(self.element.nodes), wide), 99.0)
        coords[:, : self.element.components] = self.points
        rhs, amatrx, energy = np.full((columns, rows), -1.0), np.full((n, n), -1.0), np.zeros(8)
        du = np.zeros((columns, rows))
        du[:, :n] = self.du * np.arange(1, columns + 1)[:, None]
        kept = np.zeros(0) if svars is None else svars
        props = np.array([STEEL[p] for p in self.properties])
        none, one, time, pnewdt, dt = 0, 1, np.zeros(2), 1.0, 1e-4
        lflags = np.array([procedure, 0, asked, perturbed, 0], dtype=np.int32)
        arguments = (
            rhs, amatrx, kept, energy, n, columns, len(kept), props, len(props), coords, wide,
            len(coords), self.u, du, self.v, self.a, one, time, dt, one, one, one, params, none,
            lflags, time, time, none, lflags, rows, time, none, pnewdt, lflags, none, dt,
        )  # fmt: skip
        assert len(arguments) == 36
        self.library.uel_(*map(_reference, arguments))
        return rhs[:, :n], amatrx, energy


def _reference(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.ctypes.data_as(ctypes.c_void_p)
    return ctypes.byref(ctypes.c_int(value) if isinstance(value, int) else ctypes.c_double(value))


def _run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:3000]
    return done.stdout


def _close(found: np.ndarray, expected: np.ndarray, tolerance: float = 1e-15) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * abs(expected).max())


@pytest.fixture(scope="module", params=[slow("hex8"), "quad8_plane_stress", "tri3_axisymmetric"])
def user_element(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> UserElement:
    return UserElement(tmp_path_factory.mktemp("uel") / "solid", request.param)


def test_static_and_perturbation(user_element: UserElement) -> None:
    """AMATRX is our stiffness or mass to 1e-15 and RHS is -K u; du in a perturbation step."""
    stiffness, mass = user_element.matrices["stiffness"], user_element.matrices["mass"]
    rhs, amatrx, energy = user_element(1)
    _close(amatrx, stiffness)
    _close(rhs[0], -stiffness @ user_element.u)
    u = user_element.u
    assert energy[1] == pytest.approx(0.5 * u @ stiffness @ u, rel=1e-12)
    rhs, amatrx, _ = user_element(2)
    _close(amatrx, stiffness)
    assert (rhs == -1).all(), "RHS was not asked for"
    _close(user_element(4)[1], mass)
    assert not user_element(3)[1].any()
    rhs, amatrx, _ = user_element(5)
    _close(rhs[0], -stiffness @ user_element.u)
    assert (amatrx == -1).all(), "AMATRX was not asked for"
    _close(user_element(1, perturbed=1)[0][0], -stiffness @ user_element.du)


def test_further_coordinates_and_columns(user_element: UserElement) -> None:
    """MCRD may be more than the dimension; further columns of RHS are zero, or -K du of theirs."""
    rhs, amatrx, _ = user_element(1, mcrd=3, columns=2)
    _close(amatrx, user_element.matrices["stiffness"])
    assert not rhs[1].any()
    rhs, _, _ = user_element(100, columns=2)
    _close(rhs, -np.outer([1, 2], user_element.matrices["stiffness"] @ user_element.du), 1e-14)


def test_implicit_dynamics(user_element: UserElement) -> None:
    """Procedures 11 and 12: Hilber, Hughes and Taylor's residual and its derivative by u."""
    stiffness, mass = user_element.matrices["stiffness"], user_element.matrices["mass"]
    u, du, v, a = user_element.u, user_element.du, user_element.v, user_element.a
    alpha, beta, _ = HHT
    for procedure in (11, 12):
        rhs, amatrx, energy = user_element(1, procedure)
        _close(amatrx, mass / (beta * 1e-8) + (1 + alpha) * stiffness)
        expected = -mass @ a - (1 + alpha) * stiffness @ u + alpha * stiffness @ (u - du)
        _close(rhs[0], expected, 1e-13)
        assert energy[0] == pytest.approx(0.5 * v @ mass @ v, rel=1e-12)
    rhs, amatrx, _ = user_element(6, 12)
    _close(amatrx, mass)
    _close(rhs[0], -stiffness @ u)


def test_the_middle_of_an_increment(user_element: UserElement) -> None:
    """Internal forces of two increments are kept in SVARS and count with alpha / 2."""
    stiffness, mass = user_element.matrices["stiffness"], user_element.matrices["mass"]
    u, a, alpha = user_element.u, user_element.a, HHT[0]
    kept = np.zeros(2 * user_element.size)
    kept[: user_element.size] = 7.0
    user_element(1, 12, svars=kept)
    _close(kept[: user_element.size], stiffness @ u)
    assert (kept[user_element.size :] == 7.0).all()
    half = user_element(5, 12, svars=kept)[0][0]
    expected = -mass @ a - (1 + alpha) * stiffness @ u + 0.5 * alpha * (stiffness @ u + 7.0)
    _close(half, expected, 1e-13)
    without = user_element(5, 12, params=np.array([0.0, 0.25, 0.5]))[0][0]
    _close(without, -mass @ a - stiffness @ u, 1e-13)


@pytest.mark.parametrize("name", [slow("hex8"), "quad4_plane_strain"])
def test_the_drivers_run(name: str, tmp_path: Path) -> None:
    """Solvers in C and in Fortran: residual and balance of energy to round-off, the same answer."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    folder = tmp_path / "solid"
    generate(find(name), folder, abi="uel", prefix="solid")
    sources = ("solid_uel.c", "solid_kernels.c")
    _run(folder, "cc", "-std=c99", "-O2", "driver.c", *sources, "-o", "driver", "-lm")
    static, dynamic = _run(folder, "./driver").splitlines()
    displacement, residual = map(float, re.findall(r"= *(\S+) m, residual +(\S+) ", static)[0])
    assert residual < 1e-13
    assert float(re.findall(r"missing (\S+) of", dynamic)[0]) < 1e-11
    if shutil.which("gfortran") is None:
        pytest.skip("no gfortran: the driver in Fortran is not run")
    _run(folder, "cc", "-std=c99", "-O2", "-c", *sources)
    _run(
        folder,
        "gfortran",
        "-std=f2008",
        "-Wall",
        "driver.f90",
        "solid_uel.o",
        "solid_kernels.o",
        "-o",
        "fortran",
    )
    words = _run(folder, "./fortran")
    found, residual = map(float, re.findall(r"= *(\S+) m, residual +(\S+) ", words)[0])
    assert found == pytest.approx(displacement, rel=1e-11)
    assert residual < 1e-13


def test_an_input_file_that_does_not_fit_is_told(tmp_path: Path) -> None:
    """A wrong number of properties ends the program with one line that says what is expected."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    folder = tmp_path / "solid"
    generate(find("tet4"), folder, abi="uel", prefix="solid")
    driver = folder / "driver.c"
    driver.write_text(driver.read_text().replace("nprops = 3", "nprops = 2"))
    _run(folder, "cc", "-O1", "driver.c", "solid_uel.c", "solid_kernels.c", "-o", "driver", "-lm")
    done = subprocess.run([folder / "driver"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == ("user element solid: expected PROPERTIES=3: young, poisson, density\n")


def test_an_element_that_is_turned_over_stops_the_program(tmp_path: Path) -> None:
    """Abaqus checks no user element: with its nodes in the reverse order it stops by its number.

    The driver's only element is number 1, its nodes the reference tetrahedron's.
    """
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    folder = tmp_path / "solid"
    generate(find("tet4"), folder, abi="uel", prefix="solid")
    driver = folder / "driver.c"
    text = driver.read_text()
    assert text.count("{0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0") == 1
    driver.write_text(text.replace("{0.0, 0.0, 0.0, 1.0", "{0.0, 0.0, 0.0, -1.0"))
    _run(folder, "cc", "-O1", "driver.c", "solid_uel.c", "solid_kernels.c", "-o", "driver", "-lm")
    done = subprocess.run([folder / "driver"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        "user element solid: element 1: the determinant of the Jacobian is not positive at point "
        "1; are its nodes in reverse order, or interchanged?\n"
    )


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("euler_beam", {}, "cannot be a user element; expected a solid"),
        ("hex8", {"terms": ["stiffness"]}, "a user element has stiffness, mass"),
        ("hex8", {"scalar": "float"}, "a user element computes in double"),
        (
            "hex8",
            {"lanes": [1, 8]},
            "lanes: found 8; expected 1, because a call of 'uel' computes one element",
        ),
        ("hex8", {"abi": "umat"}, "abi 'umat' is unknown; expected one of flexforge, ufcx, uel"),
    ],
)
def test_what_it_cannot_be_is_refused(
    name: str, options: dict[str, object], words: str, tmp_path: Path
) -> None:
    """Elements of other kinds, other terms, single precision: one line, and no folder."""
    with pytest.raises(InputError, match=re.escape(words)):
        generate(find(name), tmp_path / "out", **({"abi": "uel"} | options))  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())
