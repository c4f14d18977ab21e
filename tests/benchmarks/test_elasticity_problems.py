# SPDX-License-Identifier: BSD-3-Clause
"""The published elasticity problems: their data, their answers, and kernels that solve them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import numpy as np
import ops
import pytest
from flexforge.codegen.errors import InputError
from marks import slow
from support.elasticity import entries, oracle, ours, peers, statement
from support.elasticity.contestant import Contestant, judged

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((statement.FOLDER / "entry.schema.json").read_text())
RECORD = json.loads((ROOT / "tests" / "codegen" / "operations.json").read_text())
compiled = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")


@pytest.mark.parametrize("name", statement.CELLS)
def test_the_published_numbers_are_those_of_the_library(name):
    """Nodes, quadrature and specimen follow from declarations; the answers from the numbers."""
    published = dict(statement.cell(name))
    answers = published.pop("expected")
    assert published == json.loads(json.dumps(statement.numbers(name)))
    assert list(answers) == list(statement.problems())
    for problem, expected in answers.items():
        found = oracle.expected(published, problem).ravel()
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-13 * np.abs(expected).max())


@pytest.mark.parametrize("name", statement.CELLS)
def test_the_oracle_keeps_the_laws_of_mechanics(name):
    """Closed forms: rigid motions cost nothing, the mass is that of the volume, forces are slopes.

    The tangent is the derivative of the forces by central differences of step 1e-5, and at rest the
    neo-Hookean tangent is the linear stiffness of the same Lame constants.
    """
    data = json.loads(json.dumps(statement.cell(name)))
    d, X = data["dimension"], np.array(data["coordinates"])
    (stiffness,), (mass,) = (oracle.matrices(data, one) for one in ("stiffness", "mass"))
    turn = np.zeros((d, d))
    turn[0, 1], turn[1, 0] = -1.0, 1.0
    for motion in (np.ones_like(X), X @ turn.T):
        assert np.abs(stiffness @ motion.ravel()).max() < 1e-13 * np.abs(stiffness).max() * 10
    one = np.ones(X.size)
    volume = sum(part for _, _, part in oracle.points(data, "mass"))
    assert one @ mass @ one == pytest.approx(d * data["parameters"]["density"] * volume)

    forces, tangent = oracle.neo_hookean(data)
    step, rest = 1e-5, np.array(data["vectors"]["displacement"])
    towards = np.array(data["vectors"]["vector"])
    ends = []
    for sign in (1.0, -1.0):
        data["vectors"]["displacement"] = (rest + sign * step * towards).tolist()
        ends.append(oracle.neo_hookean(data)[0])
    slope = (ends[0] - ends[1]) / (2 * step)
    product = np.einsum("aibj,bj->ai", tangent, towards)
    assert slope == pytest.approx(product, abs=1e-7 * np.abs(product).max())
    data["vectors"]["displacement"] = np.zeros_like(rest).tolist()
    lame, mu = data["parameters"]["lame"], data["parameters"]["mu"]
    data["parameters"]["young"] = mu * (3 * lame + 2 * mu) / (lame + mu)
    data["parameters"]["poisson"] = lame / (2 * (lame + mu))
    at_rest = oracle.neo_hookean(data)[1].reshape(stiffness.shape)
    linear = oracle.matrices(data, "stiffness")[0]
    assert at_rest == pytest.approx(linear, abs=1e-13 * np.abs(linear).max())


def test_published_entries_fit_the_schema_and_the_record():
    """Ours with eight lanes have the operations of the compiler's record, term by term.

    Those of one lane have more where whole rows of blocks are computed, and never fewer.
    """
    published = json.loads(entries.PUBLISHED.read_text())
    jsonschema.Draft202012Validator(SCHEMA).validate(published)
    found = {(e["problem"], e["contestant"]["name"]): e for e in published["entries"]}
    assert len(found) == len(published["entries"])
    for problem in entries.chosen("all"):
        cell, asked = statement.split(problem)
        batch, single = (found[problem, f"flexforge x{n}"]["operations"]["all"] for n in (8, 1))
        assert batch <= single
        if not asked.startswith("neo_hookean"):
            name = statement.full_name(cell, statement.cell(cell)["dimension"])
            assert batch == sum(RECORD[name][term] for term in ours.TERMS[asked])
        if cell in ("tri3", "tet10", "hex8"):
            assert found[problem, "FFCx"]["operations"]["all"] > batch


def test_the_schema_refuses():
    """An entry without bytes, with an unknown problem, or that differs too much is none."""
    published = json.loads(entries.PUBLISHED.read_text())
    good = published["entries"][0]
    check = jsonschema.Draft202012Validator(SCHEMA)
    for bad in (
        {key: value for key, value in good.items() if key != "bytes"},
        good | {"problem": "hex8/heat"},
        good | {"difference": 1e-6},
        good | {"operations": good["operations"] | {"all": -1}},
    ):
        assert not check.is_valid({"version": 1, "entries": [bad]})


@compiled
@pytest.mark.parametrize("problem", [slow("tri3/moving_frame"), "tet4/neo_hookean_tangent"])
def test_our_kernels_solve_the_problems(problem):
    """Result right; operations and bytes counted by running are those the compiler counts."""
    made = ours.kernels(problem)
    for one in ours.contestants(problem, made):
        found = judged(one)
        exact = [kernel.written if one.lanes == 1 else kernel.count for kernel in made]
        for family in ("additions", "products", "quotients", "roots"):
            assert found["operations"][family] == sum(getattr(count, family) for count in exact)
        if len(made) == 1:
            moved = found["bytes"]["read"] + found["bytes"]["written"]
            assert moved == exact[0].bytes_moved


BAR = """
/* The mass of tri3 by its closed form: density * thickness * area / 12 * (1 + delta_ab). */
void mass(const double *x, const double *p, const double *state, double *out, double *workspace)
{
    const double area = (x[2] - x[0]) * (x[5] - x[1]) - (x[4] - x[0]) * (x[3] - x[1]);
    const double entry = p[0] * p[1] * area / 24.0;
    for (int i = 0; i < 36; i++) out[i] = 0.0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            for (int i = 0; i < 2; i++)
                out[6 * (2 * a + i) + 2 * b + i] = a == b ? FACTOR * entry : entry;
}
"""


def _given(**changes):
    text = {"source": BAR.replace("FACTOR", "2.0"), "function": "mass"} | changes
    return Contestant("tri3/mass", "mine", "", **text)


@compiled
def test_a_kernel_of_others_by_hand():
    """Pencil: 5 differences, 2 products of the area, 2 of the entry, 6 doublings, a quotient.

    It reads six coordinates and two parameters, writes 36 entries, and has no tables.
    """
    found = judged(_given())
    assert found["operations"] == {
        "additions": 5, "products": 10, "quotients": 1, "roots": 0, "all": 16,
    }  # fmt: skip
    assert found["bytes"] == {"read": 64, "written": 288, "tables": 0, "workspace": 0}
    # A rotated order of nodes is another numbering of the same element; matrices go back.
    assert judged(_given(order=(1, 2, 0)))["operations"] == found["operations"]


@compiled
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"source": BAR.replace("FACTOR", "2.001")}, "differs by .* expected at most 1e-11"),
        ({"source": "void mass(const double *x) {"}, "expected C that is C\\+\\+ too"),
        ({"order": (0, 1, 1)}, "expected the numbers 0 to 2, each once"),
    ],
)
def test_wrong_kernels_are_refused(changes, words):
    """A factor wrong by 5e-4, a text that is not C, an order that is none."""
    with pytest.raises(InputError, match=words):
        judged(_given(**changes))


@compiled
def test_the_command_adds_an_entry(tmp_path, monkeypatch, capsys):
    """A C file, one command, an entry of the schema; unknown problems end with one line."""
    (tmp_path / "mine.c").write_text(BAR.replace("FACTOR", "2.0"))
    kept = tmp_path / "entries.json"
    command = ["ops", "--kernel", str(tmp_path / "mine.c"), "--function", "mass"]
    options = ["--problem", "tri3/mass", "--entry", str(kept), "--counts-only"]
    monkeypatch.setattr("sys.argv", [*command, *options])
    ops.main()
    assert "right: differs by" in capsys.readouterr().out
    written = json.loads(kept.read_text())
    jsonschema.Draft202012Validator(SCHEMA).validate(written)
    assert written["entries"][0]["contestant"]["name"] == "mine"
    monkeypatch.setattr("sys.argv", [*command, "--problem", "tri3/mas"])
    with pytest.raises(SystemExit, match="2"):
        ops.main()
    said = capsys.readouterr().err
    assert said.startswith("ops: problem 'tri3/mas' is unknown; expected tri3/ and one of")


@compiled
@pytest.mark.slow
def test_ffcx_solves_the_same_problem():
    """FFCx's kernel of tri3's stiffness gives the expected numbers in its own order of nodes."""
    if missing := peers.ffcx_missing("tri3"):
        pytest.skip(missing)
    (one,) = peers.ffcx("tri3/stiffness")
    assert judged(one)["operations"]["all"] > 123
