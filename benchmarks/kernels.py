# SPDX-License-Identifier: BSD-3-Clause
"""Element kernels: ns, operations and instructions an element, against those FFCx generates.

All kernels compute the same 64 random distorted elements (straight-sided, for FFCx maps quadratic
cells affinely or multilinearly) and take turns; ours are timed one element, eight, and as many at a
time as vectors of this processor have doubles, which is what runs use. Operations of FFCx's kernels
are counted in their text, before a compiler drops any. The figure to beat is FFCx compiled with -O3
-ffast-math, its best. For hex8 there is also the stiffness written by hand as in a textbook
(textbook/hex8.c), as many at a time. With ``--energy``: tangents of tet4, hex8, tet10 and hex27
with a neo-Hookean law, ours with others too.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from flexforge.codegen.driver import Kernel, compile_kernel
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.library import element as element_by_name
from flexforge.codegen.errors import InputError
from support import energies, matrix_free
from support.ffcx import CELLS, CONSTANTS, FLAGS, Peer
from support.harness import DISTINCT, LANES, in_turns, instructions, our_calls, valgrind_missing
from support.machine import limits
from support.referee import PEERS
from support.report import leave, table
from support.textbook import CONSTANTS as TEXTBOOK_CONSTANTS
from support.textbook import TextbookCall, textbook_calls

TERMS = ("stiffness", "mass")
#: hex20 has no peer: FFCx knows no serendipity hexahedra.
ELEMENTS = (*CELLS, "hex20")
#: Our vertices (VTK) in FFCx's order, lexicographic in the reference cell.
VERTICES = {
    "triangle": (0, 1, 2), "quadrilateral": (0, 1, 3, 2), "tetrahedron": (0, 1, 2, 3),
    "hexahedron": (0, 1, 3, 2, 4, 5, 7, 6),
}  # fmt: skip


def shapes(element: Element) -> tuple[np.ndarray, np.ndarray]:
    """Return distorted elements, all nodes and vertices alone: (DISTINCT, nodes, dimension).

    The vertices are moved; the other nodes follow by the multilinear map.
    """
    rng = np.random.default_rng(1)
    nodes = np.array([[float(x) for x in node] for node in element.nodes])
    order = VERTICES[element.cell]
    simplex = element.cell in ("triangle", "tetrahedron")
    if simplex:
        weights = np.column_stack([1 - nodes.sum(axis=1), nodes])
    else:
        corners = nodes[: len(order)]
        weights = np.prod(1 + nodes[:, None] * corners[None], axis=2) / len(order)
    vertices = nodes[: len(order)]
    moved = vertices + 0.1 * rng.uniform(-1, 1, (DISTINCT, *vertices.shape))
    return np.einsum("av,evi->eai", weights, moved), moved[:, order]


def measure(name: str) -> dict[str, Any]:
    """Return the figures of one cell."""
    element = element_by_name(name)
    all_nodes, vertices = shapes(element)
    kernels = {
        (term, lanes): compile_kernel(element, term, lanes=lanes)
        for term in TERMS
        for lanes in LANES
    }
    calls: dict[str, Callable[[int], float]] = {}
    ours = our_calls(list(kernels.values()), all_nodes)
    for (term, lanes), kernel in kernels.items():
        calls[f"flexforge x{lanes} {term}"] = ours[kernel.name]
    textbook = {
        (lanes, flags): call
        for lanes in LANES
        for flags, call in textbook_calls(name, all_nodes, lanes).items()
    }
    for (lanes, flags), written in textbook.items():
        calls[f"textbook x{lanes} {flags} stiffness"] = written
    differing = _textbook_disagreement(textbook, ours, kernels)
    peer = None
    if name in CELLS and PEERS.exists():
        peer = Peer(PEERS, name, dict(element.degree), vertices)
        for term in TERMS:
            for flags in FLAGS:
                calls[f"FFCx {flags} {term}"] = peer.call(term, flags)
    times = in_turns(calls)
    counted = {} if valgrind_missing() else _instructions(kernels, all_nodes, peer)
    return {
        "ns": times,
        "instructions": counted,
        "operations": {term: kernels[term, 1].count.operations for term in TERMS},
        "FFCx operations": {term: peer.operations(term) for term in TERMS if peer is not None},
        "disagreement": None if peer is None else _disagreement(calls, ours, kernels, peer),
        "textbook disagreement": differing,
        "FFCx": None if peer is None else peer.version,
    }


def _instructions(
    kernels: dict[tuple[str, int], Kernel], nodes: np.ndarray, peer: Peer | None
) -> dict[str, int]:
    """Return executed instructions an element; those of a batch are shared by its lanes."""
    scalar = [kernel for (_, lanes), kernel in kernels.items() if lanes == 1]
    found = instructions(scalar, nodes[0])
    result = {f"flexforge x1 {k.term}": found[k.name] for k in scalar}
    if peer is not None:
        for term in TERMS:
            for flags in FLAGS:
                result[f"FFCx {flags} {term}"] = peer.instructions(term, flags)
    return result


def _disagreement(
    calls: dict[str, Callable[[int], float]],
    ours: dict[str, Any],
    kernels: dict[tuple[str, int], Kernel],
    peer: Peer,
) -> float:
    """Return the relative difference of the norms of both stiffness matrices of one element.

    With the same Lame constants: a norm does not see the order of the nodes.
    """
    kernel = kernels["stiffness", 1]
    call = ours[kernel.name]
    lame, shear = CONSTANTS
    known = {"poisson": lame / (2 * (lame + shear)), "thickness": 1.0}
    known["young"] = 2 * shear * (1 + known["poisson"])
    if kernel.element.endswith("plane_stress"):  # its lambda is E nu / (1 - nu^2)
        known["poisson"] = lame / (lame + 2 * shear)
        known["young"] = 2 * shear * (1 + known["poisson"])
    call.set_parameters([known[p.name] for p in kernel.parameters])
    call(1)
    calls["FFCx -O3 stiffness"](1)
    left, right = np.linalg.norm(call.out), np.linalg.norm(calls["FFCx -O3 stiffness"].out)
    return float(abs(left - right) / right)


def _textbook_disagreement(
    textbook: dict[tuple[int, str], TextbookCall],
    ours: dict[str, Any],
    kernels: dict[tuple[str, int], Kernel],
) -> float | None:
    """Return the largest difference of an entry from ours, over the largest entry."""
    found = []
    for (lanes, flags), written in textbook.items():
        call = ours[kernels["stiffness", lanes].name]
        call.set_parameters(TEXTBOOK_CONSTANTS)
        call(lanes)
        written(lanes)
        found.append(float(np.abs(written.out - call.out).max() / np.abs(call.out).max()))
        if not found[-1] < 1e-12:
            raise SystemExit(f"textbook x{lanes} {flags}: differs from ours by {found[-1]:.0e}")
    return max(found, default=None)


def lines(name: str, found: dict[str, Any], peak: float) -> str:
    """Return an element's table."""
    rows = []
    for term in TERMS:
        best = found["ns"].get(f"FFCx -O3 -ffast-math {term}")
        for contestant, ns in found["ns"].items():
            if contestant.endswith(f" {term}"):
                known = {"flexforge": "operations", "FFCx": "FFCx operations"}
                counts = found.get(known.get(contestant.split()[0], ""), {})
                operations = counts.get(term)
                rows.append((
                    contestant, ns, best / ns if best else None, operations,
                    found["instructions"].get(contestant),
                    f"{100 * operations / ns / peak:.0f} %" if operations else None,
                ))  # fmt: skip
    heads = ("", "ns", "FFCx best / this", "operations", "instructions", "of peak")
    note = ""
    if found["disagreement"] is not None:
        note = f"\nnorms of the stiffness matrices differ by {found['disagreement']:.0e}"
    if found["textbook disagreement"] is not None:
        note += f"\nthe textbook's matrix differs by {found['textbook disagreement']:.0e}"
    return f"{name}\n{table(heads, rows)}{note}\n"


