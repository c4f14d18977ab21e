# SPDX-License-Identifier: BSD-3-Clause
"""Cells that are too small, too large or folded: each is named with its place and its remedy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.mesh import Mesh, check_mesh, check_part, structured
from flexforge.runtime.mesh.straighten import straighten

CUBE = [[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]


def folded(cell: str) -> tuple[Mesh, Mesh]:
    """Return a block of eight boxes, and one where a middle node goes through its cells."""
    mesh = structured(cell, CUBE, [2, 2, 2])
    corner, far = mesh.points[0], np.array([0.5, 0.0, 0.0])
    middle = int(np.argmin(np.linalg.norm(mesh.points - 0.5 * (corner + far), axis=1)))
    points = mesh.points.copy()
    points[middle] += [0.0, 0.3, 0.3]
    return mesh, replace(mesh, points=points)


@pytest.mark.parametrize("cell", ["tet10", "hex20", "hex27"])
def test_inverted_cells_are_straightened(cell: str) -> None:
    """With its middle node put back a mesh of straight edges is the one that it was."""
    sound, broken = folded(cell)
    with pytest.raises(InputError, match=r"inverted: .* is at \(.*; straighten = true in"):
        check_part(broken.part())
    mended = straighten(broken)
    check_part(mended.part())
    np.testing.assert_allclose(mended.points, sound.points, atol=1e-15)
    (remark,) = mended.remarks
    assert "1 middle nodes of" in remark and "farthest by 0.424 " in remark  # 0.3 sqrt(2)


def test_curves_that_fold_nothing_stay() -> None:
    """Curved cells that are not inverted keep their shape, and what was done is told: nothing."""
    mesh = structured("hex20", CUBE, [2, 2, 2])
    curved = replace(mesh, points=mesh.points + 0.02 * np.sin(3 * mesh.points[:, [1, 2, 0]]))
    kept = straighten(curved)
    assert np.array_equal(kept.points, curved.points)
    assert "no cell was straightened" in kept.remarks[0]


def test_cells_that_are_inverted_when_straight_are_refused() -> None:
    """Where corners are out of order straight edges help nothing, and none are offered."""
    mesh = structured("tet10", CUBE, [1, 1, 1])
    mirrored = replace(mesh, points=mesh.points * [1.0, 1.0, -1.0])
    with pytest.raises(InputError, match="inverted") as caught:
        check_part(straighten(mirrored).part())
    assert "straighten" not in str(caught.value)


@pytest.mark.parametrize("cell", ["hex8", "tet10", "wedge6"])
@pytest.mark.parametrize("size", [1e-160, 1e-110, 1e110, 1e154, 1e300])
def test_sizes_whose_volume_is_no_number_are_refused(cell: str, size: float) -> None:
    """A Jacobian is a length cubed: 1e110 overflows, 1e-110 vanishes, and kernels divide by it."""
    part = structured(cell, CUBE, [1, 1, 1]).part()
    with np.errstate(all="raise"), pytest.raises(InputError, match="out of all proportion"):
        check_mesh(part.points * size, part.cell, part.connectivity)


@pytest.mark.parametrize("size", [1e-160, 1e160, 1e300])
def test_sizes_whose_square_is_no_number_are_refused(size: float) -> None:
    """An area of a shell is a length squared, and a bar's stiffness divides by its length."""
    part = structured("quad4", [[0, 0], [1, 0], [1, 1], [0, 1]], [1, 1]).part()
    with np.errstate(all="raise"), pytest.raises(InputError, match="out of all proportion"):
        check_mesh(part.points * size, part.cell, part.connectivity, in_space=True)
    part = structured("line2", [[0, 0], [1, 0]], [1]).part(cell="line2")
    with np.errstate(all="raise"), pytest.raises(InputError, match="out of all proportion"):
        check_mesh(part.points * size, part.cell, part.connectivity)


@pytest.mark.parametrize("size", [1e-60, 1e-9, 1.0, 1e9, 1e60])
def test_the_unit_of_length_does_not_matter(size: float) -> None:
    """A sound cell is sound in any unit, and one that is moved far away as well."""
    part = structured("hex20", CUBE, [1, 1, 1]).part()
    check_mesh(part.points * size, part.cell, part.connectivity)
