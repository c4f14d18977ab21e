# SPDX-License-Identifier: BSD-3-Clause
"""Systems of units: their sizes and labels, models in them, and what is said of their numbers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
import pytest
from flexforge.runtime.check import inspect_model
from flexforge.runtime.results.history import History
from flexforge.runtime.results.read import Results
from flexforge.runtime.system.plausible import DENSEST, HEAVIEST
from flexforge.runtime.unit_systems import SI, SYSTEMS, UnitSystem, messages_in, system_of

#: Sizes in SI: NIST Special Publication 811 (2008), appendix B.9, and prefixes of SI.
KNOWN = {
    "Hz": 1.0, "N": 1.0, "mN": 1e-3, "uN": 1e-6, "dyn": 1e-5, "lbf": 4.4482216152605,
    "Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "Ba": 0.1, "psi": 6894.757, "psf": 47.88026,
    "J": 1.0, "mJ": 1e-3, "uJ": 1e-6, "pJ": 1e-12, "erg": 1e-7, "in lbf": 0.1129848,
    "ft lbf": 1.355818,
    "W": 1.0, "mW": 1e-3, "uW": 1e-6, "pW": 1e-12, "erg/s": 1e-7, "in lbf/s": 0.1129848,
    "ft lbf/s": 1.355818, "m": 1.0, "mm": 1e-3, "um": 1e-6, "cm": 1e-2, "in": 0.0254, "ft": 0.3048,
    "kg": 1.0, "t": 1e3, "g": 1e-3, "lbf s^2/in": 175.1268, "slug": 14.59390, "s": 1.0,
}  # fmt: skip
LABELS = ("m", "kg", "s", "Hz", "N", "Pa", "J", "W", "N m", "kg m^2", "m/s^2", "J/m^3", "N/m",
          "1/s", "rad/s", "kg m/s", "(m/s^2)^2/Hz", "sqrt(kg)", "%", "deg", "N/kg", "")  # fmt: skip
DECLARED = [one for one in SYSTEMS.values() if one.is_declared]


def beam(units: UnitSystem, **further: Any) -> dict[str, Any]:
    """Return a cantilever, the same in any units: 1 m long, 0.1 m high, 100 N at its end."""
    length = units.size("m")
    corners = [[x / length, y / length] for x, y in ((0, 0), (1, 0), (1, 0.1), (0, 0.1))]
    return {
        "units": units.name,
        "mesh": {"block": {"cell": "quad8", "corners": corners, "divisions": [4, 1]}},
        "materials": {"steel": {"young": units.of_si(2e11, "Pa"), "poisson": 0.3,
                                "density": units.of_si(7800.0, "kg/m^3")}},
        "bodies": [{"name": "beam", "element": "quad8", "material": "steel",
                    "thickness": 0.02 / length}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "force", "group": "xmax", "total": [0, units.of_si(-100.0, "N"), 0]}],
        "analysis": {"kind": "static"},
        "output": {"formats": ["csv"]},
    } | further  # fmt: skip


@pytest.mark.parametrize("units", DECLARED, ids=lambda units: units.name)
def test_names_are_those_of_the_sizes(units: UnitSystem) -> None:
    """A product of units of length, mass and time is as large as the unit named for it."""
    for si in ("m", "kg", "s", "Hz", "N", "Pa", "J", "W"):
        assert units.size(si) == pytest.approx(KNOWN[units.label(si)], rel=1e-6), si
    assert units.size("kg m^2/s^2") == pytest.approx(units.size("J"), rel=1e-14)
    assert units.of_si(3.0, "m/s^2") == pytest.approx(3.0 / units.size("m") * units.size("s") ** 2)


@pytest.mark.parametrize("units", SYSTEMS.values(), ids=lambda units: units.name)
def test_labels_remain_what_they_are(units: UnitSystem) -> None:
    """Labels may pass several exits: the second changes nothing, nor in headings and messages."""
    for label in LABELS:
        once = units.label(label)
        assert units.label(once) == once
        text = units.heading(f"a [{label}], b [{label}]")
        assert units.heading(text) == text
        told = units.message(f"2 {label}")
        assert units.message(told) == told


@pytest.mark.parametrize(
    ("name", "label", "expected"),
    [
        ("mm-t-s", "N m", "N mm"),
        ("mm-t-s", "kg m^2", "t mm^2"),
        ("mm-t-s", "(m/s^2)^2/Hz", "(mm/s^2)^2/Hz"),
        ("mm-t-s", "m, scaled at will", "mm, scaled at will"),
        ("mm-t-s", "sqrt(kg)", "sqrt(t)"),
        ("in-lbf-s", "kg/m^3", "(lbf s^2/in)/in^3"),
        ("in-lbf-s", "kg", "lbf s^2/in"),
        ("cm-g-s", "J/m^3", "erg/cm^3"),
        ("undeclared", "N m", ""),
        ("undeclared", "rad/s", ""),
        ("undeclared", "deg", "deg"),
    ],
)
def test_labels(name: str, label: str, expected: str) -> None:
    """Token by token, with parentheses about what is a quotient itself."""
    assert system_of(name).label(label) == expected


def test_labels_after_numbers_alone_are_those_of_messages() -> None:
    """Words that look like units are none without a number before them."""
    told = system_of("mm-t-s").message
    assert (
        told("body 'm 1': 3 N m at (1, 2) m; 2 kg/m^3")
        == "body 'm 1': 3 N mm at (1, 2) mm; 2 t/mm^3"
    )
    assert (
        told("node 3 moves; N of 2 mm; 4 Nodes; 5 m-long")
        == "node 3 moves; N of 2 mm; 4 Nodes; 5 m-long"
    )
    assert system_of("undeclared").message("t = 0.1 s, 3 Hz") == "t = 0.1, 3"


def test_unknown_systems_are_refused_with_the_nearest(tmp_path: Path) -> None:
    """In Python by key, in files by line, of decks by option."""
    with pytest.raises(ff.InputError, match=r"^units: found 'mm-t'; expected .*mean 'mm-t-s'\?$"):
        ff.load_model(beam(SI) | {"units": "mm-t"})
    with pytest.raises(ff.InputError, match="^units: found 3; expected one of"):
        ff.load_model(beam(SI) | {"units": 3})
    path = tmp_path / "model.toml"
    path.write_text('title = "one"\nunits = "SI"\n[analysis]\nkind = "static"\n')
    _, mistakes = inspect_model(path)
    assert any(text.startswith(f"{path}:2: units: found 'SI'") for text in mistakes)
    with pytest.raises(ff.InputError, match="^--units: found 'mm'; expected one of"):
        ff.load_model(tmp_path / "any.inp", units="mm")
    with pytest.raises(ff.InputError, match="^--units: found with .*; expected it with a deck"):
        ff.load_model(path, units="mm-t-s")


@pytest.mark.parametrize("units", DECLARED, ids=lambda units: units.name)
def test_numbers_are_those_of_si(units: UnitSystem, tmp_path: Path) -> None:
    """Every figure with a unit is the same after conversion: a transient, of a turning beam."""
    motion = {"kind": "transient", "duration": units.of_si(0.01, "s"), "steps": 8}
    push = {"name": "push", "body": "beam", "quantity": "reaction_force", "component": "y"}
    probes = [{"name": "tip", "group": "xmax", "component": "y"}, push]
    found = []
    for one, folder in ((SI, "si"), (units, "own")):
        tables = beam(one, analysis=motion, probes=probes)
        tables["bodies"][0]["frame"] = {"velocity": "1000 rpm"}
        found.append(ff.load_model(tables).run(tmp_path / folder).figures)
    named = {name: one for name, one in found[0].items() if isinstance(one, list)}
    assert {"mass", "largest von Mises stress", "tip, peak", "push, peak"} <= named.keys()
    scale = {"kg m/s": 1e-9, "N": 1e-6}  # of sums that are zero but for round-off
    for name in named.keys() - {"time per step", "memory of the factors"}:
        (value, si), (own, label) = named[name], found[1][name]
        assert label == units.label(si), name
        assert own * units.size(si) == pytest.approx(value, rel=1e-6, abs=scale.get(si, 0.0)), name


def test_gravity_of_spectra_is_that_of_the_units(tmp_path: Path) -> None:
    """A spectrum in g is converted, the only constant of nature: forces on the base agree."""
    excitation = {"direction": "y", "unit": "g", "curves": [{"points": [[1, 0.2], [1000, 0.2]]}]}
    figures = []
    for units in (SI, system_of("mm-t-s")):
        analysis = {
            "kind": "spectrum",
            "modes": 2,
            "modal_damping": 0.05,
            "excitations": [excitation],
        }
        tables = beam(units, analysis=analysis, loads=[])
        figures.append(ff.load_model(tables).run(tmp_path / units.name).figures)
    name = "force on the base along y, by its excitation"
    force, label = figures[1][name]
    assert label == "N" and force == pytest.approx(figures[0][name][0], rel=1e-9)
    assert 0.0 < force < 15.6 * 0.2 * 9.81
    with pytest.raises(ff.InputError, match=r"excitations\[0\].unit: found 'g' in a model of und"):
        ff.load_model(tables | {"units": "undeclared"})


def test_plausibility_is_judged_in_the_units() -> None:
    """7850 kg/m^3 are 7.85e-9 t/mm^3: what is odd in one system is usual in another."""
    mm = system_of("mm-t-s")
    assert ff.load_model(beam(mm)).check().remarks == ()
    remarks = ff.load_model(beam(mm) | {"units": "m-kg-s"}).check().remarks
    told = " ".join(remarks)
    assert (
        "1e+03 m" not in told and "Pa is less than that of rubber" in told and "kg/m^3 is" in told
    )
    heavy = beam(mm)
    heavy["materials"]["steel"] |= {"density": 7850.0, "young": 2e11}
    report = ff.load_model(heavy).check()
    assert any("more than 10000 kg" in text for text in report.remarks)  # 1e7 kg
    shown = "\n".join(report.lines())
    assert "a mass of 1.57e+10 t together, more than 10000 t" in shown
    assert "a density of 7850 t/mm^3 is more than any solid has; expected all numbers in" in shown
    assert "mm-t-s (mm, t, s, N, MPa)" in shown and not re.search(r"\d (m|kg|Pa)\b", shown)
    assert mm.of_si(HEAVIEST, "kg") == pytest.approx(1e4) and mm.of_si(DENSEST, "kg/m^3") < 1e-7
    unknown = ff.load_model(heavy | {"units": "undeclared"}).check()
    assert unknown.remarks == () and not re.search(r"\d (m|kg|t)\b", "\n".join(unknown.lines()))


def test_errors_of_runs_name_the_units(tmp_path: Path) -> None:
    """A failure tells its numbers in the units of the model, and its summary does too."""
    with pytest.raises(ff.AnalysisError) as caught, messages_in(system_of("mm-t-s")):
        error = ff.AnalysisError("a node 12 m away, 3 N m")
        error.with_warnings(["4 kg"])
        raise error
    assert str(caught.value) == "a node 12 mm away, 3 N mm"
    assert caught.value.warnings == ("4 t",) and caught.value.__notes__ == ["warning: 4 t"]
    tables = beam(system_of("undeclared"))
    tables["analysis"] = {
        "kind": "transient", "method": "central_difference", "duration": 1.0, "steps": 10
    }  # fmt: skip
    with pytest.raises(ff.FlexforgeError, match="expected less than") as refused:
        ff.load_model(tables).run(tmp_path / "out")
    assert not re.search(r"\d (s|rad/s)\b", str(refused.value))
    reason = Results(tmp_path / "out").summary["reason"]
    assert reason == str(refused.value)


def test_warnings_of_runs_name_the_units(tmp_path: Path) -> None:
    """Those of the outcome, of Python and of the summary are the same."""
    tables = beam(system_of("mm-t-s"))
    tables["materials"]["steel"]["density"] = 7850.0
    with pytest.warns(ff.FlexforgeWarning, match="a mass of 1.57e.10 t together"):
        outcome = ff.load_model(tables).run(tmp_path / "out")
    assert list(outcome.warnings) == Results(tmp_path / "out").summary["warnings"]
    assert any("7850 t/mm^3" in text for text in outcome.warnings)


def test_histories_have_the_unit_of_time() -> None:
    """A probe of a deck says nothing of seconds."""
    times = np.array([0.0, 0.5])
    assert repr(History("tip", "mm", times, times)).endswith("from 0 to 0.5 s, peak 0.5 at 0.5 s")
    assert repr(History("tip", "", times, times, "")).endswith("from 0 to 0.5, peak 0.5 at 0.5")
