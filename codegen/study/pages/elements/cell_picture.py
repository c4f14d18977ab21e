# SPDX-License-Identifier: BSD-3-Clause
"""The picture of a reference cell: its nodes with their numbers, its quadrature points."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.study.pages.elements.cells import View, places_of, view_of
from flexforge.codegen.study.pages.elements.svg import Drawing, Spot

PANEL, CAPTION, MARGIN = 300, 30, 42
#: Height of a picture of a cell of one dimension.
_LOW = 90
_NODE, _POINT = "#1f4e8c", "#c0392b"
_AXES = ("\N{GREEK SMALL LETTER XI}", "\N{GREEK SMALL LETTER ETA}", "\N{GREEK SMALL LETTER ZETA}")
#: Possible positions of a label relative to its point, best first.
_TURNS = (0, 45, -45, 90, -90, 135, -135, 180)


def cell_picture(element: AnyElement) -> str:
    """Return the picture as SVG.

    Parameters
    ----------
    element : Element or FieldElement
        An element of one to three dimensions.
    """
    view, height = view_of(element), _LOW if element.dimension == 1 else PANEL
    drawing = Drawing(2 * PANEL, height + CAPTION)
    places = places_of(element)
    to = placed(view, 0, height)
    outline(drawing, view, to)
    nodes = [to(place) for place in places]
    _label(drawing, nodes, to(_mean(view.corners)), _samples(view, to))
    _axes(drawing, view, height)
    drawing.text((PANEL / 2, height + CAPTION / 2 - 2), "nodes")
    to = placed(view, PANEL, height)
    outline(drawing, view, to)
    points, _ = rule(element.cell, element.degree["stiffness"])
    for point in points:
        drawing.cross(to(point), 4.0, _POINT)
    words = "quadrature points of the stiffness"
    drawing.text((1.5 * PANEL, height + CAPTION / 2 - 2), words)
    return drawing.finished()


def placed(view: View, left: float, height: float) -> Callable[[Sequence[float]], Spot]:
    """Return the map of reference coordinates to a panel, as large as possible.

    Parameters
    ----------
    view : View
        How the cell is seen.
    left : float
        Where the panel begins.
    height : float
        Its height.
    """
    flat = [view.flat(corner) for corner in view.corners]
    low = [min(spot[i] for spot in flat) for i in range(2)]
    high = [max(spot[i] for spot in flat) for i in range(2)]
    spans = [b - a or 1e-9 for a, b in zip(low, high, strict=True)]
    scale = min((PANEL - 2 * MARGIN) / spans[0], (height - 2 * MARGIN) / spans[1])

    def to(place: Sequence[float]) -> Spot:
        x, y = view.flat(place)
        return (
            left + PANEL / 2 + scale * (x - (low[0] + high[0]) / 2),
            height / 2 - scale * (y - (low[1] + high[1]) / 2),
        )

    return to


def outline(
    drawing: Drawing, view: View, to: Callable[[Sequence[float]], Spot], *, glass: bool = True
) -> None:
    """Draw the edges; hidden ones first and dashed.

    Parameters
    ----------
    drawing : Drawing
        What is drawn on.
    view : View
        How the cell is seen.
    to : callable
        Puts reference coordinates into the picture.
    glass : bool
        Whether hidden edges are drawn.
    """
    for wanted in (True, False) if glass else (False,):
        for (a, b), hidden in zip(view.edges, view.hidden, strict=True):
            if hidden == wanted:
                color = "#999999" if hidden else "#333333"
                ends = (to(view.corners[a]), to(view.corners[b]))
                drawing.line(ends, color, dashed=hidden)


def _mean(places: Sequence[Sequence[float]]) -> tuple[float, ...]:
    return tuple(sum(column) / len(places) for column in zip(*places, strict=True))


def _samples(view: View, to: Callable[[Sequence[float]], Spot]) -> list[Spot]:
    """Return points along the edges, which labels avoid."""
    found = []
    for a, b in view.edges:
        (x, y), (v, w) = to(view.corners[a]), to(view.corners[b])
        found += [(x + k / 30 * (v - x), y + k / 30 * (w - y)) for k in range(31)]
    return found


def _label(drawing: Drawing, nodes: list[Spot], middle: Spot, edges: list[Spot]) -> None:
    """Draw nodes with their numbers, on the outer side unless something is there."""
    taken: list[Spot] = []
    for number, (x, y) in enumerate(nodes):
        drawing.dot((x, y), 3.5, _NODE)
        out = math.atan2(y - middle[1], x - middle[0])
        out = -math.pi / 4 if math.dist((x, y), middle) < 1 else out
        best, place = -math.inf, (x, y)
        for turn in _TURNS:
            angle = out + math.radians(turn)
            spot = (x + 15 * math.cos(angle), y + 13 * math.sin(angle))
            others = [other for other in nodes if other != (x, y)] + taken
            room = min((math.dist(spot, other) for other in others), default=math.inf)
            free = min(math.dist(spot, edge) for edge in edges)
            # Whole pixels, so that rounding does not choose between equally good positions.
            score = min(round(room), 17) + min(round(free), 9)
            if score > best:
                best, place = score, spot
        taken.append(place)
        drawing.text(place, str(number), _NODE)


def _axes(drawing: Drawing, view: View, height: float) -> None:
    """Draw the directions of the reference axes in the lower left corner."""
    start, reach = (14.0, height - 8.0), 17.0
    for name, axis in zip(_AXES, view.axes, strict=False):
        end = (start[0] + reach * axis[0], start[1] - reach * axis[1])
        size = math.dist(start, end)
        drawing.line((start, end), "#777777")
        ahead = ((end[0] - start[0]) / size, (end[1] - start[1]) / size)
        drawing.text((end[0] + 9 * ahead[0], end[1] + 9 * ahead[1]), name, "#777777")
