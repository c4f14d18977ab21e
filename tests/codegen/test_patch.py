# SPDX-License-Identifier: BSD-3-Clause
"""physics.md section 4, check 6: patch tests and rigid-body modes of every element."""

from __future__ import annotations

import handwritten
import numpy as np
import pytest
import scipy.linalg
from compiled import library
from flexforge.runtime.mesh.structured import structured
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve
from specimens import ALL_ELEMENTS, cell_of, distorted, heavy_are_slow, hypothesis_of, rotation

MATERIAL = {"young": 2.1, "poisson": 0.29, "density": 0.78, "thickness": 0.35}
QUADRATIC = ("tri6", "quad8", "quad9", "tet10", "wedge15", "hex20", "hex27")

#: Modes without strain at the points of the reduced rules (Zienkiewicz and Taylor vol. 1, 11.2.3,
#: Bicanic and Hinton 1979): 16 - 3 - 4 x 3 = 1 and 60 - 6 - 8 x 6 = 6.
HOURGLASS = {"quad8r": 1, "hex20r": 6, "quad8rm": 1, "hex20rm": 6}


def mesh_of(name, divisions, distort=0.0, seed=0, bend=0.0):
    """Return points (n, dim) and connectivity of a unit square or cube.

    Inner corners are moved at random by ``distort`` edges, or all of them by a smooth map of
    amplitude ``bend``; middle nodes stay in the middle of straight edges.
    """
    cell = cell_of(name)
    dim = handwritten.NODES[cell].shape[1]
    corners = [[0, 0], [1, 0], [1, 1], [0, 1]]
    if dim == 3:
        corners = [[*c, z] for z in (0, 1) for c in corners]
    mesh = structured(cell, corners, [divisions] * dim)
    block = next(b for b in mesh.blocks if b.cell == cell)
    points, cells = mesh.points[:, :dim].copy(), block.nodes
    straight = handwritten.NODES[cell]
    count = {"tri": 3, "qua": 4, "tet": 4, "pyr": 5, "wed": 6, "hex": 8}[cell[:3]]
    inner = np.zeros(len(points), bool)
    inner[np.unique(cells[:, :count])] = True
    inner &= ((points > 1e-9) & (points < 1 - 1e-9)).all(axis=1)
    move = np.random.default_rng(seed).uniform(-1, 1, points.shape) * distort / divisions
    points[inner] += move[inner]
    points += bend * np.sin(np.pi * points).prod(axis=1)[:, None]
    linear = {"tri": "tri3", "qua": "quad4", "tet": "tet4", "wed": "wedge6", "hex": "hex8"}.get(
        cell[:3]
    )
    for local in range(count, len(straight)):
        # the middle node follows the corners of its edge
        weights = handwritten.shape(linear, straight[local])
        points[cells[:, local]] = np.einsum("a,cai->ci", weights, points[cells[:, :count]])
    return points, cells


def assemble(name, points, cells, term="stiffness"):
    """Return the sparse matrix of a term, summed by SciPy."""
    kernel = library(name, 8)[term]
    blocks = kernel(np.moveaxis(points[cells], 0, -1), MATERIAL)
    n, dim = cells.shape[1], points.shape[1]
    dofs = (cells[:, :, None] * dim + np.arange(dim)).reshape(len(cells), -1)
    values = np.moveaxis(blocks, -1, 0).reshape(len(cells), n * dim, n * dim)
    rows = np.repeat(dofs, n * dim, axis=1).ravel()
    columns = np.tile(dofs, (1, n * dim)).ravel()
    size = points.size
    return coo_matrix((values.ravel(), (rows, columns)), (size, size)).tocsr()


def solve(name, points, cells, exact):
    """Return displacements (n, dim) with the exact ones prescribed on the whole boundary."""
    K = assemble(name, points, cells)
    u = exact(points).ravel()
    outside = ((points < 1e-9) | (points > 1 - 1e-9)).any(axis=1)
    free = np.repeat(~outside, points.shape[1])
    if free.any():
        u[free] = spsolve(K[free][:, free].tocsc(), -K[free][:, ~free] @ u[~free])
    return u.reshape(points.shape)


