# SPDX-License-Identifier: BSD-3-Clause
"""The pages of docs/elements are what the program writes, complete, and their pictures right."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
import sympy
from flexforge.codegen.elements.catalogue import LUMPED, RODS, SHELLS, find
from flexforge.codegen.elements.facts import HYPOTHESES, REVOLVED
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.library import PLANE, SOLID, VARIANTS
from flexforge.codegen.study.pages.elements.bands import paint
from flexforge.codegen.study.pages.elements.build import page, pages
from flexforge.codegen.study.pages.elements.cells import view_of
from flexforge.codegen.study.pages.elements.families import families
from flexforge.codegen.study.pages.elements.formulas import for_drawing, functions, order, shown
from flexforge.codegen.study.pages.elements.svg import Drawing
from flexforge.codegen.study.pages.elements.texts import ORDERS, USES
from flexforge.runtime.mesh import read_abaqus, read_exodus, read_gmsh
from flexforge.runtime.mesh.cells import TO_VTK

FOLDER = Path(__file__).parents[4] / "docs" / "elements"
SVGS = sorted(path.name for path in FOLDER.glob("*.svg"))


def _same(name: str, text: str) -> None:
    assert (FOLDER / name).read_bytes() == text.encode(), f"{name}: run make pages"


def test_the_pages_of_plane_elements_are_those_of_the_program() -> None:
    """Byte for byte; ``make pages`` writes them anew."""
    for family in families("plane"):
        for name, text in page(family).items():
            _same(name, text)


@pytest.mark.slow
def test_the_pages_are_those_of_the_program() -> None:
    """Byte for byte, and no others: every element, the index and the pictures."""
    found = pages()
    assert sorted(found) == sorted(path.name for path in FOLDER.iterdir())
    for name, text in found.items():
        _same(name, text)


def test_every_element_has_its_page() -> None:
    """Every name of the catalogue heads a part of one page, and every page is listed."""
    headings = Counter(
        line.removeprefix("## ").strip("`")
        for path in FOLDER.glob("*.md")
        for line in path.read_text().splitlines()
        if line.startswith("## `")
    )
    names = [*RODS, *SHELLS, *LUMPED, *SOLID]
    names += [f"{p}_{h}" for p in PLANE for h in HYPOTHESES]
    names += [v for v in VARIANTS if v.startswith(("hex", "tet"))]
    names += [f"{v}_plane_strain" for v in VARIANTS if v.startswith(("quad", "tri"))]
    names += ["quad4i_plane_stress", "quad8r_plane_stress", "quad8rm_plane_stress"]
    names += ["tri6f_plane_stress"]
    names += [f"{v}_{h}" for v in ("quad8r", "quad8rm") for h in REVOLVED]
    assert headings == Counter(names)
    index = (FOLDER / "README.md").read_text()
    for name in USES:
        assert f"[{name}]({name}.md)" in index
    assert {path.stem for path in FOLDER.glob("*.md")} == {*USES, "README"}


def test_every_link_leads_somewhere() -> None:
    """Links and pictures name files of the repository, and every picture is shown."""
    pictures = set()
    for path in FOLDER.glob("*.md"):
        for target in re.findall(r"\]\(([^)]+)\)", path.read_text()):
            file = target.partition("#")[0]
            assert (path.parent / file).is_file(), f"{path.name}: {target}"
            pictures |= {file} & set(SVGS)
    assert pictures == set(SVGS)


def test_numberings_are_those_of_the_readers() -> None:
    """What a page says of other programs is what the readers of their files do."""
    readers = {"Gmsh": read_gmsh, "Exodus": read_exodus, "Abaqus": read_abaqus}
    for program, module in readers.items():
        table = {cell.replace("line3", "bar3"): tuple(o) for cell, o in module.ORDER.items()}
        assert ORDERS[program] == table
    assert ORDERS["VTK"] == TO_VTK


@pytest.mark.parametrize("name", SVGS)
def test_pictures_are_small_and_nothing_is_cut_off(name: str) -> None:
    """A picture is XML below 28 kB; its dots and words are inside, with half a line to spare."""
    text = (FOLDER / name).read_text()
    assert len(text) < 28_000
    root = ElementTree.fromstring(text)
    width, height = (float(root.attrib[key]) for key in ("width", "height"))
    spots = [
        (float(e.attrib["cx"]), float(e.attrib["cy"])) for e in root.iter() if "cx" in e.attrib
    ]
    words = [e for e in root.iter() if e.tag.endswith("text")]
    for word in words:
        x, reach = float(word.attrib["x"]), 7.5 * len(word.text or "")
        left = {"start": 0.0, "middle": reach / 2}[word.attrib["text-anchor"]]
        spots += [(x - left, float(word.attrib["y"])), (x - left + reach, float(word.attrib["y"]))]
    assert spots
    assert all(0 <= x <= width and 6 <= y <= height - 4 for x, y in spots)


def test_labels_of_nodes_keep_apart() -> None:
    """Numbers of nodes are at least 10 pixels from one another and from other nodes' dots."""
    for name in (*PLANE, *SOLID):
        root = ElementTree.fromstring((FOLDER / f"{name}.svg").read_text())
        dots = [
            (float(e.attrib["cx"]), float(e.attrib["cy"]))
            for e in root.iter()
            if e.tag.endswith("circle")
        ]
        labels = [
            (float(e.attrib["x"]), float(e.attrib["y"]) - 13 / 3)
            for e in root.iter()
            if e.tag.endswith("text") and (e.text or "").isdigit()
        ]
        assert len(labels) == len(dots)
        for i, (x, y) in enumerate(labels):
            others = labels[:i] + labels[i + 1 :] + dots
            assert min(((x - a) ** 2 + (y - b) ** 2) ** 0.5 for a, b in others) > 10, (name, i)


