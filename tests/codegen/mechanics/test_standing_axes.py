# SPDX-License-Identifier: BSD-3-Clause
"""Gyroscopic matrix and stiffness of round beams in axes that stand still, by every formalism.

Beside matrices in print: H. D. Nelson, J. Mech. Design 102 (1980), 793, as in Friswell, Penny,
Garvey, Lees, Dynamics of Rotating Machines (2010), section 5.4, for a shaft along z.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.mechanics.standing_axes import in_standing_axes
from marks import slow

LENGTH, AREA, MOMENT = 0.7, 2e-3, 3e-7
YOUNG, POISSON, DENSITY, KAPPA = 2.1e11, 0.3, 7800.0, 0.88
TERMS = ("stiffness", "mass", "coriolis", "centrifugal", "section_geometric")
OBLIQUE = np.array([2 / 3, -1 / 3, 2 / 3])
SENSES = {"along z": np.array([0.0, 0.0, 1.0]), "oblique": OBLIQUE}
QUICK = "virtual_power"
CASES = [
    ("timoshenko_beam", QUICK),
    *(slow("timoshenko_beam", one) for one in FORMALISMS if one != QUICK),
    *(slow("euler_beam", one) for one in FORMALISMS),
]


def skew(n):
    """Return n~."""
    return np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])


@cache
def kernel(element, term, formalism):
    """Return the program of a term as a formalism derives it."""
    return compile_kernel(element, term, formalism=formalism).program


def matrices(element, formalism, n):
    """Return the terms of a beam along n, about which it turns at 1 rad/s, (12, 12) each.

    Rows are displacement and rotation of one end, then of the other.
    """
    aside = np.eye(3)[np.argmin(np.abs(n))]
    values = {
        "young": YOUNG, "poisson": POISSON, "density": DENSITY, "area": AREA, "inertia_y": MOMENT,
        "inertia_z": MOMENT, "torsion": 2 * MOMENT, "shear_y": KAPPA, "shear_z": KAPPA,
        "offset_y": 0.0, "offset_z": 0.0, "e1": 0.0, "e2": 0.0, "e3": 0.0,
    }  # fmt: skip
    values |= {f"orientation{k + 1}": x for k, x in enumerate(aside)}
    values |= {f"w{k + 1}": x for k, x in enumerate(n)}
    points = np.outer([0.0, 0.0, LENGTH, LENGTH], n)[..., None]
    return {
        term: interpret(kernel(element, term, formalism), {"coordinates": points}, values).reshape(
            12, 12
        )
        for term in TERMS
    }


def plane(corner, arm, own, other):
    """Return the matrix of deflection and slope of both ends from its four different entries."""
    return np.array([
        [corner, arm, -corner, arm],
        [arm, own, -arm, other],
        [-corner, -arm, corner, -arm],
        [arm, other, -arm, own],
    ])  # fmt: skip


def nelson(element):
    """Return G of a unit speed and K of x, y and of the rotations about x and y, (12, 12).

    With phi = 12 E I / (kappa G A L^2), of which Euler's beam has none.
    """
    modulus = YOUNG / (2 * (1 + POISSON))
    phi = 12 * YOUNG * MOMENT / (KAPPA * modulus * AREA * LENGTH**2)
    phi = phi if element == "timoshenko_beam" else 0.0
    stiff = YOUNG * MOMENT / ((1 + phi) * LENGTH**3)
    k = stiff * plane(12, 6 * LENGTH, (4 + phi) * LENGTH**2, (2 - phi) * LENGTH**2)
    inert = DENSITY * MOMENT / (30 * LENGTH * (1 + phi) ** 2)
    m = inert * plane(
        36,
        (3 - 15 * phi) * LENGTH,
        (4 + 5 * phi + 10 * phi**2) * LENGTH**2,
        (-1 - 5 * phi + 5 * phi**2) * LENGTH**2,
    )
    x, y = [0, 4, 6, 10], [1, 3, 7, 9]  # with rotations about y and x
    mirror = np.diag([1.0, -1.0, 1.0, -1.0])  # a slope of y is a rotation about -x
    gyroscopic, stiffness = np.zeros((2, 12, 12))
    stiffness[np.ix_(x, x)], stiffness[np.ix_(y, y)] = k, mirror @ k @ mirror
    gyroscopic[np.ix_(x, y)] = 2 * m @ mirror
    gyroscopic[np.ix_(y, x)] = -2 * mirror @ m
    return gyroscopic, stiffness


@pytest.mark.parametrize(("element", "formalism"), CASES)
def test_a_round_shaft_has_the_matrices_in_print(element, formalism):
    """Of every formalism: ``2 (c - m n~)`` is Nelson's G, and nothing but K depends on places.

    What is left of centrifugal terms is cancelled by the stress of the rotation within sections.
    Along z, and along an axis with all three components.
    """
    gyroscopic, stiffness = nelson(element)
    for n in SENSES.values():
        found = matrices(element, formalism, n)
        turn = np.kron(np.eye(4), skew(n))
        mass, coriolis, centrifugal = (found[one] for one in ("mass", "coriolis", "centrifugal"))
        half, centre = in_standing_axes(
            mass, coriolis, centrifugal, turn, np.matmul, lambda *several: sum(several)
        )
        across = np.linalg.svd(n[None])[2][1:]
        across[1] = np.cross(n, across[0])
        to_z = np.kron(np.eye(4), np.vstack([across, n]))
        size = np.abs(gyroscopic).max()
        round_off = 1e-13 * np.abs(coriolis).max()
        assert np.abs(to_z @ (2 * half) @ to_z.T - gyroscopic).max() < 1e-11 * size + round_off
        own = to_z @ found["stiffness"] @ to_z.T
        bent = [k for k in range(12) if k % 3 != 2]
        size = np.abs(stiffness).max()
        assert np.abs(own - stiffness)[np.ix_(bent, bent)].max() < 1e-11 * size
        assert np.abs(own[np.ix_(bent, [2, 5, 8, 11])]).max() < 1e-11 * size
        assert np.abs(centre + found["section_geometric"]).max() < 1e-11 * np.abs(centre).max()
        assert np.abs(centre).max() > 0.1 * np.abs(half).max()
