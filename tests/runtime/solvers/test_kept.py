# SPDX-License-Identifier: BSD-3-Clause
"""Load cases with one stiffness factor it once, and find what separate runs do, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from flexforge.runtime.solvers.kept import keeping, kept
from flexforge.runtime.statics import held
from scipy.sparse import csr_matrix, identity

CORNERS = [[0, 0], [1, 0], [1, 0.1], [0, 0.1]]


class Counted:
    """Factors that count how they are used."""

    iterative, name, bytes, closed = False, "counted", 8, 0

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
        assert made[0].closed == 0  # still used
        still_open.close()
        assert made[0].closed == 1
        use(other, "b")
        assert [one.closed for one in made] == [1, 1, 0]
        with pytest.raises(TypeError, match="kept factors are of one matrix"):
            kept(other, ("b",), factor).update(one)
    use(one)
    assert len(made) == 4  # nothing is kept outside


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
