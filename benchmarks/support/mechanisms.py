# SPDX-License-Identifier: BSD-3-Clause
"""Mechanisms of elastic links that benchmarks move: chains and loops of beams, arms of solids."""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.runtime.analyses.constrained import Constrained
from flexforge.runtime.analyses.hamilton import Hamilton
from flexforge.runtime.analyses.prestress import add_prestress
from flexforge.runtime.analyses.start import start
from flexforge.runtime.analyses.transient import Transient
from flexforge.runtime.constraints.build import build_ties
from flexforge.runtime.construct import build_mesh, build_system
from flexforge.runtime.loads import Loads
from flexforge.runtime.model import model_from_dict

STEEL = {
    "young": 2e11, "poisson": 0.3, "density": 7870.0, "damping": {"alpha": 0.0, "beta": 1e-5}
}  # fmt: skip
GRAVITY = {"kind": "gravity", "acceleration": [0.0, -9.81, 0.0]}
Model = dict[str, Any]


def motion_of(model: Model) -> Transient | Hamilton | Constrained:
    """Return the motion of a model at t = 0."""
    spec = model_from_dict(model)
    places = build_system(spec, build_mesh(spec))
    system = places.system
    for body in system.bodies:
        body.assemble()
    rest = np.zeros((system.size, system.dimension))
    ties, loads = build_ties(spec, places), Loads(spec, places)
    if ties is None:
        add_prestress(system, spec.analysis.solver)
    return start(spec.analysis, system, loads, rest, rest, ties)


def chain(elements: int, links: int, formalism: str, *, closed: bool = False) -> Model:
    """Return a spatial chain of links of beams, each turned on the one before; or a loop.

    Every joint of the chain is a motor. The loop is closed by a spherical joint at the ground, and
    three of its joints have none.

    Parameters
    ----------
    elements : int
        Beam elements of all links together, a multiple of their number.
    links : int
        Number of links.
    formalism : str
        ``maggi``, ``kane`` or ``lagrange``.
    closed : bool
        Whether it is a loop.
    """
    length = 1.0
    turn = 2.0 * np.pi / (links + 1) if closed else 0.3
    # Directions of the links at the start; a loop is a regular polygon whose last side is ground.
    headings = turn * np.arange(links)
    steps = length * np.stack([np.cos(headings), np.sin(headings), np.zeros(links)], axis=1)
    starts = np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])
    names = [f"link {k}" for k in range(links)]
    axes = [[0.0, 0.0, 1.0] if k % 2 == 0 or closed else [0.0, 1.0, 0.0] for k in range(links)]
    joints: list[Model] = []
    for k, name in enumerate(names):
        before = "ground" if k == 0 else names[k - 1]
        at = [[0.0, 0.0, 0.0], "beam 0.xmin"] if k == 0 else [f"beam {k - 1}.xmax", f"beam {k}.xmin"]
        joints.append({"name": f"J{k}", "kind": "revolute", "links": [before, name], "at": at,
                       "axis": axes[k]})  # fmt: skip
    return {}
