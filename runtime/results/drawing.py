# SPDX-License-Identifier: BSD-3-Clause
"""A scene drawn by PyVista: the pictures of an animation, and the interactive window.

PyVista is part of the extra ``view``; nothing else needs it.
"""

from __future__ import annotations

import ctypes.util
import math
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.results.scene import COLOURS, QUANTITIES, Scene, State, peak_of
from flexforge.runtime.results.units import prefix

_INK, _GREY, _PEAK = "#222a33", "#8a949e", "#b3261e"
_BAR = 0.17  # fraction of the width that the colour bar takes
_MARGIN = 1.07  # of the frame around what is drawn
_HEAD = 34  # height of the line of text, pixels


class Stage:
    """A scene in a window, or in a picture.

    Parameters
    ----------
    scene : Scene
        The scene.
    states : sequence of State
        All states that will be shown: colours and the frame are common to them.
    scale : float
        Factor of displacements.
    quantity : str
        Quantity shown by colours, of `QUANTITIES`.
    width : int
        Width, pixels; the height follows from what is shown.
    hidden : bool
        Whether pictures are made without a window.
    oscillating : bool
        Whether displacements also change their sign: those of a mode.
    foot : int
        Height to leave free at the bottom, pixels.
    """

    def __init__(
        self,
        scene: Scene,
        states: tuple[State, ...],
        scale: float,
        quantity: str = "displacement",
        *,
        width: int = 900,
        hidden: bool = True,
        oscillating: bool = False,
        foot: int = 0,
    ) -> None:
        pyvista = pyvista_module(hidden=hidden)
        self.scene, self.scale, self.quantity, self._states = scene, scale, quantity, states
        self._oscillating = oscillating
        self._axes = _axes_of(scene)
        low, high = self._bounds()
        bar = _BAR if scene.quantities else 0.0
        size = np.maximum((high - low)[:2], 1e-3 * scene.size)
        height = round(np.clip(size[1] / size[0], 0.25, 0.9) * width * (1 - bar)) + _HEAD + foot
        window = (width + width % 2, height + height % 2)
        self.plotter = pyvista.Plotter(off_screen=hidden, window_size=window)
        self.plotter.set_background("white")
        self.plotter.enable_anti_aliasing("ssaa")
        self._meshes: list[tuple[int, Any, Any]] = []
        self._draw(pyvista)
        self._look(low, high, bar, foot, window)

    def show(self, state: State, scale: float, text: str = "") -> None:
        """Move everything to a state.

        Parameters
        ----------
        state : State
            The state.
        scale : float
            Factor of displacements.
        text : str
            A line above the picture; by default one that names the largest value.
        """
        for piece, mesh, lines in self._meshes:
            given = self.scene.pieces[piece]
            rows = given.shape.node if given.shape else np.zeros(1, dtype=np.int64)
            rest = given.shape.rest if given.shape else given.points[:1]
            mesh.points = state.placed(piece, rest, state.moves[piece][rows], scale)
            if lines is not None:
                lines.points = mesh.points
            if given.coloured and given.shape and self.scene.quantities:
                mesh["values"] = state.values(piece, self.quantity)[rows] / self._factor
        for number, joint in enumerate(self.scene.joints):
            point = self.scene.pieces[joint.piece].points[joint.row : joint.row + 1]
            move = state.moves[joint.piece][joint.row : joint.row + 1]
            self._joints.points[number] = state.placed(joint.piece, point, move, scale)[0]
        self._joints.Modified()
        if self.scene.quantities:
            piece, row, value = peak_of(self.scene, state, self.quantity)
            point = self.scene.pieces[piece].points[row : row + 1]
            move = state.moves[piece][row : row + 1]
            self._peak.points = state.placed(piece, point, move, scale)
            unit = f" {self._unit}" if self._unit else ""
            text = f"{text}   max {value / self._factor:.4g}{unit}, node {row}"
        width, height = self.plotter.window_size
        font = float(np.clip(0.8 * width / max(len(text), 1), 5, 10))
        self.plotter.add_text(
            text, position=(12, height - 28), font_size=font, color=_INK, name="text"
        )

    def picture(self) -> Any:
        """Return the picture: (height, width, 3), 0 to 255."""
        return np.asarray(self.plotter.screenshot(return_img=True))[..., :3]

    def slider(
        self,
        title: str,
        limits: tuple[float, float],
        value: float,
        call: Callable[[float], None],
        left: float,
    ) -> None:
        """Add a slider at the bottom, from a fraction of the width on, that calls a function."""
        whole = title != "deformation"
        self.plotter.add_slider_widget(
            call, limits, value=value, title=title, fmt="%.0f" if whole else "%.3g", color=_INK,
            pointa=(left, 0.07), pointb=(left + 0.33, 0.07), style="modern", title_height=0.018,
            slider_width=0.015, tube_width=0.004,
        )  # fmt: skip

    def close(self) -> None:
        """Release the window."""
        self.plotter.close()

    def _bounds(self) -> tuple[Floats, Floats]:
        """Return the corners of a box along the axes of the view that holds all states."""
        scales = (self.scale, -self.scale) if self._oscillating else (self.scale,)
        places = [
            state.placed(k, piece.points, state.moves[k], scale) @ self._axes.T
            for state in self._states
            for scale in (*scales, 0.0)
            for k, piece in enumerate(self.scene.pieces)
        ]
        every = np.concatenate(places)
        return every.min(axis=0), every.max(axis=0)

    def _draw(self, pyvista: Any) -> None:
        self._factor, self._unit, top = self._colours()
        steps = round_steps(top)
        colours = _colour_map()
        first = self._states[0]
        for k, piece in enumerate(self.scene.pieces):
            if piece.shape is None:
                mesh = pyvista.PolyData(piece.points[:1].astype(float))
                self.plotter.add_mesh(
                    mesh, color="#5b6672", point_size=11, render_points_as_spheres=True
                )
                self._meshes.append((k, mesh, None))
                continue
            mesh = pyvista.PolyData(piece.shape.rest.copy(), _cells(piece.shape.triangles))
            look: dict[str, Any] = {"color": "#aeb6bf"}
            if piece.coloured and self.scene.quantities:
                mesh["values"] = np.zeros(len(piece.shape.node))
                look = {
                    "scalars": "values",
                    "cmap": colours,
                    "clim": (0.0, steps[-1]),
                    "show_scalar_bar": False,
                }
            actor = self.plotter.add_mesh(
                mesh, smooth_shading=True, ambient=0.25, specular=0.15, **look
            )
            if "scalars" in look:
                self._bar(actor.mapper, steps)
            rest = piece.shape.rest.copy()
            lines = pyvista.PolyData(rest, lines=_cells(piece.shape.edges))
            before = pyvista.PolyData(
                first.placed(k, rest, np.zeros_like(rest), 0.0), lines=_cells(piece.shape.edges)
            )
            if len(piece.shape.edges):
                self.plotter.add_mesh(lines, color=_INK, line_width=1.5)
                if not self.scene.in_space:
                    self.plotter.add_mesh(before, color=_GREY, line_width=1.0)
            self._meshes.append((k, mesh, lines))
        point = max(9, self.plotter.window_size[0] // 60)
        self._joints = pyvista.PolyData(np.zeros((len(self.scene.joints) or 1, 3)))
        if self.scene.joints:
            for color, size in ((_INK, point + 4), ("white", point)):
                _in_front(self.plotter.add_mesh(
                    self._joints, color=color, point_size=size, lighting=False,
                    render_points_as_spheres=True,
                ))  # fmt: skip
        self._peak = pyvista.PolyData(np.zeros((1, 3)))
        if self.scene.quantities:
            _in_front(self.plotter.add_mesh(
                self._peak, color=_PEAK, point_size=point + 2, render_points_as_spheres=True
            ))  # fmt: skip

    def _colours(self) -> tuple[float, str, float]:
        """Return factor and name of the unit, and the largest value in it."""
        name, unit = QUANTITIES[self.quantity]
        if self._oscillating:
            name, unit = "Amplitude", ""
        self._name = name
        tops = [peak_of(self.scene, state, self.quantity)[2] for state in self._states]
        top = max(0.0, *tops) if self.scene.quantities else 0.0
        factor, prefixed = prefix(top, unit, self.scene.units)
        return factor, prefixed, top / factor

    def _bar(self, mapper: Any, steps: Floats) -> None:
        """Add the colour bar once, with round numbers."""
        if self.plotter.scalar_bars.keys():
            return
        title = f"{self._name}\n[{self._unit}]" if self._unit else self._name
        font = int(np.clip(self.plotter.window_size[0] / 55, 10, 15))
        self.plotter.add_scalar_bar(
            title, mapper=mapper, vertical=True, n_labels=len(steps), fmt="%.4g", color=_INK,
            title_font_size=font, label_font_size=font, position_x=1 - _BAR + 0.05, position_y=0.12,
            width=0.09, height=0.7,
        )  # fmt: skip
        bar = self.plotter.scalar_bars[title]
        bar.SetVerticalTitleSeparation(round(0.8 * font))

    def _look(
        self, low: Floats, high: Floats, bar: float, foot: int, window: tuple[int, int]
    ) -> None:
        """Place the camera so that the box fills the picture beside the bar and below the text."""
        inner = (window[0] * (1 - bar), window[1] - _HEAD - foot)
        size = high - low
        pixel = _MARGIN * max(size[0] / inner[0], size[1] / inner[1], 1e-9 * self.scene.size)
        right, up, out = self._axes
        middle = (0.5 * (low + high)) @ self._axes
        middle = middle + 0.5 * pixel * (window[0] * bar * right + (_HEAD - foot) * up)
        camera = self.plotter.camera
        camera.parallel_projection = True
        camera.focal_point = middle
        distance = 2 * self.scene.size + size[2]
        camera.position = middle + distance * out
        camera.up = up
        camera.parallel_scale = 0.5 * pixel * window[1]
        # All states are within the box, not only the one that is drawn first.
        camera.clipping_range = (0.25 * distance, 2.0 * distance)


def pyvista_module(*, hidden: bool) -> Any:
    """Return PyVista.

    Parameters
    ----------
    hidden : bool
        Whether pictures are to be made without a window.

    Raises
    ------
    InputError
        If it is not installed, or the system has no OpenGL library for it.
    """
    if hidden and sys.platform == "linux" and not os.environ.get("DISPLAY"):
        windows = {"EGL": "vtkEGLRenderWindow", "OSMesa": "vtkOSOpenGLRenderWindow"}
        found = next((one for one in windows if ctypes.util.find_library(one)), None)
        if found is None:
            raise InputError("drawing needs an OpenGL library: apt install libegl1 libgl1-mesa-dri")
        os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", windows[found])
    try:
        import pyvista
    except ModuleNotFoundError as error:
        raise InputError(
            f"drawing needs {error.name or 'pyvista'}, which is not installed: "
            'pip install "flexforge[view]"'
        ) from None
    except ImportError as error:  # a library of the system that VTK is linked with
        raise InputError(f"drawing needs pyvista, which cannot be loaded: {error}") from None
    return pyvista


def round_steps(top: float) -> Floats:
    """Return round values from zero to the first beyond the largest, 1, 2 or 5 times a power of 10.

    Parameters
    ----------
    top : float
        The largest value.

    Examples
    --------
    >>> round_steps(1.35)
    array([0. , 0.2, 0.4, 0.6, 0.8, 1. , 1.2, 1.4])
    """
    if not top > 0:
        return np.array([0.0, 1.0])
    power = 10.0 ** math.floor(math.log10(top / 7))
    step = power * next(m for m in (1, 2, 5, 10) if m * power >= 0.999 * top / 7)
    digits = max(0, -math.floor(math.log10(step)) + 1)
    return np.round(step * np.arange(math.ceil(top / step - 1e-9) + 1), digits)


def _colour_map() -> Any:
    from matplotlib.colors import LinearSegmentedColormap  # PyVista needs it too

    return LinearSegmentedColormap.from_list("flexforge", COLOURS)


def _in_front(actor: Any) -> None:
    """Draw points in front of the surfaces that contain them."""
    # A sphere's shader sets its own depth, so an offset of the mapper has no effect on it.
    actor.GetShaderProperty().AddFragmentShaderReplacement(
        "//VTK::Light::Impl", True, "//VTK::Light::Impl\n  gl_FragDepth = 0.0;\n", False
    )


def _axes_of(scene: Scene) -> Floats:
    """Return right, up and towards the viewer, as rows."""
    out = scene.eye
    up = np.array([0.0, 1.0, 0.0]) if scene.flat else np.array([0.0, 0.0, 1.0])
    right = np.cross(up, out)
    right = right / np.linalg.norm(right)
    return np.stack([right, np.cross(out, right), out])


def _cells(rows: Ints) -> Ints:
    """Return cells as VTK lists them: the number of vertices before each."""
    return np.column_stack([np.full(len(rows), rows.shape[1]), rows]).ravel()
