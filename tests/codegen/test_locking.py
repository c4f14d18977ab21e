# SPDX-License-Identifier: BSD-3-Clause
"""Locking: what slender bending and hardly compressible materials do to an element.

R. H. MacNeal and R. L. Harder, A proposed standard set of problems to test finite element accuracy,
Finite Elements in Analysis and Design 1 (1985): the straight cantilever and the thick cylinder.
Elements that promise not to lock are held to it; those that lock are shown to, so that the tests
can fail.
"""

from __future__ import annotations

from functools import cache

import handwritten
import numpy as np
import pytest
from compiled import library
from flexforge.runtime.mesh import boundary_facets, structured
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve
from specimens import ALL_ELEMENTS, cell_of, heavy_are_slow

LENGTH, HEIGHT, WIDTH = 6.0, 0.2, 0.1
#: Tip displacements of unit loads (MacNeal and Harder, table 2).
TIP = {0: 3e-5, 1: 0.1081, 2: 0.4321}


@cache
def _stiffness(name):
    """Return the compiled kernel; the other terms take no part here."""
    return library(name, 8)["stiffness"]


def _mesh(name, corners, divisions):
    mesh = structured(cell_of(name), corners, divisions)
    dim = ALL_ELEMENTS[name].components
    return mesh.points[:, :dim].copy(), mesh.blocks[0].nodes


def _traction(name, points, cells, where, force):
    """Return the nodal forces of a traction ``force(n dA)`` on the facets of nodes ``where``."""
    total = np.zeros_like(points)
    for one in boundary_facets(cell_of(name), cells):
        for facet in one.nodes[where[one.nodes].all(axis=1)]:
            for xi, weight in zip(*handwritten.quadrature(one.cell, "mass"), strict=True):
                tangents = points[facet].T @ handwritten.shape_derivatives(one.cell, xi)
                if points.shape[1] == 2:
                    normal = np.array([tangents[1, 0], -tangents[0, 0]])
                else:
                    normal = np.cross(tangents[:, 0], tangents[:, 1])
                N = handwritten.shape(one.cell, xi)
                total[facet] += weight * np.outer(N, force(normal))
    return total


def _solve(name, points, cells, material, load, held):
    """Return the displacements; ``held`` (nodes, dim) are zero."""
    blocks = _stiffness(name)(np.moveaxis(points[cells], 0, -1), material)
    dim = points.shape[1]
    dofs = (cells[:, :, None] * dim + np.arange(dim)).reshape(len(cells), -1)
    size = dofs.shape[1]
    values = np.moveaxis(blocks, -1, 0).reshape(len(cells), size, size)
    rows, columns = np.repeat(dofs, size, axis=1), np.tile(dofs, (1, size))
    K = coo_matrix((values.ravel(), (rows.ravel(), columns.ravel())), (points.size,) * 2).tocsr()
    free = ~held.ravel()
    u = np.zeros(points.size)
    u[free] = spsolve(K[free][:, free].tocsc(), load.ravel()[free])
    return u.reshape(points.shape)


def cantilever(name, axis, divisions=6):
    """Return the tip displacement under a unit load along an axis over MacNeal and Harder's."""
    plane = ALL_ELEMENTS[name].components == 2
    corners = [[0, 0], [LENGTH, 0], [LENGTH, HEIGHT], [0, HEIGHT]]
    if not plane:
        corners = [[*c, z] for z in (0, WIDTH) for c in corners]
    points, cells = _mesh(name, corners, [divisions, 1] if plane else [divisions, 1, 1])
    held = np.repeat(np.isclose(points[:, :1], 0), points.shape[1], axis=1)
    area = HEIGHT * (1.0 if plane else WIDTH)
    unit = np.eye(points.shape[1])[axis]
    tip = np.isclose(points[:, 0], LENGTH)
    load = _traction(name, points, cells, tip, lambda n: np.linalg.norm(n) / area * unit)
    material = {"young": 1e7, "poisson": 0.3, "thickness": WIDTH}
    # The kernel of a plane element takes the thickness; the load above is the whole of it.
    u = _solve(name, points, cells, material, load, held)
    return u[tip, axis].mean() / TIP[axis]


