# SPDX-License-Identifier: BSD-3-Clause
"""Load cases with one stiffness factor it once, and find what separate runs do, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from flexforge.runtime.solvers import factorize
from flexforge.runtime.solvers.kept import keeping, kept
from flexforge.runtime.statics import held
from scipy.sparse import csr_matrix, diags, identity, kron

CORNERS = [[0, 0], [1, 0], [1, 0.1], [0, 0.1]]


class Counted:
    """Factors that count how they are used."""

    iterative, name, bytes, closed = False, "counted", 8, 0

    def __init__(self) -> None:
        self.updates: list[Any] = []

    def update(self, matrix: Any) -> None:
        if matrix.data.any():
            self.updates.append(matrix)
        else:
            raise ValueError("singular")

    def solve(self, rhs: Any) -> Any:
        return rhs

    def close(self) -> None:
        self.closed += 1


def test_the_same_matrix_is_factored_once() -> None:
    """Other values, or another way, are other factors; each is closed once, at its end."""
    one, other = identity(3, format="csr"), 2.0 * identity(3, format="csr")
    made: list[Counted] = []

    def factor() -> Any:
        made.append(Counted())
        return made[-1]

    def use(matrix: csr_matrix, how: str = "a") -> None:
        found = kept(matrix, (how,), factor)
        assert found.solve(1.0) == 1.0
        found.close()
        found.close()  # the second time says nothing

    with keeping():
        use(one)
        use(one.copy())
        assert len(made) == 1
        assert made[0].closed == 0
        still_open = kept(one, ("a",), factor)
        use(other)
        assert len(made) == 2
        assert made[0].closed == 0 and not made[0].updates  # still used
        still_open.close()
        assert made[0].closed == 1
        use(other, "b")
        assert [one.closed for one in made] == [1, 1, 0]
        with pytest.raises(TypeError, match="kept factors are of one matrix"):
            kept(other, ("b",), factor).update(one)
    use(one)
    assert len(made) == 4  # nothing is kept outside


def test_other_values_have_the_ordering_of_the_last() -> None:
    """Factors that nothing uses take the values of the next matrix, if its pattern is theirs."""
    one = identity(3, format="csr")
    other, apart = 2.0 * one, csr_matrix(np.ones((3, 3)))
    made: list[Counted] = []

    def factor() -> Any:
        made.append(Counted())
        return made[-1]

    with keeping():
        kept(one, (), factor).close()
        given = other.copy()
        kept(given, (), factor).close()
        assert len(made) == 1 and made[0].updates == [given]
        given.data[:] = 3.0  # the caller's matrix is its own
        kept(other, (), factor).close()
        assert len(made[0].updates) == 1
        kept(apart, (), factor).close()
        assert len(made) == 2 and made[0].closed == 1
        with pytest.raises(ValueError, match="singular"):
            kept(0.0 * apart, (), factor)
        assert made[1].closed == 1
        kept(apart, (), factor).close()
        assert len(made) == 3
    assert [one.closed for one in made] == [1, 1, 1]


@pytest.mark.parametrize("solver", ["pardiso", "scipy"])
def test_updated_factors_are_those_of_the_matrix(solver: str) -> None:
    """Factors with other values in the old ordering solve as new ones, to the last bit."""
    line = diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(50, 50))
    plane = csr_matrix(kron(line, identity(50)) + kron(identity(50), line))
    shifted = plane.copy()
    shifted.setdiag(plane.diagonal() + np.linspace(0.1, 2.0, 2500))
    load = np.random.default_rng(0).standard_normal(2500)

    def solution(matrix: csr_matrix) -> Any:
        def new() -> Any:
            return factorize(matrix, solver, 1, positive_definite=True, check=False)

        factors = kept(matrix, (), new)
        found = factors.solve(load)
        factors.close()
        return found

    alone = solution(shifted)
    with keeping():
        solution(plane)
        assert np.array_equal(solution(shifted), alone)
    np.testing.assert_allclose(shifted @ alone, load, rtol=0, atol=1e-12)


def test_load_cases_have_one_factorization(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []
    factorize = held.factorize
    monkeypatch.setattr(held, "factorize", lambda *a, **k: counted.append(1) or factorize(*a, **k))
    force, static = {"kind": "force", "group": "xmax"}, {"kind": "static"}
    tables: dict[str, Any] = {
        "mesh": {"block": {"cell": "quad8", "corners": CORNERS, "divisions": [20, 2]}},
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0}},
        "bodies": [{"name": "beam", "element": "quad8", "material": "steel", "thickness": 0.02}],
        "supports": [{"group": "xmin"}],
        "loads": [force | {"total": [0, -100, 0], "steps": ["down"]},
                  force | {"total": [1e4, 0, 0], "steps": ["pull"]},
                  force | {"total": [0, 50, 0], "steps": ["up"]}],
        "probes": [{"name": "tip", "group": "xmax", "component": "y"}],
        "output": {"formats": ["csv"]},
        "steps": [{"name": name, "analysis": static} for name in ("down", "pull", "up")],
    }  # fmt: skip
    several = run_model(model_from_dict(tables), output=tmp_path / "all").steps
    assert len(counted) == 1
    for number, name in enumerate(several):
        plain = {key: value for key, value in tables.items() if key != "steps"}
        loads = [{k: v for k, v in tables["loads"][number].items() if k != "steps"}]
        alone = run_model(
            model_from_dict(plain | {"loads": loads, "analysis": static}),
            output=tmp_path / name,
        )
        np.testing.assert_array_equal(several[name].probes["tip"], alone.probes["tip"])
    assert len(counted) == 4
