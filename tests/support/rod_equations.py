# SPDX-License-Identifier: BSD-3-Clause
"""Rods by the equations of their sections, integrated along them: what elements are compared with.

Nothing here knows of nodes, shape functions or energies.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad, solve_bvp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation


def elastica(load):
    """Return deflection and shortening of the tip of a clamped rod of length 1 and EI = 1.

    A dead load across it; inextensible. From ``t'^2 = 2 P (sin t_1 - sin t)`` with the angle t and
    that of the tip t_1; sin t = sin t_1 - (sin t_1) s^2 removes the root at the tip.
    """

    def integrals(tip):
        top = np.sin(tip)

        def along(s, factor):
            sine = top * (1.0 - s * s)
            cosine = np.sqrt(1.0 - sine * sine)
            # dt / sqrt(2 P (top - sin t)) with dt = -2 top s ds / cos t
            return factor(sine, cosine) * 2.0 * top / cosine / np.sqrt(2.0 * load * top)

        kinds = (lambda s, c: 1.0, lambda s, c: s, lambda s, c: c)
        return [quad(along, 0.0, 1.0, args=(kind,), epsabs=1e-13)[0] for kind in kinds]

    tip = brentq(lambda angle: integrals(angle)[0] - 1.0, 1e-6, np.pi / 2 - 1e-3, xtol=1e-14)
    _, across, along = integrals(tip)
    return across, 1.0 - along


def clamped_arc(length, curvature, stiffness, load, steps=6):
    """Return the tip of a rod, clamped at 0 along x and curved towards y, under a dead load.

    Parameters
    ----------
    length, curvature : float
        At rest.
    stiffness : tuple of float
        Of the axis and of shear in both directions; of torsion and of bending about y and z.
    load : sequence of float
        The force at the tip.
    steps : int
        In which the load grows.
    """
    drawn, bent = np.array(stiffness[:3]), np.array(stiffness[3:])
    rest = np.array([0.0, 0.0, curvature])

    def rates(_, y, force):
        turn = Rotation.from_quat(y[3:7].T)
        gamma = turn.inv().apply(np.tile(force, (y.shape[1], 1))) / drawn + [1.0, 0.0, 0.0]
        kappa = turn.inv().apply(y[7:10].T) / bent + rest
        along = turn.apply(gamma)
        v, w = y[3:6].T, y[6]
        rate = np.hstack([w[:, None] * kappa + np.cross(v, kappa),
                          -np.sum(v * kappa, axis=1)[:, None]]) / 2.0  # fmt: skip
        return np.hstack([along, rate, -np.cross(along, force)]).T

    def ends(first, last):
        return np.concatenate([first[:3], first[3:7] - [0.0, 0.0, 0.0, 1.0], last[7:10]])

    s = np.linspace(0.0, length, 41)
    y = np.zeros((10, len(s)))
    y[0], y[1] = np.sin(curvature * s) / curvature, (1.0 - np.cos(curvature * s)) / curvature
    y[5], y[6] = np.sin(curvature * s / 2.0), np.cos(curvature * s / 2.0)
    for share in np.linspace(0.0, 1.0, steps + 1)[1:]:
        force = share * np.array(load)
        found = solve_bvp(lambda s, y, f=force: rates(s, y, f), ends, s, y, tol=1e-9,
                          max_nodes=20000)  # fmt: skip
        assert found.success, found.message
        s, y = found.x, found.y
    return y[:3, -1]


def elastic_catenary(span, length, stiffness, weight):
    """Return the height of the lowest point and the horizontal pull of a heavy elastic rope.

    Irvine, Cable Structures, 1981, section 2.2: with the pull H and the vertical force V at the
    first end, at the length s at rest ``x = H s/EA + H/w (asinh(V/H) - asinh((V - w s)/H))``.
    """
    total = weight * length

    def place(pull, vertical, s):
        left = vertical - weight * s
        x = pull * s / stiffness + pull / weight * (
            np.arcsinh(vertical / pull) - np.arcsinh(left / pull)
        )
        tension = [np.hypot(pull, one) for one in (vertical, left)]
        y = (tension[1] - tension[0]) / weight - (vertical * s - weight * s * s / 2.0) / stiffness
        return x, y

    pull = brentq(lambda h: place(h, total / 2.0, length)[0] - span, 1e-6 * total, 1e3 * total,
                  xtol=1e-15 * total)  # fmt: skip
    return place(pull, total / 2.0, length / 2.0)[1], pull
