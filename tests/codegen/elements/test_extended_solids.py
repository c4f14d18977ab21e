# SPDX-License-Identifier: BSD-3-Clause
"""A file that extends a solid or plane element of the library, and parameters that it states."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from flexforge.codegen.elements.catalogue import find
from flexforge.codegen.elements.library import sections, standard_elements, variants
from flexforge.codegen.elements.quadrature import point_count
from flexforge.codegen.elements.user import load_element
from flexforge.codegen.errors import InputError
from marks import slow

QUICK = ("tri3_plane_stress", "quad4_axisymmetric", "hex8s")
EVERY = [e.name for e in (*standard_elements(), *variants(), *sections()) if not e.modes]


def _load(folder: Path, text: str):
    (folder / "mine.toml").write_text(text)
    return load_element(folder / "mine.toml")


@pytest.mark.parametrize("name", [n if n in QUICK else slow(n) for n in EVERY])
def test_a_file_that_adds_a_name_alone_is_the_element_of_the_library(name, tmp_path):
    """Every key of the declaration is taken over, exactly."""
    mine = _load(tmp_path, f'extends = ["{name}"]\nname = "mine"\n')
    assert replace(mine, name=name) == find(name)


def test_a_law_of_its_own_replaces_that_of_the_library(tmp_path):
    """The interpolation stays; the parameters are those of the new law."""
    mine = _load(
        tmp_path,
        'extends = ["quad4"]\nname = "mine"\nunits = { E = "Pa" }\n[law]\nparameters = ["E"]\n'
        'matrix = [["E", "0", "0"], ["0", "E", "0"], ["0", "0", "E/2"]]\n',
    )
    assert mine.monomials == find("quad4").monomials
    assert mine.constitutive.parameters == ("E",) and mine.units == {"E": "Pa"}


POINT = "{ points = [[0, 0]], weights = [4] }"


def test_a_rule_replaces_a_degree_and_a_degree_a_rule(tmp_path):
    """Only that of the same name: the mass keeps what the library has."""
    ruled = _load(
        tmp_path,
        f'extends = ["quad4"]\nname = "mine"\nrecovery = ["1"]\nquadrature.stiffness = {POINT}\n',
    )
    assert point_count("quadrilateral", ruled.degree["stiffness"]) == 1
    assert ruled.degree["mass"] == find("quad4").degree["mass"]
    (tmp_path / "ruled.toml").write_text((tmp_path / "mine.toml").read_text())
    again = _load(
        tmp_path, 'extends = ["ruled.toml"]\nname = "again"\ndegree = { stiffness = 2 }\n'
    )
    assert again.degree == ruled.degree | {"stiffness": 2}


def test_shape_functions_replace_monomials(tmp_path):
    """The functions of a bilinear quadrilateral, written out, are those that monomials give."""
    shape = [str(function) for function in find("quad4").shape]
    mine = _load(tmp_path, f'extends = ["quad4"]\nname = "mine"\nshape = {shape}\n')
    assert [str(function) for function in mine.shape] == shape


def test_a_ratio_takes_its_limit_at_the_apex(tmp_path):
    """As (1 - zeta)^2/(1 - zeta) does, written out; what has no limit is told with its node."""
    text = """
extends = ["pyramid5"]
name = "mine"
nodes = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, 1], [0, 0, "1/2"]]
monomials = ["1", "xi", "eta", "zeta", "xi*eta/(1-zeta)", "(1 - 2*zeta + zeta**2)*zeta/(1 - zeta)"]
"""
    mine = _load(tmp_path, text)
    assert sum(mine.shape).cancel() == 1
    pole = text.replace("(1 - 2*zeta + zeta**2)*zeta", "(1 + xi*eta)")
    with pytest.raises(
        InputError, match=r"monomials\[5\]: .* no value at node 4, \(0, 0, 1\); exp"
    ):
        _load(tmp_path, pole)


ROWS = 'matrix = [["E", "0", "0"], ["0", "E", "0"], ["0", "0", "E"]]'
FAULTS = [
    ('extends = ["quad4i"]', r"mine.toml:1: extends\[0\]: .* incompatible modes a file cannot"),
    ('extends = ["hex9"]', r"extends\[0\]: found 'hex9', which is not a file; expected .*hex8"),
    (
        f'extends = ["quad4"]\n[law]\nparameters = ["E", "G", "nu"]\n{ROWS}',
        r"mine.toml:4: law.parameters: found 'G', 'nu', which law.matrix does not use",
    ),
    (
        f'extends = ["quad4"]\n[law]\nparameters = ["w3"]\n{ROWS.replace("E", "w3")}',
        "law.parameters: 'w3' is the name of a motion",
    ),
    (
        'extends = ["quad4"]\nnodes = [[-1, -1], [1, -1], ["3/2", 1], [-1, 1]]',
        r"mine.toml:3: nodes\[2\]: found \(1.5, 1\), outside the quadrilateral; expected -1 <= xi",
    ),
    (
        'extends = ["pyramid5"]\nnodes = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, "1/2"], '
        "[0, 0, 1]]",
        r"nodes\[3\]: found \(-1, 1, 0.5\), outside the pyramid",
    ),
    (
        f'extends = ["quad4"]\ndegree = {{ mass = 2 }}\nquadrature.mass = {POINT}',
        r"mine.toml:3: degree: found .* expected \{ stiffness = .. \}",
    ),
    ('extends = ["quad4"]\nunits = { yung = "Pa" }', "units.yung: is not a parameter; .*'young'"),
    ('extends = ["quad4"]\nunits = { young = "*/" }', r"units.young: found '\*/'; expected a text"),
    (
        'extends = ["euler_beam_plane"]\nparameters = ["area", "inertia_z", "offset_y", "spare"]',
        "parameters: found 'spare', which the declaration does not use",
    ),
]


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_what_does_not_fit_is_refused_by_name(text, message, tmp_path):
    """The message has the file, the key, what was found and what is expected."""
    with pytest.raises(InputError, match=message):
        _load(tmp_path, text.replace("\n", '\nname = "mine"\n', 1) if "\n" in text else text)