@pytest.mark.parametrize("name", heavy_are_slow(*ALL_ELEMENTS))
def test_patch_of_constant_strain(name):
    """A linear field on the boundary of a distorted patch is reproduced inside, stress included.

    Irons' patch test (Zienkiewicz and Taylor vol. 1, chapter 10), to round-off.
    """
    points, cells = mesh_of(name, 2 if points_dim(name) == 3 else 3, distort=0.25, seed=3)
    dim = points.shape[1]
    rng = np.random.default_rng(4)
    A, b = rng.standard_normal((dim, dim)), rng.standard_normal(dim)
    u = solve(name, points, cells, lambda x: x @ A.T + b)
    assert np.abs(u - (points @ A.T + b)).max() < 1e-12
    eps = (A + A.T) / 2
    strains = np.array([*np.diag(eps), *(2 * eps[i, j] for i, j in handwritten.SHEARS[dim])])
    H = handwritten.elasticity(hypothesis_of(name), MATERIAL["young"], MATERIAL["poisson"])
    stress = library(name, 8)["stress"](
        np.moveaxis(points[cells], 0, -1), MATERIAL, np.moveaxis(u[cells], 0, -1)
    )
    assert np.abs(stress - (H @ strains)[None, :, None]).max() < 1e-11


def points_dim(name):
    return ALL_ELEMENTS[name].components


@pytest.mark.parametrize(
    "name", heavy_are_slow(*(n for n in ALL_ELEMENTS if cell_of(n) in QUADRATIC))
)
def test_patch_of_linear_strain(name):
    """Straight-sided quadratic elements carry a pure bending field exactly, stress included.

    u = (-2 x y, x^2 + nu' y^2, ...) has linear strains and satisfies equilibrium without body force
    when nu' is the Poisson ratio of the hypothesis (Timoshenko and Goodier, section 21, bending).
    """
    nu = MATERIAL["poisson"]
    effective = nu / (1 - nu) if hypothesis_of(name) == "plane_strain" else nu

    def bending(p):
        x, y = p[:, 0], p[:, 1]
        # axial strain -2 y along x, contraction 2 nu' y across
        u = [-2 * x * y, x**2 + effective * y**2]
        if p.shape[1] == 3:
            z = p[:, 2]
            u = [-2 * x * y, x**2 + nu * (y**2 - z**2), 2 * nu * y * z]
        return np.stack(u, axis=1)

    # Cells with a node in the centre are complete on multilinear images: a distorted mesh.
    points, cells = mesh_of(name, 2, 0.25 if cell_of(name) in ("quad9", "hex27") else 0.0, seed=5)
    if cell_of(name) in ("quad8", "hex20"):
        # parallelograms: a serendipity cell is complete only on affine images
        shear = np.eye(points.shape[1]) + 0.2 * np.triu(np.ones((points.shape[1],) * 2), 1)
    else:
        shear = np.eye(points.shape[1])
    image = points @ shear.T
    K = assemble(name, image, cells)
    u = bending(image).ravel()
    outside = ((points < 1e-9) | (points > 1 - 1e-9)).any(axis=1)
    free = np.repeat(~outside, points.shape[1])
    found = u.copy()
    found[free] = spsolve(K[free][:, free].tocsc(), -K[free][:, ~free] @ u[~free])
    assert np.abs(found - u).max() < 1e-12
    stress = library(name, 8)["stress"](
        np.moveaxis(image[cells], 0, -1),
        MATERIAL,
        np.moveaxis(u.reshape(image.shape)[cells], 0, -1),
    )
    H = MATERIAL["young"] / (1 - nu**2 if hypothesis_of(name) == "plane_strain" else 1)
    axial = -2 * H * np.moveaxis(image[cells][..., 1], 0, -1)
    assert np.abs(stress[:, 0] - axial).max() < 1e-11
    assert np.abs(stress[:, 1:]).max() < 1e-11


@pytest.mark.parametrize("name", heavy_are_slow(*ALL_ELEMENTS))
def test_rigid_body_modes(name):
    """A free element has exactly 3 (plane) or 6 (solid) zero frequencies, distorted or not.

    Reduced integration adds its own; see ``HOURGLASS``.
    """
    kernels = library(name)
    size = points_dim(name)
    rigid = 3 if size == 2 else 6
    for amplitude in (0.0, 0.12):
        x = distorted(ALL_ELEMENTS[name], 1, 61, amplitude)
        k, m = (kernels[t](x, MATERIAL).reshape(x.size, x.size) for t in ("stiffness", "mass"))
        if name.split("_")[0].endswith("rm"):  # whose own mass is singular
            m = library(cell_of(name) + name.removeprefix(name.split("_")[0]))["mass"]
            m = m(x, MATERIAL).reshape(x.size, x.size)
        squares = np.abs(scipy.linalg.eigh(k, m, eigvals_only=True))
        free = rigid + HOURGLASS.get(name.split("_")[0], 0)
        assert np.sort(squares)[free - 1] < 1e-10 * squares.max()
        assert np.sort(squares)[free] > 1e-4 * squares.max() ** 0.5 * squares.min() ** 0.5
        assert np.sort(squares)[free] > 1e-6 * squares.max()


