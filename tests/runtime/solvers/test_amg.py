# SPDX-License-Identifier: BSD-3-Clause
"""Multigrid against direct solvers, its iterations over the size, and when it is not taken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime import _blocks
from flexforge.runtime.check import check_model
from flexforge.runtime.machine import memory
from flexforge.runtime.run import run_model
from flexforge.runtime.solvers import amg, conjugate, factorize, select, vcycle
from flexforge.runtime.solvers.estimate import cost_of_factors
from flexforge.runtime.solvers.interface import Backend, SingularMatrixError
from flexforge.runtime.solvers.kept import keeping
from flexforge.runtime.statics import held, iterated
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.rigid import layout_of
from flexforge.runtime.statics.static import solve_static
from flexforge.runtime.system.loads import Loads
from marks import slow
from models import PLANE, build, model
from scipy.sparse import random as random_sparse

PULL: dict[str, Any] = {"loads": [{"kind": "force", "group": "xmax", "total": [0.0, 1e3, 0.0]}]}
HELD: dict[str, Any] = {"supports": [{"group": "xmin"}], **PULL}
# Along x on a face, along y and z on edges of it: nodes with one, two and three components held.
PARTLY: dict[str, Any] = {
    "supports": [
        {"group": "xmin", "components": ["x"]},
        {"group": "xmin_ymin", "components": ["y"]},
        {"group": "xmin_zmin", "components": ["y", "z"]},
    ],
    **PULL,
}


def displacement(cell: str, divisions: list[int], solver: str, **tables: Any) -> tuple[Any, str]:
    """Return the displacements of a block under load, and what solved it."""
    spec = model(cell, divisions, **tables)
    places = build(spec)
    found = solve_static(places.system, Loads(spec, places), 0.0, solver)
    return found.displacement, found.solver


@pytest.mark.parametrize(
    ("cell", "divisions", "tables"),
    [
        ("hex8", [12, 10, 9], HELD),
        ("hex8", [12, 10, 9], PARTLY),
        ("tet10", [7, 6, 5], PARTLY),
        ("hex20", [6, 5, 4], HELD),
        ("quad8", [30, 20], HELD),
        ("tri3", [40, 30], HELD),
    ],
)
def test_multigrid_agrees_with_factors(cell: str, divisions: list[int], tables: Any) -> None:
    """Both solve to round-off: blocks of 3 x 3 and 2 x 2, with held components among free ones."""
    wanted, _ = displacement(cell, divisions, "scipy", **tables)
    found, name = displacement(cell, divisions, "amg", **tables)
    assert name == "amg"
    np.testing.assert_allclose(found, wanted, atol=1e-8 * np.abs(wanted).max())


def test_equations_between_unknowns_are_no_obstacle() -> None:
    """Local axes make T no selection: the matrix comes in rows, its motions by T."""
    tables = HELD | {
        "supports": [
            {"group": "xmin"},
            {"group": "ymax", "axes": {"x": [0.5, 0.8, 0.0]}, "components": ["x"]},
        ]
    }
    wanted, _ = displacement("hex8", [10, 6, 6], "scipy", **tables)
    found, name = displacement("hex8", [10, 6, 6], "amg", **tables)
    assert name == "amg"
    np.testing.assert_allclose(found, wanted, atol=1e-8 * np.abs(wanted).max())


@pytest.mark.slow
def test_transients_and_modes_are_those_of_factors(tmp_path) -> None:
    """Frequencies and a probe agree to the tolerances of eigenvalues and of a step."""
    tip = [{"name": "tip", "group": "xmax", "component": "y"}]
    step = {"kind": "transient", "duration": 1e-3, "steps": 5}
    seen = []
    for solver in ("scipy", "amg"):
        spec = model(
            "hex8", [20, 9, 9], **HELD, analysis={"kind": "modes", "count": 3, "solver": solver}
        )
        modes = run_model(spec, output=tmp_path / "modes", overwrite=True).figures
        spec = model("hex8", [20, 9, 9], **HELD, probes=tip, analysis=step | {"solver": solver})
        moved = run_model(spec, output=tmp_path / "step", overwrite=True).figures
        assert solver in (modes["solver"], moved["solver"])
        seen.append([modes[f"mode {i}"][0] for i in (1, 2, 3)] + [moved["tip, at the end"][0]])
    np.testing.assert_allclose(seen[1], seen[0], rtol=1e-7)


def iterations(size: int) -> int:
    """Return the iterations for a cube of hex8."""
    spec = model("hex8", [size] * 3, **HELD)
    places = build(spec)
    factors = held.factor_held(Pencil.at_rest(places.system), "amg", "test")
    assert isinstance(factors, amg.Amg)
    factors.solve(np.random.default_rng(0).standard_normal(places.system.unknowns))
    return factors.iterations


@slow
def test_iterations_hardly_grow_with_the_size() -> None:
    """Multigrid: 27 times as many unknowns, at most a third more iterations; fewer than 30."""
    few, many = iterations(10), iterations(30)
    assert few <= many <= min(1.34 * few, 30)


def softened(*, locally: bool, positive_definite: bool) -> tuple[Any, Any]:
    """Return multigrid for an indefinite matrix, by a shift or by a coupling of two nodes."""
    places = build(model("hex8", [14, 6, 6], **HELD))
    pencil = Pencil.at_rest(places.system)
    matrix = pencil.stiffness.tolil()
    if locally:
        i, j = 600, 603  # along x of two neighbours
        matrix[i, j] += 1.5 * matrix[i, i]
        matrix[j, i] += 1.5 * matrix[i, i]
    else:
        first = pencil.rough(factorize(pencil.stiffness, "scipy", symmetric=True).solve)[0].min()
        matrix = pencil.stiffness - 1.5 * first * pencil.inertia
    matrix = matrix.tocsr()
    assert np.linalg.eigvalsh(matrix.toarray())[0] < 0.0
    found = factorize(
        matrix,
        "amg",
        symmetric=True,
        positive_definite=positive_definite,
        layout=layout_of(places.system),
    )
    return found, matrix


@pytest.mark.parametrize(("locally", "why"), [(True, "without energy"), (False, "coarsest level")])
def test_an_indefinite_matrix_is_refused_or_factored(*, locally: bool, why: str) -> None:
    """A coarse level shows soft motions; the iteration shows what the coarse level cannot."""
    with pytest.raises(SingularMatrixError, match=why):
        softened(locally=locally, positive_definite=True)[0].solve(np.ones(2058))
    found, matrix = softened(locally=locally, positive_definite=False)
    rhs = np.random.default_rng(0).standard_normal(matrix.shape[0])
    solution = found.solve(rhs)
    assert "instead of amg, which" in found.name and why in found.name
    assert np.linalg.norm(matrix @ solution - rhs) < 1e-9 * np.linalg.norm(rhs)


def test_stagnation_falls_back_with_a_warning(monkeypatch, tmp_path) -> None:
    """With no patience at all, a direct solver goes on, and the run says why."""
    monkeypatch.setattr(conjugate, "_WINDOW", 1)
    monkeypatch.setattr(conjugate, "_FALL", 1e-9)
    spec = model("hex8", [6, 4, 4], **HELD, analysis={"kind": "static", "solver": "amg"})
    outcome = run_model(spec, output=tmp_path / "out")
    (warning,) = outcome.warnings
    assert "instead of amg, which stagnates (residual" in warning
    wanted, _ = displacement("hex8", [6, 4, 4], "scipy", **HELD)
    largest = np.linalg.norm(wanted, axis=1).max()
    assert outcome.figures["largest displacement"][0] == pytest.approx(largest, rel=1e-9)


def test_unsymmetric_matrices_are_factored() -> None:
    """Multigrid is for symmetric matrices with a layout; others go to a direct solver."""
    places = build(model("hex8", [3, 3, 3], **HELD))
    stiffness = Pencil.at_rest(places.system).stiffness
    assert factorize(stiffness, "amg", layout=layout_of(places.system)).name != "amg"
    assert factorize(stiffness, "amg", symmetric=True).name != "amg"


def test_without_pyamg_it_is_refused(monkeypatch) -> None:
    """The message names the library."""
    monkeypatch.setattr(amg, "probe", lambda: Backend("amg", None, "pyamg: no module"))
    with pytest.raises(InputError, match="solver: found 'amg', which cannot be used here .pyamg"):
        displacement("hex8", [3, 3, 3], "amg", **HELD)


def test_new_values_are_taken() -> None:
    """An update solves with the new matrix; a closed one not at all."""
    places = build(model("hex8", [8, 6, 6], **HELD))
    stiffness = Pencil.at_rest(places.system).stiffness
    found = factorize(stiffness, "amg", positive_definite=True, layout=layout_of(places.system))
    rhs = np.random.default_rng(0).standard_normal(stiffness.shape[0])
    before = found.solve(rhs)
    found.update((2.0 * stiffness).tocsr())
    np.testing.assert_allclose(
        found.solve(np.stack([rhs, rhs], axis=1))[:, 1], before / 2, rtol=1e-6
    )
    assert found.bytes > 8 * stiffness.nnz


@pytest.mark.parametrize("d", [2, 3])
def test_the_cycle_is_symmetric_and_positive(d: int) -> None:
    """What conjugate gradients need of a preconditioner, to single precision."""
    places = build(model("hex8" if d == 3 else "quad4", [9] * 3 if d == 3 else [40, 30], **HELD))
    blocked = Pencil.at_rest(places.system).blocked()
    cycle = vcycle.VCycle(blocked.rows, blocked.null_space(), 2)
    assert len(cycle.levels) > 1
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, blocked.rows.size))
    assert x @ cycle(y) == pytest.approx(y @ cycle(x), rel=1e-4)
    assert x @ cycle(x) > 0.0


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (2, 3), (3, 2), (3, 3), (3, 6), (6, 3), (6, 6)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_blocks(shape: tuple[int, int], dtype: type) -> None:
    """As SciPy's, for rows of any length, also empty ones, and for any number of threads."""
    rows, across = shape
    rng = np.random.default_rng(0)
    pattern = random_sparse(50, 40, density=0.1, random_state=0, format="csr")
    data = rng.standard_normal((pattern.nnz, rows, across)).astype(dtype)
    whole = np.zeros((50, rows, 40, across))
    counts = np.repeat(np.arange(50), np.diff(pattern.indptr))
    whole[counts, :, pattern.indices] = data
    x = rng.standard_normal(40 * across).astype(dtype)
    wanted = whole.reshape(50 * rows, 40 * across) @ x.astype(np.float64)
    for threads in (1, 2, 7, 90):
        y = np.empty(50 * rows, dtype=dtype)
        _blocks.times(pattern.indptr, pattern.indices, data, x, y, threads)
        np.testing.assert_allclose(y, wanted, atol=50 * np.finfo(dtype).eps)