class _Areas(Drawing):
    """Keeps the area of every color."""

    def __init__(self) -> None:
        super().__init__(1, 1)
        self.areas: list[float] = []

    def area(self, outlines, color):
        self.areas.append(
            sum(
                abs(sum(a * d - c * b for (a, b), (c, d) in zip(o, [*o[1:], o[0]], strict=True)))
                / 2
                for o in outlines
            )
        )


@pytest.mark.parametrize("value", [lambda x, y: x, lambda x, y: y])
def test_bands_of_a_linear_function_are_equal(value) -> None:
    """Between contours a tenth apart a linear function over the unit square has a tenth of it."""
    drawing = _Areas()
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    assert paint(drawing, square, value, lambda place: (place[0], place[1])) == set(range(10))
    assert drawing.areas == pytest.approx([0.1] * 10)


def test_hidden_edges() -> None:
    """Of a hexahedron three edges meet in the one corner behind it; the others are seen."""
    view = view_of(find("hex8"))
    behind = [edge for edge, hidden in zip(view.edges, view.hidden, strict=True) if hidden]
    assert len(view.edges) == 12
    assert sum(view.seen) == 3
    assert set.intersection(*(set(edge) for edge in behind)) == {3}
    assert len(behind) == 3


@pytest.mark.parametrize("name", ["euler_beam_plane", "timoshenko_beam_plane"])
def test_functions_of_beams(name: str) -> None:
    """Those of displacements are one at their node; a thin beam follows its rotations too."""
    xi = REFERENCE[0]
    for place, f in enumerate(functions(find(name))):
        value = for_drawing(f)
        ends = [value.subs(xi, x) for x in (-1, 1)]
        slopes = [2 * sympy.diff(value, xi).subs(xi, x) for x in (-1, 1)]
        expected = [0, 0, 0, 0]
        expected[2 * f.node + (1 if f.symbol.startswith("theta") else 0)] = 1
        assert [ends[0], slopes[0], ends[1], slopes[1]] == expected, place


@pytest.mark.parametrize(
    ("name", "count", "degree"),
    [("hex27", 4, 2), ("tet10", 2, 2), ("quad8", 8, 2), ("wedge6", 6, 1)],
)
def test_what_a_page_shows(name: str, count: int, degree: int) -> None:
    """Up to eight functions, of more one of each kind; the degree of complete polynomials."""
    assert len(shown(find(name))) == count
    assert order(find(name)) == degree
