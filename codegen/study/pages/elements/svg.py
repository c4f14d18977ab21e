# SPDX-License-Identifier: BSD-3-Clause
"""Drawings as SVG text: coordinates in pixels from the upper left corner, rounded to tenths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Spot = tuple[float, float]
#: A point in tenths of a pixel.
Corner = tuple[int, int]

_HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" '
    'font-family="sans-serif" font-size="{2}" fill="none" stroke-linejoin="round">\n'
    "<!-- Written by the program: make pages -->\n"
    '<rect width="{0}" height="{1}" fill="#ffffff"/>\n'
)
FONT = 13


def number(value: float) -> str:
    """Return a coordinate rounded to one tenth, as short as possible."""
    text = f"{value + 0.0:.1f}"
    return {"-0.0": "0"}.get(text, text.removesuffix(".0"))


class Drawing:
    """A picture that is drawn piece by piece, later pieces over earlier ones.

    Parameters
    ----------
    width, height : int
        In pixels.
    """

    def __init__(self, width: int, height: int) -> None:
        self._size = (width, height)
        self._pieces: list[str] = []

    def line(
        self,
        spots: Sequence[Spot],
        color: str = "#333333",
        *,
        width: float = 1.2,
        dashed: bool = False,
    ) -> None:
        """Draw a line through points.

        Parameters
        ----------
        spots : sequence of (float, float)
            Points of the line.
        color : str
            Of the stroke.
        width : float
            Of the stroke.
        dashed : bool
            Whether the line is dashed, as for hidden edges.
        """
        joined = " ".join(f"{number(x)},{number(y)}" for x, y in spots)
        dashes = ' stroke-dasharray="4 4"' if dashed else ""
        self._pieces.append(
            f'<polyline points="{joined}" stroke="{color}" stroke-width="{number(width)}"{dashes}/>'
        )

    def area(self, outlines: Iterable[Sequence[Spot]], color: str) -> None:
        """Fill outlines, and thin gaps between neighbours, with a color."""
        text = "".join(_outline(corners) for corners in _merged(outlines))
        if text:
            self._pieces.append(f'<path d="{text}" fill="{color}" stroke="{color}"/>')

    def dot(self, spot: Spot, radius: float, fill: str, stroke: str = "none") -> None:
        """Draw a disc."""
        x, y = spot
        self._pieces.append(
            f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{fill}" '
            f'stroke="{stroke}"/>'
        )

    def cross(self, spot: Spot, reach: float, color: str) -> None:
        """Draw a diagonal cross."""
        (x, y), r = spot, reach
        a, b, c, d = number(x - r), number(x + r), number(y - r), number(y + r)
        self._pieces.append(
            f'<path d="M{a} {c}L{b} {d}M{a} {d}L{b} {c}" stroke="{color}" stroke-width="1.8"/>'
        )

    def text(
        self, spot: Spot, words: str, color: str = "#111111", *, anchor: str = "middle"
    ) -> None:
        """Write text with its middle, start or end at a point, a third of a line below it."""
        x, y = spot
        self._pieces.append(
            f'<text x="{number(x)}" y="{number(y + FONT / 3)}" fill="{color}" '
            f'text-anchor="{anchor}">{words}</text>'
        )

    def finished(self) -> str:
        """Return the text of the file."""
        return "\n".join([_HEAD.format(*self._size, FONT).rstrip(), *self._pieces, "</svg>\n"])


def _merged(outlines: Iterable[Sequence[Spot]]) -> list[list[Corner]]:
    """Return the outlines of the union of neighbouring polygons, in tenths of a pixel.

    All have the same orientation, so that sides between neighbours occur twice and cancel.
    """
    sides: dict[tuple[Corner, Corner], int] = {}
    for spots in outlines:
        corners = [(round(10 * x), round(10 * y)) for x, y in spots]
        for start, end in zip(corners, corners[1:] + corners[:1], strict=True):
            if sides.get((end, start)):
                sides[end, start] -= 1
            elif start != end:
                sides[start, end] = sides.get((start, end), 0) + 1
    following: dict[Corner, list[Corner]] = {}
    for (start, end), count in sides.items():
        following.setdefault(start, []).extend([end] * count)
    loops = []
    for first, ends in following.items():
        while ends:
            loop, here = [first], ends.pop()
            while here != first:
                loop.append(here)
                here = following[here].pop()
            loops.append(_straight(loop))
    return loops


def _straight(loop: list[Corner]) -> list[Corner]:
    """Return a loop without corners on straight lines."""
    around = zip(loop[-1:] + loop[:-1], loop, loop[1:] + loop[:1], strict=True)
    return [(x, y) for (a, b), (x, y), (c, d) in around if (x - a) * (d - y) != (c - x) * (y - b)]


def _outline(corners: list[Corner]) -> str:
    """Return a closed path in relative steps, which are short for small outlines."""
    if len(corners) < 3:
        return ""
    x, y = corners[0]
    text = f"M{number(x / 10)} {number(y / 10)}l"
    steps = []
    for a, b in corners[1:]:
        steps.append(f"{number((a - x) / 10)} {number((b - y) / 10)}")
        x, y = a, b
    return text + " ".join(steps) + "z"
