# SPDX-License-Identifier: BSD-3-Clause
"""Declarations of beams and shells with faults: refused in one line, with file, line and key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flexforge.codegen.elements.user import load_element
from flexforge.codegen.errors import InputError
from flexforge.codegen.study.verification import verify
from marks import slow

EXAMPLES = Path(__file__).parents[3] / "examples" / "elements"
HERMITE = 'v = "hermite1*uy1 + slope1*rz1 + hermite2*uy2 + slope2*rz2"\n'
CUBIC = """v = { basis = ["1", "xi", "xi**2", "xi**3"], conditions = [
  { at = [-1], value = "v", equals = "uy1" },
  { at = [-1], value = "v_x", equals = "rz1" },
  { at = [1], value = "v", equals = "uy2" },
  { at = [1], value = "v_x", equals = "rz2" },
] }
"""


def _refused(tmp_path, text, said):
    """Check that a text is refused with a message of one line; return the line that it names."""
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=said) as caught:
        load_element(path)
    message = str(caught.value)
    assert "\n" not in message
    place = re.match(rf"{re.escape(str(path))}(?::(\d+))?: ", message)
    assert place, message
    return text.splitlines()[int(place[1]) - 1] if place[1] else ""


BEAM = (EXAMPLES / "beam.toml").read_text()


@pytest.mark.parametrize(
    ("before", "after", "said", "line"),
    [
        ('axes = "line"', 'axis = "line"', "axis: unknown key; did you mean 'axes'", "axis ="),
        ('axes = "line"', 'axes = "facet"', "axes: found 'facet'; expected one of line", "axes ="),
        ("nodes = [[-1], [1]]", "nodes = [[-1]]", "nodes: found 1 entries; expected", "nodes ="),
        ('across = ["y", "z"]', 'across = ["x"]', "across: found .'x'.; expected", "across ="),
        ("u - y*v_x - z*w_x", "u*v - y*v_x", r"field\[0\]: .*linear in the nodal", "field ="),
        ("u - y*v_x - z*w_x", "u + 1", r"field\[0\]: .*which is '1' without motion", "field ="),
        ("u - y*v_x - z*w_x", "u - y*v_s", r"field\[0\]: found 'v_s'; expected", "field ="),
        ("hermite1*uy1 +", "hermite1*uy1*uy2 +", r"functions.v: .*product of uy1 and uy2", "v ="),
        ("hermite1*uy1 +", "hermit1*uy1 +", "functions.v: .*did you mean 'hermite1'", "v ="),
        ("hermite1*uy1 +", "at(hermite1)*uy1 +", r"functions.v: found the point \(\)", "v ="),
        ('twist = "rx1', 'v_x = "u"\ntwist = "rx1', "functions.v: the existing name", "v ="),
        ('twist = "rx1', 'u_x = "u"\ntwist = "rx1', "functions.u_x: .*a derivative of one", "u_x"),
        ('tension = "u_x"', 'length = "u_x"', "strain.length: is the name of", "length ="),
        ('tension = "young*tension"\n', "", "law.stress.tension: missing; expected tension, bend",
         "[law.stress]"),
        ('tension = "young*tension"', 'tensoin = "young*tension"',
         "law.stress.tensoin: unknown key; did you mean 'tension'", "tensoin ="),
        ("young*tension", "young*tension**2", "law.stress.tension: .*linear in the strains",
         "tension ="),
        ("young*tension", "young + tension", "law.stress.tension: .*'young' without motion",
         "tension ="),
        ("young*tension", "young*tension + area*twisting",
         "law.stress.twisting: found '0' in row 4 .*column 1, and 'area'.*symmetric", "twisting ="),
        ('parameters = ["young", "poisson"]', 'parameters = ["w1"]', "law.parameters: 'w1' is",
         "parameters ="),
        ('radius_y = "sqrt(2*', 'radius_y = "sqrt(-2 + 0*', "radius_y: found the square root",
         "radius_y ="),
        ('stiffness = [{ at = ["0", "0"]', 'stiffness = [{ at = ["0"]',
         r"fibres.stiffness\[0\].at: .*expected 2 coordinates", "stiffness ="),
        ("mass = 6 }", "mas = 6 }", "degree: found .*expected { stiffness = .., mass = .. }",
         "degree ="),
        ('forces = ["N",', "forces = [", "forces: found .*expected 4 names", "forces ="),
        ('xx = "young*xx"', 'yy = "young*xx"', "stiffening.stress.yy: unknown key", "yy ="),
        ('xx = "young*xx"', 'xx = "young*zz"', "stiffening.stress.xx: found 'zz'", "xx ="),
        ("ux_x + (ux_x**2 + uy_x**2 + uz_x**2)/2", "ux_x", r"stiffening.strain.xx: .*is linear",
         "xx ="),
        ("ux_x + (ux_x**2 + uy_x**2 + uz_x**2)/2", "ux_x + ux_x**3",
         r"stiffening.strain.xx: .*of higher order", "xx ="),
        ("ux_x + (ux_x**2 + uy_x**2 + uz_x**2)/2", "ux_x + area*ux_x**2",
         r"stiffening.strain.xx: .*coefficients that are not numbers", "xx ="),
        ('name = "slender_beam"', 'name = "slender beam"', "name: found 'slender beam'", "name ="),
    ],
)  # fmt: skip
def test_a_fault_is_named(tmp_path, before, after, said, line):
    """Key, what was found and what is expected, at the line where it is."""
    assert before in BEAM
    at = _refused(tmp_path, BEAM.replace(before, after, 1), said)
    assert at.strip().startswith(line)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('  { at = [1], value = "v_x", equals = "rz2" },\n', "", "found 3 entries for 4 coeff"),
        ('at = [1], value = "v_x", equals = "rz2"', 'at = [-1], value = "v", equals = "uy2"',
         "depend on or contradict each other"),
        ('equals = "uy1"', 'equals = "uy1*rz1"',
         r"conditions\[0\].equals: .*product of rz1 and uy1"),
        ('value = "v", equals = "uy1"', 'value = "v*v", equals = "uy1"',
         r"conditions\[0\].value: found 'v\*v', .*; expected a formula"),
        ("at = [-1], value = \"v\"", "at = [0, 1], value = \"v\"",
         r"conditions\[0\].at: .*expected 1 reference coordinates"),
        ("value = \"v\", equals = \"uy1\"", "value = \"v\"", r"conditions\[0\]: found .*expected"),
        ("basis = ", "base = ", "base: unknown key; did you mean 'basis'"),
    ],
)  # fmt: skip
def test_conditions_that_determine_nothing(tmp_path, before, after, said):
    """As many as coefficients, independent, linear: else the function is not known."""
    wrong = CUBIC.replace(before, after, 1)
    assert wrong != CUBIC
    _refused(tmp_path, BEAM.replace(HERMITE, wrong), f"functions.v.*{said}")


def test_conditions_give_the_cubic_that_is_written_out(tmp_path):
    """Hermite's functions from values and slopes at the ends."""
    path = tmp_path / "solved.toml"
    path.write_text(BEAM.replace(HERMITE, CUBIC))
    assert load_element(path) == load_element(EXAMPLES / "beam.toml")


