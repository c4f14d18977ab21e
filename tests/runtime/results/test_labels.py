# SPDX-License-Identifier: BSD-3-Clause
"""Labels of results in the units of their model, in every kind of output."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import flexforge as ff
import h5py
import pytest
from flexforge.cli import main
from flexforge.runtime.export.description import describe_2, describe_3
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.results.read import Results
from flexforge.runtime.unit_systems import system_of

from ..decks.deck_texts import solid, step, written

TABLES: dict[str, Any] = {
    "units": "mm-t-s",
    "mesh": {"block": {"cell": "quad8", "corners": [[0, 0], [1000, 0], [1000, 100], [0, 100]],
                       "divisions": [4, 1]}},
    "materials": {"steel": {"young": 2e5, "poisson": 0.3, "density": 7.8e-9}},
    "bodies": [{"name": "beam", "element": "quad8", "material": "steel", "thickness": 20}],
    "supports": [{"group": "xmin"}],
    "loads": [{"kind": "force", "group": "xmax", "total": [0, -100, 0]}],
    "probes": [{"name": "tip", "group": "xmax", "component": "y"},
               {"name": "speed", "group": "xmax", "component": "y", "quantity": "velocity"},
               {"name": "push", "body": "beam", "component": "y", "quantity": "reaction_force"}],
    "tables": [{"name": "moved", "group": "xmax", "quantity": "displacement"}],
    "analysis": {"kind": "transient", "duration": 0.01, "steps": 5},
    "output": {"formats": ["vtu", "hdf5", "csv", "report"], "point_stress": True},
}  # fmt: skip
#: Every label that may be in such results.
OWN = {"mm", "mm/s", "mm/s^2", "MPa", "N", "N mm", "t", "t mm/s", "mJ", "Hz", "s", "rad/s",
       "rad/s^2", "1/s", "deg", "1", "%", "MB", ""}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("labels") / "out"
    ff.load_model(TABLES).run(path)
    return path


def heads(path: Path) -> list[str]:
    return re.findall(r"\[([^\]]*)\]", path.read_text().partition("\n")[0])


def test_figures_and_csv_files(folder: Path) -> None:
    """Figures, summary.json, heads of probes and tables."""
    results = Results(folder)
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["units"] == results.units.name == summary["provenance"]["units"] == "mm-t-s"
    figures = summary["figures"]
    assert {one[1] for one in figures.values() if isinstance(one, list)} <= OWN
    assert figures["mass"][1] == "t" and figures["largest von Mises stress"][1] == "MPa"
    assert re.search(r"\) mm, t = \S+ s$", figures["place of the largest stress"])
    assert heads(folder / "probes.csv") == ["s", "mm", "mm/s", "N"]
    assert heads(folder / "tables" / "moved.csv") == ["mm"] * 3
    assert [one.unit for one in results.probes.values()] == ["mm", "mm/s", "N"]


def test_hdf5_vtu_and_datasets(folder: Path) -> None:
    """Attributes ``units`` of all arrays, the comment of VTU files, xarray."""
    found: dict[str, str] = {}
    with h5py.File(folder / "results.h5") as file:
        assert file.attrs["units"] == "mm-t-s"
        file.visititems(lambda key, one: found.update({key: one.attrs.get("units", "")}))
    assert set(found.values()) <= {*OWN, "see columns"}
    assert found["bodies/beam/points"] == "mm" and found["bodies/beam/stations/stress"] == "MPa"
    assert found["bodies/beam/frame/v_O"] == "mm/s" and found["time"] == "s"
    frame = next((folder / "frames").glob("*.vtu"))
    assert b'"units": "mm-t-s"' in frame.read_bytes()[:2000]
    pytest.importorskip("xarray")
    data = Results(folder).to_xarray()
    units = {name: one.attrs.get("units") for name, one in data.variables.items()}
    assert units["beam.stress"] == "MPa" and units["beam.frame.velocity"] == "mm/s"
    assert units["tip"] == "mm" and units["time"] == "s"


def test_report(folder: Path) -> None:
    """Tables, plots, and the scene: no unit of SI, and no prefix that would make one."""
    page = (folder / "report.html").read_text()
    tables = re.sub(r"<[^>]+>", " ", re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL))
    model = tables[: tables.index("Time spent")]
    assert "density 7.8e-09 t/mm^3" in model and "Young&#39;s modulus 2e+05 MPa" in model
    assert "thickness 20 mm" in model and "tip [mm]" in model and "push [N]" in model
    checked = model.replace("time per step", "")
    assert not re.search(r"\d (m|kg|Pa|kN|µm|ms|km|nm)\b|\[(m|kg|Pa|kN|µm|ms|m/s)\]", checked)
    data = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert data is not None
    drawn = json.loads(data[1])
    assert [one["unit"] for one in drawn["plots"]] == ["mm", "mm/s", "N"]
    assert {one["time"] for one in drawn["plots"]} == {"s"}
    (frames,) = drawn["scene"]["sets"]
    assert [one["unit"] for one in frames["quantities"]] == ["mm", "MPa"]
    assert frames["told"] == "t = # s" and frames["quantities"][0]["factor"] == 1.0


def test_tables_of_vibrations(tmp_path: Path) -> None:
    """Modes, harmonic and random vibrations, and spectra: CSV heads, summaries and plots."""
    base = {"direction": "y", "unit": "m/s^2", "curves": [{"points": [[1, 2.0], [1000, 2.0]]}]}
    noise = {"name": "base", "direction": "y", "unit": "(m/s^2)^2/Hz",
             "density": {"points": [[1, 2.0], [200, 2.0]]}}  # fmt: skip
    analyses = {
        "harmonic": ({"kind": "harmonic", "frequencies": "10:60:3", "modes": 2}, "response"),
        "random": ({"kind": "random", "modes": 2, "modal_damping": 0.05, "excitations": [noise]},
                   "densities"),
        "spectrum": ({"kind": "spectrum", "modes": 2, "modal_damping": 0.05,
                      "excitations": [base]}, "spectrum"),
    }  # fmt: skip
    found = {}
    for kind, (analysis, table) in analyses.items():
        tables = TABLES | {
            "analysis": analysis,
            "probes": TABLES["probes"][:1],
            "tables": [],
            "loads": TABLES["loads"] if kind == "harmonic" else [],
            "output": {"formats": ["csv", "report"]},
        }
        outcome = ff.load_model(tables).run(tmp_path / kind)
        labels = {one[1] for one in outcome.figures.values() if isinstance(one, list)}
        assert labels <= {*OWN, "mm^2/Hz", "sqrt(t)"}, kind
        found[kind] = heads(tmp_path / kind / f"{table}.csv")
    assert found["harmonic"] == ["Hz", "mm", "deg"]
    assert found["random"] == ["Hz", "(mm/s^2)^2/Hz", "mm^2/Hz"]
    assert found["spectrum"] == ["Hz", "s", "sqrt(t)", "t", "%", "mm/s^2", "mm", "N"]
    curves = Results(tmp_path / "random").summary["densities"]["curves"]
    assert [one["unit"] for one in curves] == ["(mm/s^2)^2/Hz", "mm^2/Hz"]
    assert curves[0]["density"][0] == pytest.approx(2e6, rel=1e-12)  # (1000 mm/m)^2
    page = (tmp_path / "spectrum" / "report.html").read_text()
    assert "acceleration [mm/s^2]" in page and "acceleration [m/s^2]" not in page


@pytest.mark.parametrize(
    ("name", "length", "stress"), [("mm-t-s", "mm", "MPa"), ("undeclared", "", "")]
)
def test_combinations_and_envelopes(name: str, length: str, stress: str, tmp_path: Path) -> None:
    """Made of results that have their labels; without units probes have their sums as well."""
    tables = {key: one for key, one in TABLES.items() if key not in ("analysis", "tables")} | {
        "units": name,
        "probes": TABLES["probes"][:1],
        "steps": [{"name": "a", "analysis": {"kind": "static"}}],
        "combinations": [{"name": "twice", "factors": {"a": 2.0}}],
        "output": {"formats": ["csv", "hdf5"], "envelope": True},
    }
    figures = ff.load_model(tables).run(tmp_path).figures
    value, label = figures["a: tip"]
    assert label == length and figures["twice: tip"] == [pytest.approx(2.0 * value), length]
    assert figures["envelope: tip, min"] == [pytest.approx(2.0 * value), length]
    assert figures["envelope: largest von Mises stress"][1] == stress
    rows = (tmp_path / "envelope" / "envelope.csv").read_text().splitlines()[1:]
    assert {row.split(",")[2] for row in rows} == {length, stress}


def test_console_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What ``flexforge check`` and ``flexforge run`` print."""
    path = tmp_path / "beam.toml"
    path.write_text(
        'units = "mm-t-s"\n[mesh]\nblock = { cell = "quad8", corners = [[0, 0], [1000, 0], '
        "[1000, 100], [0, 100]], divisions = [4, 1] }\n[materials.steel]\nyoung = 2e5\n"
        'poisson = 0.3\ndensity = 7.8e-9\n[[bodies]]\nname = "beam"\nelement = "quad8"\n'
        'material = "steel"\nthickness = 20\n[[supports]]\ngroup = "xmin"\n[[loads]]\n'
        'kind = "gravity"\nacceleration = [0, -9810, 0]\n[analysis]\nkind = "static"\n'
        '[output]\nformats = ["csv"]\n'
    )
    assert main(["check", str(path)]) == 0
    told = capsys.readouterr().out
    assert "mass 0.0156 t, centre (500, 50) mm" in told and "box 1000 x 100 mm" in told
    assert main(["run", str(path), "-o", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out
    assert re.search(r"^reaction y +153\.0\d* N$", told, re.MULTILINE)  # 15.6 kg g = 153.04 N
    assert re.search(r"^largest displacement +\S+ mm$", told, re.MULTILINE)


def test_exports(tmp_path: Path) -> None:
    """The header of C says the units; units of FMUs have their factors to SI (FMI 3.0, 2.4.4)."""
    model = ff.load_model(TABLES | {"probes": [
        *TABLES["probes"][:2],
        {"name": "s", "group": "xmax", "quantity": "stress", "component": "xx"},
    ]})  # fmt: skip
    model.export(tmp_path / "lib", name="beam")
    header = (tmp_path / "lib" / "include" / "beam.h").read_text()
    assert "/* Units of all numbers: mm-t-s (mm, t, s, N, MPa). */" in header
    assert "/* mm/s */" in header and "/* MPa */" in header and "/* m */" not in header
    assert '"mm", "mm/s", "MPa", 0' in (tmp_path / "lib" / "src" / "beam.c").read_text()
    solver = build_solver(model.spec)
    root = ElementTree.fromstring(describe_3(solver))
    units = {one.attrib["name"]: one.find("BaseUnit").attrib for one in root.iter("Unit")}  # type: ignore[union-attr]
    assert units["mm"] == {"m": "1", "factor": "0.001"}
    assert units["MPa"] == {"kg": "1", "m": "-1", "s": "-2", "factor": "1000000.0"}
    named = {one.attrib["name"]: one.attrib.get("unit") for one in root.iter("Float64")}
    assert (named["tip"], named["speed"], named["s"]) == ("mm", "mm/s", "MPa")
    assert 'unit="MPa"' in describe_2(solver) and 'name="MPa"' in describe_2(solver)
    unknown = ElementTree.fromstring(describe_3(replace(solver, units=system_of("undeclared"))))
    assert [one.attrib["name"] for one in unknown.iter("Unit")] == []
    assert {one.attrib.get("unit") for one in unknown.iter("Float64")} == {None}


def test_decks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without units a deck has numbers alone; declared ones are kept by the file it becomes."""
    deck = solid() + step("*STATIC", "*CLOAD", "right, 1, 250.", "*NODE PRINT, NSET=Nall", "U")
    path = written(tmp_path, deck)
    plain = ff.load_model(path).run(tmp_path / "plain")
    named = ff.load_model(path, units="mm-t-s").run(tmp_path / "named")
    assert main(["import", str(path), "--units", "mm-t-s", "-o", str(tmp_path / "a.toml")]) == 0
    assert main(["import", str(path), "-o", str(tmp_path / "b.toml")]) == 0
    assert 'units = "mm-t-s"\n' in (tmp_path / "a.toml").read_text()
    assert 'units = "undeclared"\n' in (tmp_path / "b.toml").read_text()
    imported = ff.load_model(tmp_path / "a.toml").run(tmp_path / "imported")
    keys = [
        name
        for name, one in plain.figures.items()
        if isinstance(one, list) and "memory" not in name
    ]
    assert "1: largest von Mises stress" in keys
    for name in keys:
        value, label = named.figures[name]
        assert plain.figures[name] == [value, "" if label != "deg" else "deg"], name
        assert imported.figures[name] == [value, label] and label in OWN - {""}, name
    table = Path("1") / "tables" / "displacement Nall.csv"
    assert (tmp_path / "plain" / table).read_text().startswith("time,node,x,y,z\n")
    assert heads(tmp_path / "named" / table) == ["mm"] * 3
    capsys.readouterr()
    assert main(["run", str(path), "-o", str(tmp_path / "again")]) == 0
    assert not re.search(r"\d (m|kg|N|Pa)$", capsys.readouterr().out, re.MULTILINE)
    page = (tmp_path / "plain" / "1" / "report.html").read_text()
    assert not re.search(
        r"\d (m|kg|N|Pa|MPa|kN|mm)\b", re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    )
