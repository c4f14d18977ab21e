# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of an energy that depend on the place: fibres around a tube, a mass that varies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge import InputError, load_model
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.system.construct import build_mesh, build_system
from large import run

#: Radii of a tube, m, and its law: two families of fibres around it and along it.
INNER, OUTER, HIGH = 0.7e-2, 1.1e-2, 1e-3
LAW = {"mu": 3e3, "k1": 2.4e3, "k2": 0.84, "kappa": 6e4, "dispersion": 0.0}
AROUND, ALONG = 0.8, 0.6


def tube(mesh: dict[str, Any], supports: dict[str, str], **body: Any) -> dict[str, Any]:
    """Return a tube under a pressure inside, held in its planes of symmetry."""
    return {
        "mesh": {"block": mesh},
        "materials": {"wall": {"density": 1000.0}},
        "bodies": [{"name": "tube", "material": "wall", "energy": "holzapfel_gasser_ogden"} | body],
        "supports": [{"group": group, "components": [c]} for group, c in supports.items()],
        "loads": [{"kind": "pressure", "group": "xmin", "value": 1.5e3}],
        "analysis": {"kind": "static", "load_steps": 4},
    }


def quarter(around: int) -> dict[str, Any]:
    """Return a quarter of the tube as a solid, whose fibres turn with the angle."""
    corners = [
        [r, angle, z]
        for z in (0.0, HIGH)
        for r, angle in ((INNER, 0.0), (OUTER, 0.0), (OUTER, np.pi / 2), (INNER, np.pi / 2))
    ]
    fibres = {
        f"fibre{k}_{c}": formula
        for k, sign in ((1, ""), (2, "-"))
        for c, formula in (("x", f"-{AROUND}*y"), ("y", f"{AROUND}*x"),
                           ("z", f"{sign}{ALONG}*sqrt(x**2 + y**2)"))
    }  # fmt: skip
    mesh = {"cell": "hex8", "coordinates": "cylindrical", "corners": corners,
            "divisions": [around // 2, around, 1]}  # fmt: skip
    held = {"ymin": "y", "ymax": "x", "zmin": "z", "zmax": "z"}
    return tube(mesh, held, element="hex8", parameters=LAW | fibres)


def revolved() -> dict[str, Any]:
    """Return its section as a body of revolution, where directions are constant."""
    corners = [[INNER, 0.0], [OUTER, 0.0], [OUTER, HIGH], [INNER, HIGH]]
    mesh = {"cell": "quad8", "corners": corners, "divisions": [6, 1]}
    fibres = {
        f"fibre{k}_{c}": value
        for k, sign in ((1, 1.0), (2, -1.0))
        for c, value in (("x", 0.0), ("y", sign * ALONG), ("z", AROUND))
    }
    held = {"ymin": "y", "ymax": "y"}
    return tube(mesh, held, element="quad8", hypothesis="axisymmetric", parameters=LAW | fibres)


def test_fibres_around_a_tube(tmp_path: Path) -> None:
    """Its widening by 30 % as a body of revolution: errors of cells fall by four, to 1e-5."""
    moved = [
        run(tables, tmp_path / str(k)).figures["largest displacement"][0]
        for k, tables in enumerate((revolved(), quarter(8), quarter(16)))
    ]
    wanted, coarse, fine = moved
    assert wanted > 0.3 * INNER
    assert (wanted - coarse) / (wanted - fine) == pytest.approx(4.0, rel=0.02)
    assert fine + (fine - coarse) / 3.0 == pytest.approx(wanted, rel=2e-5)


def block(**parameters: Any) -> dict[str, Any]:
    """Return a block of 2 m by 1 m by 1 m."""
    sides = ((0, 0), (2, 0), (2, 1), (0, 1))
    return {
        "mesh": {"block": {"cell": "hex8", "divisions": [4, 2, 2],
                           "corners": [[x, y, z] for z in (0, 1) for x, y in sides]}},
        "bodies": [{"name": "block", "element": "hex8", "energy": "neo_hookean",
                    "parameters": {"mu": 1e6, "lame": 1e6, "density": 1e3} | parameters}],
        "supports": [{"group": "xmin"}],
        "analysis": {"kind": "static"},
    }  # fmt: skip


def test_a_mass_that_varies(monkeypatch: pytest.MonkeyPatch) -> None:
    """That of a linear density, exactly, and at its nodes however many cells are taken at once."""
    from flexforge.runtime.assembly import diagonal_mass

    spec = model_from_dict(block(density="1000*(1 + 3*x)"))
    (body,) = build_system(spec, build_mesh(spec)).system.bodies
    assert body.total_mass == pytest.approx(1000.0 * (2.0 + 3.0 * 2.0), rel=1e-14)
    found = []
    for at_once in (1 << 22, 3 * 64):
        monkeypatch.setattr(diagonal_mass, "_AT_ONCE", at_once)
        kernel = body.kernels["scalar_mass"]
        each = (kernel, body.graph.cells, body.points, body.values)
        found.append(diagonal_mass.diagonal_masses(*each))
    assert found[0] == pytest.approx(found[1], rel=1e-14)
    assert found[0].sum() == pytest.approx(8000.0, rel=1e-14)
    assert found[0][body.points[:, 0] == 2.0].min() > 1.5 * found[0][body.points[:, 0] == 0.0].min()


WRONG = {
    "no number": ({"mu": "1e6/(x - 0.25)"}, r"parameters.mu: '.*' is inf at x = 0.25"),
    "negative": ({"density": "x - 1"}, r"density: found -0.75 at .*, the middle of cell \d"),
    "names": ({"mu": "1e6*t"}, "parameters.mu: found the unknown name 't'"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_formulas_are_told(case: str, tmp_path: Path) -> None:
    """By their key and the first cell."""
    changes, said = WRONG[case]
    with pytest.raises(InputError, match=said):
        load_model(block(**changes)).run(output=tmp_path)
