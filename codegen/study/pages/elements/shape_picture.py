# SPDX-License-Identifier: BSD-3-Clause
"""The picture of shape functions: curves over a line, bands of color on the faces of a cell."""

from __future__ import annotations

from collections.abc import Callable

import sympy
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.study.pages.elements.bands import STEPS, color, paint
from flexforge.codegen.study.pages.elements.cell_picture import (
    CAPTION,
    MARGIN,
    PANEL,
    outline,
    placed,
)
from flexforge.codegen.study.pages.elements.cells import View, places_of, view_of
from flexforge.codegen.study.pages.elements.formulas import (
    Function,
    for_drawing,
    functions,
    softens,
)
from flexforge.codegen.study.pages.elements.svg import Drawing

_COLORS = ("#1f4e8c", "#c0392b", "#1e8449", "#8e5ea2")
_LEGEND, _SAMPLES = 80, 40
#: Kinds of nodes of a solid whose functions are drawn; other functions vanish on most faces.
_OF_SOLIDS = ("corner", "middle of an edge")
_GREEK = {"theta": "\N{GREEK SMALL LETTER THETA}"}


def shape_picture(element: AnyElement) -> str:
    """Return the picture as SVG.

    Parameters
    ----------
    element : Element or FieldElement
        An element of one to three dimensions.
    """
    return _curves(element) if element.dimension == 1 else _faces(element)


def _number(element: AnyElement, value: sympy.Expr) -> Callable[..., float]:
    """Return the numeric function; for a pyramid, the apex takes the value just below it."""
    found = sympy.lambdify(REFERENCE[: element.dimension], value, modules="math")
    if element.cell != "pyramid":
        return found  # type: ignore[no-any-return]  # SymPy says nothing of what it makes
    return lambda x, y, z: found(x, y, min(z, 1 - 1e-9))


def _label(function: Function) -> str:
    """Return the name of a function as text."""
    name, node = function.symbol.rsplit("_", 1)
    if name == "N":
        return f"N{node}"
    letter, _, axis = name.partition("_")
    return f"{_GREEK.get(letter, letter)}{axis} of node {node}"


def _curves(element: AnyElement) -> str:
    """Draw all functions of a line, dashed with shear if they depend on it."""
    height = 260
    drawing = Drawing(2 * PANEL, height)
    found = functions(element)
    left, right, bottom, top = MARGIN, 2 * PANEL - 180, height - MARGIN, 20
    samples = [2 * k / _SAMPLES - 1 for k in range(_SAMPLES + 1)]
    curves = []
    for place, f in enumerate(found):
        for softness in (0, 1) if softens(f) else (0,):
            value = _number(element, for_drawing(f, softness))
            curves.append((place, softness, [float(value(x)) for x in samples]))
    low = min(0.0, *(min(values) for _, _, values in curves))

    def to(x: float, y: float) -> tuple[float, float]:
        return (
            left + (x + 1) / 2 * (right - left),
            bottom - (y - low) / (1 - low) * (bottom - top),
        )

    for y in (0, 1):
        drawing.line((to(-1, y), to(1, y)), "#bbbbbb")
        drawing.text((left - 14, to(0, y)[1]), str(y), "#777777")
    for place, softness, values in curves:
        spots = [to(x, y) for x, y in zip(samples, values, strict=True)]
        drawing.line(spots, _COLORS[place % 4], width=1.8, dashed=bool(softness))
    for place, f in enumerate(found):
        y = top + 14 + 22 * place
        drawing.line(((right + 20, y), (right + 42, y)), _COLORS[place % 4], width=1.8)
        drawing.text((right + 50, y), _label(f), anchor="start")
    if any(softness for _, softness, _ in curves):
        words = "\N{GREEK SMALL LETTER PHI} = 0, dashed \N{GREEK SMALL LETTER PHI} = 1"
        drawing.text((right + 20, top + 14 + 22 * len(found)), words, anchor="start")
    for (x,) in places_of(element):
        drawing.dot(to(x, 0), 3.5, _COLORS[0])
    words = "\N{GREEK SMALL LETTER XI} from -1 to 1"
    drawing.text(((left + right) / 2, height - 16), words, "#777777")
    return drawing.finished()


def _faces(element: AnyElement) -> str:
    """Draw one function of every kind on the visible faces, and a scale."""
    view = view_of(element)
    chosen = _chosen(element, view)
    drawing = Drawing(len(chosen) * PANEL + _LEGEND, PANEL + CAPTION)
    bands: set[int] = set()
    for panel, f in enumerate(chosen):
        to = placed(view, panel * PANEL, PANEL)
        value, words = _scaled(element, f)
        for face, seen in zip(view.faces, view.seen, strict=True):
            if seen:
                bands |= paint(drawing, [view.corners[i] for i in face], value, to)
        outline(drawing, view, to, glass=False)
        drawing.dot(to(places_of(element)[f.node]), 3.5, _COLORS[0])
        drawing.text(((panel + 0.5) * PANEL, PANEL + CAPTION / 2 - 2), words)
    _scale(drawing, bands, len(chosen) * PANEL)
    return drawing.finished()


def _scaled(element: AnyElement, function: Function) -> tuple[Callable[..., float], str]:
    """Return the function scaled to a largest value of one, and its name."""
    value = _number(element, for_drawing(function))
    if function.symbol.startswith("N_"):
        return value, f"{_label(function)}, {function.part}"
    steps = [k / 64 for k in range(65)]
    square = element.cell == "quadrilateral"
    places = (
        [(2 * x - 1, 2 * y - 1) for x in steps for y in steps]
        if square
        else [(x, y) for x in steps for y in steps if x + y <= 1]
    )
    largest = max((value(*place) for place in places), key=abs)
    return lambda *at: value(*at) / largest, f"{_label(function)}, largest {largest:.3g}"


def _chosen(element: AnyElement, view: View) -> list[Function]:
    """Return one function of every kind; for a solid, that of the most visible node."""
    found = functions(element)
    if not all(f.symbol.startswith("N_") for f in found):
        return list(found)
    parts = dict.fromkeys(f.part for f in found)
    if element.dimension == 2:
        return [next(f for f in found if f.part == part) for part in parts]
    places = places_of(element)

    def faces_seen(f: Function) -> int:
        return sum(
            seen and _on(view, face, places[f.node])
            for face, seen in zip(view.faces, view.seen, strict=True)
        )

    return [
        max((f for f in found if f.part == part), key=faces_seen)
        for part in parts
        if part in _OF_SOLIDS
    ]


def _on(view: View, face: tuple[int, ...], place: tuple[float, ...]) -> bool:
    """Return whether a node is a corner of a face, or the middle of one of its edges."""
    for one in face:
        for other in face:
            middle = [
                (x + y) / 2 for x, y in zip(view.corners[one], view.corners[other], strict=True)
            ]
            if max(abs(x - y) for x, y in zip(middle, place, strict=True)) < 1e-9:
                return True
    return False


def _scale(drawing: Drawing, bands: set[int], left: float) -> None:
    """Draw the colors and the values between them."""
    low = min(*bands, 0)
    size = (PANEL - 2 * MARGIN) / (STEPS - low)
    for band in range(low, STEPS):
        bottom = PANEL - MARGIN - (band - low) * size
        spots = [(left + 8, bottom), (left + 26, bottom), (left + 26, bottom - size),
                 (left + 8, bottom - size)]  # fmt: skip
        drawing.area([spots], color(band))
    for band in range(low + low % 2, STEPS + 1, 2):
        drawing.text(
            (left + 34, PANEL - MARGIN - (band - low) * size), f"{band / STEPS:.1f}", anchor="start"
        )
