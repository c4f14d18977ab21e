# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the inertia terms: symmetry, total mass, rigid bodies, uniform motion."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from flexforge.codegen.elements.field import FieldElement
from flexforge.codegen.study.verification.findings import Finding, small
from flexforge.codegen.study.verification.integration import counted_motions, vanishing
from flexforge.codegen.study.verification.rigid import follows_rigidly
from flexforge.codegen.study.verification.trial import Trial, skew

_ROUND_OFF = 1e-11
_SIGNS = {"mass": 1, "centrifugal": 1, "coriolis": -1, "euler": -1}
_LOADS = ("euler_load", "centrifugal_load", "translation")


def inertia(trial: Trial) -> Iterator[Finding]:
    """Yield the findings about mass, Coriolis, Euler and centrifugal terms."""
    x = trial.distorted
    terms = {name: trial.run(name, x) for name in _SIGNS if name in trial.terms}
    for name, matrix in terms.items():
        kind = "symmetric" if _SIGNS[name] > 0 else "skew"
        difference = np.abs(matrix - _SIGNS[name] * matrix.T).max() / np.abs(matrix).max()
        yield small(f"{name} is {kind}", difference, 1e-13, "its largest entry")
    lowest = np.linalg.eigvalsh(terms["mass"])
    yield small("mass has no negative energy", -lowest[0] / lowest[-1], 1e-12, "its largest")
    if not isinstance(trial.element, FieldElement):  # a rotation of a bar or beam may have none
        yield counted_motions("motions without mass", trial, "mass", vanishing(lowest), 0)
    highest = np.linalg.eigvalsh(terms["centrifugal"])
    yield small("centrifugal never stiffens", highest[-1] / -highest[0], 1e-12, "its largest")
    if trial.element.revolved:  # its frame moves only along and about the axis
        if trial.size == 3:
            yield _uniform(trial)
        return
    yield from _rigid_body(trial)
    if isinstance(trial.element, FieldElement):
        yield follows_rigidly(trial, trial.element)
    else:
        yield _uniform(trial)


def _rigid_body(trial: Trial) -> Iterator[Finding]:
    """Compare loads on rigid motions with those of a rigid body of the same mass matrix."""
    x, n = trial.distorted, trial.size
    rigid = trial.rigid(x)
    inner = rigid.T @ trial.run("mass", x) @ rigid
    mass = inner[0, 0]
    moved = np.abs(inner[:n, :n] - mass * np.eye(n)).max() / mass
    yield small("translations see one mass", moved, 1e-12, "it")
    force = rigid[:, :n].T @ trial.run("translation", x).ravel()
    expected = mass * trial.vector("a_O")[:n]
    yield small(
        "m_O is mass times a_O",
        np.abs(force - expected).max() / np.abs(expected).max(),
        1e-12,
        "it",
    )
    loads = sum(trial.run(term, x).ravel() for term in _LOADS[:2])
    w, e = trial.vector("w"), trial.vector("e")
    if n == 2:
        expected = inner[2:, 2:] @ e[2:]
    else:
        tensor = inner[3:, 3:]
        expected = tensor @ e + np.cross(w, tensor @ w)
    torque = rigid[:, n:].T @ loads
    yield small(
        "torques are J e + w x J w",
        np.abs(torque - expected).max() / np.abs(expected).max(),
        _ROUND_OFF,
        "them",
    )


def _uniform(trial: Trial) -> Finding:
    """Check 1: nodes that move uniformly in inertial space need no force."""
    x, n = trial.distorted, trial.size
    rng = np.random.default_rng(3)
    w, e = (skew(trial.vector(name))[:n, :n] for name in "we")
    u, rate = rng.standard_normal((2, *x.shape))
    second = -(trial.vector("a_O")[:n] + 2 * rate @ w.T + (x + u) @ (e + w @ w).T)
    parts = [
        trial.run("mass", x) @ second.ravel(),
        2 * trial.run("coriolis", x) @ rate.ravel(),
        trial.run("euler", x) @ u.ravel(),
        trial.run("centrifugal", x) @ u.ravel(),
        *(trial.run(term, x).ravel() for term in _LOADS),
    ]
    scale = max(float(np.abs(part).max()) for part in parts)
    left = float(np.abs(sum(parts)).max()) / scale
    return small("uniform motion in space needs no force", left, _ROUND_OFF, "its largest part")
