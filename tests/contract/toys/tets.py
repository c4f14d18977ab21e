# SPDX-License-Identifier: BSD-3-Clause
"""A block of tet4 elements of St. Venant and Kirchhoff's law, total Lagrangian; or linear ones.

Energy per undeformed volume ``W = lambda/2 (tr E)^2 + mu E:E``, ``E = (F^T F - 1)/2``; the residual
is ``∫ F S : dF`` and the tangent its derivative (physics.md section 8 of elements from an energy).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from flexforge.runtime.transient.linear_form import WeightedForm
from flexforge.runtime.transient.manifold import Euclidean
from flexforge.runtime.transient.model import Linearization, Model
from flexforge.runtime.transient.restrained import Restrained
from flexforge.runtime.transient.space import SerialSpace
from flexforge.runtime.transient.state import Block, State
from flexforge.runtime.transient.unknowns import Equation, Unknowns
from scipy.sparse import csr_matrix

from toys.common import Case, identity


@dataclass(frozen=True)
class Mesh:
    points: np.ndarray
    cells: np.ndarray


def box(nx=2, ny=1, nz=1, size=(2.0, 1.0, 1.0)):
    """Return a box of cubes, each cut into six tetrahedra along a diagonal."""
    grid = np.stack(np.meshgrid(*(range(n + 1) for n in (nx, ny, nz)), indexing="ij"), axis=-1)
    points = grid.reshape(-1, 3) * np.array(size) / (nx, ny, nz)
    number = np.arange(len(points)).reshape(nx + 1, ny + 1, nz + 1)
    cells = []
    for corner in np.ndindex(nx, ny, nz):
        for order in permutations(range(3)):
            path = [np.array(corner)]
            for axis in order:
                path.append(path[-1] + np.eye(3, dtype=int)[axis])
            cell = [number[tuple(p)] for p in path]
            odd = order in ((0, 2, 1), (1, 0, 2), (2, 1, 0))
            cells.append([cell[0], cell[2], cell[1], cell[3]] if odd else cell)
    return Mesh(points, np.array(cells))


class Form(WeightedForm):
    """The linear elements as the matrices M and K."""

    symmetric = True

    def __init__(self, masses, stiffness, loads):
        self.matrices, self._loads = (masses, stiffness), loads

    def coefficients(self, t, u):
        return np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])

    def loads(self, t, u):
        return self._loads


class Solid(Model):
    def __init__(
        self, mesh, young=100.0, poisson=0.3, density=1.5, gravity=(0, 0, 0), linear=False
    ):
        self.mesh, self.small = mesh, linear
        self.mu = young / (2.0 * (1.0 + poisson))
        self.la = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
        n = 3 * len(mesh.points)
        self.blocks = (Block("displacement", "solid", Euclidean(n)),)
        self.space = SerialSpace(n)
        self.identity = identity(
            "tets",
            mesh.points.tolist(),
            mesh.cells.tolist(),
            young,
            poisson,
            density,
            gravity,
            linear,
        )
        edges = mesh.points[mesh.cells[:, 1:]] - mesh.points[mesh.cells[:, :1]]
        slopes = np.linalg.inv(edges)  # (e, 3, 3): d/dX of the last three shape functions
        self.slopes = np.concatenate([-slopes.sum(axis=2, keepdims=True), slopes], axis=2)
        self.volumes = np.linalg.det(edges) / 6.0
        assert (self.volumes > 0.0).all()
        scalar = (np.ones((4, 4)) + np.eye(4)) / 20.0 * density
        self._places = (3 * mesh.cells[:, :, None] + np.arange(3)).reshape(len(mesh.cells), 12)
        masses = np.einsum("e,ab,ij->eaibj", self.volumes, scalar, np.eye(3))
        self.masses = self.assembled(masses)
        self.loads = self.masses @ np.tile(np.array(gravity, float), len(mesh.points))
        self.linear = None
        if linear:
            self.linear = Form(self.masses, self.tangent(np.zeros(n)), self.loads)

    def assembled(self, blocks):
        n, dense = 3 * len(self.mesh.points), blocks.reshape(len(blocks), 12, 12)
        rows = np.repeat(self._places, 12, axis=1).ravel()
        columns = np.tile(self._places, (1, 12)).ravel()
        return csr_matrix((dense.ravel(), (rows, columns)), shape=(n, n))

    def strains(self, q):
        """Return H = dU/dX, F and E of every element."""
        values = q.reshape(-1, 3)[self.mesh.cells]
        h = np.einsum("eai,eJa->eiJ", values, self.slopes)
        if self.small:
            return np.broadcast_to(np.eye(3), h.shape), 0.5 * (h + h.swapaxes(1, 2))
        f = np.eye(3) + h
        # Of H, not of F: the difference of F^T F and 1 would lose digits.
        return f, 0.5 * (h + h.swapaxes(1, 2) + h.swapaxes(1, 2) @ h)

    def stresses(self, e):
        return self.la * np.einsum("eii->e", e)[:, None, None] * np.eye(3) + 2.0 * self.mu * e

    def inner(self, q):
        f, e = self.strains(q)
        shares = np.einsum("e,eiJ,eJK,eKa->eai", self.volumes, f, self.stresses(e), self.slopes)
        out = np.zeros(q.shape, dtype=shares.dtype)
        np.add.at(out, self._places, shares.reshape(len(shares), 12))
        return out

    def tangent(self, q):
        f, e = self.strains(q)
        slope, volume = self.slopes, self.volumes
        b = np.einsum("eKa,eiJ->eaiJK", slope, f)
        b = 0.5 * (b + b.swapaxes(3, 4))
        trace = np.einsum("eaiJJ->eai", b)
        material = self.la * np.einsum("eai,ebj->eaibj", trace, trace)
        material += 2.0 * self.mu * np.einsum("eaiJK,ebjJK->eaibj", b, b)
        if not self.small:
            g = np.einsum("eJa,eJK,eKb->eab", slope, self.stresses(e), slope)
            material += np.einsum("eab,ij->eaibj", g, np.eye(3))
        return self.assembled(volume[:, None, None, None, None] * material)

    def residual(self, at, out):
        out[:] = self.masses @ at.rate + self.inner(at.q) - self.loads

    def linearize(self, at):
        zero = csr_matrix(self.masses.shape)
        key = "constant" if self.small else None
        return Linearization(self.masses, zero, self.tangent(at.q), key=key, symmetric=True)

    def energy(self, q, z):
        _, e = self.strains(q)
        stored = 0.5 * np.einsum("e,eIJ,eIJ", self.volumes, self.stresses(e), e)
        return 0.5 * z @ (self.masses @ z) + stored - self.loads @ q


def shaken(t):
    """Return a displacement with its two rates: a smooth oscillation from rest."""
    w = 3.0
    return 0.2 * (1 - np.cos(w * t)), 0.2 * w * np.sin(w * t), 0.2 * w * w * np.cos(w * t)


def held(solid, tied=True):
    """Return supports on x = 0, of which the z component is shaken, and two tied corners."""
    supports = [
        Equation(f"support {node} {'xyz'[i]}", [3 * node + i], [1.0], shaken if i == 2 else None)
        for node in np.flatnonzero(solid.mesh.points[:, 0] == 0.0)
        for i in range(3)
    ]
    if not tied:
        return Unknowns.eliminate(solid.blocks, supports)
    far = np.flatnonzero(solid.mesh.points[:, 0] == solid.mesh.points[:, 0].max())
    tie = Equation("tie", [3 * far[0] + 1, 3 * far[-1] + 1], [1.0, -1.0])
    return Unknowns.eliminate(solid.blocks, [*supports, tie])


def supported(**solid):
    """Return a shaken block."""
    full = Solid(box(), gravity=(0.0, 0.0, -2.0), **solid)
    return Restrained(full, held(full))


def free_flight():
    """Return a state of a free block that spins and is strained."""
    mesh = box()
    spin = np.cross([0.3, 1.0, 0.2], mesh.points - mesh.points.mean(axis=0))
    stretch = 0.1 * mesh.points * [1.0, -0.5, 0.3]
    return State(0.0, stretch.ravel(), spin.ravel())


def at_rest(model):
    """Return the undeformed state of a restrained block."""
    n = model.blocks[0].manifold.dimension
    return State(0.0, np.zeros(n), np.zeros(n))


_STRAINED, _LINEAR = supported(), supported(linear=True)
CASES = (
    Case("solid", _STRAINED, at_rest(_STRAINED), 0.02, short=4),
    Case("linear solid", _LINEAR, at_rest(_LINEAR), 0.02, short=4),
    Case("free solid", Solid(box()), free_flight(), 0.02, short=12),
)
