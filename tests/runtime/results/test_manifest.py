# SPDX-License-Identifier: BSD-3-Clause
"""Whose files a run replaces: those that a manifest of a former run names, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.codegen.files.manifest import HEAD, NAME
from flexforge.runtime.results import Column, ResultWriter
from flexforge.runtime.results import summary as summaries
from flexforge.runtime.results.files import manifest_of
from flexforge.runtime.results.read import Results
from flexforge.runtime.results.report import write_report
from samples import bar, bent

RESULTS = (
    "report.html", "probes.csv", "results.h5", "summary.json", "frames.pvd", "modes.pvd",
    "stations.pvd", "campbell.csv", "critical_speeds.csv", "frames/bar_000003.vtu",
    "modes/other_001.vtu",
)  # fmt: skip


def run(folder: Path, count: int = 3, **options: object) -> None:
    """Write a small run."""
    body = bar("hex8")
    with ResultWriter(folder, [body], probes=[Column("n")], **options) as writer:  # type: ignore[arg-type]
        for i in range(count):
            writer.probe_row(float(i), [i])
            writer.frame(float(i), {body.name: bent(body, 0.1 * i)})


def put(folder: Path, name: str, text: str = "years of work") -> Path:
    """Write a file of somebody else."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def files(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder by their names."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("former", [False, True])
def test_a_file_of_others_is_refused(tmp_path: Path, name: str, former: bool) -> None:
    """A file with the name of a result that no run wrote stops a run before it changes anything.

    Be it in a folder of the user's or among the results of a run.
    """
    if former:
        run(tmp_path, formats=[])
        (tmp_path / "summary.json").unlink()
        (tmp_path / NAME).write_text(f"{HEAD}\n")
    put(tmp_path, name)
    before = files(tmp_path)
    with pytest.raises(InputError, match=f"found '{name}'.*--overwrite") as caught:
        run(tmp_path)
    assert "\n" not in str(caught.value)
    assert files(tmp_path) == before


def test_overwriting_on_demand(tmp_path: Path) -> None:
    """Asked to, a run removes what has names of results; all else stays, other frames' too."""
    for name in RESULTS:
        put(tmp_path, name)
    others = [put(tmp_path, name) for name in ("scene.pvd", "frames/photo.vtu", "frames/a/x.vtu")]
    run(tmp_path, overwrite=True)
    assert [path.read_text() for path in others] == ["years of work"] * 3
    assert not (tmp_path / "report.html").exists() and not (tmp_path / "modes.pvd").exists()
    assert len(Results(tmp_path).times()) == 3
    run(tmp_path)  # and what it has written is its own


def test_what_the_manifest_names_is_what_is_there(tmp_path: Path) -> None:
    """Each file of a run is named; a later run removes these, longer runs' frames among them."""
    run(tmp_path, 4)
    named = set((tmp_path / NAME).read_text().splitlines()[1:])
    assert named == set(files(tmp_path)) - {NAME}
    put(tmp_path, "frames/mine.vtu")
    (tmp_path / ".summary.json.123.tmp").write_text("half")  # of a run that was killed
    run(tmp_path, 2, formats=["vtu"])
    assert set(files(tmp_path)) == {
        NAME,
        "summary.json",
        "frames.pvd",
        "frames/mine.vtu",
        "frames/bar_000000.vtu",
        "frames/bar_000001.vtu",
    }


def test_results_of_older_versions(tmp_path: Path) -> None:
    """They have no manifest: a run refuses to replace them, a report of theirs is refused too."""
    run(tmp_path, formats=[])  # of which a report is quick
    (tmp_path / NAME).unlink()
    with pytest.raises(InputError, match="--overwrite"):
        run(tmp_path)
    put(tmp_path, "report.html")
    with pytest.raises(InputError, match=r"report.html.*--overwrite"):
        write_report(tmp_path)
    assert write_report(tmp_path, overwrite=True).read_text() != "years of work"
    write_report(tmp_path)


