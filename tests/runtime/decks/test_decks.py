# SPDX-License-Identifier: BSD-3-Clause
"""Decks as they are: a bar whose stresses and displacements are known in closed form."""

from __future__ import annotations

import csv
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from flexforge.cli import main
from flexforge.codegen.errors import InputError
from flexforge.runtime.check import inspect_model
from flexforge.runtime.decks.text import model_text
from flexforge.runtime.decks.translate import translate
from flexforge.runtime.loading.load import load_model_file
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.run import run_model
from marks import slow

from .deck_texts import MATERIAL, bar, solid, step, written

E, NU, RHO, ALPHA = 210000.0, 0.3, 7.8e-9, 1.2e-5
PULL = ("*STATIC", "*CLOAD", "right, 1, 250.")  # 1000 N in all
PRINT = ("*NODE PRINT, NSET=Nall", "U, RF", "*EL PRINT, ELSET=Eall", "S, E")


def run(path: Path, folder: Path) -> Outcome:
    """Run a deck, with everything that tables may be."""
    model = load_model_file(path)
    output = model.output.model_copy(update={"formats": ("csv", "dat")})
    return run_model(model.model_copy(update={"output": output}), output=folder)


def table(folder: Path, name: str) -> np.ndarray:
    """Return the numbers of a table."""
    with (folder / "tables" / f"{name}.csv").open() as file:
        _, *rows = csv.reader(file)
    return np.array(rows, dtype=float)


def test_steps_of_a_bar_have_closed_forms(tmp_path: Path) -> None:
    deck = solid() + step(*PULL, *PRINT)
    deck += step("*STATIC", "*DLOAD, OP=NEW", "End, P4, 500.")
    deck += step("*STATIC", "*CLOAD, OP=NEW", "*TEMPERATURE", "Nall, 70.", "*DLOAD, OP=NEW")
    deck = deck.replace("*STEP", "*INITIAL CONDITIONS, TYPE=TEMPERATURE\nNall, 20.\n*STEP", 1)
    outcome = run(written(tmp_path, deck), tmp_path / "out")
    assert list(outcome.steps) == ["1", "2", "3"]
    pulled, squeezed, warm = (one.folder for one in outcome.steps.values())
    u = table(pulled, "displacement Nall")
    x = (u[:, 1] - 1) // 4
    assert np.allclose(u[:, 2], 1000.0 / E * x, rtol=1e-12, atol=1e-18)
    stress = table(pulled, "stress Eall")
    assert np.allclose(stress[:, 3:], [1000.0, 0, 0, 0, 0, 0], atol=1e-9)
    strain = table(pulled, "strain Eall")
    exact = np.array([1.0, -NU, -NU, 0.0, 0.0, 0.0]) * 1000.0 / E
    assert np.allclose(strain[:, 3:], exact, atol=1e-15)
    # The force on the right stays, since only the next card of its kind says OP=NEW; the face P4 of
    # the last cube is x = 3 of CalculiX's numbering.
    assert np.allclose(table(squeezed, "stress Eall")[:, 3], 1000.0 - 500.0, rtol=1e-12)
    u = table(warm, "displacement Nall")
    assert np.allclose(u[:, 2], 50.0 * ALPHA * x, rtol=1e-12, atol=1e-18)
    assert np.abs(table(warm, "stress Eall")[:, 3:]).max() < 1e-9


def test_the_forces_on_nodes_are_loads_and_reactions(tmp_path: Path) -> None:
    outcome = run(written(tmp_path, solid() + step(*PULL, *PRINT)), tmp_path / "out")
    forces = table(outcome.steps["1"].folder, "nodal_force Nall")
    assert np.allclose(forces[:4, 2], -250.0, rtol=1e-12)
    assert np.allclose(forces[-4:, 2], 250.0, rtol=1e-12)
    assert np.abs(forces[4:-4, 2:]).max() < 1e-9


def test_the_total_of_forces_is_printed(tmp_path: Path) -> None:
    total = ("*NODE PRINT, NSET=left, TOTALS=ONLY", "RF")
    outcome = run(written(tmp_path, solid() + step(*PULL, *total)), tmp_path / "out")
    folder = outcome.steps["1"].folder
    head, row = (folder / "tables" / "nodal_force Left.csv").read_text().splitlines()
    assert head.startswith("time,node,x")
    assert row.split(",")[:2] == ["1.0", "total"]
    assert float(row.split(",")[2]) == pytest.approx(-1000.0, rel=1e-12)
    printed = (folder / "results.dat").read_text()
    assert "total force (fx,fy,fz) for set LEFT and time  0.1000000E+01" in printed
    assert "-1.000000E+03" in printed


