# SPDX-License-Identifier: BSD-3-Clause
"""One view in three dimensions: in a notebook, or as a page of its own."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

from flexforge.codegen.errors import InputError
from flexforge.codegen.files.atomic import write_file
from flexforge.runtime.results.packed import packed
from flexforge.runtime.results.scene import Scene
from flexforge.runtime.results.scene_building import Readable, scene_of
from flexforge.runtime.results.script import packed_plotly_script, safe_json

#: Nodal vectors of all frames and modes together: about 1 MB of text.
MOST_VALUES = 100_000
_SMALLEST, _LARGEST = 200, 4000  # height, pixels


@dataclass(frozen=True, slots=True)
class View:
    """Bodies that can be turned, with sliders; the last line of a cell of a notebook shows it.

    It holds everything that it needs, also the script that draws: 2 to 3 MB in the notebook.

    Attributes
    ----------
    title : str
        Title of its page.
    page : str
        The page, HTML.
    height : int
        Height in a notebook, pixels.
    """

    title: str
    page: str
    height: int

    def __repr__(self) -> str:
        return f"view of {self.title}; a notebook shows it"

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.page)}" title="{escape(self.title)}" loading="lazy" '
            f'style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )

    def save(self, path: Path | str, *, overwrite: bool = False) -> Path:
        """Write the view as a page that needs neither network nor other files.

        Parameters
        ----------
        path : Path or str
            The file.
        overwrite : bool
            Replace an existing file.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InputError
            If the file exists and is not to be replaced, or cannot be written.
        """
        path = Path(path)
        if path.exists() and not overwrite:
            raise InputError(f"{path}: exists; expected a new file, or overwrite=True")
        write_file(path, self.page, overwrite=overwrite)
        return path


def view_of(results: Readable, frames: int = 60, height: int = 600) -> View:
    """Return the view of results.

    Parameters
    ----------
    results : Readable
        The results.
    frames : int
        Largest number of frames, evenly spaced over those there are.
    height : int
        Height in a notebook, pixels.

    Raises
    ------
    InputError
        If there is nothing to see.
    """
    if frames < 1:
        raise InputError(f"frames: found {frames}; expected at least 1")
    title = str(results.summary.get("title") or results.folder.name)
    scene = scene_of(results, frames, MOST_VALUES)
    if not scene.pieces or not (scene.frames or scene.modes):
        raise InputError(
            f"{results.folder}: has nothing to see; expected output.formats with hdf5 or vtu"
        )
    return view_of_scene(title, scene, height)


def view_of_scene(title: str, scene: Scene, height: int, *, controls: bool = True) -> View:
    """Return the view of a scene.

    Parameters
    ----------
    title : str
        Title of the page.
    scene : Scene
        What it shows.
    height : int
        Height in a notebook, pixels.
    controls : bool
        Whether it has sliders.
    """
    from flexforge.templates import render

    if not _SMALLEST <= height <= _LARGEST:
        raise InputError(f"height: found {height}; expected {_SMALLEST} to {_LARGEST} pixels")
    shown = packed(scene)
    page = render(
        "notebook/view.html.jinja",
        title=title,
        scene=shown,
        controls=controls,
        data=safe_json({"scene": shown, "plots": [], "campbell": None}),
        plotly=packed_plotly_script(),
    )
    return View(title, page, height)