@pytest.mark.parametrize(
    "line",
    ["../victim.csv", "/etc/victim.csv", "frames/../../victim_000000.vtu", "victim.csv", "",
     "frames/../victim_000000.vtu", "summary.json/x", "frames\\..\\victim.vtu", "\0"],
)  # fmt: skip
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_manifest_can_name_no_file_elsewhere(tmp_path: Path, line: str, overwrite: bool) -> None:
    """A manifest that came with the folder is input: what it must not name, it does not remove."""
    folder = tmp_path / "results"
    victims = [put(tmp_path, "victim.csv"), put(tmp_path, "victim_000000.vtu"),
               put(folder, "victim.csv"), put(folder, "victim_000000.vtu")]  # fmt: skip
    put(folder, NAME, f"{HEAD}\nsummary.json\n{line}\n")
    if overwrite:
        run(folder, overwrite=True)
    else:
        with pytest.raises(InputError, match=rf"{NAME}:3: found .*--overwrite"):
            run(folder)
    assert [path.read_text() for path in victims] == ["years of work"] * 4


@pytest.mark.parametrize("kind", ["text", "bytes", "empty", "a link", "a folder"])
def test_a_damaged_manifest(tmp_path: Path, kind: str) -> None:
    """What is no list at all is refused in one line, and replaced on demand, links not followed."""
    folder = tmp_path / "results"
    victim = put(tmp_path, "list", f"{HEAD}\nsummary.json\n")
    summary = put(folder, "summary.json")
    path = folder / NAME
    if kind == "a link":
        path.symlink_to(victim)
    elif kind == "a folder":
        path.mkdir()
    else:
        path.write_bytes({"text": b"summary.json\n", "bytes": b"\xff\0", "empty": b""}[kind])
    with pytest.raises(InputError, match=f"{NAME}: found no list of files.*--overwrite"):
        run(folder)
    assert summary.read_text() == "years of work"
    if kind != "a folder":
        run(folder, overwrite=True)
        assert not path.is_symlink() and len(Results(folder).times()) == 3
    assert victim.read_text() == f"{HEAD}\nsummary.json\n"


def test_no_link_is_followed(tmp_path: Path) -> None:
    """Links in the place of files are replaced, in that of folders refused; targets stay."""
    folder, elsewhere = tmp_path / "results", tmp_path / "elsewhere"
    victim = put(elsewhere, "bar_000000.vtu")
    run(folder)
    for name in ("results.h5", "probes.csv", "summary.json", "frames/bar_000000.vtu"):
        (folder / name).unlink()
        (folder / name).symlink_to(victim)
    run(folder)
    assert victim.read_text() == "years of work"
    for path in (folder / "frames").iterdir():
        path.unlink()
    (folder / "frames").rmdir()
    (folder / "frames").symlink_to(elsewhere)
    for overwrite in (False, True):
        with pytest.raises(InputError, match="frames: is a link; expected a folder"):
            run(folder, overwrite=overwrite)
    assert victim.read_text() == "years of work"


def test_a_list_that_was_cut_off(tmp_path: Path) -> None:
    """A last line without its end names no file: such a file was never begun."""
    run(tmp_path, formats=[])
    path = tmp_path / NAME
    path.write_text(path.read_text() + "frames/bar_0000")
    write_report(tmp_path)
    assert "frames/bar_0000\n" not in path.read_text() and "report.html\n" in path.read_text()
    run(tmp_path)


def test_a_disk_that_is_full_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a run cannot even begin, no file of it is left under any name."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(summaries, "write_summary", full)
    with pytest.raises(AnalysisError, match="No space left on device.*kept: 0 frames"):
        run(tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_list_is_complete_before_the_file_is_there(tmp_path: Path) -> None:
    """At any moment of a run every file is named, so that a killed one can be replaced."""
    body = bar("hex8")
    with ResultWriter(tmp_path, [body], probes=[Column("n")]) as writer:
        writer.frame(0.0, {body.name: bent(body, 0.0)})
        assert manifest_of(tmp_path).listed == set(files(tmp_path)) - {NAME}
