# SPDX-License-Identifier: BSD-3-Clause
"""Views for notebooks: a page of bounded size that draws what the report draws."""

from __future__ import annotations

import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import flexforge as ff
import numpy as np
import pytest
from flexforge.runtime.mesh import structured
from flexforge.runtime.results import BodyGeometry, BodyState, ResultWriter
from samples import bar, bent

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def motion(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the results of a bar that bends and turns."""
    folder, body = tmp_path_factory.mktemp("motion"), bar("hex8")
    with ResultWriter(folder, [body], title="A bar") as writer:
        for t in np.linspace(0.0, 1.0, 6):
            writer.frame(t, {body.name: bent(body, t)})
    return folder


def drawn(page: str, folder: Path) -> dict[str, str]:
    """Open a page in a browser and return the data of its elements once it has drawn."""
    path = folder / "view.html"
    path.write_text(page, "utf-8")
    done = subprocess.run(
        [str(CHROMIUM), "--headless", "--no-sandbox", "--enable-unsafe-swiftshader",
         "--virtual-time-budget=20000", f"--user-data-dir={folder}/profile", "--dump-dom",
         path.as_uri()],
        capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    dom = done.stdout.decode()
    tags = re.findall(r"<html[^>]*>", dom) + re.findall(r'<div[^>]*id="scene"[^>]*>', dom)
    return {k: unescape(v) for k, v in re.findall(r'data-(\w+)="([^"]*)"', "".join(tags))}


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium: apt install chromium")
def test_a_browser_draws_the_view(motion: Path, tmp_path: Path) -> None:
    """The library is unpacked in the page, and it shows the largest frame."""
    results = ff.Results(motion)
    found = drawn(results.view().page, tmp_path)
    assert found["state"] == "ready"
    assert found["shown"] == f"frame {int(np.argmax(results.largest_displacement()))}"


def test_a_notebook_gets_a_frame_with_the_page(motion: Path) -> None:
    """The page is whole inside of an attribute, and height and frames are those asked for."""
    view = ff.Results(motion).view(frames=2, height=333)
    html = view._repr_html_()
    (inside,) = re.findall(r'srcdoc="([^"]*)"', html)
    assert unescape(inside) == view.page
    assert "height: 333px" in html and "2 of 6 frames are shown" in view.page
    assert repr(view) == "view of A bar; a notebook shows it"


def test_a_view_of_a_large_mesh_is_bounded(tmp_path: Path) -> None:
    """2,400 nodes on the surface in 60 frames: drawn coarser, and the view says so."""
    corners = bar("hex8").points[[0, 6, 20, 14]]
    part = structured("quad4", corners[:, :2], [48, 48]).part()
    body = BodyGeometry("sheet", part.cell, part.points, part.connectivity)
    with ResultWriter(tmp_path, [body], formats=["hdf5"]) as writer:
        for t in np.linspace(0, 1, 60):
            writer.frame(t, {"sheet": BodyState(1e-3 * t * part.points)})
    fine, small = ff.Results(tmp_path).view(), ff.Results(tmp_path).view(frames=5)
    assert "the surface is coarser than the mesh" in fine.page
    assert "coarser" not in small.page.split('id="data"')[0]
    assert len(fine.page) < len(small.page) + 1_200_000
    with pytest.raises(ff.InputError, match="height: found 20; expected 200 to 4000 pixels"):
        ff.Results(tmp_path).view(height=20)
    with pytest.raises(ff.InputError, match="frames: found 0; expected at least 1"):
        ff.Results(tmp_path).view(frames=0)


def test_links_are_shown_where_drivers_put_them() -> None:
    """The wrist pin of a slider-crank at the start: r + l from the bearing."""
    crank = Path(__file__).parents[3] / "examples/slider_crank/model.toml"
    page = ff.load_model(crank).view().page
    assert all(f'"{name}"' in page for name in ("bearing", "crank pin", "wrist pin"))
    assert "display: none" in page  # nothing moves: no sliders


def test_a_view_is_saved_and_replaces_nothing(motion: Path, tmp_path: Path) -> None:
    """The page as a file of its own."""
    view, path = ff.Results(motion).view(), tmp_path / "bar.html"
    assert view.save(path).read_text("utf-8") == view.page
    with pytest.raises(ff.InputError, match=r"bar.html: exists; expected a new file"):
        view.save(path)


def test_results_without_fields_have_nothing_to_see(tmp_path: Path) -> None:
    """Formats without frames are told what is missing."""
    with ResultWriter(tmp_path, [bar("hex8")], formats=["csv"]):
        pass
    with pytest.raises(ff.InputError, match="nothing to see; expected output.formats with hdf5"):
        ff.Results(tmp_path).view()
