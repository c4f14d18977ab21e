# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import flexforge as ff
import pytest
from flexforge.codegen.elements.catalogue import LARGE, LUMPED, RODS, SHELLS
from flexforge.codegen.elements.library import sections, standard_elements, variants
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.mechanics.formalisms import text as formalism_text
from marks import slow

TERMS = [
    "mass", "coriolis", "stiffness", "euler", "centrifugal", "geometric", "euler_load",
    "centrifugal_load", "translation", "body_load",
]  # fmt: skip


def test_elements_lists_all(flexforge) -> None:
    """The table has every element and variant with its nodes, order and quadrature points."""
    rows = {row["element"]: row for row in flexforge("elements", "--json").json}
    found = (*standard_elements(), *variants(), *sections())
    assert list(rows) == [*(element.name for element in found), *RODS, *LARGE, *SHELLS, *LUMPED]
    assert rows["mitc4"]["kind"] == "shell" and rows["mitc4"]["coordinates"] == 24
    assert (
        rows["euler_beam_plane"]["nodes"] == 2
        and "section_geometric" in rows["euler_beam"]["terms"]
    )
    # Orders of the interpolation spaces: what everyone calls these elements.
    usual = [e.name for e in standard_elements() if "strain" not in e.name]
    assert {name: rows[name]["order"] for name in usual} == {
        "tri3_plane_stress": 1,
        "tri6_plane_stress": 2,
        "quad4_plane_stress": 1,
        "quad8_plane_stress": 2,
        "quad9_plane_stress": 2,
        "tet4": 1,
        "tet10": 2,
        "pyramid5": 1,
        "wedge6": 1,
        "wedge15": 2,
        "hex8": 1,
        "hex20": 2,
        "hex27": 2,
    }
    assert rows["hex20"]["nodes"] == 20
    assert rows["hex20"]["coordinates"] == 60
    assert rows["hex27"]["nodes"] == rows["hex27"]["points"]["stiffness"] == 27
    assert rows["hex8"]["points"] == {"stiffness": 8, "mass": 8}
    text = flexforge("elements").out
    assert all(name in text for name in rows)


def test_elements_shows_a_declaration(flexforge) -> None:
    """One element is shown with nodes, shape functions and law."""
    data = flexforge("elements", "tri3", "--json").json
    assert data["shape"] == ["-eta - xi + 1", "xi", "eta"]
    assert data["law"]["name"] == "plane_stress"
    assert data["section"] == "thickness"
    assert data["units"] == {
        "young": "Pa", "poisson": "1", "thickness": "m", "density": "kg/m^3",
    }  # fmt: skip
    text = flexforge("elements", "quad8_plane_strain").out
    assert "quad8_plane_strain" in text
    assert "thickness" in text


def test_an_unknown_element_names_the_nearest(flexforge) -> None:
    """A misspelt element is an input error with a suggestion, for every command that takes one."""
    for arguments in (("elements", "tet11"), ("derive", "tet11"), ("generate", "tet11", "-o", "x")):
        said = flexforge(*arguments)
        assert said.code == 2
        assert "did you mean 'tet10'" in said.error
    assert not Path("x").exists()


def test_derive_prints_all_terms(flexforge) -> None:
    """Text and JSON of a derivation hold the kinematics, the ten terms and the ledger."""
    data = flexforge("derive", "hex8", "--json").json
    assert list(data["terms"]) == TERMS
    assert data["terms"]["coriolis"]["symmetry"] == "skew"
    assert data["terms"]["coriolis"]["structure"] == "kronecker"
    assert data["terms"]["coriolis"]["block"][0][1] == "-rho*w3"
    assert data["terms"]["stiffness"]["structure"] == "full"
    assert data["terms"]["centrifugal"]["depends"] == ["w"]
    assert data["kinematics"]["eps6"] == "u1,2 + u2,1"
    assert data["ledger"]["lagrange"]["partial derivatives"]["dL/dd'"] == 6
    assert data["formalisms_equal"] is None
    again = flexforge("derive", "hex8", "--latex", "--json").json
    assert data.pop("seconds").keys() == again.pop("seconds").keys() == {"lagrange"}
    assert again == data
    text = flexforge("derive", "hex8").out
    assert all(f"\n{term}: " in text for term in TERMS)


def test_kinematics_are_those_of_a_moving_frame(flexforge) -> None:
    """Planar: v = v_O + w z x (x + u) + u', and the factor 2 of Coriolis in the acceleration."""
    data = flexforge("derive", "tri3", "--json").json["kinematics"]
    assert data["v1"] == "u1' + v_O1 + w3*(-u2 - x2)"
    assert data["a1"] == "a_O1 + e3*(-u2 - x2) + u1'' - 2*u2'*w3 + w3**2*(-u1 - x1)"