def cylinder(name, poisson):
    """Return the displacement of the bore of a thick cylinder under pressure over Lame's.

    Radii 3 and 9, plane strain, E = 1000, p = 1 (MacNeal and Harder, problem 6); five elements
    across at 3, 3.5, 4.2, 5.2, 6.75, 9 and nine in a quarter of the circle.
    """
    plane = ALL_ELEMENTS[name].components == 2
    corners = [[0, 0], [1, 0], [1, 1], [0, 1]]
    if not plane:
        corners = [[*c, z] for z in (0, 1) for c in corners]
    unit, cells = _mesh(name, corners, [5, 9] if plane else [5, 9, 1])
    start, end, bore = (np.isclose(unit[:, i], x) for i, x in ((1, 0), (1, 1), (0, 0)))
    radius = np.interp(unit[:, 0], np.linspace(0, 1, 6), [3, 3.5, 4.2, 5.2, 6.75, 9])
    angle = unit[:, 1] * np.pi / 2
    points = unit.copy()
    points[:, 0], points[:, 1] = radius * np.cos(angle), radius * np.sin(angle)
    held = np.zeros(points.shape, dtype=bool)
    held[start, 1] = held[end, 0] = True
    if not plane:
        held[:, 2] = True
    load = _traction(name, points, cells, bore, lambda n: -n)
    material = {"young": 1000.0, "poisson": poisson, "thickness": 1.0}
    u = _solve(name, points, cells, material, load, held)
    found = np.einsum("ni,ni->n", u, points)[bore & start] / 3
    exact = (1 + poisson) * 9 / (1000 * (81 - 9)) * (81 / 3 + (1 - 2 * poisson) * 3)
    return found.mean() / exact


def test_the_exact_cylinder():
    """Lame's closed form gives what MacNeal and Harder print (table 11)."""
    for poisson, printed in ((0.3, 4.5825e-3), (0.49, 5.0399e-3), (0.4999, 5.0623e-3)):
        exact = (1 + poisson) * 9 / (1000 * 72) * (27 + (1 - 2 * poisson) * 3)
        assert exact == pytest.approx(printed, rel=2e-5)


#: Six elements along the beam: least share of the tip displacement of those that do not lock
#: (in the direction of the load: along, in the plane of the higher side, across).
SLENDER = {"quad4i_plane_stress": (0.98, 0.98), "hex8i": (0.98, 0.97, 0.96),
           "quad8_plane_stress": (0.98, 0.94), "quad8r_plane_stress": (0.98, 0.97),
           "quad9_plane_stress": (0.98, 0.94), "hex20": (0.98, 0.94, 0.94),
           "hex20r": (0.98, 0.96, 0.96), "hex27": (0.98, 0.94, 0.94)}  # fmt: skip
#: At most this share in bending: elements that take bending for shear.
STIFF = {"quad4_plane_stress": 0.1, "hex8": 0.1, "hex8s": 0.1, "tet4": 0.05, "wedge6": 0.1}


@pytest.mark.parametrize("name", heavy_are_slow(*SLENDER))
def test_slender_bending(name):
    """Elements that promise it carry MacNeal and Harder's cantilever with six of them."""
    for axis, least in enumerate(SLENDER[name]):
        assert least < cantilever(name, axis) < 1.01, axis


@pytest.mark.parametrize("name", heavy_are_slow(*STIFF))
def test_shear_locking(name):
    """Linear elements are right along the beam and far too stiff in bending: they lock."""
    assert 0.97 < cantilever(name, 0) < 1.01
    for axis in range(1, ALL_ELEMENTS[name].components):
        assert cantilever(name, axis) < STIFF[name]


#: Elements of plane strain and solids that stay soft where the volume hardly changes, and how near
#: they come with this mesh.
INCOMPRESSIBLE = {"quad4s_plane_strain": 0.01, "quad8r_plane_strain": 0.01, "hex8s": 0.01,
                  "hex20r": 0.01, "quad4i_plane_strain": 0.02, "hex8i": 0.02}  # fmt: skip


@pytest.mark.parametrize("name", heavy_are_slow(*INCOMPRESSIBLE))
def test_hardly_compressible(name):
    """nu = 0.3 to 0.4999: the bore of the cylinder moves as Lame says, within two per cent."""
    for poisson in (0.3, 0.49, 0.4999):
        assert cylinder(name, poisson) == pytest.approx(1.0, abs=INCOMPRESSIBLE[name])


@pytest.mark.parametrize("name", ["quad4_plane_strain", "hex8"])
def test_volumetric_locking(name):
    """Full integration: right at nu = 0.3, a tenth of the displacement at nu = 0.4999."""
    assert cylinder(name, 0.3) == pytest.approx(1.0, abs=0.02)
    assert cylinder(name, 0.4999) < 0.1
