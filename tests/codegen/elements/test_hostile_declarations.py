# SPDX-License-Identifier: BSD-3-Clause
"""A declaration that would explode is refused before it does: no crash, no endless algebra."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from itertools import permutations
from pathlib import Path

import pytest
from flexforge.cli import main
from flexforge.codegen.elements.declaration import require_body
from flexforge.codegen.elements.expressions import (
    MOST_DEGREE,
    MOST_DIGITS,
    MOST_TERMS,
    parse,
)
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.limits import HIGHEST, QUADRATURE
from flexforge.codegen.elements.quadrature import point_count
from flexforge.codegen.elements.reference_cells import CORNERS, check_corners
from flexforge.codegen.elements.user import load_element
from flexforge.codegen.elements.user_files import LARGEST
from flexforge.codegen.errors import InputError
from flexforge.runtime.formula.expressions import parse_expression
from sympy import Float, Symbol, expand

QUADRILATERAL = """
name = "own"
cell = "quadrilateral"
nodes = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
monomials = ["1", "xi", "eta", "xi*eta"]
components = 2
strain = "displacement"
law = "spring"
degree = { stiffness = 2, mass = 2 }
"""
VARIABLES = {str(symbol): symbol for symbol in REFERENCE}
QUICK = 5.0  # seconds; each took minutes, or all memory


def written(folder: Path, text: str) -> Path:
    """Return a file of a declaration."""
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        ("((xi+eta+1)**8)**8", "degree 64"),
        ("((((((xi+1)**8)**8)**8)**8)**8)**8", "degree 64"),
        ("(((((9**8)**8)**8)**8)**8)**8", "too long numbers"),
        ("(" * 30 + "9" + "**8)" * 30, "too long numbers"),
        ("1" * 100, "too long numbers"),
        ("*".join(["(xi+eta+zeta+1)**8"] * 4), "degree 32"),
    ],
)
def test_powers_of_powers_are_refused_before_they_are_taken(formula: str, found: str) -> None:
    """Bounds by hand: degrees multiply under powers and add up under products."""
    start = time.perf_counter()
    with pytest.raises(InputError, match=found):
        parse(formula, VARIABLES, "monomials[3]")
    assert time.perf_counter() - start < QUICK


def test_many_terms_are_refused() -> None:
    """(a + .. + l)^8 has C(19, 8) = 75582 terms; a ratio may have fewer than a polynomial."""
    letters = {name: Symbol(name, real=True) for name in "abcdefghijkl"}
    with pytest.raises(InputError, match=f"up to 75582 terms .*at most {MOST_TERMS}"):
        parse(f"({'+'.join(letters)})**8", letters, "law")
    with pytest.raises(InputError, match="up to 495 terms"):
        parse("1/(a+b+c+d+e)**8", letters, "law", ratios=True)


def test_what_is_within_the_bounds_is_what_it_says() -> None:
    """Bounds refuse nothing that an element of degree 8 in each direction needs."""
    xi, eta, _ = REFERENCE
    assert parse("xi**8*eta**8", VARIABLES, "") == xi**8 * eta**8
    assert expand(parse("(1-xi)**8*(1+eta)**8", VARIABLES, "")) == expand(
        (1 - xi) ** 8 * (1 + eta) ** 8
    )
    assert MOST_DEGREE >= 24 and MOST_DIGITS >= 60


def test_a_formula_names_only_what_is_accepted_where_it_stands() -> None:
    """A function without its argument is not corrected into itself, nor a place into a time."""
    with pytest.raises(InputError, match=r"function 'exp' without arguments .*expected exp\("):
        parse_expression("2*exp")
    with pytest.raises(InputError, match=r"unknown name 't' .*a formula of x, y, z") as caught:
        parse_expression("t", ("x", "y", "z"))
    assert "did you mean" not in str(caught.value)
    with pytest.raises(InputError, match=r"did you mean 'sin\(...\)'"):
        parse_expression("sine")
    with pytest.raises(InputError, match="'t' called like a function"):
        parse_expression("t(2)")


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("[-1, -1]", '["1e999999999", -1]', "nodes.0.: found '1e999999999'"),
        ("[-1, -1]", '["1e1_000_000", -1]', "nodes.0.: found"),
        ("[-1, -1]", "[1e300, -1]", r"found 1e\+300; expected a number of at most 1e\+06"),
        ("[-1, -1]", f"[{'9' * 4000}, -1]", "found a huge number"),
        ("[-1, -1]", f"[{'9' * 5000}, -1]", "not a TOML file"),
        ("[-1, -1]", "[" * 2000 + "]" * 2000, "nested too deeply"),
        ('"xi*eta"', '"exp(xi)"', "'exp' is known in formulas of a model file, not of an element"),
        ('"xi*eta"', '"xy*eta"', "found 'xy'; expected .*; did you mean 'xi'"),
        ('"xi*eta"', '"xi^2"', r"a power is written \*\*"),
        (
            'law = "spring"',
            'law = { parameters = ["E"], matrix = [' + "[]," * 10 + "] }",
            "law.matrix: found 10 entries; expected at most 9",
        ),
        ('name = "own"', 'name = "own"\n#' + "x" * LARGEST, "more than 1 MiB"),
    ],
)
def test_a_declaration_out_of_bounds_is_one_line(
    old: str, new: str, found: str, tmp_path: Path
) -> None:
    """Each of these hung, took all memory, or ended in a traceback."""
    path = written(tmp_path, QUADRILATERAL.replace(old, new, 1))
    start = time.perf_counter()
    with pytest.raises(InputError, match=found) as caught:
        load_element(path)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 600
    assert time.perf_counter() - start < QUICK


def test_a_facet_has_nothing_to_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A quadrilateral in space bounds a body: it has a pressure, neither stiffness nor mass."""
    text = QUADRILATERAL.replace("components = 2", "components = 3")
    assert main(["check-element", str(written(tmp_path, text))]) == 2
    assert "which is a facet: it carries a pressure" in capsys.readouterr().err


