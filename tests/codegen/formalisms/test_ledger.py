# SPDX-License-Identifier: BSD-3-Clause
"""The ledger counts what a derivation does, and nothing else."""

from __future__ import annotations

import subprocess
import sys

import pytest
import sympy
from flexforge.codegen.derivation import _pair, derive
from flexforge.codegen.elements.library import element
from flexforge.codegen.formalisms import FORMALISMS
from flexforge.codegen.ledger import Ledger
from sympy.core.cache import clear_cache


def _counts(name, formalism, unrolled):
    _pair.cache_clear()
    return dict(derive(element(name), formalism=formalism, unrolled=unrolled).ledger.counts)


@pytest.mark.parametrize("unrolled", [False, True])
@pytest.mark.parametrize("formalism", FORMALISMS)
def test_counts_do_not_depend_on_caches(formalism, unrolled):
    """Two runs, with SymPy's cache warm, cleared and warm again, count the same."""
    warm = _counts("tri3", formalism, unrolled)
    clear_cache()
    cold = _counts("tri3", formalism, unrolled)
    assert warm == cold == _counts("tri3", formalism, unrolled)
    assert all(isinstance(n, int) and n > 0 for n in warm.values())


def test_counts_do_not_depend_on_the_hash_seed():
    """Other processes with other hash seeds count the same."""
    program = (
        "from flexforge.codegen.derivation import derive\n"
        "from flexforge.codegen.elements.library import element\n"
        "for f in ('lagrange', 'kane'):\n"
        "    print(f, list(derive(element('tri3'), formalism=f).ledger.counts.items()))\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(texts) == 1
    assert "dL/dd'" in texts.pop()


@pytest.mark.parametrize(("name", "size"), [("tri3", 6), ("quad4", 8)])
def test_families_of_differentiations(name, size):
    """Claim C2's way of counting: Lagrange differentiates three times a coordinate.

    Lagrange: dL/dd', d/dt and dL/dd, once each a coordinate (paper 000 section 4.2). Kane: the
    partial velocities, one vector a coordinate.
    """
    lagrange = _counts(name, "lagrange", True)
    for family in ("dL/dd'", "d/dt dL/dd'", "dL/dd"):
        assert lagrange[family] == size
    kane = _counts(name, "kane", True)
    assert kane["dv/dd'"] == 2 * size
    assert "dL/dd'" not in kane


def test_the_ledger_by_hand():
    """Counts and values of each operation on a small example."""
    ledger = Ledger()
    x, y, u, v = sympy.symbols("x y u v")
    assert ledger.partial(x**2 * y, x, "p") == 2 * x * y
    column = ledger.partials(sympy.Matrix([x * y, y**2]), y, "p")
    assert column == sympy.Matrix([x, 2 * y])
    assert ledger.total(x * y, {x: u, y: v}, "t") == u * y + x * v
    assert ledger.dot(sympy.Matrix([x, y]), sympy.Matrix([u, v]), "W") == x * u + y * v
    assert ledger.collect(3 * x + 2 * y + u, [x, y]) == ([3, 2], u)
    assert dict(ledger.counts) == {
        "p": 3, "t": 1, "W: products": 2, "W: sums": 1, "collected coefficients": 2,
    }  # fmt: skip
    assert ledger.seconds >= 0