def test_the_cost_of_factors_follows_the_shape() -> None:
    """Of a cube n^2 time and n^(4/3) memory, of a rod and a sheet far less for as many nodes."""

    def cost(divisions: list[int]) -> Any:
        (body,) = build(model("hex8", divisions)).system.bodies
        corners = body.points * np.array(divisions)
        return cost_of_factors(body.graph.pointers, body.graph.columns, corners, 3, 1)

    small, large = cost([12] * 3), cost([25] * 3)
    growth = np.log(large.seconds / small.seconds) / np.log(8.0)
    assert 1.7 < growth < 2.5
    assert 1.1 < np.log(large.bytes / small.bytes) / np.log(8.0) < 1.7
    rod, sheet = cost([325, 6, 6]), cost([92, 91, 1])
    assert rod.seconds < 0.05 * large.seconds and sheet.seconds < 0.1 * large.seconds


def test_large_statics_take_multigrid_by_themselves(monkeypatch, tmp_path) -> None:
    """Where the estimate says so, and the solver's name says what factors would have cost."""
    monkeypatch.setattr(iterated, "_LARGE", 1000)
    monkeypatch.setattr(iterated, "_SLOWER", 0.0)
    _, name = displacement("hex8", [8, 8, 8], "auto", **HELD)
    assert name.startswith("amg (factors would take about ")
    monkeypatch.setattr(iterated, "_SLOWER", 1e9)
    assert not displacement("hex8", [8, 8, 8], "auto", **HELD)[1].startswith("amg")
    assert PLANE and [one.name for one in select.available()][-2:] == ["amg", "gamg"]


