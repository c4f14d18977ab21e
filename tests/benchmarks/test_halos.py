# SPDX-License-Identifier: BSD-3-Clause
"""What the benchmark of halos counts, and its model where it is known."""

from __future__ import annotations

import numpy as np
import pytest
from support.halos import Network, cells_of, counted, graph_of, predicted, shell
from support.slopes import exponent

SIZE = 4


def test_counts_of_two_halves() -> None:
    """Closed form: a cube of 4 x 4 x 4 hex8 whose nodes x <= 1 are the first part."""
    nodes = SIZE + 1
    owner = np.repeat(np.arange(nodes) > 1, nodes**2).astype(np.int64)
    found = counted(cells_of(SIZE), owner, 2)
    assert found["own nodes"] == {"mean": 62.5, "largest": 3 * nodes**2}
    assert found["elements"] == {"mean": (2 + 3) / 2 * SIZE**2, "largest": 3 * SIZE**2}
    assert found["halo nodes"] == {"mean": nodes**2, "largest": nodes**2}
    assert found["messages"] == {"mean": 1.0, "largest": 1}
    assert found["bytes"]["largest"] == 24 * nodes**2


def test_the_graph_has_all_neighbours() -> None:
    """26 inside, 7 at a corner, without the node itself."""
    pointers, columns = graph_of(cells_of(SIZE), (SIZE + 1) ** 3)
    degrees = np.diff(pointers)
    assert (degrees.max(), degrees.min()) == (26, 7)
    assert not (columns == np.repeat(np.arange(len(degrees)), degrees)).any()


def test_the_model_without_and_with_a_network() -> None:
    """One process only works; halos and latencies vanish on an ideal network."""
    common = {"shape": (1.0, 1.0), "messages": 26.0, "rate": 1e-7, "setup": 1e-6, "iterations": 10}
    one = predicted(3e6, 1, network=Network(), **common)
    assert one["all"] == pytest.approx(3e6 * (1e-6 + 10 * 1e-7))
    ideal = predicted(3e6, 1000, network=Network(0.0, np.inf), **common)
    own = 1e3
    assert ideal["all"] == pytest.approx(one["all"] / 1000 * (1.0 + shell(own, 1) / own))
    real = predicted(3e6, 1000, network=Network(), **common)
    assert real["latency"] > 0.0 < real["halos"]
    assert real["all"] > ideal["all"]


def test_exponents() -> None:
    """The power itself; none of a single size."""
    sizes = [1e5, 1e6, 1e7]
    assert exponent(sizes, [3.0 * n**1.3 for n in sizes]) == pytest.approx(1.3)
    assert exponent([1e6], [1.0]) is None
