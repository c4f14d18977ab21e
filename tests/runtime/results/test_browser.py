# SPDX-License-Identifier: BSD-3-Clause
"""The report in a browser: scripts run, controls do what they say, nothing is loaded."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from flexforge.runtime.results import BodyState, Column, ResultWriter
from flexforge.runtime.results.report import write_report
from samples import bar, bent

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium: apt install chromium")

#: Added to a page: does what a reader does once it is there, and writes down what he sees.
READER = """
<script>
const seen = {}, wait = () => new Promise((done) => setTimeout(done, 300));
const turn = async (id, value, kind) => {
  document.getElementById(id).value = value;
  document.getElementById(id).dispatchEvent(new Event(kind));
  await wait();
};
async function read() {
  while (document.documentElement.dataset.state === "running") await wait();
  const scene = document.getElementById("scene");
  const said = () => `${scene.dataset.shown}; ${document.getElementById("when").textContent}; `
    + document.getElementById("peak").textContent;
  %s
  seen.resources = performance.getEntriesByType("resource").length;
  for (const key in seen) document.body.dataset[key] = seen[key];
}
document.addEventListener("securitypolicyviolation", (event) => {
  seen.blocked = event.blockedURI;
});
read();
</script></body>
"""


def _chromium(folder: Path, address: str, *options: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [str(CHROMIUM), "--headless", "--no-sandbox", "--enable-unsafe-swiftshader",
         "--hide-scrollbars", "--virtual-time-budget=20000", f"--user-data-dir={folder}/profile",
         *options, address],
        capture_output=True, timeout=60, check=True,
    )  # fmt: skip


def page(folder: Path, steps: str = "", fragment: str = "") -> dict[str, str]:
    """Open the report of a folder, take steps on it, and return what was written down."""
    path = write_report(folder)
    read = folder / "read.html"
    read.write_text(path.read_text("utf-8").replace("</body>", READER % steps), "utf-8")
    dom = _chromium(folder, f"{read.as_uri()}{fragment}", "--dump-dom").stdout.decode()
    (body,), (root,) = re.findall(r"<body([^>]*)>", dom), re.findall(r"<html([^>]*)>", dom)
    return {key: unescape(value) for key, value in re.findall(r'data-(\w+)="([^"]*)"', root + body)}


@pytest.fixture(scope="module")
def motion(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the results of a bar that bends and turns, with a probe."""
    folder, body = tmp_path_factory.mktemp("motion"), bar("hex8")
    with ResultWriter(folder, [body], probes=[Column("tip", "m")]) as writer:
        for t in np.linspace(0.0, 1.0, 6):
            writer.probe_row(t, [0.01 * np.sin(3 * t)])
            writer.frame(t, {body.name: bent(body, t)})
    return folder


