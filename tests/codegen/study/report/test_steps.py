# SPDX-License-Identifier: BSD-3-Clause
"""What is shown of a derivation is what was derived: names for parts of it, nothing else."""

from __future__ import annotations

from functools import cache

import pytest
import sympy
from flexforge.codegen.elements.library import element
from flexforge.codegen.errors import FlexforgeError
from flexforge.codegen.mechanics.derivation import derive
from flexforge.codegen.mechanics.formalisms import FORMALISMS, text
from flexforge.codegen.mechanics.frames import frame_for
from flexforge.codegen.mechanics.kinematics import MaterialPoint
from flexforge.codegen.mechanics.points import point_of
from flexforge.codegen.mechanics.shape_symbols import gradient_symbols, shape_symbol
from flexforge.codegen.study.report import kinematics as report_kinematics
from flexforge.codegen.study.report.field import Field
from flexforge.codegen.study.report.kinematics import NOTATION, matrix_terms
from flexforge.codegen.study.report.steps import Steps, steps
from marks import slow

SUBJECTS = {name: element(name) for name in ("tri3", "tet4")}


@cache
def _written(name: str) -> Steps:
    """Return the steps of an element's derivations, made once a process."""
    return steps(SUBJECTS[name], FORMALISMS)


def _nodal(point: MaterialPoint) -> dict[sympy.Symbol, sympy.Expr]:
    """Return the field and its derivatives as sums over the nodes, written by hand."""
    size = point.dimension
    sums: dict[sympy.Symbol, sympy.Expr] = {}
    for letter, field in (("d", "u"), ("q", "U")):
        for rate in ("", "'", "''"):
            for i in range(size):
                nodal = [
                    sympy.Symbol(f"{letter}{rate}_{n},{i + 1}", real=True) for n in point.nodes
                ]
                values = [shape_symbol(n) for n in point.nodes]
                sums[sympy.Symbol(f"{field}{i + 1}{rate}", real=True)] = sum(
                    a * b for a, b in zip(values, nodal, strict=True)
                )
                for j in range(size):
                    slopes = [gradient_symbols(n, size)[j] for n in point.nodes]
                    sums[sympy.Symbol(f"{field}{i + 1},{j + 1}{rate}", real=True)] = sum(
                        a * b for a, b in zip(slopes, nodal, strict=True)
                    )
    return sums


@pytest.mark.parametrize("name", ["tri3", slow("tet4")])
def test_every_form_is_the_value_that_was_derived(name: str) -> None:
    """Names put back, each form of each step is exactly what the derivation has."""
    found = _written(name)
    nodal = _nodal(found.point)
    names: dict[sympy.Symbol, sympy.Expr] = {}

    def check(formulas) -> int:
        for formula in formulas:
            for form in formula.forms:
                if isinstance(form, sympy.MatrixBase):
                    assert form == formula.value
                    continue
                back = form.subs(names).subs(nodal)
                assert sympy.expand(back - formula.value) == 0, (formula.step, form)
            if formula.component:
                symbol = f"{formula.step}{formula.component}"
                names[sympy.Symbol(symbol, real=True)] = formula.value
        return len(formulas)

    assert check(found.kinematics) and check(found.energies) == 3
    for section in found.sections:
        # Maggi's v is not the one of the others.
        before = dict(names)
        assert check([*section.formulas, *section.results]), section.name
        names.clear()
        names.update(before)


@pytest.mark.parametrize("name", ["tri3", slow("tet4")])
def test_every_step_is_shown_once(name: str) -> None:
    """What a ledger holds is a formula of its section, or was written down before."""
    for section in _written(name).sections:
        shown = {formula.step for formula in section.formulas}
        for step in section.equations.ledger.steps:
            named = {step.name, section.families.get(step.name), "eps'", "eps"}
            assert named & (shown | set(section.known)), (section.name, step.name)
        assert len(shown) or section.name == "virtual_power"


@pytest.mark.parametrize("name", ["tri3", slow("tet4")])
def test_sections_count_as_the_derivation_does(name: str) -> None:
    """Showing the steps derives them once more; it takes the same operations."""
    for section in _written(name).sections:
        assert section.counts == derive(SUBJECTS[name], formalism=section.name).ledger.counts()


@pytest.mark.parametrize("name", ["tri3", slow("tet4")])
def test_all_arrive_at_the_same_first_equation(name: str) -> None:
    """Multiplied out the first equations are one; Hamilton's is p' = -dH/dd (Scutaru 2023, 4.3)."""
    sections = {section.name: section for section in _written(name).sections}
    hamilton = sections.pop("hamilton")
    equations = {s.results[0].forms[0] for s in sections.values()}
    assert len(equations) == 1
    assert [result.step for result in hamilton.results] == ["p_a,1", "p'_a,1"]
    derivative = next(f.value for f in hamilton.formulas if f.step == "dH/dd")
    assert sympy.expand(derivative + hamilton.results[1].value) == 0


def test_a_sum_is_renamed_only_where_all_nodes_are_in_it() -> None:
    """N_a d_a + N_b d_b is u; with other factors, or alone, a product stays as it is."""
    point = point_of(SUBJECTS["tri3"], frame_for(2), ("a", "b"))
    field = Field(point)
    N_a, N_b = shape_symbol("a"), shape_symbol("b")
    d_a, d_b, x = (sympy.Symbol(s, real=True) for s in ("d_a,1", "d_b,1", "x"))
    u = sympy.Symbol("u1", real=True)
    assert field.write(N_a * d_a + N_b * d_b) == u
    assert field.write(3 * N_a * (N_a * d_a * x + N_b * d_b * x)) == 3 * N_a * u * x
    assert field.write(5 * N_a * d_a + 2 * N_b * d_b) == 3 * N_a * d_a + 2 * u
    for other in (N_a * d_a + 2 * N_b * d_b, N_a * d_a - N_b * d_b, N_a * d_a + N_b * d_b * x):
        assert field.write(other) == other


@pytest.mark.parametrize("name", ["tri3", slow("tet4")])
def test_the_terms_in_matrix_notation_add_up(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Claim C1: four terms of the velocity, five of the acceleration; one forgotten is noticed."""
    point = point_of(SUBJECTS[name], frame_for(SUBJECTS[name].components), ("a", "b"))
    terms = matrix_terms(point)
    assert (len(terms["v"]), len(terms["a"])) == (4, 5)
    for mark in ("v", "a", "T"):
        wrong = NOTATION | {mark: (*NOTATION[mark][:-1], f"2 {NOTATION[mark][-1]}")}
        monkeypatch.setattr(report_kinematics, "NOTATION", wrong)
        with pytest.raises(FlexforgeError, match=f"{mark} is not"):
            matrix_terms(point)


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_a_formalism_has_its_own_words(formalism: str) -> None:
    """Title, idea and recipe are in the module of the formalism; a recipe has 3 to 5 steps."""
    words = text(formalism)
    assert 3 <= len(words.recipe) <= 5
    assert all(
        (
            words.title,
            words.start,
            words.principle,
            words.gives,
            words.idea,
            words.difference,
            words.useful,
        )
    )
