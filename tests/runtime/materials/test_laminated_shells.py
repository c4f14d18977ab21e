# SPDX-License-Identifier: BSD-3-Clause
"""Models of laminated shells: plies, one ply with axes, temperature, and what is refused.

The kernels of laminates are compiled when they are first used, hence the marks.
"""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

slow = pytest.mark.slow
CELLS = {"mitc4": "quad4", "dkt3": "tri3"}
BOTH = [*CELLS]
E1, E2, NU, G = 140e9, 10e9, 0.3, 5e9
DENSITY, THICK = 1600.0, 0.01
CARBON = {"transverse": {"E1": E1, "E2": E2, "nu12": NU, "nu23": 0.4, "G12": G}, "density": DENSITY}
STEEL = {"young": 2e11, "poisson": 0.3, "density": 7800.0, "expansion": 1e-5}
#: Free to slide and to turn along its sides, held where it would drift off.
RESTING = [
    *({"group": side, "components": ["z"]} for side in ("xmin", "xmax", "ymin", "ymax")),
    {"group": "corner1", "components": ["x", "y"]},
    {"group": "corner2", "components": ["y"]},
]
#: Held so that constant strains and curvatures are free.
STRIP = [
    {"group": "xmin", "components": ["x", "ry"]},
    {"group": "corner1", "components": ["y", "z", "rx"]},
]


def _reduced():
    """Return the stiffness of plane stress, order 11 22 12 (Jones, equation 2.61)."""
    minor = NU * E2 / E1
    share = 1 - NU * minor
    return np.array([[E1, minor * E1, 0], [minor * E1, E2, 0], [0, 0, G * share]]) / share


def _model(element, divisions, lengths, body, **tables):
    a, b = lengths
    corners = [[0.0, 0.0, 0.0], [a, 0.0, 0.0], [a, b, 0.0], [0.0, b, 0.0]]
    return model_from_dict({
        "mesh": {"block": {"cell": CELLS[element], "corners": corners, "divisions": divisions}},
        "materials": {"carbon": CARBON, "steel": STEEL},
        "bodies": [{"name": "plate", "element": element, **body}],
        "analysis": {"kind": "static"},
        "output": {"formats": ["csv"]},
        **tables,
    })  # fmt: skip


def _plies(*plies, orientation=(1, 0, 0)):
    listed = [{"material": m, "thickness": t, "angle": angle} for m, t, angle in plies]
    return {"plies": listed, "orientation": list(orientation)}


def _probes(group):
    return [{"name": c, "group": group, "component": c} for c in "xyz"]


def _run(model, folder):
    return run_model(model, output=folder / "results").figures


def _frequencies(figures):
    return np.array([value[0] for name, value in figures.items() if name.startswith("mode ")])


@slow
@pytest.mark.parametrize("element", BOTH)
@pytest.mark.parametrize("single", [False, True])
def test_a_resting_orthotropic_plate(element, single, tmp_path):
    """pi^2 sqrt((D11 m^4 + 2 (D12 + 2 D66) m^2 n^2 + D22 n^4) / rho h) (Jones, 5.67): 1.5 %.

    Of plies all alike, and of one material with axes of its own. Fibres along y.
    """
    d = _reduced() * THICK**3 / 12
    waves = [(m, n) for m in range(1, 6) for n in range(1, 4)]
    stiff = [
        d[0, 0] * n**4 + 2 * (d[0, 1] + 2 * d[2, 2]) * m**2 * n**2 + d[1, 1] * m**4
        for m, n in waves
    ]
    expected = np.sort(np.pi / 2 * np.sqrt(np.array(stiff) / (DENSITY * THICK)))[:3]
    body = {"material": "turned", "thickness": THICK}
    if not single:
        body = _plies(*[("carbon", THICK / 2, np.pi / 2)] * 2, orientation=(1, 0, 3))
    axes = {"axis1": [0, 1, 0], "axis2": [-1, 0, 0]}
    model = _model(element, [24, 24], (1.0, 1.0), body, supports=RESTING,
                   materials={"carbon": CARBON, "turned": CARBON | {"orientation": axes}},
                   analysis={"kind": "modes", "count": 3})  # fmt: skip
    np.testing.assert_allclose(_frequencies(_run(model, tmp_path)), expected, rtol=0.015)


@slow
@pytest.mark.parametrize("element", BOTH)
@pytest.mark.parametrize(
    ("orientation", "angles"), [((1, 0, 0), (0.0, np.pi / 2)), ((0, 1, 5), (-np.pi / 2, 0.0))]
)
def test_an_unsymmetric_strip_bends_under_tension(element, orientation, angles, tmp_path):
    """[0/90] under N: strains and curvatures are the inverse of [[A, B], [B, D]] times N.

    Jones, section 4.4.4. The state is constant, so that the elements have it exactly.
    """
    low, up = _reduced(), _reduced()[np.ix_([1, 0, 2], [1, 0, 2])]
    h = THICK / 2
    a, b, d = (low + up) * h, (up - low) * h**2 / 2, (low + up) * h**3 / 3
    force, width, length = 100.0, 0.1, 0.8
    whole = np.block([[a, b], [b, d]])
    strain = np.linalg.solve(whole, [force / width, 0, 0, 0, 0, 0])
    body = _plies(*(("carbon", h, angle) for angle in angles), orientation=orientation)
    model = _model(element, [4, 1], (length, width), body, supports=STRIP,
                   loads=[{"kind": "force", "group": "xmax", "total": [force, 0, 0]}],
                   probes=_probes("corner2"))  # fmt: skip
    found = _run(model, tmp_path)
    assert found["x"][0] == pytest.approx(strain[0] * length, rel=1e-8)
    assert found["z"][0] == pytest.approx(-strain[3] * length**2 / 2, rel=1e-8)


