# SPDX-License-Identifier: BSD-3-Clause
"""The ledger counts what a derivation does, and nothing else."""

from __future__ import annotations

import subprocess
import sys

import pytest
import sympy
from flexforge.codegen.elements.library import element
from flexforge.codegen.errors import FlexforgeError
from flexforge.codegen.mechanics.derivation import _PAIRS, derive
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.polynomials import Polynomials
from sympy.core.cache import clear_cache


def _counts(name, formalism, unrolled):
    _PAIRS.clear()
    return derive(element(name), formalism=formalism, unrolled=unrolled).ledger.counts()


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_counts_do_not_depend_on_caches(formalism):
    """Two runs, with SymPy's cache cleared and warm, count the same."""
    clear_cache()
    cold = _counts("tri3", formalism, True)
    warm = _counts("tri3", formalism, True)
    assert warm == cold
    assert all(isinstance(n, int) and n > 0 for part in warm.values() for n in part.values())


@pytest.mark.slow
def test_counts_do_not_depend_on_the_hash_seed():
    """Other processes with other hash seeds count the same."""
    program = (
        "from flexforge.codegen.mechanics.derivation import derive\n"
        "from flexforge.codegen.elements.library import element\n"
        "from flexforge.codegen.mechanics.formalisms import FORMALISMS\n"
        "for f in FORMALISMS:\n"
        "    print(f, derive(element('tri3'), formalism=f).ledger.counts())\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1
    assert "dL/dd'" in texts.pop()


@pytest.mark.parametrize(
    ("name", "size"),
    [("tri3", 6), ("quad4", 8), pytest.param("tet4", 12, marks=pytest.mark.slow)],
)
def test_families_of_differentiations(name, size):
    """Claim C2's way of counting: Lagrange differentiates three times a coordinate, Gibbs once.

    Lagrange: dL/dd', d/dt and dL/dd, once each a coordinate (Scutaru 2023, 4.1). Gibbs-Appell:
    dS/dd''. Hamilton: dL/dd' and dH/dd. Kane: the partial velocities, one vector a coordinate.
    """
    c = element(name).components
    strains = {2: 3, 3: 6}[c]
    counts = {f: _counts(name, f, True) for f in FORMALISMS}
    derivatives = {f: found["partial derivatives"] for f, found in counts.items()}
    totals = {f: found["total time derivatives"] for f, found in counts.items()}
    assert derivatives["lagrange"] == {"dL/dd": size, "dL/dd'": size}
    assert totals["lagrange"] == {"d/dt dL/dd'": size}
    assert (derivatives["gibbs_appell"], totals["gibbs_appell"]) == ({"dS/dd''": size}, {})
    assert (derivatives["hamilton"], totals["hamilton"]) == ({"dH/dd": size, "dL/dd'": size}, {})
    assert derivatives["maggi"] == {"dT/dq": size, "dT/dq'": size}
    assert totals["maggi"] == {"d/dt dT/dq'": size, "dA/dt": c * c, "db/dt": size}
    assert derivatives["kane"] == {"dv/dd'": c * size, "deps'/dd'": 2 * strains * size}
    assert totals["kane"] == {"deps/dt": strains}
    assert (derivatives["virtual_power"], totals["virtual_power"]) == ({}, {})


def test_velocity_and_acceleration_by_hand():
    """tri3: what the products and sums of v and a are, counted on paper.

    v: N d and N d' of three nodes are 3 products and 2 sums a component, w~ times a vector one
    product a component, and four terms three sums. The acceleration has w~w~ (2 products), its
    sum with e~ (none: zeros meet), two products and a sum in each of two matrices times vectors,
    ... and five terms.
    """
    counts = _counts("tri3", "virtual_power", True)
    # N d, N d', N d'': 3 x 6 products and 3 x 4 sums; w~ w~: 2; (e~ + w~w~) x and (...) N d: 4 each
    # with 2 sums each; w~ N d': 2; times 2: 2; five terms: 3 + 1 sums a component
    assert counts["products"]["a"] == 18 + 2 + 4 + 4 + 2 + 2
    assert counts["sums"]["a"] == 12 + 2 + 2 + 2 * 4
    counts = _counts("tri3", "lagrange", True)
    assert counts["products"]["v"] == 12 + 2 + 2
    assert counts["sums"]["v"] == 8 + 2 * 3
    # v.v: 2 products and a sum; times rho / 2: one
    assert (counts["products"]["T"], counts["sums"]["T"]) == (3, 1)


def test_the_ledger_by_hand():
    """Counts and values of each operation on a small example."""
    ledger = Ledger()
    x, y, u, v = sympy.symbols("x y u v")
    assert ledger.partial(x**2 * y, x, "p") == 2 * x * y
    assert ledger.partial_column(sympy.Matrix([x * y, y**2]), y, "p") == sympy.Matrix([x, 2 * y])
    assert ledger.total(x * y, {x: u, y: v}, "t") == u * y + x * v
    assert ledger.dot(sympy.Matrix([x, y]), sympy.Matrix([u, v]), "W") == x * u + y * v
    assert ledger.add("W", sympy.Matrix([x, 0]), sympy.Matrix([y, v])) == sympy.Matrix([x + y, v])
    assert ledger.scale(u, sympy.Matrix([x, 0, 1]), "s") == sympy.Matrix([u * x, 0, u])
    assert ledger.multiply("s", x, y, sympy.Integer(-1)) == -x * y
    assert ledger.sum("s", x, sympy.Integer(0), -y) == x - y
    ledger.note("L", (x + y) * (u + v) ** 3)
    assert ledger.counts() == {
        "partial derivatives": {"p": 3},
        "total time derivatives": {"t": 1},
        "products": {"W": 2, "s": 2},
        "sums": {"W": 2, "s": 1},
        # x + y, u + v three times, two products of the power and one more
        "largest expression": {"operations": 7},
    }
    assert (ledger.differentiations, ledger.operations) == (4, 7)
    assert [step.name for step in ledger.steps] == ["p", "t", "L"]
    assert ledger.seconds >= 0


def test_multiplying_out_by_hand():
    """(x + y)(x - y) takes four products of terms, two of which meet; counted once."""
    ledger = Ledger()
    x, y, z = sympy.symbols("x y z")
    polynomials = Polynomials((x, y), ledger)
    product = (x + y) * (x - y)
    assert polynomials.expand(product).as_expr() == x**2 - y**2
    assert polynomials.expand(product + y).as_expr() == x**2 - y**2 + y
    assert ledger.counts()["products"] == {"collect": 4}
    assert ledger.counts()["sums"] == {"collect": 2}
    for wrong in (1 / x, z + x, sympy.sqrt(x)):
        with pytest.raises(FlexforgeError, match="is not a polynomial"):
            polynomials.expand(wrong)
