# SPDX-License-Identifier: BSD-3-Clause
"""ROSS on the rotors of examples: roots, unbalance responses and motions, and their time.

It remembers what it has computed for a speed: every round has speeds that differ in their last
digits. Importing it prints a text, which nobody sees.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from support.contestant import serve
from support.rotors import (
    CAMPBELL,
    COEFFICIENTS,
    MODES,
    STEP,
    STEPS,
    SWEEP,
    Rotor,
    elements,
    rotors,
    seen,
    speeds_of,
    top,
    unbalances,
)

_ROUND = itertools.count(1)


def build(rotor: Rotor) -> Any:
    """Return the rotor of ROSS."""
    import ross as rs

    materials = {
        name: rs.Material(name=name, E=young, G_s=rigidity, rho=density)
        for name, (young, rigidity, density) in rotor["materials"].items()
    }
    more = {key: rotor[key] for key in ("axial_force", "alpha", "beta") if key in rotor}
    shaft = [
        rs.ShaftElement(n=n, L=length, odl=outer, idl=inner, odr=right, idr=within, gyroscopic=True,
                        material=materials[name], shear_method_calc="cowper", **more)
        for n, length, outer, inner, right, within, name in elements(rotor)
    ]  # fmt: skip
    discs = [rs.DiskElement(n=n, m=m, Id=across, Ip=polar)
             for n, m, across, polar in rotor.get("discs", [])]  # fmt: skip
    bearings = [_bearing(rs, i, one) for i, one in enumerate(rotor["bearings"])]
    masses = [rs.PointMass(n=n, m=m) for n, m in rotor.get("masses", [])]
    return rs.Rotor(shaft, discs, bearings, masses or None)


def _bearing(rs: Any, number: int, one: dict[str, Any]) -> Any:
    more: dict[str, Any] = {"n_link": one["link"]} if "link" in one else {}
    if "speed" in one:
        more["frequency"] = np.array(one["speed"])
        nothing = np.zeros(len(one["speed"]))
        names = [q + ij for q in "kcm" for ij in COEFFICIENTS]
        for key in (name for name in names if name[0] != "m" or name in one):
            more[key] = np.array(one.get(key, nothing))
    else:
        for q in ("k", "c", *("m" if "m" in one else "")):
            more |= {q + ij: x for ij, x in zip(COEFFICIENTS, one.get(q, [0.0] * 4), strict=True)}
    return rs.BearingElement(n=one["node"], tag=f"bearing {number}", **more)


def campbell(rotor: Any, speeds: Any) -> None:
    """Compute a Campbell diagram."""
    rotor.run_campbell(np.array(speeds) * (1.0 + 1e-12 * next(_ROUND)), frequencies=MODES)


def unbalance(rotor: Any, data: Rotor, speeds: Any) -> Any:
    """Compute a response to unbalances, all unknowns (n, speeds)."""
    nodes, amounts, phases = (list(x) for x in zip(*unbalances(data), strict=True))
    at = np.array(speeds) * (1.0 + 1e-13 * next(_ROUND))
    return rotor.run_unbalance_response(nodes, amounts, phases, at).forced_resp


def motion(rotor: Any, data: Rotor, method: str) -> None:
    """Compute a motion from rest under unbalances at the highest speed."""
    times, speed = STEP * np.arange(STEPS), top(data)
    forces = np.zeros((STEPS, rotor.ndof))
    for node, amount, phase in unbalances(data):
        forces[:, 6 * node] += amount * speed**2 * np.cos(speed * times + phase)
        forces[:, 6 * node + 1] += amount * speed**2 * np.sin(speed * times + phase)
    with contextlib.redirect_stdout(io.StringIO()):
        rotor.run_time_response(speed, forces, times, method=method)


def figures(data: Rotor) -> dict[str, Any]:
    """Return the roots at the speeds of a rotor, 1/s, and its response to unbalances, m."""
    rotor, roots = build(data), []
    for speed in data["speeds"]:
        modal = rotor.run_modal(speed, num_modes=2 * rotor.ndof, sparse=False)
        roots.append([[z.real, z.imag] for z in modal.evalues[: len(modal.wd)] if z.imag > 1.0])
    if "unbalance" not in data:
        return {"roots": roots}
    values = unbalance(rotor, data, speeds_of(data, SWEEP))
    values = np.array([values[6 * node + k] for node in seen(data) for k in (0, 1)]).T
    return {"roots": roots, "response": [values.real.tolist(), values.imag.tolist()]}


def prepare() -> tuple[dict[str, Any], dict[str, Any]]:
    """Build the rotors and compute what is compared, which is not timed; analyses are."""
    with contextlib.redirect_stdout(io.StringIO()):
        import ross  # noqa: F401
    warnings.simplefilter("ignore")
    compared, timed = (text.split(",") for text in sys.argv[1:3])
    facts = {one["name"]: figures(one) for one in rotors(compared)}
    jobs: dict[str, Any] = {}
    for one in rotors(timed):
        rotor, name = build(one), one["name"]
        jobs[f"{name} campbell"] = partial(campbell, rotor, speeds_of(one, CAMPBELL))
        jobs[f"{name} unbalance"] = partial(unbalance, rotor, one, speeds_of(one, SWEEP))
        jobs[f"{name} time"] = partial(motion, rotor, one, "newmark")
        jobs[f"{name} time, lsim"] = partial(motion, rotor, one, "default")
    return jobs, facts


if __name__ == "__main__":
    serve(prepare)
