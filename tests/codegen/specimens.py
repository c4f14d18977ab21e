# SPDX-License-Identifier: BSD-3-Clause
"""Elements to try things on: the standard ones by name, random distorted shapes, parameters."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy
from flexforge.codegen.elements.constitutive import spring
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.library import (
    FACETS,
    VARIANTS,
    element,
    facet,
    standard_elements,
    variants,
)
from flexforge.codegen.elements.terms import LOADS, MATRICES
from flexforge.codegen.mechanics.derivation import derive

ELEMENTS = {e.name: e for e in standard_elements()}
FACET_ELEMENTS = {
    f"{facet(cell, size).name}_{size}d": facet(cell, size)
    for size, cells in FACETS.items()
    for cell in cells
}
#: Elements that share the cell of a standard one and integrate its stiffness in another way.
VARIANT_ELEMENTS = {e.name: e for e in variants()}
ALL_ELEMENTS = ELEMENTS | VARIANT_ELEMENTS
#: Terms of every standard element.
TERMS = (*MATRICES, "scalar_mass", *LOADS, "geometric", "stress")
#: What a variant may have in another way; its inertia is that of its cell.
VARIANT_TERMS = ("stiffness", "mass", "scalar_mass", "geometric", "stress")
SMALL = ("tri3_plane_stress", "quad4_plane_strain", "tet4")


#: Their kernels take long to compile: what the others show as well is left to `make test-all`.
HEAVY = (
    "tri6_plane_stress", "tri6_plane_strain", "tri6f_plane_stress", "tri6f_plane_strain",
    "quad8_plane_stress", "quad8_plane_strain",
    "quad9_plane_stress", "quad9_plane_strain",
    "tet10", "tet10f", "pyramid5", "wedge6", "wedge15", "hex8i", "hex8s", "hex20", "hex20r",
    "hex20rm", "hex27",
)  # fmt: skip
#: Those of a hypothesis of which the other, whose law alone differs, stays.
REPEATED = ("tri3_plane_strain", "quad4_plane_stress")
#: The same of variants, whose law is that of their cell.
REPEATED_VARIANTS = ("quad4i_plane_strain", "quad8r_plane_strain", "quad8rm_plane_strain")


def heavy_are_slow(*names: str, more: tuple[str, ...] = ()):
    """Return names as parameters of a test, those of heavy elements marked, and more of them."""
    heavy = (*HEAVY, *REPEATED_VARIANTS, *more)
    return [pytest.param(name, marks=pytest.mark.slow if name in heavy else ()) for name in names]


def by_lanes(lanes: list[int], usual: int, more: tuple[str, ...] = ()):
    """Return pairs of element and lanes; but for the smallest unusual lanes are slow, and more."""
    every = (*ELEMENTS, *FACET_ELEMENTS)

    def marks(name: str, count: int):
        rare = count != usual and name != SMALL[0]
        return pytest.mark.slow if rare or name in (*HEAVY, *REPEATED, "hex8", *more) else ()

    return [pytest.param(name, n, marks=marks(name, n)) for name in every for n in lanes]


def cell_of(name: str) -> str:
    """Return ``quad8`` of ``quad8_plane_stress`` and of ``quad8r_plane_stress``."""
    first = name.split("_")[0]
    return VARIANTS.get(first, first)


def hypothesis_of(name: str) -> str:
    """Return ``plane_stress`` of ``quad8_plane_stress``, and nothing of a solid."""
    return "_".join(name.split("_")[1:])


def equations(name: str, formalism: str = "lagrange", unrolled: bool = False):
    """Return the equations of a standard element, derived once a process."""
    return _equations(name, formalism, unrolled)


@cache
def _equations(name: str, formalism: str, unrolled: bool):
    return derive(element(name), formalism=formalism, unrolled=unrolled)


def spring_point(components: int = 3) -> Element:
    """Return a mass point on a spring (CASES M3: one node, N = I, k = kappa I)."""
    one = sympy.Integer(1)
    return Element("oscillator", "point", ((),), (one,), components, "displacement",
                   spring(components), {"stiffness": 0, "mass": 0}, density="mass")  # fmt: skip


def rotation(dimension: int, rng: np.random.Generator) -> np.ndarray:
    """Return a random proper rotation."""
    q, r = np.linalg.qr(rng.standard_normal((dimension, dimension)))
    q = q * np.sign(np.diag(r))
    if np.linalg.det(q) < 0:
        q[:, 0] *= -1
    return q


def distorted(subject: Element, count: int, seed: int, amplitude: float = 0.12) -> np.ndarray:
    """Return ``count`` turned, stretched and distorted shapes (nodes, components, count).

    Every node is moved by up to ``amplitude`` times half the edge of the reference cell, which
    keeps the Jacobian positive; curved edges included.
    """
    rng = np.random.default_rng(seed)
    nodes = np.array([[float(x) for x in node] for node in subject.nodes])
    short = ("triangle", "tetrahedron", "pyramid", "wedge")  # edges (the height) of length one
    edge = 1.0 if subject.cell in short else 2.0
    if nodes.shape[1] < subject.components:
        nodes = np.hstack([nodes, np.zeros((len(nodes), subject.components - nodes.shape[1]))])
    shapes = []
    for _ in range(count):
        moved = nodes + amplitude * edge / 2 * rng.uniform(-1, 1, nodes.shape)
        stretch = np.diag(rng.uniform(0.5, 2, nodes.shape[1]))
        turned = moved @ stretch @ rotation(nodes.shape[1], rng).T
        shapes.append(turned + rng.standard_normal(nodes.shape[1]))
    return np.stack(shapes, axis=-1)


def affine(subject: Element, seed: int) -> np.ndarray:
    """Return one random affine image of the reference cell (nodes, components)."""
    return distorted(subject, 1, seed, amplitude=0.0)[..., 0]


def values(names: tuple[str, ...], seed: int = 7) -> dict[str, float]:
    """Return values of parameters, of order one and plausible: 0 < poisson < 1/2."""
    rng = np.random.default_rng(seed)
    fixed = {"young": 2.1, "poisson": 0.29, "density": 0.78, "thickness": 0.35, "pressure": 1.7}
    drawn = dict(
        zip(
            sorted(["w1", "w2", "w3", "e1", "e2", "e3", "a_O1", "a_O2", "a_O3", "f1", "f2", "f3"]),
            rng.uniform(-1.5, 1.5, 12),
            strict=True,
        )
    )
    return {n: float((fixed | drawn).get(n, 0.6)) for n in names}


def relative(found: np.ndarray, expected: np.ndarray) -> float:
    """Return the largest difference over the largest entry, of the worst element (last axis)."""
    size = expected.shape[-1]
    found, expected = np.reshape(found, (-1, size)), np.reshape(expected, (-1, size))
    scale = np.abs(expected).max(axis=0)
    return float((np.abs(found - expected).max(axis=0) / np.where(scale > 0, scale, 1)).max())
