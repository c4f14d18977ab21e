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
from flexforge.runtime.export.description import describe_2, describe_3
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.model.ranges import frequencies_of, speeds_of
from flexforge.runtime.results.campbell import table
from flexforge.runtime.results.history import History
from flexforge.runtime.results.read import Results
from flexforge.runtime.system.plausible import DENSEST, HEAVIEST
from flexforge.runtime.unit_systems import SI, SYSTEMS, UnitSystem, messages_in, system_of

#: Sizes in SI: NIST Special Publication 811 (2008), appendix B.9, and prefixes of SI.
KNOWN = {
    "Hz": 1.0, "kHz": 1e3, "N": 1.0, "kN": 1e3, "mN": 1e-3, "uN": 1e-6, "dyn": 1e-5,
    "lbf": 4.4482216152605,
    "Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9, "Ba": 0.1, "psi": 6894.757, "psf": 47.88026,
    "J": 1.0, "mJ": 1e-3, "uJ": 1e-6, "pJ": 1e-12, "erg": 1e-7, "in lbf": 0.1129848,
    "ft lbf": 1.355818,
    "ms": 1e-3, "W": 1.0, "kW": 1e3, "mW": 1e-3, "uW": 1e-6, "pW": 1e-12, "erg/s": 1e-7,
    "in lbf/s": 0.1129848,
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
        ("in-lbf-s", "sqrt(kg)", "sqrt(lbf s^2/in)"),
        ("mm-kg-ms", "m/s^2", "mm/ms^2"),
        ("mm-kg-ms", "W/m^2", "kW/mm^2"),
        ("mm-g-ms", "rad/s", "rad/ms"),
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
    push = {"name": "push", "body": "beam", "quantity": "reaction_force", "component": "y"}
    probes = [{"name": "tip", "group": "xmax", "component": "y"}, push]
    found = []
    for one, folder in ((SI, "si"), (units, "own")):
        motion = {"kind": "transient", "duration": one.of_si(0.01, "s"), "steps": 8}
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


def compared(tables: Any, folder: Path, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return outcomes in SI and in a system with milliseconds, whose figures are the same."""
    found = []
    for units in (SI, system_of("mm-kg-ms")):
        found.append(ff.load_model(tables(units)).run(folder / units.name).figures)
    for name in names:
        (value, si), (own, label) = found[0][name], found[1][name]
        assert label == units.label(si), name
        assert own * units.size(si) == pytest.approx(value, rel=1e-7), name
    return found


def test_speeds_and_frequencies_in_milliseconds(tmp_path: Path) -> None:
    """Units that values name are converted: 3000 rpm are 0.314 rad/ms, 60 Hz are 0.06 kHz."""

    def campbell(units: UnitSystem) -> dict[str, Any]:
        sweep = {"kind": "modes", "count": 2, "speeds": "0:6000:3 rpm"}
        tables = beam(units, analysis=sweep, loads=[])
        tables["bodies"][0]["frame"] = {"velocity": 0}
        return tables

    _, found = compared(campbell, tmp_path / "campbell", ("critical speed, order 1, mode 1",))
    assert "mode 2 at 0.628319 rad/ms" in found
    text = (tmp_path / "campbell" / "mm-kg-ms" / "campbell.csv").read_text().splitlines()
    assert text[0].startswith("speed [rad/ms],speed [rpm],mode 1 [kHz],growth 1 [1/ms]")
    assert text[-1].split(",")[1] == "6000"
    results = Results(tmp_path / "campbell" / "mm-kg-ms")
    assert results.campbell is not None and results.campbell["units"] == "mm-kg-ms"
    assert table(results.campbell)[0][:3] == ["rpm", "rad/ms", "mode 1 [kHz]"]
    report = ff.load_model(campbell(system_of("mm-kg-ms"))).check()
    assert "0 to 6000 rpm (0 to 0.628319 rad/ms)" in "\n".join(report.lines())

    def shaken(units: UnitSystem) -> dict[str, Any]:
        tip = {"name": "tip", "group": "xmax", "component": "y"}
        tables = beam(
            units, analysis={"kind": "harmonic", "frequencies": "10:60:3 Hz"}, probes=[tip]
        )
        tables["materials"]["steel"]["damping"] = {"beta": units.of_si(1e-4, "s")}
        return tables

    compared(shaken, tmp_path / "harmonic", ("tip, largest amplitude", "tip, frequency of it"))

    def noisy(units: UnitSystem) -> dict[str, Any]:
        ends = [[units.of_si(hertz, "Hz"), 0.01] for hertz in (10.0, 200.0)]
        base = {"name": "base", "direction": "y", "unit": "g^2/Hz", "density": {"points": ends}}
        wind = {"name": "wind", "unit": "1/Hz", "density": {"points": ends}}
        analysis = {
            "kind": "random",
            "modes": 2,
            "modal_damping": 0.05,
            "excitations": [base, wind],
        }
        tip = {"name": "tip", "group": "xmax", "component": "y"}
        tables = beam(units, analysis=analysis, probes=[tip])
        tables["loads"][0]["excitation"] = "wind"
        return tables

    compared(noisy, tmp_path / "random", ("tip, root mean square", "tip, mean frequency"))


def test_rates_in_milliseconds() -> None:
    """Formulas, ramps, polynomials and lists whose numbers have units of angles."""
    links = {
        "units": "mm-kg-ms",
        "planar": True,
        "links": [{"name": "arm", "mass": 1.0, "inertia": [1.0]}],
        "joints": [{"name": "A", "kind": "revolute", "links": ["ground", "arm"]}],
        "drivers": [{"name": "turn", "joint": "A", "velocity": "90*t deg/s", "value0": "90 deg"}],
        "analysis": {"kind": "kinematics", "duration": 2.0, "steps": 2},
        "output": {"formats": ["csv"]},
    }
    spec = ff.load_model(links).spec.drivers[0]
    assert spec.value0 == pytest.approx(np.pi / 2)
    formula, factor = str(spec.velocity).split("*1.")
    assert formula == "(90*t)" and float(f"1.{factor}") == pytest.approx(np.pi / 180 / 1000)
    rates = ["90 deg", "90 deg/s", "90 deg/s^2"]
    links["drivers"] = [{"name": "turn", "joint": "A", "value": {"polynomial": rates}}]
    found = ff.load_model(links).spec.drivers[0].model_dump()["value"]["polynomial"]
    assert found == pytest.approx(np.pi / 2 * np.array([1.0, 1e-3, 1e-6]))
    assert speeds_of("0, 3000 rpm", 1000.0)[1] == pytest.approx(0.1 * np.pi)
    assert speeds_of("0, 0.3", 1000.0)[1] == 0.3
    assert (
        frequencies_of("10, 60 Hz", 1000.0) == [0.01, 0.06]
        and frequencies_of("1,2", 1000.0)[1] == 2
    )


def test_fmus_count_seconds() -> None:
    """Importers take the time for seconds: other units of time are refused."""
    units = system_of("mm-g-ms")
    motion = {"kind": "transient", "duration": 1.0, "steps": 4}
    solver = build_solver(ff.load_model(beam(units, analysis=motion)).spec)
    for describe in (describe_2, describe_3):
        with pytest.raises(ff.InputError, match="^units: found mm-g-ms; expected a system with s"):
            describe(solver)


@pytest.mark.parametrize("normal", ["flores", "impact"])
def test_steps_of_contacts_do_not_depend_on_units(normal: str, tmp_path: Path) -> None:
    """A ball on a floor: the same steps, whatever the unit of length (no size but that of 1 m)."""
    found = []
    for units in (SI, system_of("um-kg-s"), system_of("mm-kg-ms")):
        si = units.of_si
        parameters = {"radius": si(0.1, "m"), "restitution": 0.6, "friction": 0.3,
                      "regular": si(1e-3, "m/s")}  # fmt: skip
        if normal == "flores":
            stiffness = 1e7 * units.size("m") ** 1.5 / units.size("N")
            parameters |= {"stiffness": stiffness, "exponent": 1.5, "speed": si(2.4, "m/s")}
        ball = {"name": "ball", "mass": si(1.0, "kg"), "inertia": [si(0.004, "kg m^2")] * 3,
                "placement": {"position": [0, 0, si(0.4, "m")]},
                "velocity": [si(1.0, "m/s"), 0, 0]}  # fmt: skip
        floor = {"name": "floor", "links": ["ground", "ball"], "contact": "sphere_on_plane",
                 "normal": normal, "friction": "coulomb", "parameters": parameters}  # fmt: skip
        tables = {
            "units": units.name,
            "links": [ball],
            "forces": [floor],
            "loads": [{"kind": "gravity", "acceleration": [0, 0, si(-9.81, "m/s^2")]}],
            "analysis": {"kind": "transient", "duration": si(0.5, "s"), "steps": 20,
                         "accuracy": 1e-7},
            "output": {"formats": ["csv"]},
        }  # fmt: skip
        figures = ff.load_model(tables).run(tmp_path / units.name).figures
        found.append((figures["steps"], figures["kinetic energy"][0] * units.size("J")))
    for steps, energy in found[1:]:
        assert steps == pytest.approx(found[0][0], rel=0.05)
        assert energy == pytest.approx(found[0][1], rel=1e-6)


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
