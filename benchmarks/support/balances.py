# SPDX-License-Identifier: BSD-3-Clause
"""How energy and momentum of the example mechanisms balance, and at which order of the step."""

from __future__ import annotations

import sys
import tomllib
from itertools import pairwise
from typing import Any

import numpy as np
from flexforge.runtime.observe.energy import Energy
from flexforge.runtime.observe.momentum import Momentum
from flexforge.runtime.transient.tied_motion import TiedMotion
from numpy.typing import NDArray

from support.mechanisms import motion_of
from support.referee import ROOT
from support.report import table

Floats = NDArray[np.float64]

#: Examples: the part of their time that is looked at, and the steps of the coarsest run. Those of
#: the robot arm meet the rows of its table, where the third rate of the spline through them jumps;
#: those of the pump follow what its start at full speed shakes.
EXAMPLES = {
    "slider_crank": (0.25, 500),
    "spatial_four_bar": (1.0, 1000),
    "robot_arm": (1.0, 1000),
    "water_pump": (0.25, 800),
    "sled": (1.0, 1200),
}
FINER = (1, 2, 4)


def example(name: str, part: float, steps: int) -> TiedMotion:
    """Return the motion of an example at t = 0.

    Parameters
    ----------
    name : str
        Its folder.
    part : float
        Part of its time.
    steps : int
        Steps for that.
    """
    folder = ROOT / "examples" / name
    data = tomllib.loads((folder / "model.toml").read_text())
    data["analysis"] |= {"duration": part * data["analysis"]["duration"], "steps": steps}
    motion = motion_of(data, folder)
    assert isinstance(motion, TiedMotion)
    return motion


def imbalances(name: str, part: float, steps: int, finer: int) -> dict[str, tuple[Floats, float]]:
    """Return what is left of every balance at the steps of the coarsest run, and its size."""
    motion = example(name, part, finer * steps)
    balances: dict[str, Energy | Momentum] = {
        "energy": Energy(motion), "momentum": Momentum(motion)
    }  # fmt: skip
    for number in range(finer * steps + 1):
        if number:
            motion.advance()
        for one in balances.values():
            one.follow()
    motion.close()
    found = {}
    for kind, one in balances.items():
        if not one.known:
            raise RuntimeError(f"{name}: its {kind} is not known")
        left, size = one.imbalance()
        found[kind] = left[::finer], size
    return found


def order(lefts: list[Floats]) -> float:
    """Return the order of the step at which what is left settles, from three halved steps.

    Small displacements leave terms of third order out of the energy, so that something remains of
    it however short the steps; only its differences from step to step tell the order.

    Parameters
    ----------
    lefts : list of ndarray, (n, k)
        At steps h, h/2 and h/4, at the same times.
    """
    one, two = (float(np.linalg.norm(a - b)) for a, b in pairwise(lefts))
    return float(np.log2(one / two))


def measure(name: str, part: float, steps: int) -> dict[str, Any]:
    """Return the largest imbalances of an example at three steps, and their orders."""
    runs = [imbalances(name, part, steps, finer) for finer in FINER]
    found: dict[str, Any] = {"example": name, "part of its time": part}
    for kind, (_, size) in runs[-1].items():
        lefts = [one[kind][0] for one in runs]
        found[kind] = {
            "largest, relative": [float(np.abs(left).max()) / size for left in lefts],
            "size": size,
            "order": order(lefts),
        }
    found["steps"] = [finer * steps for finer in FINER]
    print(
        f"  {name}: order {found['energy']['order']:.2f} of energy, "
        f"{found['momentum']['order']:.2f} of momentum",
        file=sys.stderr,
        flush=True,
    )
    return found


def balances() -> tuple[list[dict[str, Any]], str]:
    """Return the balances of all examples, and their table."""
    found = [measure(name, *given) for name, given in EXAMPLES.items()]
    rows = [
        [one["example"], one["steps"][0]]
        + [
            x
            for kind in ("energy", "momentum")
            for x in (*one[kind]["largest, relative"], f"{one[kind]['order']:.2f}")
        ]
        for one in found
    ]
    heads = ["balances, relative", "steps"]
    for kind in ("energy", "momentum"):
        heads += [f"{kind}, h", "h/2", "h/4", "order"]
    return found, table(heads, rows)