def test_frequencies_of_a_bar(tmp_path: Path) -> None:
    """The longest wave along a bar that cannot contract: sqrt(E/rho)/(4 L), of a fine mesh."""
    deck = solid(cells=24).replace(".3\n", ".0\n", 1)
    guided = "*BOUNDARY\nNall, 2, 3\n" + step("*FREQUENCY", "2")
    outcome = run(written(tmp_path, deck + guided), tmp_path / "out")
    exact = np.sqrt(E / RHO) / (4 * 24.0)
    found = outcome.steps["1"].figures
    assert found["mode 1"][0] == pytest.approx(exact, rel=4e-4)  # h^2 of 24 linear cubes
    assert found["mode 1"][0] > exact
    assert (outcome.steps["1"].folder / "modes.csv").is_file()


@pytest.mark.parametrize("kind", ["C3D8", slow("C3D8I")])
def test_a_written_model_file_gives_the_same_numbers(tmp_path: Path, kind: str) -> None:
    steps = step(*PULL, *PRINT) + step("*STATIC", "*DLOAD", "Eall, GRAV, 9810., 0., -1., 0.")
    deck = written(tmp_path, solid(kind) + steps)
    target = tmp_path / "models" / "bar.toml"
    target.parent.mkdir()
    assert main(["import", str(deck), "-o", str(target)]) == 0
    direct, imported = run(deck, tmp_path / "one"), run(target, tmp_path / "two")
    # Whether a deck or the file has been read is part of nothing that is computed.
    assert {k: v for k, v in direct.figures.items() if "place" not in k} == {
        k: v for k, v in imported.figures.items() if "place" not in k
    }
    for name in ("displacement Nall", "stress Eall", "nodal_force Nall"):
        for number in "12":
            one = (tmp_path / "one" / number / "tables" / f"{name}.csv").read_text()
            assert one == (tmp_path / "two" / number / "tables" / f"{name}.csv").read_text()


def test_a_model_file_says_where_its_tables_come_from(tmp_path: Path) -> None:
    deck = written(tmp_path, solid() + step(*PULL, *PRINT))
    lines = model_text(translate(deck), tmp_path / "bar.toml").splitlines()
    place = 1 + deck.read_text().splitlines().index("*SOLID SECTION, ELSET=eall, MATERIAL=STEEL")
    assert f"[[bodies]] # C3D8, line {place}" in lines
    assert 'file = "bar.inp"' in lines


def test_loads_at_one_node_add_up_in_a_step_and_are_replaced_in_the_next(tmp_path: Path) -> None:
    """As CalculiX does: two lines for one component count twice, those of a later step anew."""
    deck = solid() + step("*STATIC", "*CLOAD", "right, 1, 100.", "right, 1, 150.", *PRINT)
    deck += step("*STATIC", "*CLOAD", "13, 1, 50.")  # one node of the set
    outcome = run(written(tmp_path, deck), tmp_path / "out")
    first, second = (table(one.folder, "nodal_force Nall") for one in outcome.steps.values())
    assert np.allclose(first[-4:, 2], 250.0)
    assert np.allclose(second[-4:, 2], [50.0, 250.0, 250.0, 250.0])


def test_local_axes_turn_supports_and_forces(tmp_path: Path) -> None:
    """Axes of a cylinder about x: a radial force on a node at y = z = 1 is along (1, 1)."""
    deck = solid().replace("left, 1\n", "left, 1, 3\n").replace("1, 2, 3\n2, 3\n", "")
    deck += "*TRANSFORM, TYPE=C, NSET=corner\n0., 0., 0., 1., 0., 0.\n"
    deck = deck.replace("*MATERIAL", "*NSET, NSET=corner\n15,\n*MATERIAL", 1)
    deck += step("*STATIC", "*CLOAD", "15, 1, 10.", *PRINT)
    outcome = run(written(tmp_path, deck), tmp_path / "out")
    forces = table(outcome.steps["1"].folder, "nodal_force Nall")
    half = 10.0 / np.sqrt(2.0)
    assert np.allclose(forces[forces[:, 1] == 15, 2:], [[0.0, half, half]], atol=1e-9)


def test_equations_couple_components(tmp_path: Path) -> None:
    """The right end stays plane: a force on one node pulls the bar as on all."""
    rows = "".join(f"*EQUATION\n2\n{n}, 1, 1., 13, 1, -1.\n" for n in (14, 15, 16))
    deck = solid() + rows + step("*STATIC", "*CLOAD", "13, 1, 1000.", *PRINT)
    outcome = run(written(tmp_path, deck), tmp_path / "out")
    u = table(outcome.steps["1"].folder, "displacement Nall")
    assert np.allclose(u[-4:, 2], 3 * 1000.0 / E, rtol=1e-12)


