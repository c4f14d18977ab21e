# SPDX-License-Identifier: BSD-3-Clause
"""Large tied bodies whose factors are those of the bodies alone, against all factored together."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest
from flexforge.runtime.constraints.apart import apart_of
from flexforge.runtime.constraints.build import build_ties
from flexforge.runtime.constraints.constrained_columns import ConstrainedColumns
from flexforge.runtime.constraints.span import most_directions, span_of
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.solvers import factorize
from flexforge.runtime.start import start
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.coordinates.null_space import ReducedMatrix
from flexforge.runtime.transient.linear import directions as joined
from flexforge.runtime.transient.linear.factors import KeptFactors
from flexforge.runtime.transient.linear.joint_schur import JointSchur
from flexforge.runtime.transient.linear.projected import Projected
from marks import slow

STEEL = {"young": 2e9, "poisson": 0.3, "density": 7870.0, "damping": {"alpha": 1.0, "beta": 1e-5}}


def bar(length, width):
    """Return a straight bar along x from the origin."""
    b = 0.5 * width
    ends = [
        [[x, y, z] for x, y in ((0.0, -b), (length, -b), (length, b), (0.0, b))] for z in (-b, b)
    ]
    return {"cell": "hex8", "divisions": [6, 2, 2], "corners": ends[0] + ends[1]}


def slider_crank(formalism):
    """Return a slider-crank whose crank and rod are solids, held by their end faces."""
    solid = {"element": "hex8", "material": "steel"}
    revolute = {"kind": "revolute", "axis": [0, 0, 1]}
    return {
        "mesh": {"blocks": {"crank": bar(0.15, 0.02), "rod": bar(0.3, 0.02)}},
        "materials": {"steel": STEEL},
        "links": [
            {"name": "turning"},
            {"name": "moving", "placement": {"position": [0.15, 0, 0]}},
            {"name": "slider", "placement": {"position": [0.45, 0, 0]}, "mass": 0.3},
        ],
        "bodies": [
            {**solid, "name": "crank", "cells": "crank", "frame": "turning"},
            {**solid, "name": "rod", "cells": "rod", "frame": "moving"},
        ],
        "joints": [
            {"name": "A", **revolute, "links": ["ground", "turning"],
             "at": [[0, 0, 0], "crank.xmin"]},
            {"name": "B", "kind": "spherical", "links": ["turning", "moving"],
             "at": ["crank.xmax", "rod.xmin"]},
            {"name": "C", "kind": "universal", "axis": [[0, 0, 1], [0, 1, 0]],
             "links": ["moving", "slider"],
             "at": ["rod.xmax", [0, 0, 0]]},
            {"name": "D", "kind": "prismatic", "links": ["ground", "slider"], "axis": [1, 0, 0]},
        ],
        "drivers": [{"name": "motor", "joint": "A", "velocity": 40}],
        "loads": [{"kind": "gravity", "acceleration": [0.0, -9.81, 0.0]}],
        "analysis": {"kind": "transient", "duration": 0.02, "steps": 40, "tolerance": 1e-12,
                     "formalism": formalism},
    }  # fmt: skip


def motion_of(model):
    """Return a motion at t = 0 and its ties."""
    spec = model_from_dict(model)
    places = build_system(spec, build_mesh(spec))
    for body in places.system.bodies:
        body.assemble()
    rest = np.zeros((places.system.size, places.system.dimension))
    ties = build_ties(spec, places)
    loads = Loads(spec, places)
    motion = start(spec.analysis, places.system, loads, rest, rest, ties, native=False)
    return motion, ties


def test_directions_of_the_joints_span_their_rows_at_all_times():
    """``J = (J E) E^T`` with six orthonormal directions a marker at most, faces of nodes or not."""
    motion, ties = motion_of(slider_crank("maggi"))
    pattern = ties.joints.pattern
    directions = span_of(pattern)
    assert directions.shape[1] <= most_directions(pattern) < len(np.unique(pattern.columns)) / 2
    unit = (directions.T @ directions).toarray()
    np.testing.assert_allclose(unit, np.eye(len(unit)), atol=1e-13)
    for time in (0.0, 0.013):
        rows = ties.joints.at(time).matrix().toarray()
        again = (rows @ directions) @ directions.T
        np.testing.assert_allclose(again, rows, atol=1e-12 * np.abs(rows).max())


def test_what_rates_add_is_a_product_with_the_tied_columns():
    """Forces of velocities and accelerations of tied unknowns are those of all of the bodies."""
    motion, ties = motion_of(slider_crank("maggi"))
    system, equations = motion.system, motion.end.equations
    columns = np.unique(ties.joints.pattern.columns)
    v, a = np.zeros((2, system.unknowns))
    v[columns], a[columns] = np.random.default_rng(1).normal(size=(2, len(columns)))
    found = np.zeros(system.unknowns)
    ConstrainedColumns(system, columns).add(found, equations.viscous, v, a)
    whole = equations.inner(np.zeros_like(v), v, a)
    np.testing.assert_allclose(found, whole, rtol=0, atol=1e-13 * np.abs(whole).max())


def test_parts_answer_for_themselves_in_one_solve():
    """``F = E^T S0^-1 E`` of parts solved together is that of directions solved one by one."""
    motion, ties = motion_of(slider_crank("maggi"))
    system, span = motion.system, span_of(ties.joints.pattern)
    apart = apart_of(system, span)
    assert len(apart.parts) == 3, "crank, rod and slider"
    assert sorted(np.concatenate([part.directions for part in apart.parts])) == [
        *range(span.shape[1])
    ]
    equations = motion.end.equations
    step = equations.combine(*motion.end.factors).symmetric_part
    masses = system.restrict(system.mass_diagonal())
    light = np.flatnonzero(abs(span).T @ (masses <= 1e-14 * masses.max()))
    directions = joined.Directions(span, light, float(masses.max()), apart)
    matrix = step.assemble() + directions.added()
    found = JointSchur(factorize(matrix, "scipy", symmetric=True), directions)
    alone = np.linalg.solve(matrix.toarray(), span.toarray())
    exact = span.T @ alone
    np.testing.assert_allclose(found.flexibility, exact, rtol=0, atol=1e-9 * np.abs(exact).max())
    for part, answers in found._answers:
        whole = alone[:, part.directions]
        scale = 1e-9 * np.abs(whole).max()
        np.testing.assert_allclose(answers, whole[part.unknowns], rtol=0, atol=scale)


def test_what_rates_drag_along_is_solved_for(monkeypatch):
    """Without a skew part one solve leaves products of rates of J; without their drag far more."""
    monkeypatch.setattr(joined, "LARGE", 0)
    iterate, left = KeptFactors._iterate, []

    def measured(self, matrix, rhs, guess, tolerance):
        rest = rhs - matrix.apply(matrix.solve_with(self.factors, rhs))
        left.append(np.linalg.norm(rest) / np.linalg.norm(rhs))
        return iterate(self, matrix, rhs, guess, tolerance)

    monkeypatch.setattr(KeptFactors, "_iterate", measured)
    still = {"include": {"coriolis": False, "euler": False, "geometric": False}}
    for hold in (ReducedMatrix.hold, Projected.hold):
        monkeypatch.setattr(ReducedMatrix, "hold", hold)
        motion, _ = motion_of(slider_crank("maggi") | still)
        for _ in range(4):
            motion.advance()
    with_drag, without = np.array(left).reshape(2, -1)
    assert (with_drag[1:] < 0.02 * without[1:]).all()
    assert (with_drag < 1e-4).all()


@pytest.mark.parametrize("formalism", ["maggi", "lagrange"])
@pytest.mark.parametrize("large", [0, 10**9])
def test_products_of_earlier_solutions_follow_the_matrix(formalism, large, monkeypatch):
    """While frames and joints turn, what is followed stays the product with today's matrix."""
    monkeypatch.setattr(joined, "LARGE", large)
    motion, _ = motion_of(slider_crank(formalism) | {"include": {"geometric": False}})
    guess, seen = KeptFactors._guess, []

    def compared(self, matrix, rhs):
        since = matrix.inner.since(self._last)
        for one in self._recent:
            exact = matrix.apply(one.solution)
            copy = deepcopy(one)
            found = copy.image(matrix, since)
            seen.append(np.abs(found - exact).max() / np.abs(exact).max())
        return guess(self, matrix, rhs)

    monkeypatch.setattr(KeptFactors, "_guess", compared)
    for _ in range(12):
        motion.advance()
    assert len(seen) > 50 and max(seen) < 1e-11


@pytest.mark.parametrize("formalism", ["maggi", "lagrange", slow("kane"), slow("hamilton")])
def test_factors_of_the_bodies_alone_lead_to_the_same_motion(formalism, monkeypatch):
    """States and multipliers agree; while the crank turns, the bodies are factored once."""
    model = slider_crank(formalism)
    together, _ = motion_of(model)
    monkeypatch.setattr(joined, "LARGE", 0)
    alone, _ = motion_of(model)
    for _ in range(40):
        together.advance()
        alone.advance()
    assert isinstance(alone.stepper.coordinates._kept.factors, JointSchur)
    assert not isinstance(together.stepper.coordinates._kept.factors, JointSchur)
    for name in ("displacement", "velocity", "acceleration"):
        one, other = getattr(alone, name), getattr(together, name)
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-6 * np.abs(other).max())
    np.testing.assert_allclose(
        alone.multipliers,
        together.multipliers,
        rtol=0,
        atol=1e-6 * np.abs(together.multipliers).max(),
    )
    assert alone.counts.factorizations == 1 < together.counts.factorizations
    assert alone.drift.position <= 1e-12