@pytest.fixture(scope="module")
def modes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the results of a modal analysis with a Campbell diagram."""
    folder, body = tmp_path_factory.mktemp("modes"), bar("hex8")
    shapes = np.random.default_rng(1).normal(size=(4, len(body.points), 3))
    speeds = [0.0, 50.0, 100.0]
    with ResultWriter(folder, [body]) as writer:
        writer.modes(10.0 * np.arange(1, 5), {body.name: shapes})
        writer.campbell({
            "speeds_rad_s": speeds,
            "modes": [
                {"mode": i + 1, "frequency_Hz": [f, f + 1, f + 2],
                 "signed_frequency_Hz": [f, f + 1, f + 2],
                 "inertial_frequency_Hz": [f, f + 1, f + 2],
                 "growth_1_s": [-1.0, -1.0, 2.0 * i], "whirl": ["standing", "forward", "backward"]}
                for i, f in enumerate((10.0, 20.0, 30.0, 40.0))
            ],
            "orders": [0, 1, 2, 3, 4],
            "critical_speeds": [
                {"order": 1, "speed_rad_s": 70.0, "mode": 1, "frequency_Hz": 11.14}
            ],
            "instabilities": [{"mode": 2, "kind": "flutter", "onset_rad_s": 60.0,
                               "end_rad_s": None, "growth_1_s": 2.0}],
        })  # fmt: skip
    return folder


def test_time_colour_and_scale(motion: Path) -> None:
    """The frame with the largest value comes first; the sliders lead to the others."""
    found = page(motion, """
      seen.first = said();
      await turn("time", 1, "input");
      seen.second = said();
      await turn("show", 1, "change");
      seen.stress = said();
      const height = () => Math.max(...scene.data[0].z) - Math.min(...scene.data[0].z);
      await turn("scale", 0, "input");
      seen.straight = height();
      await turn("scale", 10, "input");
      seen.bent = height();
      seen.plots = document.querySelectorAll(".plots .main-svg").length > 0;
      seen.colours = scene.data[0].colorbar.tickvals.join(" ");
      seen.sliders = ["time", "scale"].map((id) =>
        document.getElementById(id).labels[0].textContent.trim()).join(", ");
    """)  # fmt: skip
    assert found["state"] == "ready" and found["resources"] == "0" and "blocked" not in found
    # u = 0.01 sin 3t at the tip, stress 1e8 sin 3t at the root, t = 0, 0.2, .. 1.
    assert found["first"].startswith("frame 3; t = 0.6 s; Largest displacement: 9.738 mm at node")
    assert found["second"].startswith("frame 1; t = 0.2 s; Largest displacement: 5.646 mm at node")
    assert found["stress"].startswith("frame 1; t = 0.2 s; Largest von mises stress: 56.46 MPa")
    assert float(found["straight"]) == pytest.approx(0.08, rel=1e-3)
    assert float(found["bent"]) == pytest.approx(0.08 + 10 * 0.005646, rel=1e-2)
    assert found["plots"] == "true" and found["sliders"] == "Time, Deformation"
    assert found["colours"] == "0 20 40 60 80 100"


@pytest.mark.slow
def test_every_mode_can_be_chosen_and_moves(modes: Path) -> None:
    """From the list, and by the address; its slider runs through the phase."""
    found = page(modes, """
      seen.first = said();
      seen.heading = document.querySelector("h2").textContent;
      seen.slider = document.getElementById("time").labels[0].textContent.trim();
      seen.top = document.getElementById("campbell")._fullLayout.yaxis.range[1];
      seen.all = document.getElementById("set").options.length;
      await turn("set", 3, "change");
      seen.last = said();
      const at = scene.data[0].x.slice();
      await turn("time", 0, "input");
      const other = scene.data[0].x, rest = (x, i) => 0.5 * (x + other[i]);
      seen.opposite = Math.max(...at.map((x, i) => Math.abs(x - other[i]))) > 0.01
        && Math.abs(Math.min(...at.map(rest))) < 1e-5;
      document.getElementById("play").click();
      await wait();
      seen.playing = document.getElementById("play").textContent;
      document.getElementById("play").click();
      const traces = document.getElementById("campbell").data;
      seen.lines = traces.filter((one) => one.mode === "lines" && /^mode/.test(one.name)).length;
      seen.orders = traces.filter((one) => /^engine order/.test(one.name)).length;
      const critical = traces.find((one) => one.name === "critical speed");
      seen.critical = Math.round(critical.x[0]);
    """, "#mode=2")  # fmt: skip
    assert found["state"] == "ready" and found["resources"] == "0" and "blocked" not in found
    assert found["first"].startswith("mode 2; 20 Hz; Largest amplitude: 1")
    assert found["heading"] == "Mode shapes at the last speed, 954.93 rpm (100 rad/s)"
    assert found["slider"] == "Phase"
    assert float(found["top"]) == pytest.approx(1.08 * 42.0), "just above the highest branch"
    assert found["all"] == "4" and found["last"].startswith("mode 4; 40 Hz")
    assert found["opposite"] == "true" and "Pause" in found["playing"]
    assert found["lines"] == "4" and found["orders"] == "4"
    assert found["critical"] == "668"  # 70 rad/s in rpm


def test_the_part_is_in_the_picture(motion: Path) -> None:
    """A screenshot shows the part in its colours, and no message."""
    image_module = pytest.importorskip("PIL.Image", reason="no pillow: pip install flexforge[view]")
    address = write_report(motion).as_uri()
    shot = motion / "shot.png"
    _chromium(motion, address, f"--screenshot={shot}", "--window-size=1200,1000")
    image = np.asarray(image_module.open(io.BytesIO(shot.read_bytes())).convert("RGB")).astype(int)
    inside = image[450:950, 150:900]
    assert 0.02 < (np.ptp(inside, axis=2) > 60).mean() < 0.6


def test_without_webgl_the_page_says_so(motion: Path) -> None:
    """The view gives way to a sentence; plots and tables remain."""
    path = write_report(motion)
    html = path.read_text("utf-8")
    off = '<script>HTMLCanvasElement.prototype.getContext = () => null;</script><script type="app'
    read = motion / "off.html"
    read.write_text(html.replace('<script type="app', off, 1), "utf-8")
    dom = _chromium(motion, read.as_uri(), "--dump-dom").stdout.decode()
    assert 'data-state="ready"' in dom
    assert re.search(r'<figure id="view" hidden="">', dom)
    assert re.search(r'<p class="note" id="nowebgl">This browser cannot draw', dom)


@pytest.mark.slow
def test_the_camera_has_all_frames_in_view(tmp_path: Path) -> None:
    """A bar that turns far out of its first position: nothing of it leaves narrow or wide pages."""
    body = bar("hex8")
    with ResultWriter(tmp_path, [body]) as writer:
        for angle in (0.0, 1.5, 3.0):
            turn = np.array([[1, 0, 0], [0, np.cos(angle), -np.sin(angle)],
                             [0, np.sin(angle), np.cos(angle)]])  # fmt: skip
            moved = (body.points - body.points.min(axis=0)) @ turn.T
            writer.frame(angle, {body.name: BodyState(moved - body.points)})
    found = page(
        tmp_path,
        """
      const plot = scene._fullLayout.scene, times = (m, v) =>
        [0, 1, 2, 3].map((i) => v.reduce((sum, value, j) => sum + m[4 * j + i] * value, 0));
      const shown = (at) => {
        const { view, projection } = plot._scene.glplot.cameraParams;
        const p = ["x", "y", "z"].map((name, i) => {
          const [low, high] = plot[`${name}axis`].range;
          return plot.aspectratio[name] * ((at[i] - low) / (high - low) - 0.5);
        });
        const [x, y, , w] = times(projection, times(view, [...p, 1]));
        return Math.max(Math.abs(x / w), Math.abs(y / w));
      };
      for (const width of [420, 1600]) {
        scene.style.width = `${width}px`;
        window.dispatchEvent(new Event("resize"));
        for (let k = 0; k < 3; k++) await wait();
        let most = 0;
        for (const number of [0, 2]) {
          await turn("time", number, "input");
          const { x, y, z } = scene.data[0];
          x.forEach((_, i) => { most = Math.max(most, shown([x[i], y[i], z[i]])); });
        }
        seen[`of${width}`] = most;
      }
    """,
    )
    assert found["state"] == "ready"
    # One is the edge of the picture: nothing is beyond, and the picture is filled.
    assert all(0.5 < float(found[name]) < 1.0 for name in ("of420", "of1600")), found


def test_bode_plots_orbits_and_waterfalls_are_drawn(tmp_path: Path) -> None:
    """Amplitude, phase and peaks of a response; an orbit with its begin; colours below orders."""
    speeds = np.linspace(50.0, 150.0, 21)
    probe = {"name": "tip", "unit": "m", "amplitude": speeds.tolist(), "phase_deg": [0.0] * 21}
    peak = {"probe": "tip", "unit": "m", "speed_rad_s": 90.0, "amplitude": 140.0, "factor": 3.0,
            "margin": 0.1, "required": 0.2, "kept": False}  # fmt: skip
    orbit = {"name": "tip", "components": "xy", "at": "peak", "speed_rad_s": 90.0, "x": [1, 0],
             "y": [0, -1], "major": 1.0, "whirl": "forward"}  # fmt: skip
    found = {"frequency_Hz": speeds.tolist(), "speed_rad_s": speeds.tolist(), "probes": [probe],
             "peaks": [peak], "operating_rad_s": [100.0, 120.0], "orbits": [orbit]}  # fmt: skip
    with ResultWriter(tmp_path / "response", [bar("hex8")], probes=[Column("tip", "m")]) as writer:
        writer.summary({"response": found})
    traces = """
      for (const i of [0, 1]) seen[`traces${i}`] = document.getElementById(`plot${i}`).data.length;
      seen.axes = Object.keys(document.getElementById("plot0").layout).filter(
        (key) => key.startsWith("yaxis")).join(" ");
      seen.range = document.getElementById("plot0").layout.shapes.length;
      seen.equal = document.getElementById("plot1").layout.yaxis.scaleanchor;
    """
    seen = page(tmp_path / "response", traces)
    assert seen["state"] == "ready" and seen["traces0"] == "3" and seen["traces1"] == "2"
    assert seen["axes"] == "yaxis yaxis2" and seen["range"] == "1" and seen["equal"] == "x"

    columns = [Column("tip x", "m"), Column("tip y", "m")]
    pair = {"name": "tip", "components": "xy", "x": "tip x", "y": "tip y"}
    spun = {"pairs": [pair], "times": [0.0, 2.0], "speeds_rad_s": [0.0, 200.0]}
    with ResultWriter(tmp_path / "motion", [bar("hex8")], probes=columns) as writer:
        for t in np.linspace(0.0, 2.0, 400):
            writer.probe_row(t, [np.cos(50 * t * t), np.sin(50 * t * t)])
        writer.summary({"orbits": spun})
    seen = page(tmp_path / "motion", """
      seen.kinds = [0, 1, 2, 3, 4, 5].map((i) => document.getElementById(`plot${i}`).data).map(
        (some) => `${some[0].type || "line"}${some.length}`).join(" ");
    """)  # fmt: skip
    assert seen["state"] == "ready" and "blocked" not in seen
    assert seen["kinds"] == "line1 line1 line2 line2 line1 heatmap7"