@slow
@pytest.mark.parametrize("element", BOTH)
def test_one_isotropic_ply_is_a_plate(element, tmp_path):
    """A ply of steel has the frequencies of the plate with kernels of its own: 1e-8."""
    found = []
    for body in ({"material": "steel", "thickness": THICK}, _plies(("steel", THICK, 0.3))):
        model = _model(element, [6, 6], (1.0, 0.7), body, supports=[{"group": "xmin"}],
                       analysis={"kind": "modes", "count": 4})  # fmt: skip
        found.append(_frequencies(_run(model, tmp_path)))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-8)


@slow
@pytest.mark.parametrize("element", BOTH)
def test_a_bimetal(element, tmp_path):
    """Layers of one modulus grow by the mean, curve by 3/2 (a2 - a1) T / h (Timoshenko 1925)."""
    body = _plies(("steel", THICK / 2, 0.0), ("copper", THICK / 2, 0.0))
    metals = {"steel": STEEL, "copper": STEEL | {"expansion": 1.8e-5}}
    model = _model(element, [4, 1], (1.0, 0.1), body, supports=STRIP, materials=metals,
                   loads=[{"kind": "temperature", "change": 50.0}],
                   probes=_probes("corner2"))  # fmt: skip
    found = _run(model, tmp_path)
    assert found["x"][0] == pytest.approx(1.4e-5 * 50, rel=1e-8)
    assert found["z"][0] == pytest.approx(-0.5 * 1.5 * 0.8e-5 * 50 / THICK, rel=1e-8)


@slow
@pytest.mark.parametrize("element", BOTH)
def test_a_plate_grows(element, tmp_path):
    """A plate of one material grows by alpha T in its plane, the same in all directions."""
    model = _model(element, [4, 1], (1.0, 0.1), {"material": "steel", "thickness": THICK},
                   supports=STRIP, loads=[{"kind": "temperature", "change": 50.0}],
                   probes=_probes("corner3"))  # fmt: skip
    found = _run(model, tmp_path)
    assert found["x"][0] == pytest.approx(1e-5 * 50, rel=1e-9)
    assert found["y"][0] == pytest.approx(1e-5 * 50 * 0.1, rel=1e-9)
    assert abs(found["z"][0]) < 1e-12


TWO = _plies(("carbon", THICK, 0.0), ("steel", THICK, 0.0))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (TWO | {"plies": []}, "at least one"),
        (_plies(("carbn", THICK, 0.0)), r"plies\[0\].material: .*carbn.*did you mean 'carbon'"),
        (_plies(("carbon", THICK, "ninety")), r"plies\[0\].angle: .*a number \(rad\)"),
        (_plies(("carbon", 0.0, 0.0)), r"plies\[0\].thickness: .*above 0"),
        (_plies(("turned", THICK, 0.0)), "has an orientation"),
        (_plies(("carbon", THICK, 0.0), ("damped", THICK, 0.0)), "damping is not that of"),
        (TWO | {"thickness": 0.1}, "thickness: found one beside plies"),
        (TWO | {"material": "steel"}, "material: found one beside plies"),
        ({"plies": TWO["plies"]}, "orientation: missing"),
        (TWO | {"orientation": [0, 0, 0]}, "orientation: .*length 0"),
        ({"material": "steel", "thickness": 0.1, "orientation": [1, 0, 0]}, "without plies"),
        (TWO | {"element": "quad4"}, "plies: .*quad4; expected them only with the shells"),
    ],
)
def test_what_plies_need(body, said):
    """What is wrong with plies is said where it is, in one line."""
    axes = {"axis1": [0, 1, 0], "axis2": [1, 0, 0]}
    materials = {"carbon": CARBON, "steel": STEEL, "turned": CARBON | {"orientation": axes},
                 "damped": CARBON | {"damping": {"beta": 1e-4}}}  # fmt: skip
    with pytest.raises(InputError, match=said):
        _model("mitc4", [1, 1], (1.0, 1.0), body, materials=materials)


def test_a_direction_along_the_normal(tmp_path):
    """A direction without a projection on a cell is refused, with the cell."""
    axes = {"axis1": [0, 0, 1], "axis2": [1, 0, 0]}
    materials = {"carbon": CARBON, "upright": CARBON | {"orientation": axes}}
    for body in (
        _plies(("carbon", THICK, 0.0), orientation=(0, 0, 2)),
        {"material": "upright", "thickness": THICK},
    ):
        model = _model("mitc4", [2, 1], (1.0, 1.0), body, materials=materials)
        with pytest.raises(InputError, match="is along the normal of cell .* 1 more"):
            _run(model, tmp_path)
