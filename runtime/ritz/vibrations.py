# SPDX-License-Identifier: BSD-3-Clause
"""Natural vibrations of a reduced model, its frames taken at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.runtime.compact.free import Constants
from flexforge.runtime.loads import Loads
from flexforge.runtime.model import ModelSpec
from flexforge.runtime.places import Places
from flexforge.runtime.ritz.reduce import reduced_basis
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def compare_frequencies(
    spec: ModelSpec, places: Places, loads: Loads, full: Floats
) -> dict[str, Any]:
    """Return the frequencies of the reduction of a model, and how far they are from the full ones.

    Parameters
    ----------
    spec : ModelSpec
        The model, with ``[reduction]``.
    places : Places
        Its names in the system; prestress has been added.
    loads : Loads
        What acts on it.
    full : ndarray, (count,)
        Frequencies of the full model at the time of the analysis, Hz.
    """
    basis = reduced_basis(spec, places, loads)
    constants = Constants(places.system, loads, basis.matrix)
    found = frequencies(constants, len(full), spec.span)
    figures: dict[str, Any] = {"coordinates": basis.size}
    for i, value in enumerate(found, start=1):
        figures[f"mode {i} of the reduced model"] = [float(value), "Hz"]
    compared = full[: len(found)] > 0.0
    errors = np.abs(found[compared] / full[: len(found)][compared] - 1.0)
    return figures | {"largest error of these frequencies": float(errors.max(initial=0.0))}


def frequencies(constants: Constants, count: int, time: float) -> Floats:
    """Return the lowest frequencies of a reduced model in its frames, Hz, ascending.

    Parameters
    ----------
    constants : Constants
        The reduced model.
    count : int
        How many.
    time : float
        Time at which the frames are taken, s.
    """
    from scipy.linalg import eig, eigvalsh

    elastic, viscous, _ = constants.over(np.array([time]))
    matrices = constants.matrices
    mass = matrices.dense(matrices.mass)
    damping = matrices.dense(viscous[0] @ matrices.bases)
    stiffness = matrices.dense(elastic[0] @ matrices.bases)
    if not damping.any() and np.allclose(stiffness, stiffness.T, rtol=0.0, atol=1e-12):
        squares = eigvalsh(stiffness, mass)
        return np.asarray(np.sqrt(np.maximum(squares, 0.0))[:count] / (2.0 * np.pi))
    n = matrices.size
    left = np.block([[np.zeros((n, n)), np.eye(n)], [-stiffness, -damping]])
    right = np.block([[np.eye(n), np.zeros((n, n))], [np.zeros((n, n)), mass]])
    values = eig(left, right, right=False)
    found = np.sort(values.imag[values.imag > 0.0])
    return np.asarray(found[:count] / (2.0 * np.pi))