def test_a_bar_by_shape_functions_is_told_where_bars_are(tmp_path: Path) -> None:
    """An interval in the plane is a side; a list of one strain is a list, not a name."""
    text = QUADRILATERAL.replace('cell = "quadrilateral"', 'cell = "interval"')
    text = re.sub("nodes = .*", "nodes = [[-1], [1]]", text)
    text = re.sub("monomials = .*", 'monomials = ["1", "xi"]', text)
    text = re.sub("strain = .*", 'strain = ["ux_x"]', text)
    law = 'law = { parameters = ["young"], matrix = [["young"]] }'
    path = written(tmp_path, re.sub("law = .*", law, text))
    with pytest.raises(InputError, match=r'key \'carried\'\), or by extends = \["bar2_plane"\]'):
        require_body(load_element(path))


def test_a_strain_of_one_row(tmp_path: Path) -> None:
    """A membrane of fibres along x stretches alone; the row is not looked up as a name."""
    text = re.sub("strain = .*", 'strain = ["ux_x"]', QUADRILATERAL)
    law = 'law = { parameters = ["young"], matrix = [["young"]] }'
    fibres = load_element(written(tmp_path, re.sub("law = .*", law, text)))
    assert fibres.strain == "ux_x" and fibres.constitutive.matrix.shape == (1, 1)


@pytest.mark.parametrize("cell", HIGHEST)
def test_the_highest_degree_has_a_rule(cell: str) -> None:
    """What help and documentation name is where the rules end."""
    assert point_count(cell, HIGHEST[cell]) >= 1
    if cell in ("triangle", "tetrahedron", "wedge"):
        with pytest.raises(InputError, match="no rule of degree"):
            point_count(cell, HIGHEST[cell] + 1)


