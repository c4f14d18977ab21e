# SPDX-License-Identifier: BSD-3-Clause
"""Decks written for tests: a bar of cubes along x, in the words of CalculiX."""

from __future__ import annotations

from pathlib import Path

#: Corners of a cube of side one at the origin, in the order of C3D8.
CORNERS = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))

MATERIAL = """\
*MATERIAL, NAME=Steel
*ELASTIC
210000., .3
*DENSITY
7.8E-9
*EXPANSION, ZERO=20.
1.2E-5
"""

#: The face x = 0 slides, and nothing else moves as a rigid body: stresses are uniform.
SUPPORTS = """\
*BOUNDARY
left, 1
1, 2, 3
2, 3
"""


def bar(cells: int = 3, kind: str = "C3D8") -> str:
    """Return nodes, elements and sets of a bar of unit cubes; nodes 1 to 4 are at x = 0."""
    nodes, elements = [], []
    for i in range(cells + 1):
        for place, (y, z) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1))):
            nodes.append(f"{4 * i + place + 1}, {i}., {y}., {z}.")
    for i in range(cells):
        # Counter-clockwise below (z = 0), then above.
        near, far = 4 * i, 4 * (i + 1)
        order = (near + 1, far + 1, far + 2, near + 2, near + 4, far + 4, far + 3, near + 3)
        elements.append(f"{i + 1}, {', '.join(map(str, order))}")
    last = 4 * cells
    return "\n".join(
        [
            "*HEADING",
            "A bar",
            "** a comment",
            "*NODE, NSET=Nall",
            *nodes,
            f"*ELEMENT, TYPE={kind}, ELSET=Eall",
            *elements,
            "*NSET, NSET=Left",
            "1, 2, 3, 4",
            "*NSET, NSET=EDGE, GENERATE",
            f"1, {last + 1}, 4",
            "*NSET, NSET=right",
            f"{last + 1}, {last + 2},",
            f"{last + 3}, {last + 4}",
            f"*ELSET, ELSET=End\n{cells}",
            "",
        ]
    )


def written(folder: Path, text: str, name: str = "bar.inp") -> Path:
    """Write a deck and return its path."""
    path = folder / name
    path.write_text(text)
    return path


def solid(kind: str = "C3D8", cells: int = 3, support: str = SUPPORTS) -> str:
    """Return everything of a bar before its steps."""
    section = "*SOLID SECTION, ELSET=eall, MATERIAL=STEEL\n"
    return bar(cells, kind) + MATERIAL + section + support


def step(*cards: str, options: str = "") -> str:
    """Return a step of some cards."""
    return "\n".join([f"*STEP{options}", *cards, "*END STEP", ""])
