# SPDX-License-Identifier: BSD-3-Clause
"""No command replaces or removes a file that flexforge did not write, unless it is told to."""

from __future__ import annotations

from pathlib import Path

import h5py
import pytest
from flexforge import load_model
from flexforge.codegen.elements.catalogue import find
from flexforge.codegen.errors import InputError
from flexforge.codegen.output.generate import generate
from flexforge.commands import audit, claims

NAMES = ("report.html", "probes.csv", "results.h5", "frames.pvd", "summary.json")


@pytest.fixture
def thesis(tmp_path: Path) -> Path:
    """A folder with files of the user's that have names of results."""
    folder = tmp_path / "thesis"
    folder.mkdir()
    for name in (*NAMES, "scene.pvd"):
        (folder / name).write_text("years of work")
    return folder


def _untouched(folder: Path) -> bool:
    found = {path.name: path.read_text() for path in folder.iterdir()}
    return found == dict.fromkeys((*NAMES, "scene.pvd"), "years of work")


@pytest.mark.parametrize("command", ["run", "modes"])
def test_a_run_replaces_nothing_of_others(flexforge, beam: Path, thesis: Path, command) -> None:
    """One line, exit code 2, every file as it was; ``--overwrite`` leaves other names alone."""
    beam.write_text(beam.read_text() + '[output]\nformats = ["hdf5"]\n')  # no report: it takes long
    said = flexforge(command, beam, "-o", thesis)
    assert said.code == 2
    assert f"{thesis}: found 'frames.pvd'" in said.error and "--overwrite" in said.error
    assert _untouched(thesis)
    assert flexforge(command, beam, "-o", thesis, "--overwrite").code == 0
    assert (thesis / "scene.pvd").read_text() == "years of work"
    assert not (thesis / "report.html").exists()
    assert flexforge(command, beam, "-o", thesis).code == 0


def test_a_model_of_others_names_the_folder(flexforge, beam: Path, thesis: Path) -> None:
    """A model file from elsewhere with ``output.folder`` destroys nothing; nor does Python."""
    beam.write_text(beam.read_text() + '[output]\nfolder = "thesis"\nformats = ["csv"]\n')
    assert "found 'frames.pvd'" in flexforge("run", beam).error
    with pytest.raises(InputError, match="found 'frames.pvd'"):
        load_model(beam).run()
    with pytest.raises(InputError, match="found 'frames.pvd'"):
        load_model(beam).modes(output=thesis)
    assert _untouched(thesis)
    assert load_model(beam).run(overwrite=True).folder == Path("thesis")


@pytest.mark.slow
def test_reports_and_animations(flexforge, beam: Path) -> None:
    """A report or an animation of somebody else is refused; their own are written again."""
    text = beam.read_text().replace(
        'kind = "static"', 'kind = "transient"\nduration = 1\nsteps = 3'
    )
    beam.write_text(text + '[output]\nformats = ["hdf5"]\n')
    assert flexforge("run", beam).code == 0
    folder = Path("beam.results")
    for command, name in (("report", "report.html"), ("animate", "motion.gif")):
        path = folder / name
        path.write_text("years of work")
        assert f"{name}" in flexforge(command, folder).error
        assert path.read_text() == "years of work"
        assert flexforge(command, folder, "--overwrite").code == 0
        assert path.read_bytes() != b"years of work"
        assert flexforge(command, folder).code == 0
    Path("own.gif").write_bytes(b"GIF89a" + bytes(800))
    assert "own.gif" in flexforge("animate", folder, "-o", "own.gif").error
    assert flexforge("run", beam).code == 0
    assert (folder / "motion.gif").is_file(), "an animation is no result of the run"


def test_a_damaged_file_of_results(flexforge, beam: Path) -> None:
    """Bytes that HDF5 cannot read are named in one line by report and animation."""
    beam.write_text(beam.read_text() + '[output]\nformats = ["hdf5"]\n')
    assert flexforge("run", beam).code == 0
    path = Path("beam.results/results.h5")
    path.write_bytes(path.read_bytes()[:3000])
    for command in ("report", "animate"):
        said = flexforge(command, "beam.results")
        assert said.code == 2
        assert "results.h5: is damaged" in said.error


def test_shapes(flexforge, beam: Path) -> None:
    """``reduce`` replaces shapes, of any model, and nothing else."""
    text = beam.read_text().replace('kind = "static"', 'kind = "modes"')
    beam.write_text(text + "[reduction]\nmodes = 2\n")
    path = Path("basis.h5")
    with h5py.File(path, "w") as file:
        file["work"] = [1.0]
    assert "basis.h5" in flexforge("reduce", beam, "-o", path).error
    with h5py.File(path) as file:
        assert "work" in file
    assert flexforge("reduce", beam, "-o", path, "--overwrite").code == 0
    assert flexforge("reduce", beam, "-o", path).code == 0


@pytest.mark.slow
@pytest.mark.parametrize("command", ["claims", "audit"])
def test_pages(flexforge, tmp_path: Path, monkeypatch, command: str) -> None:
    """Pages replace pages: another file is refused before anything is computed."""
    page = tmp_path / "notes.md"
    page.write_text("years of work")
    assert "notes.md" in flexforge(command, "--markdown", page).error
    assert page.read_text() == "years of work"
    import flexforge.codegen.study.audit.library as audits
    import flexforge.codegen.study.claims.library as found

    monkeypatch.setattr(found, "findings", lambda tell: [])
    monkeypatch.setattr(audits, "audit_all", lambda papers, progress: [])
    assert (claims.COMMAND.name, audit.COMMAND.name) == ("claims", "audit")
    for options in (["--overwrite"], []):
        assert flexforge(command, "--markdown", page, *options).code == 0
    assert page.read_text() != "years of work"


def test_the_old_name_works_with_a_warning(flexforge, tmp_path: Path) -> None:
    """``--force`` and ``force=`` of earlier versions do as before, and say what they are now."""
    (tmp_path / "notes.txt").write_text("mine")
    said = flexforge("generate", "tri3", "--terms", "mass", "-o", tmp_path, "--force")
    assert said.code == 0
    assert "--force is now called --overwrite" in said.err
    with pytest.warns(FutureWarning, match="'force' is now called 'overwrite'"):
        generate(find("tri3"), tmp_path, terms=["mass"], force=True)
    assert (tmp_path / "notes.txt").read_text() == "mine"
