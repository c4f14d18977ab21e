# SPDX-License-Identifier: BSD-3-Clause
"""Functions of rotation vectors: series against many digits, what they give against SciPy."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy
from flexforge.codegen.mechanics.rotations import (
    COTANGENT,
    EXCESS,
    VERSINE,
    curvature,
    even,
    even_value,
    logarithm_slope,
    turned_back,
)
from flexforge.codegen.mechanics.since_rest import since_rest
from scipy.spatial.transform import Rotation

_EXACT = {
    VERSINE: lambda t: (1 - mpmath.cos(t)) / t**2,
    EXCESS: lambda t: (t - mpmath.sin(t)) / t**3,
    COTANGENT: lambda t: (1 - t / 2 * mpmath.cot(t / 2)) / t**2,
}
#: Largest angle at which kernels compute them: between nodes, and from node to node.
_LARGEST = {VERSINE: 1.8, EXCESS: 1.8, COTANGENT: float(np.pi)}


@pytest.mark.parametrize("name", _EXACT)
@pytest.mark.parametrize("order", [0, 1, 2])
def test_series_are_exact_to_rounding(name, order):
    """The functions and their derivatives, from tiny angles to the largest ones."""
    z = sympy.Symbol("z")
    series = sympy.lambdify(z, even_value(name, order, z), "mpmath")
    with mpmath.workdps(40):
        for share in (1e-9, 1e-4, 0.1, 0.5, 0.9, 1.0):
            at = (mpmath.mpf(_LARGEST[name]) * share) ** 2
            exact = mpmath.diff(lambda x: _EXACT[name](mpmath.sqrt(x)), at, order)
            assert abs(series(at) / exact - 1) < 2e-15


def _values(psi):
    z = float(np.dot(psi, psi))
    symbol = sympy.Symbol("z")
    return {even(name, 0): float(even_value(name, 0, symbol).subs(symbol, z)) for name in _EXACT}


def test_rotations_rates_and_spins_are_those_of_scipy():
    """``exp(-psi~) v``, ``axial(R^T R')`` and the change of psi by a spin of the frame."""
    psi, v, rate = (
        np.array([0.7, -0.4, 0.9]),
        np.array([1.0, 2.0, -0.5]),
        np.array([0.2, 0.3, -1.0]),
    )
    turn, known = Rotation.from_rotvec(psi), _values(psi)
    matrices = [sympy.ImmutableMatrix(list(map(float, one))) for one in (psi, v, rate)]

    def number(matrix):
        return np.array(matrix.xreplace(known).tolist(), float)

    back = number(turned_back(matrices[0], matrices[1])).ravel()
    assert back + v == pytest.approx(turn.inv().apply(v), abs=1e-14)
    h = 1e-6
    ends = [Rotation.from_rotvec(psi + sign * h * rate) for sign in (1, -1)]
    along = (ends[1].inv() * ends[0]).as_rotvec() / (2.0 * h)
    assert number(curvature(matrices[0], matrices[2])).ravel() == pytest.approx(along, abs=1e-9)
    spun = [(Rotation.from_rotvec(sign * h * v) * turn).as_rotvec() for sign in (1, -1)]
    slope = number(logarithm_slope(matrices[0]))
    assert slope @ v == pytest.approx((spun[0] - spun[1]) / (2.0 * h), abs=1e-9)


@pytest.mark.parametrize("written", ["exp(e**2) - 1", "log(2 + 2*e)", "sqrt(1 + 2*e)",
                                     "(1 + e)**(-5/3)", "(sqrt(1 + 2*e) - 1)**2"])  # fmt: skip
def test_changes_since_rest_do_not_cancel(written):
    """Of a quantity of 1e-9 all digits stay."""
    e = sympy.Symbol("e", finite=True)
    value = sympy.sympify(written.replace("5/3", "Rational(5,3)"), locals={"e": e})
    found = sympy.lambdify(e, since_rest(value, [e]), "numpy")(1e-9)
    with mpmath.workdps(60):
        at = mpmath.mpf(1e-9)
        function = sympy.lambdify(e, value, "mpmath")
        exact = function(at) - function(mpmath.mpf(0))
        assert abs(found / exact - 1) < 4e-16
