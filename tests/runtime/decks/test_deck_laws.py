# SPDX-License-Identifier: BSD-3-Clause
"""Laws and initial states of materials in decks, beside closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.decks.translate import translate
from flexforge.runtime.loading.load import load_model_file
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.run import run_model
from marks import slow

from .deck_texts import solid, step, written

PRINT = ("*NODE PRINT, NSET=Nall", "U", "*EL PRINT, ELSET=Eall", "S")
ELASTIC = "*ELASTIC\n210000., .3"
EXPANSION = "*EXPANSION, ZERO=20.\n1.2E-5\n"


def run(folder: Path, text: str) -> Outcome:
    """Run a deck."""
    return run_model(load_model_file(written(folder, text)), output=folder / "results")


def table(outcome: Outcome, name: str) -> np.ndarray:
    """Return the last frame of a table of the first step, without time."""
    file = next(iter(outcome.steps.values())).folder / "tables" / f"{name}.csv"
    rows = np.genfromtxt(file, delimiter=",", skip_header=1)
    return np.asarray(rows[rows[:, 0] == rows[-1, 0], 1:])


@pytest.mark.parametrize(("terms", "nu"), [slow(1, 0.0), (2, 0.1)])
def test_foam_in_tension(tmp_path: Path, terms: int, nu: float) -> None:
    """Sides follow by s^-nu where all terms have one nu: sigma = sum 2 mu/alpha (s^alpha - ...).

    With beta = nu/(1 - 2 nu): a free side has t^alpha = J^(-alpha beta), so t = s^-nu for every
    alpha, and Cauchy's stress is sum 2 mu/(alpha J) (s^alpha - t^alpha) (Storakers 1986).
    """
    s, moduli, powers = 1.4, [3.0, 2.0][:terms], [4.0, -2.0][:terms]
    values = [one for pair in zip(moduli, powers, strict=True) for one in pair] + [nu] * terms
    law = f"*HYPERFOAM, N={terms}\n" + ", ".join(f"{one}" for one in values)
    text = solid(cells=1).replace(ELASTIC, law).replace(EXPANSION, "")
    text += step("*STATIC", "*BOUNDARY", f"right, 1, 1, {s - 1}", *PRINT, options=", NLGEOM")
    outcome = run(tmp_path, text)
    side = s**-nu
    sums = [2 * m / a * (s**a - side**a) for m, a in zip(moduli, powers, strict=True)]
    axial = sum(sums) / (s * side**2)
    np.testing.assert_allclose(table(outcome, "stress Eall")[:, 2], axial, rtol=1e-6)
    moved = table(outcome, "displacement Nall")
    assert np.abs(moved[:, 2:]).max() == pytest.approx(abs(side - 1.0), abs=1e-8)


def test_faulty_foam_is_told(tmp_path: Path) -> None:
    text = solid(cells=1).replace(EXPANSION, "")
    for law, said in (
        ("*HYPERFOAM, N=1\n1., 0., 0.", "found an exponent 0 and a ratio 0; expected no 0"),
        ("*HYPERFOAM, N=4\n1.", "found N=4; expected 1 to 3"),
    ):
        with pytest.raises(InputError, match=said):
            translate(written(tmp_path, text.replace(ELASTIC, law) + step("*STATIC")))


STRESS = [60.0, -20.0, 10.0, 5.0, 8.0, 30.0]  # xx yy zz xy xz yz, MPa


def initial(elements: list[int], stress: list[float] = STRESS) -> str:
    """Return the card of the initial stress of some elements, point by point."""
    values = ", ".join(f"{one}" for one in stress)
    rows = [f"{one}, {k + 1}, {values}" for one in elements for k in range(8)]
    return "\n".join(["*INITIAL CONDITIONS, TYPE=STRESS", *rows, ""])


def test_an_initial_stress_goes_where_nothing_holds_it(tmp_path: Path) -> None:
    """A free bar shrinks by the stress over the moduli; a held one keeps it, in its own cells."""
    free = run(tmp_path, solid(cells=2) + initial([1, 2]) + step("*STATIC", *PRINT))
    assert np.abs(table(free, "stress Eall")[:, 2:]).max() < 1e-9
    xx, yy, zz, xy, xz, _ = STRESS
    shear = 210000.0 / 2.6
    # Node 9 is at (2, 0, 0), on the axis that slides on the face x = 0 and turns with nothing.
    moved = table(free, "displacement Nall")
    end = moved[moved[:, 0] == 9][0, 1:]
    axial = -2.0 * (xx - 0.3 * (yy + zz)) / 210000.0
    assert end == pytest.approx([axial, -2.0 * xy / shear, -2.0 * xz / shear], rel=1e-9)


def test_an_initial_stress_of_some_elements_pulls_the_others(tmp_path: Path) -> None:
    """One of three cells between walls, sides held: the force s/3 goes through all of them."""
    text = solid(cells=3) + "*BOUNDARY\nNall, 2, 3\nright, 1\n"
    text += initial([2], [90.0, 0.0, 0.0, 0.0, 0.0, 0.0]) + step("*STATIC", *PRINT)
    rows = table(run(tmp_path, text), "stress Eall")
    np.testing.assert_allclose(rows[:, 2], 30.0, rtol=1e-9)
    side = np.where(rows[:, 0] == 2, -60.0, 30.0) * 0.3 / 0.7  # lambda/(lambda + 2 mu) of strains
    np.testing.assert_allclose(rows[:, 3], side, rtol=1e-9)


def test_a_plastic_strain_is_one_without_stress(tmp_path: Path) -> None:
    """A free bar is as long and as skew as the strain says; that of the tensor is half an angle."""
    card = initial([1, 2], [0.01, -0.004, -0.006, 0.002, 0.001, 0.0]).replace(
        "TYPE=STRESS", "TYPE=PLASTIC STRAIN"
    )
    free = run(tmp_path, solid(cells=2) + card + step("*STATIC", *PRINT))
    assert np.abs(table(free, "stress Eall")[:, 2:]).max() < 1e-9
    moved = table(free, "displacement Nall")
    end = moved[moved[:, 0] == 9][0, 1:]
    assert end == pytest.approx([0.02, 2.0 * 2.0 * 0.002, 2.0 * 2.0 * 0.001], rel=1e-9)


@pytest.mark.parametrize(
    ("card", "said"),
    [
        ("*INITIAL CONDITIONS, TYPE=STRESS, USER", "USER is not supported; expected the stresses"),
        (initial([7]), "no element 7; expected one of the deck"),
        (initial([1]) + "1, 2, 1., 0., 0., 0., 0., 0.", "another stress at a point of element 1"),
        ("*INITIAL CONDITIONS, TYPE=HARDENING\n1, 1, 0.1", "found TYPE=HARDENING; expected TEMPE"),
    ],
)
def test_faulty_initial_stresses_are_told(tmp_path: Path, card: str, said: str) -> None:
    path = written(tmp_path, solid(cells=1) + card.rstrip("\n") + "\n" + step("*STATIC"))
    with pytest.raises(InputError, match=said):
        translate(path)


def test_a_law_without_shear_is_told_to_be_one(tmp_path: Path) -> None:
    """Nine equal normal stiffnesses: air between walls, of which shear stores no energy."""
    law = "*ELASTIC, TYPE=ORTHO\n" + "1.4E5," * 6 + "0.,0.,\n0."
    text = solid(cells=1).replace(ELASTIC, law) + step("*STATIC")
    material = translate(written(tmp_path, text)).tables["materials"]["Steel"]
    assert material["semidefinite"] is True
    definite = text.replace("1.4E5,1.4E5,1.4E5,1.4E5,1.4E5,1.4E5,0.,0.,\n0.",
                            "3.,1.,3.,1.,1.,3.,1.,1.,\n1.")  # fmt: skip
    other = translate(written(tmp_path, definite)).tables["materials"]["Steel"]
    assert "semidefinite" not in other
