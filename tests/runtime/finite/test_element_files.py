# SPDX-License-Identifier: BSD-3-Clause
"""Bodies of element files with an energy: run like named ones, refused where all is linear."""

from __future__ import annotations

from pathlib import Path

import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.reduction.make import make_basis
from large import bent, run

FILE = """
name = "rubber"
extends = ["hex8"]
energy = "mu/2*(I1 - 3) - mu*log(J) + lame/2*log(J)^2"
parameters = ["mu", "lame"]
"""


def test_a_file_and_a_name_are_one_law(tmp_path: Path) -> None:
    """The same formula, written in an element's file with the density in a material."""
    (tmp_path / "rubber.toml").write_text(FILE)
    named = bent({"kind": "static", "load_steps": 3})
    own = {**named, "materials": {"m": {"density": 1000.0}}}
    own["bodies"] = [{"name": "block", "element": str(tmp_path / "rubber.toml"), "material": "m",
                      "parameters": {"mu": 1e6, "lame": 1e6}}]  # fmt: skip
    tips = [run(one, tmp_path / name).probes["tip"].values[-1]
            for name, one in (("named", named), ("own", own))]  # fmt: skip
    assert tips[0] == pytest.approx(tips[1], rel=1e-12)


def test_what_is_made_of_constant_matrices_is_refused(tmp_path: Path) -> None:
    """Exports and bases are of linear bodies."""
    moves = model_from_dict(bent({"kind": "transient", "duration": 1.0, "steps": 10}))
    with pytest.raises(InputError, match="body 'block': found an energy.*in an exported model"):
        build_solver(moves, "bar")
    tables = bent({"kind": "modes", "count": 3}, reduction={"method": "modal", "modes": 3})
    with pytest.raises(InputError, match="reduction found with body 'block'"):
        make_basis(model_from_dict(tables), tmp_path / "basis.h5")


def test_cables_with_slopes_are_for_generated_kernels(tmp_path: Path) -> None:
    """A file that extends one is refused: nothing in a model holds slopes."""
    path = tmp_path / "rod.toml"
    path.write_text('name = "own"\nextends = ["ancf_cable_plane"]\n')
    tables = bent({"kind": "static"})
    tables["bodies"] = [{"name": "block", "element": str(path), "parameters": {"young": 1.0}}]
    with pytest.raises(InputError, match="found element 'own', whose nodes have slopes"):
        run(tables, tmp_path / "results")
