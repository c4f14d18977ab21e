# SPDX-License-Identifier: BSD-3-Clause
"""Laminates as solids, beside the theory of laminated strips (Jones, chapter 4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge import mesh_from_arrays
from flexforge.codegen.errors import InputError
from flexforge.runtime.decks.translate import translate
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.mesh import structured
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.run import run_model

LENGTH, WIDTH = 1.0, 0.1
#: From the lower side: modulus, density, thickness.
LAYERS = ((2e11, 7800.0, 0.004), (0.7e11, 2700.0, 0.012))
THICK = sum(one[2] for one in LAYERS)
TIP = [{"name": one, "group": "xmax", "component": one} for one in "xz"]


def strip(**changes: Any) -> dict[str, Any]:
    """Return a strip along x of two plies, clamped at x = 0."""
    flat = structured("quad8", [[0, 0], [LENGTH, 0], [LENGTH, WIDTH], [0, WIDTH]], [10, 1])
    (cells,) = [one.nodes for one in flat.blocks if one.cell == "quad8"]
    groups = {name: flat.select(name).nodes for name in ("xmin", "xmax")}
    materials = {f"m{k}": {"young": e, "poisson": 0.0, "density": rho, "expansion": 1e-5 * (1 + k)}
                 for k, (e, rho, _) in enumerate(LAYERS)}  # fmt: skip
    plies = [{"material": f"m{k}", "thickness": t} for k, (*_, t) in enumerate(LAYERS)]
    return {
        "mesh": mesh_from_arrays(flat.points, {"quad8": cells}, groups),
        "materials": materials,
        "bodies": [{"name": "strip", "element": "hex20rm", "plies": plies, "expanded": True}],
        "supports": [{"group": "xmin"}],
        "probes": TIP,
        "output": {"formats": ["csv"]},
        "analysis": {"kind": "static"},
    } | changes


def moments() -> tuple[float, float, float]:
    """Return int E dz, int E z dz, int E z^2 dz from the middle, N/m, N, N m."""
    z, found = -0.5 * THICK, np.zeros(3)
    for young, _, thick in LAYERS:
        found += [young * ((z + thick) ** k - z**k) / k for k in (1, 2, 3)]
        z += thick
    return float(found[0]), float(found[1]), float(found[2])


def run(folder: Path, *loads: dict[str, Any], **changes: Any) -> Outcome:
    """Run the strip under loads."""
    return run_model(model_from_dict(strip(loads=list(loads), **changes)), output=folder)


def test_a_pull_at_the_middle_bends(tmp_path: Path) -> None:
    """N = A e + B k and 0 = B e + D k of a strip: coupling bends it towards the stiff side."""
    a, b, d = moments()
    pull = {"kind": "force", "group": "xmax", "total": [1e4, 0, 0]}
    found = run(tmp_path, pull).probes
    curvature = -b * (1e4 / WIDTH) / (a * d - b * b)
    # The curvature k is that of e + z k: the tip moves by -k L^2/2.
    assert found["z"][-1] == pytest.approx(-0.5 * curvature * LENGTH**2, rel=1e-2)
    stretch = d * (1e4 / WIDTH) / (a * d - b * b)
    assert found["x"][-1] == pytest.approx(stretch * LENGTH, rel=5e-2)  # and the loaded end


def test_a_bimetal_bends_by_its_temperature(tmp_path: Path) -> None:
    """Free strains of both plies: A e + B k = N_T, B e + D k = M_T."""
    a, b, d = moments()
    z, n, m = -0.5 * THICK, 0.0, 0.0
    for k, (young, _, thick) in enumerate(LAYERS):
        strain = 1e-5 * (1 + k) * 50.0
        n += young * strain * thick
        m += young * strain * ((z + thick) ** 2 - z**2) / 2.0
        z += thick
    found = run(tmp_path, {"kind": "temperature", "change": 50.0, "body": "strip"}).probes
    curvature = (a * m - b * n) / (a * d - b * b)
    assert found["z"][-1] == pytest.approx(-0.5 * curvature * LENGTH**2, rel=1e-2)


def test_every_ply_is_heavy(tmp_path: Path) -> None:
    """Gravity on both: rho g h L^4/(8 D') with D' = D - B^2/A."""
    a, b, d = moments()
    rigid = d - b * b / a
    weight = 9.81 * sum(rho * thick for _, rho, thick in LAYERS)
    gravity = {"kind": "gravity", "acceleration": [0, 0, -9.81], "body": "strip"}
    found = run(tmp_path / "1", gravity).probes["z"][-1]
    assert found == pytest.approx(-weight * LENGTH**4 / (8.0 * rigid), rel=1e-2)


DECK = """\
*NODE, NSET=Nall
1, 0., 0., 0.
2, 5., 0., 0.
3, 10., 0., 0.
4, 0., 1., 0.
5, 10., 1., 0.
6, 0., 2., 0.
7, 5., 2., 0.
8, 10., 2., 0.
*ELEMENT, TYPE=S8R, ELSET=Eall
1, 1, 3, 8, 6, 2, 5, 7, 4
*NSET, NSET=root
1, 4, 6
*MATERIAL, NAME=Steel
*ELASTIC
210000., 0.
*MATERIAL, NAME=Light
*ELASTIC
70000., 0.
*SHELL SECTION, ELSET=Eall, COMPOSITE
0.1,, Steel
0.3,, Light
*BOUNDARY
root, 1, 6
*STEP{}
*STATIC
*CLOAD
5, 1, 10.
*EL PRINT, ELSET=Eall
S
*END STEP
*STEP
*STATIC
*CLOAD, OP=NEW
*DLOAD
Eall, P, 0.01
*NODE PRINT, NSET=Nall
U
*END STEP
"""


def test_a_composite_of_a_deck_has_points_in_every_ply(tmp_path: Path) -> None:
    """Points 1 to 8 are in the lower ply, 9 to 16 in the other; the force is that of stresses."""
    path = tmp_path / "plate.inp"
    path.write_text(DECK.format(""))
    translation = translate(path)
    (body,) = translation.tables["bodies"]
    assert body["plies"] == [{"material": "Steel", "thickness": 0.1},
                             {"material": "Light", "thickness": 0.3}]  # fmt: skip
    outcome = run_model(model_from_dict(translation.tables), output=tmp_path / "results")
    file = outcome.steps["1"].folder / "tables" / "stress Eall.csv"
    rows = np.genfromtxt(file, delimiter=",", skip_header=1)[-16:]
    assert rows[:, 2].tolist() == list(range(1, 17))
    force = rows[:8, 3].mean() * 0.1 * 2.0 + rows[8:, 3].mean() * 0.3 * 2.0
    assert force == pytest.approx(10.0, rel=1e-6)
    # A pressure acts once, not on every ply: p L^4/(8 D'), of one element.
    a, b, d = 210000.0 * 0.1 + 70000.0 * 0.3, 0.0, 0.0
    for young, low, high in ((210000.0, -0.2, -0.1), (70000.0, -0.1, 0.2)):
        b += young * (high**2 - low**2) / 2.0
        d += young * (high**3 - low**3) / 3.0
    file = outcome.steps["2"].folder / "tables" / "displacement Nall.csv"
    tip = np.genfromtxt(file, delimiter=",", skip_header=1)[-1, 4]
    assert tip == pytest.approx(0.01 * 10.0**4 / (8.0 * (d - b * b / a)), rel=5e-2)
    path.write_text(DECK.format(", NLGEOM"))
    with pytest.raises(InputError, match="COMPOSITE with NLGEOM is not supported"):
        translate(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"element": "hex20"}, "plies: found them expanded with element hex20; expected hex20rm"),
        ({"thickness": 0.1}, "thickness: found one beside plies of solids"),
        ({"plies": [{"material": "m0", "thickness": 0.1, "angle": 0.5}]}, r"plies\[0\].angle"),
    ],
)
def test_what_has_no_plies_is_told(change: dict[str, Any], said: str) -> None:
    tables = strip()
    tables["bodies"][0] |= change
    with pytest.raises(InputError, match=said):
        model_from_dict(tables)
