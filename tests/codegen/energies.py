# SPDX-License-Identifier: BSD-3-Clause
"""Elements with an energy: values of their laws, random deformations, energies of stretches."""

from __future__ import annotations

from functools import cache

import numpy as np
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.energy import ENERGIES
from flexforge.codegen.elements.hyperelastic import hyperelastic
from flexforge.codegen.ir.interpret import interpret
from specimens import distorted

VALUES = {
    "lame": 2.0, "mu": 3.0, "kappa": 5.0, "c10": 1.5, "c01": 0.7, "limit": 11.0,
    "k1": 2.0, "k2": 0.8, "dispersion": 0.1,
    "fibre1_x": 1.0, "fibre1_y": 0.5, "fibre1_z": 0.3,
    "fibre2_x": 1.0, "fibre2_y": -0.5, "fibre2_z": 0.3,
    "mu1": 1.3, "alpha1": 2.4, "mu2": -0.7, "alpha2": -2.2, "mu3": 0.1, "alpha3": 5.3,
}  # fmt: skip
#: A law of roots, exponentials and an odd power; its parameters are called like scalars of kernels.
OWN = ("H12/2*(I1_bar - 3)^2 + energy1*(exp(change_J*(I2/3 - 1)^2) - 1)"
       " + P11*(sqrt(I2/3) - 1 - log(J)*2/3) + P11*(J^(5/3) - 5*J/3 + 2/3)")  # fmt: skip
LAWS = (*ENERGIES, "own")
FIBRES = "holzapfel_gasser_ogden"
ISOTROPIC = [law for law in ENERGIES if law != FIBRES]
OF_OWN = {"H12": 1.2, "energy1": 2.0, "change_J": 0.8, "P11": 3.0}


@cache
def deformed(base, law):
    """Return an element with a law."""
    return hyperelastic(base, OWN, [*OF_OWN]) if law == "own" else hyperelastic(base, law)


@cache
def kernel(base, law, term):
    """Return a kernel of an element with a law, derived once a process."""
    return compile_kernel(deformed(base, law), term)


@cache
def lowered(base, law, term):
    """Return that kernel as it is before all passes, which take most of the time."""
    return compile_kernel(deformed(base, law), term, passes={})


def evaluate(base, law, term, coordinates, state, **given):
    """Return a term of one element, by the arithmetic of its arrays, for further values."""
    return evaluate_all(base, law, term, coordinates, state[..., None], **given)[..., 0]


def evaluate_all(base, law, term, coordinates, states, **given):
    """Return a term of one element in several states at once, which are the last axis."""
    count = states.shape[-1]
    repeated = np.repeat(coordinates.astype(states.dtype)[..., None], count, axis=-1)
    inputs = {"coordinates": repeated, "state": states}
    values = VALUES | OF_OWN | {"thickness": 0.7} | given
    return interpret(lowered(base, law, term).program, inputs, values)


def shaken(base, law, size=0.1, seed=3):
    """Return a distorted element and random displacements, of a size relative to its own."""
    rng = np.random.default_rng(seed)
    coordinates = distorted(deformed(base, law), 1, seed)[..., 0]
    extent = np.ptp(coordinates, axis=0).max()
    return coordinates, size * extent * rng.uniform(-1.0, 1.0, coordinates.shape)


def of_stretches(law, x):
    """Return the energy of principal stretches, written down once more."""
    v, J = VALUES, x[0] * x[1] * x[2]
    squares = x**2
    first, second = squares.sum(), (squares.sum() ** 2 - (squares**2).sum()) / 2.0
    bar = first * J ** (-2.0 / 3.0)
    match law:
        case "st_venant_kirchhoff":
            strains = (squares - 1.0) / 2.0
            return v["lame"] / 2.0 * strains.sum() ** 2 + v["mu"] * (strains**2).sum()
        case "neo_hookean":
            log = np.log(J)
            return v["mu"] / 2.0 * (first - 3.0) - v["mu"] * log + v["lame"] / 2.0 * log**2
        case "neo_hookean_isochoric":
            return v["mu"] / 2.0 * (bar - 3.0) + v["kappa"] / 2.0 * (J - 1.0) ** 2
        case "mooney_rivlin":
            other = second * J ** (-4.0 / 3.0)
            return (v["c10"] * (bar - 3.0) + v["c01"] * (other - 3.0)
                    + v["kappa"] / 2.0 * (J - 1.0) ** 2)  # fmt: skip
        case "ogden":
            terms = [(v[f"mu{n}"], v[f"alpha{n}"]) for n in (1, 2, 3)]
            shape = sum(m / a * (((x * J ** (-1.0 / 3.0)) ** a).sum() - 3.0) for m, a in terms)
            return shape + v["kappa"] / 2.0 * (J - 1.0) ** 2
    room = np.log(1.0 - (bar - 3.0) / v["limit"])
    return -v["mu"] * v["limit"] / 2.0 * room + v["kappa"] / 2.0 * ((J**2 - 1.0) / 2.0 - np.log(J))


def checked_tangent(base, law, coordinates, state):
    """Check forces and tangent against complex steps, and return the tangent, (n, n).

    Forces are derivatives of the energy, the tangent of the forces; it is symmetric.
    """
    forces = evaluate(base, law, "internal_forces", coordinates, state).ravel()
    n = len(forces)
    tangent = evaluate(base, law, "tangent", coordinates, state).reshape(n, n)
    moved = (state.ravel()[:, None] + 1e-30j * np.eye(n)).reshape(*state.shape, n)
    of_energy, of_forces = (
        evaluate_all(base, law, term, coordinates, moved).reshape(-1, n).imag / 1e-30
        for term in ("strain_energy", "internal_forces")
    )
    assert abs(forces - of_energy).max() < 1e-13 * abs(forces).max()
    assert abs(tangent - of_forces).max() < 1e-13 * abs(tangent).max()
    assert abs(tangent - tangent.T).max() < 1e-13 * abs(tangent).max()
    return tangent
