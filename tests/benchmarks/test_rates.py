# SPDX-License-Identifier: BSD-3-Clause
"""The table of rates measures what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import convergence
import pytest
from support import locking, rods_and_shells

#: What docs/verification.md shows.
SHOWN: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "docs" / "verification.json").read_text()
)["rates"]


def test_rates_of_a_linear_and_a_quadratic_element() -> None:
    """h^2 and h for tri3, h^3 and h^2 for quad8 (Strang and Fix, theorem 3.7)."""
    for name, order in (("tri3_plane_stress", 1), ("quad8_plane_strain", 2)):
        found = convergence.rates(name)
        assert found["displacement rate"] == pytest.approx(order + 1, abs=0.1)
        assert found["energy rate"] == pytest.approx(order, abs=0.1)
        said = SHOWN["elements"][name]["rates"]
        assert found.pop("expected") == said["expected"]
        assert found == pytest.approx({key: said[key] for key in found}, rel=1e-4), "make pages"


def test_locking_is_shown() -> None:
    """quad4 in slender bending and at nu = 0.4999: a tenth of the displacement and less."""
    along, in_plane, across = locking.bending("quad4_plane_stress")
    assert along > 0.95 and in_plane < 0.1 and across is None
    # MacNeal and Harder print 0.846 and 0.053 for nu = 0.49 and 0.4999 with this mesh.
    _, *shares = locking.compressing("quad4_plane_strain")
    assert shares == pytest.approx([0.846, 0.053], abs=2e-3)


@pytest.mark.parametrize("name", rods_and_shells.WORK)
def test_rates_and_shares_of_rods_and_shells(name: str) -> None:
    """The work converges at the rate of theory, and however slender nothing locks: 4 %."""
    found = convergence.field_rates(name)
    assert found["work rate"] == pytest.approx(found["expected"], abs=0.2)
    said = SHOWN["rods and shells"][name]
    assert found["work"] == pytest.approx(said["work"], rel=1e-3), "run make pages"
    assert found["work rate"] == pytest.approx(said["work rate"], abs=1e-3), "run make pages"
    if found["slender"] is not None:
        assert found["slender"] == pytest.approx([found["slender"][-1]] * 4, rel=1e-3)
        assert found["slender"][-1] == pytest.approx(1.0, rel=0.04)
