# SPDX-License-Identifier: BSD-3-Clause
"""Operations of C kernels, counted while they run, against a pencil and the compiler's count."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from flexforge.codegen.driver import Kernel, compile_kernel
from flexforge.codegen.elements.library import element
from flexforge.codegen.jit.build import INCLUDE
from flexforge.codegen.output.sources import kernel_sources
from marks import slow
from support.counting import FAMILIES, operations

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")

BY_HAND = """
static const double table[3] = {1.0, 2.0, 3.0};
void kernel(const double *restrict x, double *restrict out)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += table[i] * x[i];
    if (sum > 100.0)
        sum = sqrt(sum);
    out[0] = -1.0 * sum / (2.0 * x[0] - 1.0 * x[1]);
}
"""


@pytest.mark.parametrize(("scale", "roots"), [(1.0, 0), (100.0, 1)])
def test_by_hand(scale, roots):
    """Three sums and products of the loop; after it two products, a difference and a quotient.

    A product with a written -1 does not count; the root is taken only where the sum, 14 times the
    scale, exceeds 100.
    """
    found = operations(BY_HAND, "kernel", [scale * np.array([1.0, 2, 3]), np.zeros(1)])
    assert found == {"additions": 4, "products": 5, "quotients": 1, "roots": roots}


def _counted(kernel: Kernel) -> dict[str, int]:
    sources = kernel_sources([kernel])
    (text,) = (value for name, value in sources.items() if name != "kernel_table.c")
    nodes = np.array([[float(x) for x in node] for node in element(kernel.element).nodes])
    state = np.full(max(kernel.state_vectors, 1) * nodes.size, 0.01)
    work = np.zeros(kernel.layout.workspace // 8 + 1)
    parameters = np.full(max(len(kernel.parameters), 1), 0.3)
    out = np.zeros(kernel.rows * kernel.columns)
    return operations(text, kernel.name, [nodes, parameters, state, out, work], [INCLUDE])


@pytest.mark.parametrize(
    ("name", "term"),
    [
        ("tri3", "mass"), ("tet4", "stiffness"), ("quad8", "stress"), ("tri6", "stiffness_action"),
        ("wedge6", "mass"), slow("hex8", "stiffness_action"),
    ],
)  # fmt: skip
def test_our_kernels(name, term):
    """What runs is what the compiler counts in the text it writes."""
    kernel = compile_kernel(element(name), term)
    assert _counted(kernel) == {family: getattr(kernel.written, family) for family in FAMILIES}