def test_a_bar_breaks_loose_and_vibrates(tmp_path: Path) -> None:
    """Corners held by equations that a step removes are drawn back from where they were."""
    tied = "".join(f"*EQUATION\n2\n{n}, 1, 1., 16, 1, -1.\n" for n in (13, 14, 15))
    deck = solid() + tied + "*NSET, NSET=loose\n13, 14, 15\n"
    deck += step("*STATIC", "*BOUNDARY", "16, 1, 1, 0.1", *PRINT)
    deck += step(
        "*DYNAMIC, ALPHA=0., DIRECT", "1e-7, 1e-6", "*EQUATION, REMOVE", "loose, 1", *PRINT
    )
    model = load_model_file(written(tmp_path, deck))
    assert [one.acts_in("2") for one in model.equations] == [False, False, False]
    outcome = run(written(tmp_path, deck), tmp_path / "out")
    u = table(outcome.steps["2"].folder, "displacement Nall")
    start, end = (u[u[:, 0] == t] for t in (0.0, u[-1, 0]))
    still = table(outcome.steps["1"].folder, "displacement Nall")
    np.testing.assert_array_equal(start[:, 1:], still[:, 1:])
    held, loose = end[15, 2], end[12:15, 2]
    assert held == pytest.approx(0.1, rel=1e-12)  # its boundary condition stays
    assert (loose < 0.1 - 1e-4).all()  # the others are drawn back


@pytest.mark.parametrize("options", ["", slow(", NLGEOM")])
def test_explicit_motions_are_those_of_lumped_masses(tmp_path: Path, options: str) -> None:
    """A bar of three cubes that do not contract, pulled at once: a chain of three masses."""
    pull = ("*CLOAD", "right, 1, .25")
    deck = solid().replace("210000., .3", "210000., 0.")
    deck += step("*DYNAMIC, EXPLICIT", "2.E-8, 1.E-6", *pull, *PRINT, options=options)
    outcome = run(written(tmp_path, deck), tmp_path / "out")
    stiffness = E * np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    root = np.sqrt([1.0 / RHO, 1.0 / RHO, 2.0 / RHO])  # of inverse masses, each lumped
    squares, modes = np.linalg.eigh(root[:, None] * stiffness * root)
    force = modes.T @ (root * [0.0, 0.0, 1.0])
    exact = root * (modes @ (force * (1.0 - np.cos(np.sqrt(squares) * 1e-6)) / squares))
    u = table(outcome.steps["1"].folder, "displacement Nall")[-12::4, 2]
    assert u == pytest.approx(exact, abs=5e-3 * exact.max())


def test_explicit_motions_have_one_kind(tmp_path: Path) -> None:
    """Others than EXPLICIT alone are of fluids."""
    deck = solid() + step("*DYNAMIC, EXPLICIT=3", "2.E-8, 1.E-6")
    with pytest.raises(InputError, match="found EXPLICIT=3; expected EXPLICIT alone"):
        translate(written(tmp_path, deck))


def test_prescribed_displacements_and_amplitudes(tmp_path: Path) -> None:
    """At the end of the step, time 2, the amplitude is half way from 1 to 0."""
    deck = solid().replace("*BOUNDARY", "*AMPLITUDE, NAME=Fade\n0., 0., 1., 1.,\n3., 0.\n*BOUNDARY")
    deck += step("*STATIC", "1., 2.", "*BOUNDARY, AMPLITUDE=FADE", "right, 1, 1, 0.3", *PRINT)
    outcome = run(written(tmp_path, deck), tmp_path / "out")
    u = table(outcome.steps["1"].folder, "displacement Nall")
    assert np.allclose(u[-4:, 2], 0.5 * 0.3, rtol=1e-12)


def test_an_amplitude_comes_later(tmp_path: Path) -> None:
    """At time 1.5 of the step an amplitude with a delay of 1 has the value of 0.5."""
    deck = solid().replace("*BOUNDARY", "*AMPLITUDE, NAME=Up\n0., 0., 1., 1., 2., 5.\n*BOUNDARY")
    deck += step("*STATIC", "1.5, 1.5", "*CLOAD, AMPLITUDE=UP, TIME DELAY=1.", "right, 1, 250.",
                 *PRINT)  # fmt: skip
    outcome = run(written(tmp_path, deck), tmp_path / "out")
    u = table(outcome.steps["1"].folder, "displacement Nall")
    assert np.allclose(u[-4:, 2], 0.5 * 3 * 1000.0 / E, rtol=1e-12)


def test_a_bar_that_turns_has_coriolis_terms_where_asked(tmp_path: Path) -> None:
    """The modes of a frame that turns: the model with and without Coriolis terms."""
    spun = step("*STATIC", "*DLOAD", "eall, CENTRIF, 1.E8, 0., 0., 0., 0., 0., 1.")
    modes = step("*FREQUENCY", "2", options=", PERTURBATION")
    modes += step("*COMPLEX FREQUENCY, CORIOLIS", "2", options=", PERTURBATION")
    deck = solid().replace("left, 1\n", "left, 1, 3\n") + spun + modes
    spec = load_model_file(written(tmp_path, deck))
    assert [one.include.coriolis for one in spec.steps[1:]] == [False, True]
    assert [one.frames["eall"].velocity for one in spec.steps] == [1e4] * 3
    outcome = run(written(tmp_path, deck), tmp_path / "out")
    real, whirl = (outcome.figures[f"{name}: mode 1"][0] for name in ("2", "3"))
    assert whirl != pytest.approx(real, rel=1e-6)


