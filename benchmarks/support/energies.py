# SPDX-License-Identifier: BSD-3-Clause
"""Tangents of elements with a hyperelastic law, against those that FFCx generates.

Both compute the same random deformations of the same straight-sided elements by the same
quadrature, and their matrices are compared. FFCx maps cells by their vertices, which is less work
than our isoparametric geometry of quadratic cells.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.energy import ENERGIES
from flexforge.codegen.elements.hyperelastic import hyperelastic
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.output.foreign.basix import order

from support.ffcx import CONSTANTS, FLAGS, Peer
from support.harness import DISTINCT, LANES, in_turns, our_calls
from support.referee import PEERS
from support.report import table

CELLS = ("tet4", "hex8", "tet10", "hex27")
#: The law that is compared; others are printed beside.
LAW = "neo_hookean"


def measure(name: str, elements: np.ndarray, vertices: np.ndarray) -> dict[str, Any]:
    """Return the figures of one cell: all laws here, and one by FFCx.

    Parameters
    ----------
    name : str
        An element.
    elements, vertices : ndarray, (DISTINCT, nodes, dimension)
        Its nodes, and those of its vertices in FFCx's order.
    """
    subject = hyperelastic(name, LAW)
    states = 0.02 * np.random.default_rng(3).standard_normal(elements.shape)
    kernels = {
        (law, lanes): compile_kernel(hyperelastic(name, law), "tangent", lanes=lanes)
        for law in ENERGIES
        for lanes in LANES
    }
    ours = our_calls(list(kernels.values()), elements, states)
    calls: dict[str, Callable[[int], float]] = {}
    for (law, lanes), kernel in kernels.items():
        call = ours[kernel.name]
        call.set_parameters([_value(parameter.name) for parameter in kernel.parameters])
        calls[f"flexforge x{lanes} {law}"] = call
    peer, differing = None, None
    if PEERS.exists():
        nodes = np.array(order(subject))
        peer = Peer(PEERS, name, dict(subject.degree), vertices, states[:, nodes])
        for flags in FLAGS:
            calls[f"FFCx {flags} {LAW}"] = peer.call("tangent", flags)
        differing = _disagreement(calls, nodes)
    return {
        "points": len(rule(subject.cell, subject.degree["stiffness"])[0]),
        "ns": in_turns(calls),
        "operations": {law: kernels[law, 1].count.operations for law in ENERGIES},
        "disagreement": differing,
        "FFCx": None if peer is None else peer.version,
    }


def _value(parameter: str) -> float:
    lame, shear = CONSTANTS
    return {"lame": lame, "mu": shear, "kappa": 5.0, "limit": 30.0}.get(parameter, 0.2)


def _disagreement(calls: dict[str, Any], nodes: np.ndarray) -> float:
    """Return the largest difference of an entry of the last element, over the largest entry."""
    mine, other = calls[f"flexforge x1 {LAW}"], calls[f"FFCx -O3 {LAW}"]
    mine(DISTINCT)
    other(DISTINCT)
    shape = (len(nodes), 3, len(nodes), 3)
    theirs = other.out.reshape(shape)
    difference = np.abs(theirs - mine.out.reshape(shape)[nodes][:, :, nodes]).max()
    return float(difference / np.abs(theirs).max())


def lines(name: str, found: dict[str, Any]) -> str:
    """Return a cell's table."""
    best = found["ns"].get(f"FFCx -O3 -ffast-math {LAW}")
    rows = []
    for contestant, ns in found["ns"].items():
        law = contestant.split()[-1]
        operations = found["operations"][law] if contestant.startswith("flexforge") else None
        compared = best / ns if best and law == LAW else None
        rows.append((contestant, ns, compared, operations))
    note = f"\n{found['points']} points"
    if found["disagreement"] is not None:
        note += f"; entries of both matrices differ by {found['disagreement']:.0e} at most"
    heads = (f"{name}, tangent", "ns an element", "FFCx best / this", "operations")
    return f"{table(heads, rows)}{note}\n"
