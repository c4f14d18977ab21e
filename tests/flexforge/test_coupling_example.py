# SPDX-License-Identifier: BSD-3-Clause
"""The example of two leaves in contact: at rest by a closed form, in motion by one system."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from flexforge.runtime.export.fmu import fmu
from flexforge.runtime.export.platforms import FLAGS, here
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from scipy.integrate import solve_ivp

HERE = Path(__file__).parents[2] / "examples" / "coupling"
CELLS = (10, 7)


@pytest.fixture(scope="module")
def couple():
    """The program of the example."""
    if not shutil.which("cc"):
        pytest.skip("cc is not installed")
    sys.path.insert(0, str(HERE))
    try:
        spec = importlib.util.spec_from_file_location("couple_leaves", HERE / "couple.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(HERE))
    return module


def leaves(couple, folder: Path, step: float, end: float) -> list[Path]:
    """Return FMUs of both leaves with few elements, compiled quickly."""
    flags = tuple(flag.replace("-O3", "-O0") for flag in FLAGS)
    paths = []
    for name, side, cells in zip(("lower", "upper"), (-1.0, 1.0), CELLS, strict=True):
        tables = couple.leaf(side, cells, step, end)
        tables["bodies"][0]["rotary_inertia"] = False
        solver = build_solver(model_from_dict(tables), name)
        paths.append(folder / f"{name}-{step:g}.fmu")
        paths[-1].write_bytes(fmu(solver, 2, [here()], flags))
    return paths


def test_leaves_rest_on_each_other_as_the_closed_form_says(couple, tmp_path):
    """Force between them, distance of both, and where they begin to touch, within an element."""
    rows, coupled = couple.couple(*leaves(couple, tmp_path, 2e-4, 0.12), CELLS, 2e-4, 0.12)
    x = couple.nodes(CELLS[0])
    bent, force, a = couple.at_rest(x)
    assert rows[-1, 3] == pytest.approx(force, rel=5e-3)
    assert np.ptp(rows[-60:, 3]) < 1e-6 * force
    first = x[coupled.forces > 0.0][0]
    assert np.abs(coupled.distances - (couple.GAP - 2.0 * bent)).max() < 0.02 * couple.GAP
    assert abs(first - a) < x[0]
    assert coupled.missed < 1e-14  # m: each step ends where its forces were found for


def bending(cells: int, length: float, stiffness: float, mass: float, load: float):
    """Return mass, stiffness and load of Euler's beam, clamped at its beginning."""
    h, n = length / cells, 2 * (cells + 1)
    k = stiffness / h**3 * np.array([
        [12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h],
        [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]])  # fmt: skip
    m = mass * h / 420.0 * np.array([
        [156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h],
        [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]])  # fmt: skip
    f = load * h * np.array([0.5, h / 12.0, 0.5, -h / 12.0])
    found = np.zeros((n, n)), np.zeros((n, n)), np.zeros(n)
    for e in range(cells):
        at = slice(2 * e, 2 * e + 4)
        for whole, part in zip(found[:2], (m, k), strict=True):
            whole[at, at] += part
        found[2][at] += f
    return found[0][2:, 2:], found[1][2:, 2:], found[2][2:]


def together(couple, layer, times):
    """Return both tips and the force between leaves: one set of equations, another integrator."""
    mass = 7850.0 * 0.01 * 5e-4  # kg/m
    lower, upper = (bending(n, couple.LENGTH, couple.BENDING, mass, couple.PRESS) for n in CELLS)
    sizes = len(lower[2]), len(upper[2])
    m, k = np.zeros((2, sum(sizes), sum(sizes)))
    first, second = slice(0, sizes[0]), slice(sizes[0], None)
    for at, one in ((first, lower), (second, upper)):
        m[at, at], k[at, at] = one[0], one[1]
    c = 150.0 * m + 1e-5 * k
    press = np.concatenate([lower[2], -upper[2]])
    pairs = couple.Contact(*(couple.nodes(n) for n in CELLS), couple.GAP, *layer, 1.0)
    to_gap = np.zeros((CELLS[0], sum(sizes)))
    to_gap[np.arange(CELLS[0]), 2 * np.arange(CELLS[0])] = -1.0
    to_gap[:, sizes[0] :: 2] = pairs.on_upper
    width = np.full(CELLS[0], couple.LENGTH / CELLS[0])
    width[-1] *= 0.5
    inverse = np.linalg.inv(m)

    def forces(y):
        gap, rate = couple.GAP + to_gap @ y[: len(k)], to_gap @ y[len(k) :]
        return layer[0] * width * np.maximum(-gap - layer[1] * rate, 0.0)

    def rates(t, y):
        s = min(t / 0.02, 1.0)
        ramp = s**3 * (10.0 + s * (6.0 * s - 15.0))
        acting = ramp * press + to_gap.T @ forces(y) - c @ y[len(k) :] - k @ y[: len(k)]
        return np.concatenate([y[len(k) :], inverse @ acting])

    y = solve_ivp(rates, (0.0, times[-1]), np.zeros(2 * len(k)), "LSODA", times, rtol=1e-8,
                  atol=1e-12).y  # fmt: skip
    total = [forces(one).sum() for one in y.T]
    return np.column_stack([y[sizes[0] - 2], y[len(k) - 2], total])


def test_leaves_meet_and_part_as_one_set_of_equations(couple, tmp_path):
    """Errors of the coupling fall with the step: half of them for half of it, at least."""
    layer, end, errors = (1e7, 2e-4), 0.012, []
    exact = together(couple, layer, 2e-5 * np.arange(1, 601))
    assert (exact[:, 2] > 1.0).any()
    assert (np.diff(exact[:, 2]) < 0.0).any()  # they rebound
    for step, every in ((4e-5, 2), (2e-5, 1)):
        paths = leaves(couple, tmp_path, step, end)
        rows, _ = couple.couple(*paths, CELLS, step, end, layer)
        missed = np.abs(rows[:, 1:3] - exact[every - 1 :: every, :2]).max()
        errors.append(missed / (0.5 * couple.GAP))
    assert errors[1] < 4e-3
    assert errors[0] / errors[1] > 1.8