def test_springs_are_connectors(tmp_path: Path) -> None:
    """A bar of stiffness E A / L = 70000 N/mm and four springs of 10 N/mm at its end."""
    springs = "*NODE\n" + "".join(f"{20 + i}, 4., {y}., {z}.\n" for i, (y, z) in enumerate(
        ((0, 0), (1, 0), (1, 1), (0, 1))))  # fmt: skip
    springs += "*ELEMENT, TYPE=SPRINGA, ELSET=springs\n"
    springs += "".join(f"{10 + i}, {13 + i}, {20 + i}\n" for i in range(4))
    springs += "*NSET, NSET=ground\n20, 21, 22, 23\n*SPRING, ELSET=SPRINGS\n\n10.\n"
    deck = solid().replace("*MATERIAL", springs + "*MATERIAL", 1)
    deck += "*BOUNDARY\nground, 1, 3\n" + step(*PULL, *PRINT)
    outcome = run(written(tmp_path, deck), tmp_path / "out")
    u = table(outcome.steps["1"].folder, "displacement Nall")
    assert np.allclose(u[12:16, 2], 1000.0 / (E / 3.0 + 40.0), rtol=1e-12)


def test_large_displacements_stretch_by_greens_strain(tmp_path: Path) -> None:
    """A bar of Saint Venant's law pulled by the force per area P: lambda E (lambda^2-1)/2 = P."""
    deck = solid().replace(", .3\n", ", .0\n", 1)
    deck += step("*STATIC", "*CLOAD", "right, 1, 25000.", *PRINT, options=", NLGEOM")
    outcome = run(written(tmp_path, deck), tmp_path / "out")
    stretch = max(np.roots([0.5 * E, 0.0, -0.5 * E, -1e5]).real)
    u = table(outcome.steps["1"].folder, "displacement Nall")
    assert np.allclose(u[-4:, 2], 3.0 * (stretch - 1.0), rtol=1e-9)


