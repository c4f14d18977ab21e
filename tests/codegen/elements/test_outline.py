# SPDX-License-Identifier: BSD-3-Clause
"""Facts read from the files of rods and shells, against the derived declarations."""

from __future__ import annotations

import pytest
from flexforge.codegen.elements.catalogue import LARGE, LUMPED, RODS, SHELLS, find, outline
from flexforge.codegen.elements.outline import outline_of
from marks import slow

QUICK = ("bar3_plane", "euler_beam_plane", "point_mass", "ground_bushing_plane")


@pytest.mark.parametrize(
    "name",
    [n if n in QUICK else slow(n) for n in (*RODS, *LARGE, *SHELLS, *LUMPED)],
)
def test_an_outline_is_that_of_the_declaration(name: str) -> None:
    """Name, cell, nodes, coordinates, description and terms are those of the derived element."""
    assert outline(name) == outline_of(find(name))