def main() -> None:
    """Measure, print, and write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elements", default=",".join(ELEMENTS), help="names with commas")
    parser.add_argument(
        "--divisions",
        type=int,
        default=20,
        metavar="N",
        help="of the matrix-free meshes, 27 N^3 hexahedra and 54 N^3 tetrahedra; 0: none",
    )
    parser.add_argument(
        "--energy", action="store_true", help="tangents of hyperelastic elements instead"
    )
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    arguments = parser.parse_args()
    machine = limits()
    results: dict[str, Any] = {"machine": machine, "elements": {}}
    texts = []
    if not PEERS.exists():
        texts.append("FFCx is absent: make bench installs it into .venv-bench")
    if arguments.energy:
        results["energy"] = {}
        chosen = arguments.elements.split(",")
        for name in [one for one in energies.CELLS if one in chosen]:
            print(f"  {name}", file=sys.stderr, flush=True)
            found = energies.measure(name, *shapes(element_by_name(name)))
            results["energy"][name] = found
            texts.append(energies.lines(name, found))
        leave("energies", results, "\n".join(texts), arguments.json)
        return
    for name in filter(None, arguments.elements.split(",")):
        print(f"  {name}", file=sys.stderr, flush=True)
        try:
            results["elements"][name] = measure(name)
        except (InputError, subprocess.CalledProcessError) as error:
            words = getattr(error, "stderr", None) or str(error)
            texts.append(f"{name} was not measured: {words.strip().splitlines()[-1]}")
            continue
        texts.append(lines(name, results["elements"][name], machine["peak GFLOP/s"]))
    if arguments.divisions:
        results["matrix-free"] = {}
        for cell, finer in (("hex8", 1.0), ("tet4", 2.0)):
            print(f"  matrix-free, {cell}", file=sys.stderr, flush=True)
            divisions = round(finer * arguments.divisions)
            free = matrix_free.measure(cell, divisions, machine["bandwidth GB/s"][1])
            results["matrix-free"][cell] = free
            texts.append(matrix_free.lines(free))
    peak = machine["peak GFLOP/s"]
    texts.append(f"peak of fused products {peak:.0f} GFLOP/s; {json.dumps(machine['processor'])}")
    leave("kernels", results, "\n".join(texts), arguments.json)


if __name__ == "__main__":
    main()
