# SPDX-License-Identifier: BSD-3-Clause
"""Hints for elements that do not exist: a file in the folder, or the name in full."""

from __future__ import annotations

from pathlib import Path

import flexforge as ff
import pytest
from flexforge.codegen.errors import InputError

MODEL = """
[mesh.block]
cell = "quad4"
corners = [[0, 0], [1, 0], [1, 1], [0, 1]]
divisions = [1, 1]
[materials.steel]
young = 2e11
poisson = 0.3
density = 7800
[[bodies]]
name = "b"
element = "{}"
material = "steel"
thickness = 0.1
[analysis]
kind = "static"
"""


@pytest.mark.parametrize(
    ("name", "hint"),
    [("quad4_planestress", "'quad4_plane_stress'"), ("tri6_plainstrain", "'tri6_plane_strain'"),
     ("hex9", "'hex8'"), ("mine", "the file 'mine.toml'")],
)  # fmt: skip
def test_the_nearest_name_is_told(name: str, hint: str, tmp_path: Path, monkeypatch) -> None:
    """An own file is found in the current folder; without it there is no hint."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text("")
    for call in (ff.element, lambda one: ff.kernels_of(one, ["mass"])):
        with pytest.raises(InputError, match=f"unknown; expected .*; did you mean {hint}"):
            call(name)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("quad4_plane_stres", "element = 'quad4' with hypothesis = 'plane_stress'"),
     ("mine", "the file 'mine.toml'")],
)  # fmt: skip
def test_models_have_the_hypothesis_beside_the_element(
    name: str, hint: str, tmp_path: Path
) -> None:
    """Files of elements lie beside the model, whatever the current folder is."""
    (tmp_path / "mine.toml").write_text("")
    (tmp_path / "model.toml").write_text(MODEL.format(name))
    with pytest.raises(InputError, match=f"unknown element '{name}'.*did you mean {hint}"):
        ff.load_model(tmp_path / "model.toml").check()


def test_the_key_of_fields_is_a_hint_too(tmp_path: Path) -> None:
    """Without ``carried`` a declaration is that of a solid, whose keys are others."""
    path = tmp_path / "own.toml"
    path.write_text('name = "own"\ncaried = ["displacement"]\n')
    with pytest.raises(InputError, match="caried: unknown key; did you mean 'carried'"):
        ff.element(path)
