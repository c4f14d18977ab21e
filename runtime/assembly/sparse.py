# SPDX-License-Identifier: BSD-3-Clause
"""The sum of a kernel over a mesh of arrays: a SciPy matrix, or a vector over the nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.arguments import typed
from flexforge.codegen.elements.facts import FACTS, GEOMETRY, PER_ELEMENT
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.assembly.arguments import real_numbers
from flexforge.runtime.assembly.assemble import assemble_matrix, assemble_vector
from flexforge.runtime.assembly.calls import CompiledKernel, check_geometry, parameters_of
from flexforge.runtime.assembly.graph import build_graph
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.from_arrays import rows_of, whole_numbers
from flexforge.runtime.mesh.own_cells import LINEAR
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from scipy.sparse import bsr_array, csr_array


def _one_kernel(value: object) -> str:
    """Rule of a compiled kernel; the dictionary of all kernels is taken for one at times."""
    if isinstance(value, CompiledKernel):
        return ""
    if isinstance(value, Mapping) and value:
        return f"one kernel, as of flexforge.kernels_of(..)[{next(iter(value))!r}]"
    return "a kernel of flexforge.kernels_of, such as kernels_of('hex8', ['mass'])['mass']"


@typed(kernel=_one_kernel)
def assemble(
    kernel: CompiledKernel,
    points: ArrayLike,
    cells: ArrayLike,
    state: ArrayLike | None = None,
    /,
    *,
    format: str = "csr",
    threads: int | None = None,
    check: bool = True,
    **values: float,
) -> csr_array | bsr_array | Floats:
    """Return the sum of a kernel over the elements of a mesh.

    Parameters
    ----------
    kernel : CompiledKernel
        From :func:`kernels_of`: a matrix, or a vector such as a load or an action.
    points : array_like, (n, dimension)
        Undeformed positions of the nodes, m.
    cells : array_like of int, (elements, nodes)
        Rows of `points`, in VTK's order of nodes.
    state : array_like, optional
        Displacements, m, for kernels that read them: (n, dimension), or (n, 2, dimension) where a
        node also has rotations.
    format : str
        ``csr``, or ``bsr`` with a block per pair of nodes, which takes less memory.
    threads : int, optional
        By default every core. The result is bit-identical for any number.
    check : bool
        Whether inverted, folded and flat elements are refused.
    **values : float
        The scalar arguments, by the names in ``kernel.parameters``.

    Returns
    -------
    csr_array or bsr_array, (unknowns, unknowns)
        For matrices. A node has `dimension` unknowns after each other, rods and shells with
        rotations twice as many: displacements, then rotations. Terms that are the same for every
        component (``scalar_mass``, ``geometric`` of continua) have one row per node;
        ``scipy.sparse.kron(matrix, eye(dimension))`` has them all.
    ndarray, (n, components)
        For vectors; (n, 2, dimension) with rotations.

    Raises
    ------
    InputError
        Naming the argument: rows that do not exist, other shapes, unknown or missing parameters,
        NaN or infinity in points, state or parameters, bad elements, kernels whose results are not
        summed over elements (stresses), or that compute in single precision.

    Examples
    --------
    A unit cube in eight elements; the rows of its mass matrix add up to 7800 kg in each direction,
    and no displacement without deformation meets stiffness:

    >>> import flexforge as ff, numpy as np
    >>> from flexforge.runtime.mesh import structured
    >>> cube = structured("hex8", [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0],
    ...                            [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], [2, 2, 2])
    >>> points, cells = cube.points, cube.blocks[0].nodes
    >>> kernels = ff.kernels_of("hex8", ["stiffness", "mass"])
    >>> mass = ff.assemble(kernels["mass"], points, cells, density=7800)
    >>> mass.shape, round(float(mass.sum()) / 3, 6)
    ((81, 81), 7800.0)
    >>> stiffness = ff.assemble(kernels["stiffness"], points, cells, young=2e11, poisson=0.3)
    >>> bool(abs(stiffness @ np.tile([1.0, 2.0, 3.0], 27)).max() < 1e-3)
    True
    """
    if format not in ("csr", "bsr"):
        raise InputError(f"format: found {format!r}; expected csr or bsr")
    if kernel.term == GEOMETRY or kernel.term in PER_ELEMENT:
        raise InputError(
            f"{kernel.name}: '{kernel.term}' is not summed over elements; call the kernel itself"
        )
    x = _points(kernel, points)
    rows, carried = _cells(kernel, cells, len(x))
    if check:
        _check(kernel, x, rows)
    # Nodes with rotations are two vectors, in kernels two nodes at one position.
    nodes = (carried * rows[..., None] + np.arange(carried)).reshape(len(rows), -1)
    x = np.repeat(x, carried, axis=0)
    given = dict(zip(kernel.parameters, parameters_of(kernel, values).tolist(), strict=False))
    d = _state(kernel, state, len(x), carried)
    # Two nodes of a plane have a square of forces; matrices of a row per node are of one block.
    if kernel.rows == kernel.nodes and kernel.structure == "full":
        total = assemble_vector(kernel, nodes, x, given, state=d)
        return total.reshape(-1, 2, total.shape[1]) if carried == 2 else total
    return _matrix(kernel, x, nodes, given, d, format, threads)


def _matrix(
    kernel: CompiledKernel,
    points: Floats,
    cells: Ints,
    values: dict[str, float],
    state: Floats | None,
    format: str,
    threads: int | None,
) -> csr_array | bsr_array:
    from scipy.sparse import bsr_array, csr_array

    graph = build_graph(points, cells, threads, "cells")
    size = kernel.rows // kernel.nodes
    shape = (len(points) * size, len(points) * size)
    csr = format == "csr"
    data = assemble_matrix(kernel, graph, points, values, state=state, csr=csr)
    if csr:
        starts, columns = graph.csr(size)
        return csr_array((data, columns, starts), shape=shape)
    return bsr_array((data.reshape(-1, size, size), graph.columns, graph.pointers), shape=shape)


def _points(kernel: CompiledKernel, points: ArrayLike) -> Floats:
    """Return positions; a third coordinate of zero is dropped where elements are plane."""
    found = real_numbers(points, float, "points")
    if found.ndim == 2 and found.shape[1] == 3 and kernel.dimension == 2 and not found[:, 2].any():
        found = np.ascontiguousarray(found[:, :2])
    if found.ndim != 2 or found.shape[1] != kernel.dimension:
        raise InputError(
            f"points: found shape {found.shape}; {kernel.name} expects (n, {kernel.dimension})"
        )
    _require_finite(found, "points")
    return found


def _require_finite(found: Floats, name: str) -> None:
    """Refuse NaN and infinity in an array, one row per node."""
    if not np.isfinite(found).all():
        wrong = np.flatnonzero(~np.isfinite(found.reshape(len(found), -1)).all(axis=1))
        more = f" (and {len(wrong) - 1} more rows)" if len(wrong) > 1 else ""
        raise InputError(
            f"{name}: row {wrong[0]} is {found[wrong[0]].tolist()}{more}; expected finite numbers"
        )


def _cells(kernel: CompiledKernel, cells: ArrayLike, count: int) -> tuple[Ints, int]:
    """Return the nodes of the elements, and the number of vectors of each node."""
    found = whole_numbers(cells, "cells")
    carried = kernel.carried or _carried(kernel, found)
    expected = kernel.nodes // carried
    if found.ndim != 2 or found.shape[1] != expected:
        both = ": every node has a displacement and a rotation" if carried == 2 else ""
        raise InputError(
            f"cells: found shape {found.shape}; {kernel.name} expects (elements, {expected}){both}"
        )
    return rows_of(found, count, "cells", "points"), carried


def _carried(kernel: CompiledKernel, cells: Ints) -> int:
    """Return the vectors per node of an element whose declaration is not at hand.

    A beam or shell has two if its kernel reads twice as many vectors as its cells have nodes.
    """
    known = FACTS.get(kernel.element.removesuffix("_plane"))
    if known is not None:
        return known.carried
    lower = CELLS[LINEAR[kernel.cell]].dim < kernel.dimension if kernel.cell in LINEAR else False
    halves = cells.ndim == 2 and 2 * cells.shape[1] == kernel.nodes
    return 2 if lower and halves and kernel.term != "pressure" else 1


def _check(kernel: CompiledKernel, points: Floats, cells: Ints) -> None:
    """Refuse bad elements."""
    if len(cells) and kernel.geometry:
        repeated = np.repeat(points[cells], kernel.nodes // cells.shape[1], axis=1)
        check_geometry(kernel, np.ascontiguousarray(repeated), len(cells), "cells")


def _state(
    kernel: CompiledKernel, state: ArrayLike | None, count: int, carried: int
) -> Floats | None:
    """Return one vector per row of the points."""
    if kernel.state_vectors > 1:
        raise InputError(
            f"{kernel.name}: reads {kernel.state_vectors} nodal vectors; expected a kernel with "
            "one or none"
        )
    if (state is None) != (kernel.state_vectors == 0):
        wanted = "displacements" if state is None else "none"
        raise InputError(f"{kernel.name}: state; expected {wanted} for '{kernel.term}'")
    if state is None:
        return None
    vectors = (carried,) if carried > 1 else ()
    shape = (count // carried, *vectors, kernel.dimension)
    found = real_numbers(state, float, "state")
    if found.shape != shape:
        raise InputError(f"state: found shape {found.shape}; {kernel.name} expects {shape}")
    _require_finite(found, "state")
    return np.asarray(found.reshape(count, kernel.dimension))