@pytest.mark.parametrize("share", [0.2, 0.45, 0.7, 0.97])
def test_a_file_that_breaks_off(tmp_path, share):
    """Half a file is no file, or lacks a key; never another element."""
    _refused(tmp_path, BEAM[: int(share * len(BEAM))], "not a TOML file|missing")


def test_formulas_that_grow_are_refused(tmp_path):
    """Each name squares the one before: refused by its bounds before it is multiplied out."""
    names = ['g0 = "1 + xi + y12 + area"'.replace("y12", "length")]
    names += [f'g{k + 1} = "g{k}*g{k}*g{k}"' for k in range(9)]
    text = BEAM.replace("[functions]\n", "[functions]\n" + "\n".join(names) + "\n")
    _refused(tmp_path, text, r"functions.g\d: found (degree \d+|up to \d+ terms)")


@pytest.mark.parametrize(
    ("before", "after", "check"),
    [
        # A section that does not turn with the axis is sheared by a rigid rotation.
        slow('bending = "v_xx"', 'bending = "v_x"', "rigid motions cost no energy"),
        # Nothing resists tension.
        ('tension = "u_x"', 'tension = "0*u_x"', "motions without energy"),
        # The sections stay as they are where the axis turns.
        ("u - y*v_x", "u", "every point follows rigid motions"),
    ],
)
def test_what_is_wrong_in_mechanics_is_found_by_the_checks(tmp_path, before, after, check):
    """A declaration that can be read, and is no beam: check-element says which check fails."""
    page = (EXAMPLES.parents[1] / "docs" / "kernels.md").read_text(encoding="utf-8")
    strut = page[page.index('name = "strut"') :]
    assert before in strut
    path = tmp_path / "mine.toml"
    path.write_text(strut[: strut.index("```")].replace(before, after, 1))
    assert check in {f.check for f in verify(load_element(path)) if not f.passed}


