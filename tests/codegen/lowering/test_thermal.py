# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of heat and of stresses at points: interpreter, scalar kernel and lanes agree."""

from __future__ import annotations

import numpy as np
import pytest
from compiled import native
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.catalogue import find
from flexforge.codegen.elements.terms import further_terms_of, terms_of
from flexforge.codegen.errors import InputError
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.lowering.thermal import expansions
from marks import slow
from specimens import FACET_ELEMENTS, distorted, relative

NAMES = (
    "tri3_plane_stress",
    "quad4s",
    slow("quad4i"),
    "tri3_axisymmetric",
    "tet4_anisotropic",
    "bar2",
)


def _values(names):
    """Return positive parameters of order one, such that ``poisson`` is below a half."""
    rng = np.random.default_rng(6)
    return {name: 0.3 if name == "poisson" else rng.uniform(0.5, 1.5) for name in names}


@pytest.mark.parametrize("name", NAMES)
def test_interpreter_scalar_kernel_and_lanes_agree(name):
    """Every further term, on random elements and states; the last group is incomplete."""
    element = find(name)
    X = distorted(element, 7, seed=5) if name != "bar2" else _bars(7)
    X[:, 0] += 5.0  # a body of revolution stays on one side of its axis
    state = np.random.default_rng(2).standard_normal(X.shape)
    terms = further_terms_of(element)
    scalar, batch = (native(element, terms, lanes=lanes) for lanes in (1, 4))
    for term in terms:
        kernel = scalar[term].kernel
        values = _values([p.name for p in kernel.parameters])
        expected = interpret(kernel.program, {"coordinates": X, "state": state}, values)
        assert np.isfinite(expected).all() and np.abs(expected).max() > 0, term
        assert relative(scalar[term](X, values, state), expected) < 1e-13, term
        assert relative(batch[term](X, values, state), expected) < 1e-13, term


def _bars(count):
    return np.random.default_rng(4).standard_normal((2, 3, count))


@pytest.mark.parametrize("name", ["tri3_plane_stress", "quad4_plane_strain", "tet4", "bar2"])
def test_a_free_expansion_balances_the_load(name):
    """k (eps_0 x) = int (bN)^T H eps_0 T: the load is that of the stiffness, to round-off."""
    element = find(name)
    X = distorted(element, 3, seed=8) if name != "bar2" else _bars(3)
    kernels = native(element, ("stiffness", "thermal_load"))
    values = _values({p.name for k in kernels.values() for p in k.kernel.parameters})
    normal = element.components if name != "bar2" else 1
    values |= {p: 1e-2 * (k < normal) for k, p in enumerate(expansions(element))}
    warm = np.zeros_like(X)
    warm[:, 0] = 3.0
    load = kernels["thermal_load"](X, values, warm)
    stiffness = kernels["stiffness"](X, values)
    expected = np.einsum("aibje,bje->aie", stiffness, 3e-2 * X)
    assert relative(load, expected) < 1e-12


@pytest.mark.parametrize("name", ["tri3_plane_stress", "tri3_axisymmetric", "tet4"])
def test_the_stress_of_a_free_expansion_stiffens_as_that_of_the_strain(name):
    """Geometric stiffness of d = eps_0 x is that of the temperature that strains by eps_0."""
    element = find(name)
    X = distorted(element, 3, seed=8)
    X[:, 0] += 5.0  # a body of revolution stays on one side of its axis
    kernels = native(element, ("geometric", "thermal_geometric"))
    values = _values({p.name for k in kernels.values() for p in k.kernel.parameters})
    # Of a body of revolution the strains are rr, zz, rz and that of the hoop.
    sheared = {2} if element.revolved else set(range(element.components, 6))
    values |= {p: 1e-2 * (k not in sheared) for k, p in enumerate(expansions(element))}
    warm = np.zeros_like(X)
    warm[:, 0] = 3.0
    found = kernels["thermal_geometric"](X, values, warm)
    assert relative(found, kernels["geometric"](X, values, 3e-2 * X)) < 1e-12


def test_further_terms_are_no_usual_ones():
    """They are made where they are named; facets have a check alone; the unknown is refused."""
    element = find("tri3")
    assert not set(further_terms_of(element)) & set(terms_of(element))
    facet = FACET_ELEMENTS["facet_line2_2d"]
    assert further_terms_of(facet) == ("jacobian",)
    with pytest.raises(InputError, match="has no term 'thermal_geometric'"):
        compile_kernel(facet, "thermal_geometric")
