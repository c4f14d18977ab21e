# SPDX-License-Identifier: BSD-3-Clause
"""Actions without a matrix against assembled CSR and BSR products, on unstructured meshes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from flexforge.runtime.assembly.action import Action, build_action
from flexforge.runtime.assembly.assemble import assemble_matrix
from flexforge.runtime.assembly.graph import build_graph
from flexforge.runtime.assembly.kernels import kernels_of
from scipy.sparse import bsr_matrix, csr_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.spatial import Delaunay

from support.report import table

VALUES = {"young": 210.0, "poisson": 0.3, "density": 7.8} | {
    f"{vector}{i}": 0.3 * i for vector in "we" for i in (1, 2, 3)
}
ROUNDS = 15
#: Corners, edges, faces of a tetrahedron, and the hexahedra between them and its centre: the four
#: corners of a side run around it, in VTK order.
PARTS = [(0,), (1,), (2,), (3,), (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3),
         (0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3), (0, 1, 2, 3)]  # fmt: skip


def unstructured(cell: str, divisions: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points and cells of a cube: tetrahedra of random points, or four hexahedra of each.

    Cells follow a curve that fills space, and nodes are numbered as they are met on it: what a
    program that cares for its caches does with a mesh it is given.
    """
    points, tetrahedra = _random_tetrahedra(divisions)
    if cell == "tet4":
        return _along_a_curve(points, tetrahedra)
    points, cells = _cut(points, tetrahedra)
    return _along_a_curve(points, _turned(points, cells))