BAR = """
extends = ["bar2"]
name = "own"
[functions]
slope = "displacement_xi/length"
"""


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("displacement_xi/length", "displacement_xi/tangent", "division by a number"),
        ("displacement_xi/length", "displacement_xi + length", "two vectors of one size"),
        ("displacement_xi/length", "tangent*displacement_xi", r"dot\(v, w\) or cross\(v, w\)"),
        ("displacement_xi/length", "displacement_xi**2", r"a number, or dot\(v, v\)"),
        ("displacement_xi/length", "sqrt(tangent)", "root of a vector"),
        ("displacement_xi/length", "dot(tangent, length)", "expected two vectors of 2 or 3"),
        ("displacement_xi/length", "vector(length, tangent, 0)", "2 or 3 numbers"),
        ("displacement_xi/length", "interpolate(length)", "of 1 values; expected 2"),
        (
            "displacement_xi/length",
            "displacement[4]",
            r"functions.slope: found 'displacement\[4\]'",
        ),
        (
            "[functions]",
            'field = "length"\n[functions]',
            "field: found 'length'; expected a vector",
        ),
        ("[functions]", 'measure = "tangent"\n[functions]', "measure: .*a vector; expected a numb"),
        (
            "[functions]",
            '[definitions]\ntangent_1_ = "1"\n[functions]',
            "'tangent_1_' has a meaning in kernels",
        ),
        ("[functions]", "[rates]\ny = []\n[functions]", "rates.y: unknown direction; expected x"),
        ("[functions]", "[rates]\nx = [1, 2]\n[functions]", r"rates.x: .*expected 1 formulas"),
        ('["bar2"]', '["bra2"]', r"extends\[0\]: found 'bra2', .*did you mean 'bar2'"),
        ('["bar2"]', '"bar2"', "extends: found 'bar2'; expected a list"),
        ('["bar2"]', '["mine.toml"]', "which extends this file"),
        ('["bar2"]', '["none.toml"]', "found 'none.toml', which is not a file"),
        ("[functions]", "shape = 1\n[functions]", "shape: unknown key"),
    ],
)
def test_vectors_and_what_is_taken_over(tmp_path, before, after, said):
    """Numbers and vectors are told apart; a file that takes over names what it lacks."""
    assert before in BAR
    _refused(tmp_path, BAR.replace(before, after, 1), said)


def test_formulas_nested_in_one_another_are_refused(tmp_path):
    """Ratios within ratios, hundreds deep: too deep to walk over, and said so."""
    inner = ["xi", *(f"f{k}" for k in range(14))]
    lines = [f'f{k} = "{"1/(2+" * 20}{name}{")" * 20}"' for k, name in enumerate(inner)]
    text = BEAM.replace("[functions]\n", "[functions]\n" + "\n".join(lines) + "\n")
    _refused(tmp_path, text, "nested too deeply")


def test_a_fault_in_what_is_taken_over_is_named_where_it_is(tmp_path):
    """The file and the line that say it, whichever file was asked for."""
    stress = '[law.stress]\ntension = "yung*tension"\n'
    (tmp_path / "base.toml").write_text(f'extends = ["bar2"]\n{stress}')
    path = tmp_path / "mine.toml"
    path.write_text('extends = ["base.toml"]\nname = "own"\n')
    with pytest.raises(InputError, match=r"base.toml:3: law.stress.tension: found 'yung'.*young"):
        load_element(path)
