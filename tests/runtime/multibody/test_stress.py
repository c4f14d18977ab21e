# SPDX-License-Identifier: BSD-3-Clause
"""The stiffness of links under their stresses as steps read it: all of it, without round-off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flexforge.runtime.multibody.elastic import stress_table
from flexforge.runtime.native.matrices import SECTION, STIFFNESS, Matrices
from swinging import begin, transient

SHAFT = {
    "mesh": {
        "blocks": {"b": {"cell": "line2", "corners": [[0, 0, 0], [0, 0, 1]], "divisions": [10]}},
        "points": {"d": [0, 0, 0.4]},
    },
    "materials": {"m": {"young": 2e11, "poisson": 0.3, "density": 7800.0}},
    "links": [{"name": "l"}],
    "bodies": [{"name": "b", "cells": "b", "material": "m", "frame": "l",
                "element": "timoshenko_beam", "section": {"shape": "round", "diameter": 0.03}}],
    "masses": [{"name": "d", "group": "d", "mass": 20, "inertia": [0.4, 0.4, 0.8]}],
    "supports": [{"group": "b.xmin"}],
    "joints": [{"name": "j", "kind": "revolute", "axis": [0, 0, 1], "links": ["ground", "l"],
                "at": [[0, 0, 0], "b.xmin"]},
               {"name": "k", "kind": "point_on_line", "axis": [0, 0, 1], "links": ["ground", "l"],
                "at": [[0, 0, 1], "b.xmax"]}],
    "reduction": {"modes": 2, "static": False}, "analysis": transient(0.1, 10),
}  # fmt: skip


def _stiffness(table, n, d, blocks):
    """Return the matrix (n, n) of a table: of displacements, and of unit blocks of inertia."""
    entry, found = np.reshape(table.entry, (-1, 2)), np.zeros((n, n))
    values = [
        np.dot(table.values[a:b], d[table.columns[a:b]])
        for a, b in zip(table.pointers, table.pointers[1:], strict=False)
    ]
    for one in table.stressing:
        values = np.add(values, blocks[one.unit] * one.values)
    found[entry[:, 0], entry[:, 1]] = found[entry[:, 1], entry[:, 0]] = values
    return found


@pytest.mark.parametrize("units", [1.0, 1e4])
def test_table_of_stresses_is_all_but_round_off(units):
    """Most entries of a symmetric shaft are none, in whatever units its coordinates are."""
    motion = begin(SHAFT)
    system, elastic, rng = motion.system, motion.links.elastic, np.random.default_rng(5)
    n = elastic.matrix.shape[1]
    scale = np.exp(np.log(units) * rng.uniform(-1.0, 1.0, size=n))
    elastic = replace(elastic, matrix=elastic.matrix.multiply(scale).tocsr())
    table = stress_table(system, motion.loads, elastic, [])
    whole = Matrices(system, motion.loads, [0], elastic.matrix.toarray())
    kinds = np.array([one.kind for one in whole.meaning])
    energy = 1.0 / np.sqrt(whole.dense(whole.bases[kinds == STIFFNESS].sum(axis=0)).diagonal())
    moved, still = energy * rng.normal(size=n), np.zeros(n)
    for d, blocks in ((moved, np.zeros(9)), (still, rng.normal(size=9))):
        exact = whole.dense(whole.stiffened @ d)
        for base, values in zip(whole.meaning, whole.bases, strict=True):
            if base.kind == SECTION:
                exact += blocks[base.index] * whole.dense(values)
        error = energy[:, None] * (_stiffness(table, n, d, blocks) - exact) * energy
        size = abs(energy[:, None] * exact * energy).max()
        assert 0.0 < abs(error).max() < 1e-13 * size
    assert len(table.stressing) == 3
    assert len(table.values) < 0.4 * n * n * (n + 1) / 2