def test_derive_compares_formalisms(flexforge) -> None:
    """With ``all`` every formalism derives the element, and the terms are symbolically equal."""
    data = flexforge("derive", "quad4", "--formalism", "all", "--json").json
    assert data["formalisms"] == list(FORMALISMS)
    assert data["formalisms_equal"] is True
    assert list(data["ledger"]) == list(FORMALISMS)
    text = flexforge("derive", "quad4", "--formalism", "all", "--term", "euler").out
    assert "hamilton, maggi, kane and virtual_power are symbolically equal" in text
    assert "\nstiffness: " not in text


def test_derive_compares_a_list_of_formalisms(flexforge) -> None:
    """In the order of the list, each once; a wrong name is refused beside all, too."""
    data = flexforge("derive", "tri3", "--formalism", "kane, Lagrange,kane", "--json").json
    assert data["formalisms"] == ["kane", "lagrange"] and data["formalisms_equal"] is True
    said = flexforge("derive", "tri3", "--formalism", "kan,all")
    assert said.code == 2 and "formalism 'kan' is unknown" in said.error
    text = flexforge("derive", "tri3", "--formalism", "kane,maggi", "--term", "mass").out
    assert "mass is the same by all" in text


def test_derive_prints_formulas_for_a_paper(flexforge) -> None:
    """One term, or all of them, as the Python function returns them."""
    equations = ff.derive("tri3")
    mass = flexforge("derive", "tri3", "--fragment", "--term", "mass").out
    assert mass.strip() == ff.to_latex(equations.terms["mass"])
    assert flexforge("derive", "tri3", "--fragment").out.strip() == ff.to_latex(equations)


def test_derive_with_all_coordinates(flexforge) -> None:
    """Unrolled: the terms of a pair of nodes, a larger ledger, a line of progress each."""
    pair = flexforge("derive", "tri3", "--formalism", "lagrange,kane", "--json").json
    said = flexforge("derive", "tri3", "--formalism", "lagrange,kane", "--unrolled", "--json")
    data = said.json
    assert data["terms"] == pair["terms"]
    assert data["ledger"]["lagrange"]["partial derivatives"] == {"dL/dd": 6, "dL/dd'": 6}
    assert all(f"{name}: " in said.err for name in ("lagrange", "kane"))
    assert "all 6 coordinates" in flexforge("derive", "tri3", "--unrolled").out


def test_derive_notices_a_disagreement(flexforge, monkeypatch: pytest.MonkeyPatch) -> None:
    """If one formalism came to another Coriolis term, the command would fail."""
    from dataclasses import replace

    import flexforge.codegen.study.report.report as module

    true_derive = module.derive_timed

    def wrong(element, frame, name, unrolled):
        found = true_derive(element, frame, name, unrolled=unrolled)
        if name != "kane":
            return found
        term = found.terms["coriolis"]
        return replace(
            found, terms=found.terms | {"coriolis": replace(term, density=2 * term.density)}
        )

    monkeypatch.setattr(module, "derive_timed", wrong)
    said = flexforge("derive", "tri3", "--formalism", "all")
    assert said.code == 1
    assert "disagree in term coriolis" in said.error


def test_derive_refuses_what_does_not_exist(flexforge) -> None:
    """Unknown formalism, frame or term: exit code 2, with the nearest known one."""
    for arguments, words in (
        (("--formalism", "kain"), "did you mean 'kane'"),
        (("--frame", "planar"), "expected 'spatial'"),
        (("--term", "centrifugl"), "did you mean 'centrifugal'"),
    ):
        said = flexforge("derive", "tet4", *arguments)
        assert said.code == 2
        assert words in said.error


