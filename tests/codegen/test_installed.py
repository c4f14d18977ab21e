# SPDX-License-Identifier: BSD-3-Clause
"""The kernels that are installed, of every standard solid, against elements written by hand.

They are compiled already; only K d is compiled for the purpose.
"""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.output.standard import TERMS
from flexforge.runtime.assembly.assemble import evaluate
from flexforge.runtime.assembly.kernels import kernels_of
from specimens import ELEMENTS, distorted, values
from test_handwritten import ALL, TOLERANCE, by_hand

COUNT = 9  # elements: the second of two batches has one


#: Of two hypotheses the law alone differs.
NAMES = [name for name in ELEMENTS if not name.endswith("_plane_strain")]
#: Whose K d takes longest to compile; hex20 has more of its passes than they.
LONG = ("hex27", "wedge15")


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=[pytest.mark.slow] * (one in LONG)) for one in NAMES]
)
def test_distorted_elements(name):
    """Every installed term, and K d, whose sums passes of the compiler write in other ways."""
    X = np.moveaxis(distorted(ELEMENTS[name], COUNT, seed=5), -1, 0)
    state = 0.1 * np.random.default_rng(6).standard_normal(X.shape)
    p, nodes, size = values(ALL), *X.shape[1:]
    cells = np.arange(COUNT * nodes, dtype=np.int32).reshape(COUNT, nodes)
    wanted = [by_hand(name, one, p, d) for one, d in zip(X, state, strict=True)]
    for one, d in zip(wanted, state, strict=True):
        one["stiffness_action"] = one["stiffness"] @ d.ravel()
    terms = tuple(term for term in (*TERMS, "stiffness_action") if term in wanted[0])
    for term, kernel in kernels_of(ELEMENTS[name], terms).items():
        given = {"state": state.reshape(-1, size)} if kernel.state_vectors else {}
        found = evaluate(kernel, cells, X.reshape(-1, size), p, **given)
        for one, each in zip(found, wanted, strict=True):
            expected = each[term].ravel()
            assert np.abs(one.ravel() - expected).max() < TOLERANCE * np.abs(expected).max(), term
