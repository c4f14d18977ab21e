# SPDX-License-Identifier: BSD-3-Clause
"""Bodies of a user's element with a law of its own: which constants they need, and what is said."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.check import check_model
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

SHEET = """
name = "sheet4"
cell = "quadrilateral"
nodes = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
monomials = ["1", "xi", "eta", "xi*eta"]
components = 2
strain = ["ux_x", "uy_y", "ux_y + uy_x"]
section = "thickness"
degree = { stiffness = 3, mass = 3 }

[law]
parameters = ["E1", "E2", "G12"]
matrix = [["E1", "0", "0"], ["0", "E2", "0"], ["0", "0", "G12"]]
"""
LAW = {"E1": 140e9, "E2": 10e9, "G12": 5e9}
BODY = {"name": "strip", "material": "carbon", "thickness": 0.002, "parameters": LAW}


def _model(
    folder: Path,
    body: dict[str, Any],
    material: dict[str, Any] | None = None,
    *,
    sheet: str = SHEET,
    analysis: dict[str, Any] | None = None,
    force: Sequence[float] = (1000, 0, 0),
) -> Any:
    """Return a strip of 1 m x 0.2 m, held on the left and pulled on the right with 1 kN or so."""
    (folder / "sheet.toml").write_text(sheet)
    corners = [[0, 0], [1, 0], [1, 0.2], [0, 0.2]]
    return model_from_dict(
        {
            "mesh": {"block": {"cell": "quad4", "corners": corners, "divisions": [4, 1]}},
            "materials": {"carbon": {"density": 1600} if material is None else material},
            "bodies": [{"element": "sheet.toml"} | body],
            "supports": [
                {"group": "xmin", "components": ["x"]},
                {"group": "corner1", "components": ["y"]},
            ],
            "loads": [{"kind": "force", "group": "xmax", "total": list(force)}],
            "probes": [{"name": "tip", "group": "xmax", "component": "x"}],
            "analysis": analysis or {"kind": "static"},
            "output": {"formats": ["csv"]},
        },
        folder,
    )


def test_a_law_of_its_own_needs_no_other_constants(tmp_path: Path) -> None:
    """Without coupling of the strains the strip lengthens by F L / (E1 A)."""
    model = _model(tmp_path, BODY)
    tip = run_model(model, output=tmp_path / "out").probes["tip"].values[-1]
    assert tip == pytest.approx(1000 * 1 / (140e9 * 0.2 * 0.002), rel=1e-12)


FAULTS = [
    (
        BODY | {"parameters": {"E1": 140e9}},
        r"body 'strip': parameters: no value for parameter 'E2' of element 'sheet4' "
        r"\(sheet.toml\); expected E2 = NUMBER in bodies.parameters; G12 too$",
    ),
    (
        BODY | {"parameters": LAW | {"G13": 1.0}},
        r"body 'strip': parameters.G13: unknown; expected parameters of element 'sheet4' "
        r"\(sheet.toml\): E1, E2, G12, thickness, density; did you mean 'G12'\?",
    ),
    (
        {key: value for key, value in BODY.items() if key != "thickness"},
        r"'thickness' of element .* in bodies.parameters, or as thickness of the body$",
    ),
    (
        {key: value for key, value in BODY.items() if key != "material"},
        r"'density' of element .* in bodies.parameters, or in its material, which it does not "
        r'name: material = "NAME"$',
    ),
    (
        BODY | {"parameters": LAW | {"density": 1800.0}},
        r"parameters.density: found 1800, and 7800 in its material; expected one of them$",
    ),
    (
        BODY | {"parameters": LAW | {"thickness": 0.1}},
        r"parameters.thickness: found 0.1, and 0.002 as thickness of the body; expected one of "
        r"them$",
    ),
]


@pytest.mark.parametrize(("body", "message"), FAULTS)
def test_parameters_that_are_missing_or_unknown_are_named(
    body: dict[str, Any], message: str, tmp_path: Path
) -> None:
    """The message says which key may give them."""
    with pytest.raises(InputError, match=message):
        steel = {"young": 2e11, "poisson": 0.3, "density": 7800}
        steel = steel if "material" in body else {"density": 7800}  # which no body needs
        run_model(_model(tmp_path, body, steel), output=tmp_path / "out")


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("", r"body 'strip': thickness: found 0.002 for element 'sheet4' \(sheet.toml\), which has "
             r"no parameter 'thickness'; expected none$"),
        ('section = "depth"', "expected none, or depth = NUMBER in bodies.parameters$"),
    ],
)  # fmt: skip
def test_a_thickness_that_is_not_used_is_refused(
    section: str, message: str, tmp_path: Path
) -> None:
    """An element without this parameter, such as a solid, has no thickness."""
    sheet = SHEET.replace('section = "thickness"', section)
    assert sheet != SHEET
    with pytest.raises(InputError, match=message):
        run_model(_model(tmp_path, BODY, sheet=sheet), output=tmp_path / "out")


def test_elements_of_the_library_need_elastic_constants(tmp_path: Path) -> None:
    """A material without them serves only elements that have a law of their own."""
    library = {"name": "strip", "element": "quad4", "material": "carbon", "thickness": 0.002}
    message = "materials.carbon.young: missing; expected Young's modulus"
    with pytest.raises(InputError, match=message):
        _model(tmp_path, library)
    with pytest.raises(InputError, match="materials.carbon.poisson: missing"):
        _model(tmp_path, BODY, {"density": 1600, "young": 1e9})


COUPLED = SHEET.replace('["E1", "E2", "G12"]', '["E1", "E2", "E12", "G12"]').replace(
    '[["E1", "0", "0"], ["0", "E2", "0"]', '[["E1", "E12", "0"], ["E12", "E2", "0"]'
)


def test_an_indefinite_law_is_warned_of_in_checks_and_runs(tmp_path: Path) -> None:
    """Eigenvalues of [[1, 2], [2, 1]] are -1 and 3; those of [[3, 2], [2, 3]] are 1 and 5."""
    law = {"E1": 1e9, "E2": 1e9, "E12": 2e9, "G12": 1e9}
    modes = {"kind": "modes", "count": 2}
    model = _model(tmp_path, BODY | {"parameters": law}, sheet=COUPLED, analysis=modes)
    text = (
        "body 'strip': the law of element 'sheet4' is not positive definite: eigenvalues -1e+09 to "
        "3e+09 with E1 = 1e+09, E2 = 1e+09, E12 = 2e+09, G12 = 1e+09; expected"
    )
    assert [one for one in check_model(model).remarks if one.startswith(text)]
    found = run_model(model, output=tmp_path / "out").warnings
    assert [one for one in found if one.startswith(text)]
    good = _model(tmp_path, BODY | {"parameters": law | {"E1": 3e9, "E2": 3e9}}, sheet=COUPLED)
    assert not [one for one in check_model(good).remarks if "definite" in one]


def test_a_cell_with_soft_motions_is_warned_of_in_checks_and_runs(tmp_path: Path) -> None:
    """One point of quadrature sees neither of the two hourglass motions of four nodes."""
    once = SHEET.replace("stiffness = 3", "stiffness = 1")
    text = (
        "body 'strip': a cell of element 'sheet4' has 2 motions without energy besides the 3 rigid "
        "ones; flexforge check-element says which, and why"
    )
    model = _model(tmp_path, BODY, sheet=once)
    assert text in check_model(model).remarks
    pulled = run_model(model, output=tmp_path / "pulled")  # a mechanism on which no load does work
    assert text in pulled.warnings
    assert any("and they are left out" in one for one in pulled.warnings)
    bent = _model(tmp_path, BODY, sheet=once, force=(0, 1, 0))
    with pytest.raises(AnalysisError) as caught:
        run_model(bent, output=tmp_path / "bent")
    assert text in caught.value.warnings
    assert not [one for one in check_model(_model(tmp_path, BODY)).remarks if "energy" in one]