def _balanced(text: str) -> bool:
    depth = 0
    for before, character in zip(" " + text, text, strict=False):
        if before != "\\":
            depth += {"{": 1, "}": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0


@pytest.mark.parametrize("element", ["tri3", slow("hex8"), slow("tet10")])
def test_latex_is_a_complete_document(flexforge, element: str, tmp_path: Path) -> None:
    """The document is complete; LaTeX, where it is, compiles it without a line too long."""
    text = flexforge("derive", element, "--formalism", "all", "--latex").out
    assert "\\begin{document}" in text
    assert text.rstrip().endswith("\\end{document}")
    assert _balanced(text)
    assert text.count("\\begin{") == text.count("\\end{")
    assert text.count("\\subsection*") == len(TERMS)
    titles = [formalism_text(name).title for name in FORMALISMS]
    expected = ["The element", "A material point", "Energies", *titles,
                "The matrices of the element", "Comparison"]  # fmt: skip
    assert re.findall(r"\\section\{(.*)\}", text) == expected
    assert "All formalisms agree: in expanded form, every term above is symbolically equal" in text
    if shutil.which("pdflatex") is None:
        return
    (tmp_path / "out.tex").write_text(text)
    done = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "out.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout


def test_latex_writes_the_four_terms_of_the_velocity(flexforge) -> None:
    """Planar: v = v_O + w~ x + w~ N d + N d', and dL/dd' = rho N_a v_1 (Scutaru 2023, 4.1)."""
    text = flexforge("derive", "tri3", "--latex").out
    assert r"v &= v_{O} + \tilde{w} x + \tilde{w} N d + N \dot{d}" in text
    assert r"\tilde{w} N d &= \begin{bmatrix} - w_{3} u_{2} \\ w_{3} u_{1} \end{bmatrix}" in text
    momentum = r"\frac{\partial L}{\partial \dot{d}_{a,1}} &= \rho N_{a} v_{1} \\"
    full = r"&= \rho N_{a} (v_{O,1} - w_{3} x_{2} - w_{3} u_{2} + \dot{u}_{1}) \\"
    assert f"{momentum}\n{full}\n" in text
    assert "All formalisms agree" not in text


@pytest.mark.slow
def test_latex_counts_what_the_ledger_counts(flexforge) -> None:
    """The table of the document has the sums of the counts that ``--json`` has."""
    ledger = flexforge("derive", "tri3", "--formalism", "all", "--json").json["ledger"]
    text = flexforge("derive", "tri3", "--formalism", "all", "--latex").out
    for name, kinds in ledger.items():
        numbers = [str(sum(counts.values())) for counts in kinds.values()]
        assert f"{formalism_text(name).title} & {' & '.join(numbers)} \\\\" in text


def test_there_is_one_way_to_ask_for_latex(flexforge) -> None:
    """``--format`` is gone."""
    said = flexforge("derive", "tri3", "--format", "latex")
    assert said.code == 2
    assert "--format" in said.error


@pytest.mark.slow
def test_a_beam_is_declared_derived_and_generated_as_solids_are(flexforge, tmp_path) -> None:
    """Its field and parameters are shown, all formalisms agree, its kernels compile from C."""
    shown = flexforge("elements", "euler_beam", "--json").json
    assert shown["carried"] == ["displacement", "rotation"]
    assert shown["parameters"][:4] == ["young", "poisson", "area", "inertia_z"]
    assert "euler_beam" in flexforge("elements").out
    agreed = flexforge("derive", "euler_beam_plane", "--formalism", "all").out
    assert "are the same by all" in agreed
    assert r"\begin{document}" in flexforge("derive", "bar2_plane", "--latex").out
    folder = tmp_path / "beam"
    flexforge("generate", "euler_beam_plane", "-o", str(folder), "--terms", "stiffness,mass")
    text = (folder / "README.md").read_text()
    assert "of each its displacement and its rotation" in text
    assert "inertia_z [m^4]" in text
    command = ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-c", "-o", "/dev/null"]
    subprocess.run([*command, str(folder / "euler_beam_plane_kernels.c")], check=True)


def test_an_unknown_beam_is_told_its_neighbour(flexforge) -> None:
    """Bars and beams are among the names that are suggested."""
    said = flexforge("elements", "euler_bem")
    assert said.code == 2
    assert "did you mean 'euler_beam'" in said.err


def test_a_rule_of_the_user_is_shown(flexforge, tmp_path: Path) -> None:
    """An own quadrature rule has no degree to which it is exact, only points."""
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mine"\ndescription = "triangle"\ncell = "triangle"\n'
        'nodes = [[0, 0], [1, 0], [0, 1]]\nmonomials = ["1", "xi", "eta"]\ncomponents = 2\n'
        'strain = "small_strain"\ndegree = { mass = 2 }\n'
        "quadrature.stiffness.points = [[0.25, 0.25], [0.5, 0.25], [0.25, 0.5]]\n"
        "quadrature.stiffness.weights = [0.125, 0.125, 0.25]\n"
        '[law]\nparameters = ["c"]\n'
        'matrix = [["c", "0", "0"], ["0", "c", "0"], ["0", "0", "c/2"]]\n'
    )
    data = flexforge("elements", str(path), "--json").json
    assert data["degree"] == {"stiffness": None, "mass": 2} and data["points"]["stiffness"] == 3
    assert "stiffness by a rule of your own" in flexforge("elements", str(path)).out