def test_a_few_solutions_take_multigrid_where_elements_are_even(monkeypatch) -> None:
    """Not those of flat elements, of a thin body, or of many load cases, whose factors stay."""
    monkeypatch.setattr(iterated, "_MODEST", 500)

    def name(divisions: list[int]) -> str:
        return displacement("hex8", divisions, "auto", **HELD)[1]

    assert name([8, 8, 8]).startswith("amg (factors would take about ")
    assert not name([40, 8, 8]).startswith("amg")  # of the same cube
    assert not name([10, 10, 3]).startswith("amg")
    with keeping(4):
        assert name([8, 8, 8]).startswith("amg")
    with keeping(5):
        assert not name([8, 8, 8]).startswith("amg")


def test_costs_are_told_before_they_arise(monkeypatch) -> None:
    """By ``check``: estimates of both, and what is taken; what does not fit at all is refused."""
    monkeypatch.setattr(iterated, "_LARGE", 1000)
    spec = model("hex8", [8, 8, 8], **HELD)
    assert check_model(spec).solver == (
        'factors would take about 0 s and 0.0 GB, multigrid 0 s and 0.0 GB; "auto" takes factors'
    )
    monkeypatch.setattr(iterated, "_SLOWER", 0.0)
    assert check_model(spec).solver.endswith('"auto" takes multigrid')
    explicit = {"kind": "transient", "duration": 1e-6, "steps": 1, "method": "central_difference"}
    assert not check_model(model("hex8", [8, 8, 8], **HELD, analysis=explicit)).solver
    places = build(spec)
    for module in (iterated, memory):
        monkeypatch.setattr(module, "available_memory", lambda: 1000)
    with pytest.raises(InputError, match=r"analysis\.solver: found equations, which need .* MB of"):
        solve_static(places.system, Loads(spec, places), 0.0, "auto")