def _random_tetrahedra(divisions: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    grid = np.stack(np.meshgrid(*[np.arange(divisions + 1.0)] * 3, indexing="ij"), -1)
    inside = ((grid > 0) & (grid < divisions)).astype(float)
    seeds = (grid + 0.25 * inside * rng.uniform(-1, 1, grid.shape)).reshape(-1, 3)
    tetrahedra = Delaunay(seeds).simplices
    corners = seeds[tetrahedra]
    volume = np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6
    inverted = volume < 0.0
    tetrahedra[inverted] = tetrahedra[inverted][:, [0, 2, 1, 3]]
    return seeds, tetrahedra[np.abs(volume) > 0.01]  # without slivers between points of a face


def _cut(seeds: np.ndarray, tetrahedra: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points and hexahedra of tetrahedra that are each cut into four."""
    keys = np.full((len(tetrahedra), len(PARTS), 4), -1, dtype=np.int64)
    for k, part in enumerate(PARTS):
        keys[:, k, : len(part)] = np.sort(tetrahedra[:, list(part)], axis=1)
    unique, number = np.unique(keys.reshape(-1, 4), axis=0, return_inverse=True)
    number = number.reshape(keys.shape[:2])
    shares = np.where(unique >= 0, 1.0, 0.0)
    points = np.einsum("pk,pki->pi", shares, seeds[unique]) / shares.sum(axis=1, keepdims=True)
    place = {part: k for k, part in enumerate(PARTS)}
    cells = []
    for corner in range(4):
        a, b, c = (other for other in range(4) if other != corner)

        def at(*part: int, corner: int = corner) -> np.ndarray:
            return number[:, place[tuple(sorted((corner, *part)))]]

        cells.append(
            np.stack([at(), at(a), at(a, b), at(b), at(c), at(a, c), at(a, b, c), at(b, c)], axis=1)
        )
    return points, np.concatenate(cells)


def _turned(points: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Return the cells with their top and bottom exchanged where they are inside out."""
    edges = points[cells[:, [1, 3, 4]]] - points[cells[:, :1]]
    return np.where(np.linalg.det(edges)[:, None] < 0, cells[:, [4, 5, 6, 7, 0, 1, 2, 3]], cells)


def _along_a_curve(points: np.ndarray, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points and cells in Morton's order of the cells' centres."""
    centres = points[cells].mean(axis=1)
    scaled = ((centres - centres.min(axis=0)) / np.ptp(centres, axis=0).max() * 1023).astype(int)
    bits = (scaled[:, :, None] >> np.arange(10)) & 1  # cell, axis, bit
    key = (bits << (3 * np.arange(10) + np.arange(3)[:, None])).sum(axis=(1, 2))
    cells = cells[np.argsort(key, kind="stable")]
    met, first = np.unique(cells, return_index=True)
    order = met[np.argsort(first)]
    new = np.empty(len(points), dtype=np.int64)
    new[order] = np.arange(len(order))
    return points[order], new[cells]


def _narrow(points: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Return the nodes in reverse Cuthill-McKee order, which suits products with a matrix."""
    graph = build_graph(points, cells, 1)
    pattern = csr_matrix((np.ones(graph.nnz, np.int8), graph.columns, graph.pointers))
    order: np.ndarray = reverse_cuthill_mckee(pattern, symmetric_mode=True)
    return order


def measure(cell: str, divisions: int, bandwidth: float) -> dict[str, Any]:
    """Return seconds of actions and products on one thread but where said, taking turns.

    Both have the nodes in the order in which they were fastest.
    """
    points, cells = unstructured(cell, divisions)
    graph, two = build_graph(points, cells, 1), build_graph(points, cells, 2)
    terms = ("stiffness_action", "mass_action", "motion_action")
    kernels = kernels_of(cell, ("stiffness", *terms))
    x = np.random.default_rng(2).standard_normal((3, *points.shape))
    out = np.empty((len(points) + 1, 3))
    actions = {term: build_action(kernels[term], graph, points) for term in terms}
    both = build_action(kernels["stiffness_action"], two, points)
    room, filled = np.empty((len(points) + 2, 3)), np.empty(9 * graph.nnz)
    order = _narrow(points, cells)
    place = np.argsort(order)
    narrow = build_graph(points[order], place[cells], 1)
    starts, columns = narrow.csr(3)
    values = assemble_matrix(kernels["stiffness"], narrow, points[order], VALUES, csr=True)
    csr = csr_matrix((values, columns, starts))
    blocks = assemble_matrix(kernels["stiffness"], narrow, points[order], VALUES).reshape(-1, 3, 3)
    bsr = bsr_matrix((blocks, narrow.columns, narrow.pointers))
    flat = x[0][order].ravel()
    calls: dict[str, Callable[[], Any]] = {
        "K u without a matrix": lambda: actions["stiffness_action"](x[0], VALUES, out),
        "K u without a matrix, two threads": lambda: both(x[0], VALUES, room),
        "M u without a matrix": lambda: actions["mass_action"](x[0], VALUES, out),
        "all frame terms without a matrix": lambda: actions["motion_action"](x, VALUES, out),
        "K u, CSR (SciPy)": lambda: csr @ flat,
        "K u, BSR (SciPy)": lambda: bsr @ flat,
        "refill of K": lambda: assemble_matrix(
            kernels["stiffness"], graph, points, VALUES, out=filled
        ),
        "refill of K, two threads": lambda: assemble_matrix(
            kernels["stiffness"], two, points, VALUES, out=filled
        ),
    }
    expected = (csr @ flat).reshape(-1, 3)[place]
    error = np.abs(calls["K u without a matrix"]() - expected).max() / np.abs(expected).max()
    if not error < 1e-12:
        raise SystemExit(f"the action differs from the product with the matrix by {error:.0e}")
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            taken[name].append(time.perf_counter() - begin)
    seconds = {name: float(np.median(times)) for name, times in taken.items()}
    moved = _moved(actions["stiffness_action"], len(cells), len(points))
    return {
        "cell": cell, "elements": len(cells), "unknowns": points.size, "seconds": seconds,
        "error": float(error),
        "million unknowns a second": {n: points.size / s / 1e6 for n, s in seconds.items()},
        "bytes": {"K u without a matrix": moved, "K u, CSR (SciPy)": 12 * csr.nnz,
                  "K u, BSR (SciPy)": 8 * csr.nnz + 4 * graph.nnz},
        "of bandwidth": moved / seconds["K u without a matrix"] / 1e9 / bandwidth,
    }  # fmt: skip


def _moved(action: Action, elements: int, nodes: int) -> int:
    """Return the bytes a sweep moves: the elements' data, x read, y cleared, read and written."""
    return elements * action.bytes_per_element + nodes * 3 * 8 * 4


def lines(found: dict[str, Any]) -> str:
    """Return the table."""
    csr = found["seconds"]["K u, CSR (SciPy)"]
    rows = [
        (
            name,
            1e3 * seconds,
            found["million unknowns a second"][name],
            csr / seconds,
            1e9 * seconds / found["elements"],
            found["bytes"].get(name) and found["bytes"][name] / 1e6,
        )
        for name, seconds in found["seconds"].items()
    ]
    heads = (f"{found['cell']}, unstructured", "ms", "million unknowns/s", "CSR / this",
             "ns an element", "MB moved")  # fmt: skip
    gains = [
        f"{name} {found['seconds'][name] / found['seconds'][f'{name}, two threads']:.2f} times"
        for name in ("K u without a matrix", "refill of K")
    ]
    return (
        f"{table(heads, rows)}\n{found['elements']} elements, {found['unknowns']} unknowns; K u "
        f"differs from the CSR product by {found['error']:.0e} and uses "
        f"{100 * found['of bandwidth']:.0f} % of the bandwidth of a triad; as fast on two threads "
        f"as on one: {', '.join(gains)}\n"
    )