def test_a_rigid_body_turns_by_any_angle_with_nlgeom(tmp_path: Path) -> None:
    """All nodes turn about the reference node by 2 rad of the rotation node, without stress."""
    nodes = "*NODE\n90, 1., 2., 0.\n91, 0., 0., 0.\n"
    deck = solid(support="").replace("*MATERIAL", f"{nodes}*MATERIAL", 1)
    deck += "*RIGID BODY, NSET=right, REF NODE=90, ROT NODE=91\n*NSET, NSET=turn\n91\n"
    moved = ("*BOUNDARY", "90, 1, 3", "91, 1, 2", "91, 3, 3, 2.")
    asked = ("*NODE PRINT, NSET=turn", "U, RF", *PRINT)
    deck += step("*STATIC", *moved, *asked, options=", NLGEOM")
    outcome = run(written(tmp_path, deck), tmp_path / "out")
    folder = outcome.steps["1"].folder
    u = table(folder, "displacement Nall")
    last = u[u[:, 0] == 1.0]
    number = last[:, 1].astype(int) - 1
    places = np.array([[i // 4, *((0, 0), (1, 0), (1, 1), (0, 1))[i % 4]] for i in range(16)])
    arms = places[number[number < 16]] - [1.0, 2.0, 0.0]
    c, s = np.cos(2.0) - 1.0, np.sin(2.0)
    exact = np.stack([c * arms[:, 0] - s * arms[:, 1], s * arms[:, 0] + c * arms[:, 1],
                      0.0 * arms[:, 2]], axis=1)  # fmt: skip
    assert np.allclose(last[number < 16, 2:], exact, atol=1e-9)
    turn = table(folder, "rotation _90")
    assert np.allclose(turn[-1, 2:], [0.0, 0.0, 2.0], atol=1e-15)
    assert np.abs(table(folder, "nodal_moment _90")[-1, 2:]).max() < 1e-4


def test_multiple_point_constraints_are_couplings(tmp_path: Path) -> None:
    """A plane, a line, and a mean rotation, whose pilot's force is a moment: G I t / L of 1e-3."""
    mpc = "*NODE\n90, 1., 0., 0.\n*MPC\nPLANE, right\nSTRAIGHT, 1, 5, 9\n"
    mpc += "MEANROT, 13, 13, 13, 14, 14, 14, 15, 15, 15, 16, 16, 16, 90\n*NSET, NSET=pilot\n90\n"
    deck = solid(support="*BOUNDARY\nleft, 1, 3\n") + mpc
    deck += step("*STATIC", "*BOUNDARY", "90, 1, 1, 1.E-3", "*NODE PRINT, NSET=pilot", "U, RF")
    tables = translate(written(tmp_path, deck)).tables
    kinds = {one["kind"]: one for one in tables["couplings"]}
    assert kinds.keys() == {"plane", "line", "rotation"}
    assert kinds["rotation"]["axis"] == [1.0, 0.0, 0.0]
    outcome = run(written(tmp_path, deck), tmp_path / "out")
    folder = outcome.steps["1"].folder
    assert np.allclose(table(folder, "rotation _90")[:, 2:], [1e-3, 0, 0], atol=1e-18)
    moment = table(folder, "nodal_moment _90")[0, 2]
    # Cubes twist without warping: the polar moment of a unit square is 1/6.
    assert moment == pytest.approx(E / (2 * (1 + NU)) / 6.0 * 1e-3 / 3.0, rel=1e-9)


def test_a_static_load_stresses_what_vibrates_and_does_not_vibrate(tmp_path: Path) -> None:
    """A pull before the modes: they rise, and a harmonic step has the preload, not its force."""
    tension = step("*STATIC", "*CLOAD", "right, 1, 1.E6")
    modes = step("*FREQUENCY", "3", options=", PERTURBATION")
    swept = step("*STEADY STATE DYNAMICS", "1., 2., 2", "*CLOAD", "13, 2, 1.", *PRINT)
    slender = solid("C3D8I", 24).replace("left, 1\n", "left, 1, 3\n")
    pulled = run(written(tmp_path, slender + tension + modes + swept), tmp_path / "1")
    slack = run(written(tmp_path, slender + step("*FREQUENCY", "3")), tmp_path / "2")
    assert pulled.figures["2: mode 1"][0] > 1.05 * slack.figures["1: mode 1"][0]
    u = table(pulled.steps["3"].folder, "displacement Nall")
    tip = u[(u[:, 0] == 1.0) & (u[:, 1] == 97)][0, 2:]
    assert abs(tip[1]) > 10 * abs(tip[0]) > 0.0  # bent by the force across, not stretched


def test_rubber_has_an_energy(tmp_path: Path) -> None:
    """A bar of neo-Hookean rubber stretched by 1.5, its sides held: sigma of its formula.

    With F = diag(s, 1, 1): sigma_xx = mu J^(-5/3) (s^2 - I1/3) + kappa (J - 1), J = s.
    """
    c10, d1, s = 0.5, 0.1, 1.5
    text = solid(cells=2).replace("*ELASTIC\n210000., .3", f"*HYPERELASTIC, NEO HOOKE\n{c10}, {d1}")
    text = text.replace("*EXPANSION, ZERO=20.\n1.2E-5\n", "")
    text += "*BOUNDARY\nNall, 2, 3\n" + step(
        "*STATIC", "*BOUNDARY", f"right, 1, 1, {2 * (s - 1)}", *PRINT, options=", NLGEOM"
    )
    outcome = run(written(tmp_path, text), tmp_path / "out")
    found = table(outcome.steps["1"].folder, "stress Eall")
    axial = 2 * c10 * s ** (-5 / 3) * (s**2 - (s**2 + 2) / 3) + 2 / d1 * (s - 1)
    assert np.allclose(found[-16:, 3], axial, rtol=1e-9)


def test_laws_of_rubber_are_those_of_the_deck(tmp_path: Path) -> None:
    """Ogden's 2 mu/alpha^2 of every term; without D1 the bulk modulus of nu = 0.475."""

    def law(name: str, constants: str) -> dict[str, float]:
        text = solid().replace("*ELASTIC\n210000., .3", f"*HYPERELASTIC, {name}\n{constants}")
        text = text.replace("*EXPANSION, ZERO=20.\n1.2E-5\n", "")
        path = written(tmp_path, text + step("*STATIC", options=", NLGEOM"))
        found: dict[str, float] = translate(path).tables["bodies"][0]["parameters"]
        return found

    two = law("OGDEN, N=2", "3., 2., 5., -1.5, 0.1, 0.")
    assert two == {"mu1": 3.0, "alpha1": 2.0, "mu2": pytest.approx(-20.0 / 3.0), "alpha2": -1.5,
                   "mu3": 0.0, "alpha3": 2.0, "kappa": 20.0}  # fmt: skip
    mixed = law("MOONEY-RIVLIN", "0.5, 0.25, 0.")
    ratio = 2.0 * 1.475 / (3.0 * 0.05)
    assert mixed == {"c10": 0.5, "c01": 0.25, "kappa": pytest.approx(1.5 * ratio)}
    with pytest.raises(InputError, match="found D2, D3 or an exponent 0"):
        law("OGDEN, N=2", "3., 2., 5., -1.5, 0.1, 0.2")


def test_beams_shells_and_bars_have_sections(tmp_path: Path) -> None:
    """Cantilevers of beams: F L^3 / (3 E I) with shear; a shell strip and a bar in tension."""
    nodes = "".join(f"{i + 1}, {10.0 * i}, 0., 0.\n" for i in range(11))
    beams = "".join(f"{i}, {i}, {i + 1}\n" for i in range(1, 11))
    text = f"*NODE, NSET=Nall\n{nodes}*ELEMENT, TYPE=B31, ELSET=E\n{beams}"
    text += "*MATERIAL, NAME=S\n*ELASTIC\n210000., .3\n*BOUNDARY\n1, 1, 6\n"
    text += "*BEAM SECTION, ELSET=E, MATERIAL=S, SECTION=RECT\n2., 4.\n0., 1., 0.\n"
    steps = step("*STATIC", "*CLOAD", "11, 2, 1.", "*NODE PRINT, NSET=Nall", "U")
    steps += step("*STATIC", "*CLOAD, OP=NEW", "11, 3, 1.")
    steps += step("*STATIC", "*CLOAD, OP=NEW", "11, 4, 1.")
    outcome = run(written(tmp_path, text + steps), tmp_path / "out")
    tips = [table(one.folder, "displacement Nall")[-1, 2:] for one in outcome.steps.values()]
    shear = 100.0 / (5 / 6 * E / 2.6 * 8.0)
    for tip, axis, inertia in ((tips[0], 1, 4 * 2**3 / 12), (tips[1], 2, 2 * 4**3 / 12)):
        assert tip[axis] == pytest.approx(1e6 / (3 * E * inertia) + shear, rel=2e-3)
    assert np.abs(tips[2]).max() < 1e-15  # twist alone
    bar = text.replace("B31", "T3D2").replace("1, 1, 6", "1, 1\nNall, 2, 3")
    bar = bar[: bar.index("*BEAM")] + "*SOLID SECTION, ELSET=E, MATERIAL=S\n8.\n"
    pull = step("*STATIC", "*CLOAD", "11, 1, 1000.", "*NODE PRINT, NSET=Nall", "U")
    pulled = run(written(tmp_path, bar + pull), tmp_path / "bar")
    u = table(pulled.steps["1"].folder, "displacement Nall")
    assert np.allclose(u[:, 2], 1000.0 / (E * 8.0) * 10.0 * (u[:, 1] - 1), rtol=1e-12, atol=1e-18)


@pytest.mark.skipif(shutil.which("ccx") is None, reason="ccx (calculix-ccx) is not installed")
@pytest.mark.parametrize("kind", ["C3D8"])
def test_calculix_prints_the_same(tmp_path: Path, kind: str) -> None:
    deck = bar(3, kind) + solid(kind).removeprefix(bar(3, kind))
    loads = ("*STATIC", "*CLOAD", "16, 2, 10.", "14, 3, -7.", "13, 1, 3.")
    path = written(tmp_path, deck + step(*loads, *PRINT))
    subprocess.run(["ccx", "-i", "bar"], cwd=tmp_path, check=True, capture_output=True)
    run(path, tmp_path / "out")
    theirs, ours = (
        one.read_text().split() for one in (tmp_path / "bar.dat", tmp_path / "out/1/results.dat")
    )
    assert [w for w in ours if w.isalpha()] == [w for w in theirs if w.isalpha()]
    numbers = [[float(w) for w in words if w[-1:].isdigit() and "." in w and "," not in w]
               for words in (ours, theirs)]  # fmt: skip
    assert len(numbers[0]) == len(numbers[1]) > 100
    assert np.allclose(*np.array(numbers), rtol=1e-5, atol=1e-5)


def test_a_deck_is_checked(tmp_path: Path) -> None:
    path = written(tmp_path, solid() + step(*PULL) + step("*FREQUENCY", "3"))
    report, mistakes = inspect_model(path)
    assert report is not None
    assert not mistakes
    assert report.analysis == "static, modes"
    assert not report.remarks  # nothing is known of its units
    written(tmp_path, solid() + step("*STATIC", "*CFLUX") + step("*VISCO"))
    report, mistakes = inspect_model(path)
    assert report is None
    assert len(mistakes) == 2


def test_temperatures_of_nodes_bend_a_bar(tmp_path: Path) -> None:
    """Linear over z, free of stress: the bar becomes an arc of curvature alpha dT / h."""
    warm = "*INITIAL CONDITIONS, TYPE=TEMPERATURE\nNall, 20.\n*NSET, NSET=top\n"
    warm += "".join(f"{4 * i + 3}, {4 * i + 4}\n" for i in range(4))
    deck = solid() + warm + step("*STATIC", "*TEMPERATURE", "top, 120.", *PRINT)
    outcome = run(written(tmp_path, deck), tmp_path / "out")
    stress = table(outcome.steps["1"].folder, "stress Eall")
    u = table(outcome.steps["1"].folder, "displacement Nall")
    # C3D8 cannot bend without shear strain, so that only means are those of the closed form.
    assert np.abs(stress[:, 3].mean()) < 1e-9
    ends = u[-4:, 2] - u[:4, 2]
    assert np.allclose(ends.mean(), 3 * 50.0 * ALPHA, rtol=1e-9)
    assert (ends[2:] > ends[:2]).all()


def test_temperatures_with_large_displacements_are_a_growth(tmp_path: Path) -> None:
    """A free bar grows by 1.2e-5 of its length times 1000 K, without stress."""
    hot = step("*STATIC", "*TEMPERATURE", "Nall, 1020.", *PRINT, options=", NLGEOM")
    start = "*INITIAL CONDITIONS, TYPE=TEMPERATURE\nNall, 20.\n"
    outcome = run(written(tmp_path, solid() + start + hot), tmp_path / "out")
    u = table(outcome.steps["1"].folder, "displacement Nall")[-16:]
    stress = table(outcome.steps["1"].folder, "stress Eall")[-24:, 3:]
    assert np.allclose(u[:, 2], 1000.0 * ALPHA * ((u[:, 1] - 1) // 4), rtol=1e-9, atol=1e-12)
    assert np.abs(stress).max() < 1e-6


def test_gradients_of_temperature_are_refused(tmp_path: Path) -> None:
    """Those through sections, which are a further number of a node."""
    hot = step("*STATIC", "*TEMPERATURE", "Nall, 1020., 5.")
    with pytest.raises(InputError, match="found a gradient of temperature, 5., through a section"):
        translate(written(tmp_path, solid() + hot))


def test_materials_are_those_of_the_temperature(tmp_path: Path) -> None:
    """Young's modulus and the expansion from 20 to 270 degrees, of tables over temperature."""
    deck = solid().replace("210000., .3", "210000., .3, 20.\n110000., .3, 520.")
    deck = deck.replace("1.2E-5", "1.2E-5, 20.\n2.2E-5, 520.")
    deck = deck.replace("*BOUNDARY", "*INITIAL CONDITIONS, TYPE=TEMPERATURE\nNall, 20.\n*BOUNDARY")
    deck += step("*STATIC", "*TEMPERATURE", "Nall, 270.", *PULL[1:], *PRINT)
    outcome = run(written(tmp_path, deck), tmp_path / "out")
    u = table(outcome.steps["1"].folder, "displacement Nall")
    assert np.allclose(u[-4:, 2], 3 * (1000.0 / 160000.0 + 250.0 * 1.7e-5), rtol=1e-12)
    vary = deck.replace("Nall, 270.", "Right, 270.")
    with pytest.raises(InputError, match=r"\*ELASTIC depends on temperature, which varies within"):
        load_model_file(written(tmp_path, vary))


def test_gravity_on_some_elements_is_of_them_alone(tmp_path: Path) -> None:
    """The outer two of three cubes weigh, along x; a set that rotates needs the others with it."""
    deck = solid() + "*ELSET, ELSET=Outer\n2, 3\n"
    weight = step("*STATIC", "*DLOAD", "Outer, GRAV, 9810., 1., 0., 0.", *PRINT)
    weight += step("*STATIC", "*DLOAD, OP=NEW", "2, GRAV, 9810., 1., 0., 0.", *PRINT)
    outcome = run(written(tmp_path, deck + weight), tmp_path / "out")
    for name, cubes in (("1", 2), ("2", 1)):
        forces = table(outcome.steps[name].folder, "nodal_force Nall")
        assert forces[:4, 2].sum() == pytest.approx(-cubes * RHO * 9810.0, rel=1e-9)
    deck += step("*STATIC", "*DLOAD", "Outer, CENTRIF, 1e6, 0., 0., 0., 0., 0., 1.")
    with pytest.raises(InputError, match="CENTRIF of elements that share nodes with others"):
        translate(written(tmp_path, deck))


def test_an_axis_beside_the_origin(tmp_path: Path) -> None:
    """N = rho w^2 int x - a dx of a bar that turns about a point of it."""
    square, beside = 1e6, 0.5
    deck = solid() + step("*STATIC", "*DLOAD", "@", *PRINT)
    deck = deck.replace("@", f"eall, CENTRIF, {square}, {beside}, 0., 0., 0., 0., 1.")
    outcome = run(written(tmp_path, deck), tmp_path / "out")
    forces = table(outcome.steps["1"].folder, "nodal_force Nall")
    pull = RHO * square * 0.5 * ((3.0 - beside) ** 2 - beside**2)
    # Forces on nodes are reactions and loads: int (x - a) (1 - x) dx of those.
    own = RHO * square * (1.0 / 6.0 - beside / 2.0)
    assert forces[:4, 2].sum() == pytest.approx(own - pull, rel=1e-9)


def test_a_load_beside_frequencies_waits_for_the_next_step(tmp_path: Path) -> None:
    """There a later one takes its place; it is not added."""
    deck = (
        solid() + step("*FREQUENCY", "2", *PULL[1:]) + step("*STATIC", "*CLOAD", "right, 1, 100.")
    )
    (load,) = translate(written(tmp_path, deck)).tables["loads"]
    assert (load["each"], load["steps"]) == ([100.0, 0.0, 0.0], ["2"])


LINES = """\
*NODE, NSET=Nall
1, 0., 0., 0.
2, 1., 0., 0.
3, 2., 0., 0.
4, 2., 1., 0.
5, 2., 2., 0.
6, 1., 2., 0.
7, 0., 2., 0.
8, 0., 1., 0.
*ELEMENT, TYPE=B32, ELSET=bars
1, 1, 2, 3
*ELEMENT, TYPE=S8, ELSET=plate
2, 1, 3, 5, 7, 2, 4, 6, 8
*ELSET, ELSET=Every
bars, plate
"""


def test_sets_of_beams_and_shells_are_printed_whole(tmp_path: Path) -> None:
    """A set of both has tables of both; a round section of one number has that diameter."""
    sections = "*BEAM SECTION, ELSET=bars, MATERIAL=STEEL, SECTION=CIRC\n0.2\n0., 0., 1.\n"
    sections += "*SHELL SECTION, ELSET=plate, MATERIAL=STEEL\n0.1\n"
    deck = LINES + MATERIAL + sections + "*BOUNDARY\n1, 1, 6\n"
    deck += step("*STATIC", "*CLOAD", "5, 3, 1.", "*EL PRINT, ELSET=Every", "S")
    tables = translate(written(tmp_path, deck)).tables
    assert [one["group"] for one in tables["tables"]] == ["Every:surface", "Every:curve"]
    assert tables["bodies"][0]["section"]["diameter"] == 0.2
    outcome = run(written(tmp_path, deck), tmp_path / "out")
    for kind in ("surface", "curve"):
        assert len(table(outcome.steps["1"].folder, f"stress Every_{kind}")) == 27


def test_springs_alone_are_a_model(tmp_path: Path) -> None:
    """Two springs in a row between a wall and a force: F/k and F/k + F/c, without any cells."""
    text = "*NODE, NSET=Nall\n1, 0., 0., 0.\n2, 1., 0., 0.\n3, 2., 0., 0.\n"
    text += "*ELEMENT, TYPE=SPRINGA, ELSET=A\n1, 1, 2\n*ELEMENT, TYPE=SPRINGA, ELSET=B\n2, 2, 3\n"
    text += (
        "*SPRING, ELSET=A\n\n10.\n*SPRING, ELSET=B\n\n40.\n*BOUNDARY\n1, 1, 3\n2, 2, 3\n3, 2, 3\n"
    )
    path = written(tmp_path, text + step("*STATIC", "*CLOAD", "3, 1, 2.", *PRINT[:2]))
    u = table(run(path, tmp_path / "out").steps["1"].folder, "displacement Nall")
    assert u[-3:, 2] == pytest.approx([0.0, 0.2, 0.25])
    moving = path.read_text().replace("*STATIC", "*DYNAMIC\n0.1, 1.")
    with pytest.raises(
        InputError, match="connectors: found no mass in a transient analysis of conn"
    ):
        load_model_file(written(tmp_path, moving))


def test_springs_of_a_table_of_forces(tmp_path: Path) -> None:
    """10 N at 1 mm, then 90 N in 19 mm: 11 N pull it by 1 + 19/90 mm."""
    deck = "*NODE, NSET=Nall\n1, 0., 0., 0.\n2, 1., 0., 0.\n"
    deck += "*ELEMENT, TYPE=SPRINGA, ELSET=springs\n1, 1, 2\n*BOUNDARY\n1, 1, 3\n2, 2, 3\n"
    deck += "*SPRING, ELSET=springs, NONLINEAR\n\n0., 0.\n10., 1.\n100., 20.\n"
    pull = step("*STATIC", "*CLOAD", "2, 1, 11.", "*NODE PRINT, NSET=Nall", "U", options=", NLGEOM")
    outcome = run(written(tmp_path, deck + pull), tmp_path / "out")
    moved = table(outcome.steps["1"].folder, "displacement Nall")
    assert moved[-1, 2] == pytest.approx(1.0 + 19.0 / 90.0, rel=1e-9)
    with pytest.raises(InputError, match="found NONLINEAR without NLGEOM"):
        translate(written(tmp_path, deck + pull.replace(", NLGEOM", "")))
    with pytest.raises(InputError, match="depends on temperature"):
        translate(written(tmp_path, deck.replace("100., 20.", "100., 20., 5.") + pull))


def test_nodes_stay_where_a_step_has_left_them(tmp_path: Path) -> None:
    """A bar is pulled by 1000 N, then its end is fixed: without the force the stress stays."""
    fixed = ("*CLOAD, OP=NEW", "*BOUNDARY, FIXED", "right, 1", "*TEMPERATURE", "Nall, 30.")
    text = solid() + "*INITIAL CONDITIONS, TYPE=TEMPERATURE\nNall, 20.\n"
    path = written(tmp_path, text + step(*PULL, *PRINT) + step("*STATIC", *fixed))
    outcome = run(path, tmp_path / "out")
    pulled, kept = (table(one.folder, "displacement Nall") for one in outcome.steps.values())
    ends = np.isin(kept[:, 1], (13, 14, 15, 16))
    assert np.allclose(kept[ends, 2], pulled[ends, 2], rtol=1e-12)
    stress = table(outcome.steps["2"].folder, "stress Eall")
    assert np.allclose(stress[:, 3], 1000.0 - E * ALPHA * 10.0, rtol=1e-9)
    # The model file of the deck says the same.
    (tmp_path / "deck.toml").write_text(model_text(translate(path), tmp_path / "deck.toml"))
    again = run(tmp_path / "deck.toml", tmp_path / "again")
    other = table(again.steps["2"].folder, "displacement Nall")
    np.testing.assert_array_equal(other, kept)
    early = solid() + step("*STATIC", "*BOUNDARY, FIXED", "right, 1")
    with pytest.raises(InputError, match="FIXED without a .STATIC or .DYNAMIC step before"):
        translate(written(tmp_path, early))
