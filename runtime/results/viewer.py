# SPDX-License-Identifier: BSD-3-Clause
"""Interactive views of results: a window of PyVista, or a page in the browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from flexforge.codegen.errors import InputError
from flexforge.runtime.results.drawing import Stage
from flexforge.runtime.results.read import Results
from flexforge.runtime.results.scene import Scene
from flexforge.runtime.results.scene_building import scene_of

_FRAMES = 400  # of a long run that the slider reaches
_WIDTH, _FOOT = 1300, 110  # pixels: of the window, and of its sliders


def why_no_window() -> str:
    """Return why no window can be opened, or an empty text if it can."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY")
    if sys.platform == "linux" and not any(os.environ.get(name) for name in screens):
        return "there is no display"
    if find_spec("pyvista") is None:
        return 'a window needs pyvista, which is not installed: pip install "flexforge[view]"'
    return ""


def open_page(path: Path) -> bool:
    """Open a page in the browser, and return whether there is one."""
    return webbrowser.open(path.absolute().as_uri())


def open_window(folder: Path) -> None:
    """Open a window in which bodies can be turned, with sliders, until it is closed.

    Parameters
    ----------
    folder : Path
        Written by a `ResultWriter`.

    Raises
    ------
    InputError
        If there is nothing to see, or PyVista is not installed.
    """
    scene = scene_of(Results(folder), _FRAMES)
    window_of(folder, scene).plotter.show(title=str(folder))


def window_of(folder: Path, scene: Scene, *, hidden: bool = False) -> Stage:
    """Return a window with its sliders, which is not open yet.

    Parameters
    ----------
    folder : Path
        Named in errors.
    scene : Scene
        What it shows: frames if there are any, else modes.
    hidden : bool
        Whether there is no screen.
    """
    states = scene.frames or scene.modes
    if not scene.pieces or not states:
        raise InputError(f"{folder}: has nothing to see; expected formats hdf5 or vtu")
    modal = not scene.frames
    scale = 0.1 * scene.size if modal else scene.scale
    stage = Stage(scene, states, scale, width=_WIDTH, hidden=hidden, oscillating=modal, foot=_FOOT)
    now: dict[str, Any] = {"state": len(states) - 1 if not modal else 0, "scale": scale}

    def show(**change: float) -> None:
        now.update(change)
        number = round(now["state"])
        state = states[number]
        text = f"mode {number + 1}: {state.label:.6g} Hz" if modal else f"t = {state.label:.6g} s"
        stage.show(state, now["scale"], scene.units.message(text))

    if len(states) > 1:
        first = 1 if modal else 0
        stage.slider(
            "mode" if modal else "frame",
            (first, len(states) - 1 + first),
            now["state"] + first,
            lambda value: show(state=value - first),
            0.04,
        )
    stage.slider("deformation", (0.0, 2 * scale), scale, lambda value: show(scale=value), 0.45)
    show()
    return stage
