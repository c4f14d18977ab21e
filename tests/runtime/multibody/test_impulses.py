# SPDX-License-Identifier: BSD-3-Clause
"""Impulses with friction in C, by the conditions that define them, of contacts by chance."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest
from flexforge.runtime.export.library import HEADERS

SOURCE = """
#include "ff_impulses.h"
int impulses(int contacts, int across, double grip, const double *W, const double *u,
             const double *wanted, double *p, double *after)
{
    ff_touch contact[8];
    const int each = 1 + across;
    for (int k = 0; k < contacts; ++k)
        contact[k] = (ff_touch){each * k, each * k + 1, across, grip};
    return ff_impulses(contacts, contact, each * contacts, W, u, wanted, p, after);
}
"""


@pytest.fixture(scope="module")
def impulses(tmp_path_factory):
    """Compile the header; return a function of W, u, wanted speeds along normals, and friction."""
    folder = Path(tmp_path_factory.mktemp("impulses"))
    (folder / "i.c").write_text(SOURCE)
    command = ["cc", "-std=c99", "-O1", "-shared", "-fPIC", f"-I{HEADERS}", "i.c", "-o", "i.so"]
    subprocess.run([*command, "-lm"], cwd=folder, check=True)
    found = ctypes.CDLL(str(folder / "i.so"))

    def solve(W, u, wanted, grip, across):
        p, after, each = np.zeros(len(u)), np.zeros(len(u)), 1 + across
        whole = np.zeros(len(u))
        whole[::each] = wanted
        pointers = [ctypes.c_void_p(np.ascontiguousarray(one).ctypes.data) for one in (W, u, whole)]
        code = found.impulses(len(u) // each, across, ctypes.c_double(grip), *pointers,
                              ctypes.c_void_p(p.ctypes.data),
                              ctypes.c_void_p(after.ctypes.data))  # fmt: skip
        assert code == 0
        return p.reshape(-1, each), after.reshape(-1, each)

    return solve


def system(rng, contacts, across, bodies=3.0):
    """Return W of contacts by chance, and speeds of which those along normals approach."""
    size = (1 + across) * contacts
    rows = rng.standard_normal((size, int(bodies * size)))
    u = rng.standard_normal(size)
    u[:: 1 + across] = -np.abs(u[:: 1 + across])
    return rows @ rows.T / rows.shape[1], u


@pytest.mark.parametrize("across", [1, 2])
@pytest.mark.parametrize("contacts", [1, 2, 4])
def test_impulses_satisfy_restitution_and_friction_and_take_energy(impulses, contacts, across):
    """Newton's and Coulomb's laws to round-off; u' = u + W p, and no energy is won."""
    rng = np.random.default_rng(10 * contacts + across)
    sticking = slipping = 0
    for _ in range(60):
        W, u = system(rng, contacts, across)
        e, grip = rng.uniform(0.0, 0.5), rng.uniform(0.05, 0.5)
        wanted = -e * u[:: 1 + across]
        p, after = impulses(W, u, wanted, grip, across)
        np.testing.assert_allclose(after.ravel(), u + W @ p.ravel(), atol=1e-13)
        assert 0.5 * p.ravel() @ (u + after.ravel()) <= 1e-12
        assert p[:, 0].min() >= 0.0
        opening = after[:, 0] - wanted
        if np.abs(opening[p[:, 0] > 0.0]).max() > 1e-12:
            continue  # less was returned, for the sake of energy
        assert opening.min() > -1e-12
        tangential, slip = np.linalg.norm(p[:, 1:], axis=1), np.linalg.norm(after[:, 1:], axis=1)
        assert (tangential - grip * p[:, 0]).max() < 1e-12
        for k in np.flatnonzero(p[:, 0] > 0.0):
            if slip[k] < 1e-12:
                sticking += 1
                continue
            slipping += 1
            against = -grip * p[k, 0] * after[k, 1:] / slip[k]
            np.testing.assert_allclose(p[k, 1:], against, atol=1e-9 / slip[k])
    assert sticking > 3
    assert slipping > 10


def test_one_contact_returns_less_where_newtons_law_would_win_energy(impulses):
    """A slip turns round (Kane's paradox): the normal speed returned is what keeps the energy."""
    W = np.array([[1.0, -0.8], [-0.8, 1.0]])
    u, e, grip = np.array([-1.0, 0.5]), 0.9, 2.0
    stops = np.linalg.solve(W, np.array([e, 0.0]) - u)  # by Newton's law, with a slip that stops
    assert abs(stops[1]) < grip * stops[0]
    assert 0.5 * stops @ (u + [e, 0.0]) > 0.1
    p, after = impulses(W, u, np.array([e]), grip, 1)
    assert 0.5 * p[0] @ (u + after[0]) == pytest.approx(0.0, abs=1e-12)
    assert 0.0 <= after[0, 0] < e
    assert after[0, 1] == pytest.approx(0.0, abs=1e-12)


def test_a_slip_that_joints_hold_takes_no_impulse(impulses):
    """The normal impulse is that without friction."""
    p, after = impulses(np.diag([2.0, 0.0, 0.5]), np.array([-1.0, 0.0, 0.0]), np.array([0.5]), 0.3,
                        2)  # fmt: skip
    np.testing.assert_allclose(p, [[0.75, 0.0, 0.0]], atol=1e-15)
    np.testing.assert_allclose(after, [[0.5, 0.0, 0.0]], atol=1e-15)
