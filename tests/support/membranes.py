# SPDX-License-Identifier: BSD-3-Clause
"""Membranes of shells by hand with NumPy, in the plane: what the derived ones are compared with.

Nodal coordinates are u, v and the rotation about the normal, a node. The quadrilateral is that of
hybrid stress (Pian and Sumihara 1984) on parallelograms, by numerical condensation; the triangle is
written with the matrices of Felippa (2003, sections 4 and 5 of "A study of optimal membrane
triangles with drilling freedoms"), not with strains.
"""

from __future__ import annotations

import numpy as np

CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
GAUSS = np.array([[x, y] for x in (-1, 1) for y in (-1, 1)]) / np.sqrt(3)
#: The free parameters beta_1 .. beta_9 of the optimal triangle.
OPTIMAL = (1, 2, 1, 0, 1, -1, -1, -1, -2)


def plane_stress(young, poisson, thickness):
    """Return the law between strains and forces for a unit of length."""
    law = np.array([[1, poisson, 0], [poisson, 1, 0], [0, 0, (1 - poisson) / 2]])
    return young * thickness / (1 - poisson**2) * law


def _strain(slopes):
    """Return the strains of fields of displacement alone whose slopes are given, a row each."""
    zero = np.zeros_like(slopes[0])
    return np.array([
        np.stack([slopes[0], zero], 1).ravel(), np.stack([zero, slopes[1]], 1).ravel(),
        np.stack([slopes[1], slopes[0]], 1).ravel(),
    ])  # fmt: skip


def hybrid(points, law):
    """Return the stiffness of Pian and Sumihara's parallelogram, without rotations, (8, 8).

    Five stresses: constants, and forces along either median that are linear across it.
    """
    medians = CORNERS.T @ points / 4
    along = [np.array([m[0] ** 2, m[1] ** 2, m[0] * m[1]]) for m in medians]
    compliance, flexibility, work = np.linalg.inv(law), 0.0, 0.0
    for r, s in GAUSS:
        rates = (CORNERS * (1 + CORNERS * [r, s])[:, ::-1]).T / 4
        jacobian = rates @ points
        volume = np.linalg.det(jacobian)
        stresses = np.column_stack([np.eye(3), s * along[0], r * along[1]])
        strain = _strain(np.linalg.solve(jacobian, rates))
        flexibility = flexibility + volume * stresses.T @ compliance @ stresses
        work = work + volume * stresses.T @ strain
    return work.T @ np.linalg.solve(flexibility, work)


def drilled(points, modulus):
    """Return what resists drilling in a rectangle along the axes: ``r - (v,x - u,y) / 2``.

    Of a rectangle that bends, ``u = - x y``, the surface turns by x: twice what the bilinear field
    has. modulus is that of the drilling times the thickness.
    """
    (a, b), total = np.ptp(points, axis=0) / 2, np.zeros((12, 12))
    for r, s in GAUSS:
        rates = (CORNERS * (1 + CORNERS * [r, s])[:, ::-1]).T / 4
        slopes = rates / [[a], [b]]
        hourglass = CORNERS.prod(axis=1) / 4
        row = np.zeros((4, 3))
        row[:, 0] = slopes[1] / 2 + r * hourglass / b / 2
        row[:, 1] = -slopes[0] / 2 - s * hourglass / a / 2
        row[:, 2] = (1 + CORNERS * [r, s]).prod(axis=1) / 4
        total += a * b * modulus * np.outer(row, row)
    return total


def optimal(points, law, share, bow=1.5, beta=OPTIMAL):
    """Return the stiffness of Felippa's triangle, (9, 9).

    Parameters
    ----------
    points : ndarray, (3, 2)
        Corners, counter-clockwise.
    law : ndarray, (3, 3)
        Between strains and forces for a unit of length.
    share : float
        beta_0, the share of the higher-order stiffness.
    bow : float
        alpha_b.
    beta : tuple of float
        The other parameters.
    """
    x, y = points.T
    dx, dy = np.subtract.outer(x, x), np.subtract.outer(y, y)  # dx[i, j] = x_i - x_j
    area = (dy[1, 2] * dx[0, 2] + dx[2, 1] * dy[0, 2]) / 2
    lump, tilde = np.zeros((9, 3)), np.zeros((3, 9))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        lump[3 * i] = dy[j, k], 0, dx[k, j]
        lump[3 * i + 1] = 0, dx[k, j], dy[j, k]
        lump[3 * i + 2] = bow / 6 * np.array([
            dy[j, k] * (dy[i, k] - dy[j, i]), dx[k, j] * (dx[k, i] - dx[i, j]),
            2 * (dx[k, i] * dy[i, k] - dx[i, j] * dy[j, i]),
        ])  # fmt: skip
        for m in range(3):
            tilde[m, 3 * i] = dx[k, j] / (4 * area)
            tilde[m, 3 * i + 1] = dy[k, j] / (4 * area)
        tilde[i, 3 * i + 2] = 1
    b1, b2, b3, b4, b5, b6, b7, b8, b9 = beta
    l21, l32, l13 = (dx[j, i] ** 2 + dy[j, i] ** 2 for i, j in ((0, 1), (1, 2), (2, 0)))
    lengths = np.array([[l21], [l32], [l13]])
    corners = [
        2 * area / 3 * np.array(rows) / lengths
        for rows in (
            [[b1, b2, b3], [b4, b5, b6], [b7, b8, b9]],
            [[b9, b7, b8], [b3, b1, b2], [b6, b4, b5]],
            [[b5, b6, b4], [b8, b9, b7], [b2, b3, b1]],
        )
    ]
    # Rows: side 21, 32, 13; the strain along a side of a uniform one.
    sides = np.array([[dx[j, i], dy[j, i]] for i, j in ((0, 1), (1, 2), (2, 0))])
    along = np.column_stack([sides**2, sides.prod(axis=1)]) / lengths
    natural = np.linalg.inv(along).T @ law @ np.linalg.inv(along)
    higher = sum(
        ((corners[i] + corners[j]) / 2).T @ natural @ ((corners[i] + corners[j]) / 2)
        for i, j in ((0, 1), (1, 2), (2, 0))
    )
    # lump is L times 2 / thickness: the basic stiffness is L E L^T / volume.
    return lump @ law @ lump.T / (4 * area) + 0.75 * share * area * tilde.T @ higher @ tilde