def test_limits_of_quadrature_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the documentation, the help, the list of elements, and where one is exceeded."""
    page = Path(__file__).parents[3] / "docs" / "kernels.md"
    assert QUADRATURE in page.read_text(encoding="utf-8")
    assert main(["elements"]) == 0 and QUADRATURE in capsys.readouterr().out
    with suppress(SystemExit):
        main(["check-element", "--help"])
    assert QUADRATURE in " ".join(capsys.readouterr().out.split())
    base = 'extends = ["tet4"]\nname = "own"\n'
    for more, said in (
        ("degree = { mass = 6 }", "degree.mass: found 6; expected a whole number from 0 to 5, the "
         "highest of a tetrahedron, or a rule as quadrature.mass$"),
        (f"quadrature.mass = {{ points = {[[0, 0, 0]] * 65}, weights = [1] }}", "1 to 64 entries$"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=said):
            load_element(written(tmp_path, base + more))


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    """A pipe without a writer would keep its reader waiting, a device never ends."""
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(InputError, match="a named pipe"):
        load_element(tmp_path / "pipe.toml")
    with pytest.raises(InputError, match="a device"):
        load_element(Path("/dev/zero"))
    with pytest.raises(InputError, match="Is a directory"):
        load_element(tmp_path)


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ('law = { parameters = ["A", "A"], matrix = [["A", "0"], ["0", "A"]] }', "'A' again"),
        ('section = "stiffness"', "section: 'stiffness' is already a parameter of the law"),
        ('density = "stiffness"', "density: 'stiffness' is already a parameter of the law"),
        ('section = "t"\ndensity = "t"', "density: 't' is already the section"),
    ],
)
def test_one_name_for_two_parameters_is_refused(tmp_path: Path, changed: str, found: str) -> None:
    """A kernel would take one value for both; the law ``spring`` has the parameter stiffness."""
    text = QUADRILATERAL.replace('law = "spring"\n', "") if changed[:3] == "law" else QUADRILATERAL
    with pytest.raises(InputError, match=found):
        load_element(written(tmp_path, f"{text}{changed}\n"))


@pytest.mark.parametrize("value", ["nan", "inf", "1e400", "a"])
def test_a_parameter_that_is_no_finite_number_is_refused(value: str, capsys) -> None:
    """``check-element`` names the assignment."""
    assert main(["check-element", "quad4", "--set", f"young={value}"]) == 2
    assert "expected NAME=VALUE with a finite number" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("nodes", "found"),
    [
        ("[[-1, -1], [1, 1], [1, -1], [-1, 1]]", "nodes 0, 1, 2, 3 are .* sides of the cell cross"),
        ("[[-1, -1], [-1, 1], [1, 1], [1, -1]]", "wrong order: the Jacobian of the cell is -1"),
        ("[[0, 0], [-1, -1], [-1, 1], [1, 1], [1, -1]]", "nodes 1, 2, 3, 4 are the corners"),
    ],
)
def test_corners_in_a_wrong_order_are_refused(tmp_path: Path, nodes: str, found: str) -> None:
    """A bow tie, and a square gone around clockwise: its map to the square has determinant -1.

    The functions belong to their nodes in any order, so that no other check notices.
    """
    text = QUADRILATERAL.replace("[[-1, -1], [1, -1], [1, 1], [-1, 1]]", nodes)
    if nodes.startswith("[[0, 0]"):
        text = text.replace('"xi*eta"]', '"xi*eta", "xi**2"]')
    with pytest.raises(InputError, match=found) as caught:
        load_element(written(tmp_path, text))
    assert "own.toml:4: nodes: " in str(caught.value)
    assert "expected them in the order (-1, -1), (1, -1), (1, 1), (-1, 1)" in str(caught.value)


@pytest.mark.parametrize(
    ("cell", "rotations"),
    [("interval", 1), ("triangle", 3), ("quadrilateral", 4), ("tetrahedron", 12), ("pyramid", 4)],
)
def test_as_many_orders_of_corners_are_right_as_a_cell_has_rotations(
    cell: str, rotations: int
) -> None:
    """Orders of the groups of rotations: C3, C4, the alternating group A4; a line is not turned."""
    right = 0
    for order in permutations(CORNERS[cell]):
        with suppress(InputError):
            check_corners(cell, order)
            right += 1
    assert right == rotations


def test_a_cell_that_begins_at_another_corner_is_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rotated corners are those of a good element, but no mesh of a model has such cells."""
    text = QUADRILATERAL.replace("[[-1, -1], [1, -1],", "[[1, -1],").replace(
        "[-1, 1]]", "[-1, 1], [-1, -1]]"
    )
    assert main(["check-element", str(written(tmp_path, text))]) == 0
    assert "note  cells of models: element 'own': its first nodes are" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ('law = { parameters = ["lambda"], matrix = [["lambda", "0"], ["0", "lambda"]] }',
         "own.toml:9: law.parameters: found 'lambda', a word of Python.*such as 'lambda_'"),
        ('section = "class"', "section: found 'class', a word of Python"),
        ('density = "in"', "density: found 'in', a word of Python"),
        ('section = "my thickness"', "section: found 'my thickness'; expected a C identifier"),
    ],
)  # fmt: skip
def test_words_of_python_are_no_parameters(tmp_path: Path, changed: str, found: str) -> None:
    """A formula with ``lambda`` was called no polynomial."""
    text = QUADRILATERAL.replace('law = "spring"\n', "") if changed[:3] == "law" else QUADRILATERAL
    with pytest.raises(InputError, match=found):
        load_element(written(tmp_path, f"{text}{changed}\n"))


def test_words_of_c_are_parameters(tmp_path: Path) -> None:
    """They are names in formulas and in calls, where a trailing underscore is accepted too."""
    law = 'law = { parameters = ["double"], matrix = [["double", "0"], ["0", "double"]] }'
    path = written(tmp_path, QUADRILATERAL.replace('law = "spring"', law))
    assert load_element(path).constitutive.parameters == ("double",)


@pytest.mark.parametrize(
    ("text", "same"),
    [("0.5*xi", "xi/2"), ("xi/0.25 + .1", "4*xi + 1/10"), ("1e-3*xi**2", "xi**2/1000"),
     ("0.1 + 0.2", "3/10"), ("1.0 - 0.0*xi", "1")],
)  # fmt: skip
def test_decimals_are_the_fractions_that_are_written(text: str, same: str) -> None:
    """Binary numbers are not: 0.1 + 0.2 differs from 3/10 in them."""
    xi = {"xi": Symbol("xi", real=True)}
    found = parse(text, xi, "shape[0]")
    assert found == parse(same, xi, "shape[0]") and not found.atoms(Float)


@pytest.mark.parametrize("text", ["1e400", "1e-400*xi", "1e999999999", "1_0.5", "xi/0.0", "xi**2.0",
                                  "0." + "3" * 61, "2j"])  # fmt: skip
def test_decimals_without_an_end_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="expected a polynomial|too long numbers"):
        parse(text, {"xi": Symbol("xi", real=True)}, "shape[0]")