@pytest.mark.parametrize(
    "name",
    heavy_are_slow(*(n for n in ALL_ELEMENTS if n.split("_")[0] in HOURGLASS)),
)
def test_hourglass_modes_need_an_element_that_stands_alone(name):
    """Two elements side by side cannot share a hourglass mode: only rigid motions are free."""
    points, cells = mesh_of(name, 2)
    k = assemble(name, points, cells).toarray()
    size = points.shape[1]
    eigenvalues = np.linalg.eigvalsh(k)
    rigid = 3 if size == 2 else 6
    assert np.abs(eigenvalues[:rigid]).max() < 1e-12 * eigenvalues.max()
    assert eigenvalues[rigid] > 1e-5 * eigenvalues.max()


@pytest.mark.parametrize("name", heavy_are_slow(*ALL_ELEMENTS))
def test_rigid_motions_cost_nothing_and_stress_nothing(name):
    """Translations and infinitesimal rotations are in the null space of k; stresses vanish."""
    kernels, size = library(name), points_dim(name)
    x = distorted(ALL_ELEMENTS[name], 1, 63)
    k = kernels["stiffness"](x, MATERIAL).reshape(x.size, x.size)
    rng = np.random.default_rng(64)
    W = rng.standard_normal((size, size))
    u = x[..., 0] @ (W - W.T).T + rng.standard_normal(size)
    assert np.abs(k @ u.ravel()).max() < 1e-13 * np.abs(k).max() * np.abs(u).max() * u.size
    assert np.abs(kernels["stress"](x, MATERIAL, u[..., None])).max() < 1e-12
    # finite turns are not infinitesimal ones: the test can fail
    turned = x[..., 0] @ (rotation(size, rng) - np.eye(size)).T
    assert np.abs(k @ turned.ravel()).max() > 1e-3 * np.abs(k).max()


@pytest.mark.parametrize("name", heavy_are_slow(*ALL_ELEMENTS))
def test_stiffness_turns_with_the_element(name):
    """Objectivity: k of the turned element is Q k Q^T; scaling lengths scales it as it must."""
    kernels, size = library(name), points_dim(name)
    x = distorted(ALL_ELEMENTS[name], 1, 65)
    Q = rotation(size, np.random.default_rng(66))
    k, turned = (
        kernels["stiffness"](y, MATERIAL).reshape(x.size, x.size)
        for y in (x, np.einsum("ij,ajl->ail", Q, x))
    )
    full = np.kron(np.eye(len(x)), Q)
    assert np.abs(turned - full @ k @ full.T).max() < 1e-12 * np.abs(k).max()
    larger = kernels["stiffness"](3 * x, MATERIAL).reshape(x.size, x.size)
    assert np.abs(larger - 3.0 ** (size - 2) * k).max() < 1e-13 * np.abs(larger).max()


@pytest.mark.parametrize("name", heavy_are_slow(*ALL_ELEMENTS, more=("quad8r_plane_strain",)))
def test_geometric_stiffness_of_uniform_tension(name):
    """Under a uniform stress sigma_xx = s, k_geo = s int N,x N,x: a string of tension s A.

    A rigid rotation theta then costs 1/2 s V theta^2 in the rotated directions.
    """
    kernels, size = library(name), points_dim(name)
    x = distorted(ALL_ELEMENTS[name], 1, 67)
    nu, E = MATERIAL["poisson"], MATERIAL["young"]
    s = 0.3
    lateral = -nu / (1 - nu) if hypothesis_of(name) == "plane_strain" else -nu
    axial = s * (1 - nu**2) / E if hypothesis_of(name) == "plane_strain" else s / E
    strain = np.diag([axial, *([axial * lateral] * (size - 1))])
    state = np.einsum("ij,ajl->ail", strain, x)
    scalar = kernels["geometric"](x, MATERIAL, state)[..., 0]
    assert np.abs(scalar - scalar.T).max() == 0
    assert np.abs(scalar.sum(axis=0)).max() < 1e-12  # translations
    density = {"density": 1.0 / MATERIAL["density"]}
    # volume by the stiffness rule: int N,x . x = V for the field y = x
    y = x[:, 0, 0]
    across = x[:, 1, 0]
    volume = y @ scalar @ y / s
    assert np.isclose(across @ scalar @ across, 0, atol=1e-12)
    exact = kernels["scalar_mass"](x, MATERIAL | density).sum() * MATERIAL["density"]
    assert np.isclose(volume, exact, rtol=0.05)  # other rule; equal on affine cells
    x = distorted(ALL_ELEMENTS[name], 1, 67, amplitude=0.0)
    state = np.einsum("ij,ajl->ail", strain, x)
    scalar = kernels["geometric"](x, MATERIAL, state)[..., 0]
    volume = kernels["scalar_mass"](x, MATERIAL | {"density": 1.0}).sum()
    assert np.isclose(x[:, 0, 0] @ scalar @ x[:, 0, 0], s * volume, rtol=1e-12)
