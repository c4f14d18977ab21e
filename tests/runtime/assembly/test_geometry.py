# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import flexforge as ff
import numpy as np
import pytest
from flexforge.codegen.elements.catalogue import RODS, SHELLS, find
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.elements.library import FACETS, facet
from flexforge.codegen.errors import InputError
from flexforge.runtime import _kernels
from flexforge.runtime.assembly.calls import CompiledKernel
from flexforge.runtime.assembly.kernels import standard_kernels

JUDGES = {name: k for (name, term), k in standard_kernels().items() if term == "jacobian"}
FILLED = [name for name, k in JUDGES.items() if not name.startswith("facet") and "beam" not in name]
FILLED = [n for n in FILLED if n not in {*RODS, *SHELLS, "spring", "spring_plane"}]
THIN = [name for name in JUDGES if name not in FILLED]


def _declaration(name: str) -> AnyElement:
    """Return an element with the nodes of a cell: the plainest, as shells take long to declare."""
    for components, cells in FACETS.items():
        for cell in cells:
            if name == f"facet_{cell}" and JUDGES[name].dimension == components:
                return facet(cell, components)
    if name in SHELLS:
        return find({"triangle": "tri3", "quadrilateral": "quad4"}[JUDGES[name].cell])
    return find("bar2" if "beam" in name else name)


def _reference(name: str) -> np.ndarray:
    """Return the nodes of the reference cell, on a slope where it is a line or surface."""
    kernel, element = JUDGES[name], _declaration(name)
    nodes = np.zeros((kernel.nodes, kernel.dimension))
    carried = kernel.nodes // len(element.nodes)
    places = np.array(element.nodes, dtype=float)
    nodes[:, : element.dimension] = np.repeat(places, carried, axis=0)
    if element.dimension < kernel.dimension:
        nodes[:, -1] = 0.3 * nodes[:, 0]
    return nodes


def _bad(kernel: CompiledKernel, *elements: np.ndarray) -> tuple[int, int, int]:
    """Return how many elements are bad, the first of them and its first bad point."""
    points = np.ascontiguousarray(elements).reshape(len(elements), -1)
    return _kernels.check(kernel.geometry, points)[:3]


@pytest.mark.parametrize("name", JUDGES)
def test_reference_cells_are_good_and_no_others(name: str) -> None:
    """The reference cell is good at any scale; shrunk to a point, or with a NaN, it is bad."""
    kernel, nodes = JUDGES[name], _reference(name)
    assert _bad(kernel, nodes, 1e-9 * nodes, 1e9 * nodes + 3.0) == (0, 0, 0)
    nothing = np.full_like(nodes, 0.1)
    for value in (np.nan, np.inf):
        broken = nodes.copy()
        broken[-1 if name in FILLED else 0, 0] = value
        assert _bad(kernel, nodes, nothing, broken)[:2] == (2, 1)


@pytest.mark.parametrize("name", FILLED)
def test_mirrored_cells_are_bad(name: str) -> None:
    """The sign of the determinant counts where a cell fills its space, at the first point."""
    nodes = _reference(name)
    assert _bad(JUDGES[name], nodes, nodes * [1.0, -1.0, 1.0][: nodes.shape[1]]) == (1, 1, 1)


@pytest.mark.parametrize("name", THIN)
def test_lines_and_surfaces_have_no_sign(name: str) -> None:
    """A facet, rod or shell may face either side; flattened along its first axis it is bad."""
    nodes = _reference(name)
    assert _bad(JUDGES[name], nodes * -1.0)[0] == 0
    flat = nodes * 1.0
    flat[:, 0] = flat[:, -1] = 0.0
    assert _bad(JUDGES[name], nodes, flat)[:2] == (1, 1)


def test_folded_cells() -> None:
    """A quad4 like an arrowhead, a mitc4 whose nodes are crossed, a bar3 whose middle is outside.

    The determinant of the arrowhead, (0,0) (1,0) (.2,.2) (0,1), is half the cross product of the
    edges at a corner, over 2: at the third corner (0.8 0.8 - 0.2 0.2 - ...)/4 < 0, at the Gauss
    points positive.
    """
    quad = JUDGES["quad4_plane_stress"]
    arrow = np.array([[0, 0], [1, 0], [0.3, 0.3], [0, 1.0]])
    assert _bad(quad, arrow) == (1, 0, 3)
    crossed = np.array([[0, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1.0, 0]])
    assert _bad(JUDGES["mitc4"], np.repeat(crossed, 2, axis=0))[0] == 1
    assert _bad(JUDGES["facet_quad4"], crossed)[0] == 1
    assert _bad(JUDGES["bar3"], np.array([[0, 0, 0], [1, 0, 0], [1.2, 0, 0.0]]))[0] == 1


def test_corners_without_area_are_good() -> None:
    """Quarter-point nodes and collapsed sides have the determinant zero at a corner on purpose."""
    quad = np.array([[0, 0], [1, 0], [1, 1], [0, 0]], dtype=float)
    assert _bad(JUDGES["quad4_plane_stress"], quad)[0] == 0
    brick = _reference("hex8")
    brick[[3, 7]] = brick[[2, 6]]
    assert _bad(JUDGES["hex8"], brick)[0] == 0
    quarter = _reference("quad8_plane_strain")
    quarter[4], quarter[7] = [-0.5, -1.0], [-1.0, -0.5]
    assert _bad(JUDGES["quad8_plane_strain"], quarter)[0] == 0


def test_a_section_stays_on_one_side_of_its_axis() -> None:
    """Nodes on the axis of revolution are good, points of the quadrature beyond it are not."""
    kernel = ff.kernels_of("quad4_axisymmetric", ["stiffness"])["stiffness"]
    nodes = _reference("quad4_plane_stress") + [1.0, 0.0]
    assert _bad(kernel, nodes)[0] == 0
    assert _bad(kernel, nodes - [0.9, 0.0]) == (1, 0, 5)


def test_calls_refuse_what_kernels_compute(standard: CompiledKernel) -> None:
    """The InputError names element, point and determinant; unchecked, the stiffness is -K."""
    nodes = _reference("hex8")
    mirrored = nodes[[4, 5, 6, 7, 0, 1, 2, 3]]
    material = {"young": 2e11, "poisson": 0.3}
    with pytest.raises(
        InputError,
        match=r"^hex8_stiffness.*: points\[1\]: the determinant of the Jacobian is -1 at node 1; "
        r"expected a positive one; are its nodes in reverse order, or "
        r"interchanged\? \(2 of 3 elements",
    ):
        standard(np.array([nodes, mirrored, mirrored]), **material)
    with pytest.raises(
        InputError, match=r"points\[0\]: found \[nan, nan, nan\]; expected finite positions \(1 "
    ):
        standard(np.full_like(nodes, np.nan), **material)
    order = np.arange(24).reshape(8, 3)[[4, 5, 6, 7, 0, 1, 2, 3]].ravel()
    whole = standard(nodes, **material)[np.ix_(order, order)]
    turned = standard(mirrored, check=False, **material)
    np.testing.assert_allclose(turned, -whole, atol=1e-14 * np.abs(whole).max())


@pytest.fixture
def standard() -> CompiledKernel:
    """Return the stiffness of hex8."""
    return ff.kernels_of("hex8", ["stiffness"])["stiffness"]
