# SPDX-License-Identifier: BSD-3-Clause
"""A mesh from arrays of another program: points, cells by type, named groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.codegen.arguments import elements as several
from flexforge.codegen.arguments import mapping, optional, typed
from flexforge.codegen.errors import InputError, nearest
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.build import MeshBuilder, whole
from flexforge.runtime.mesh.cells import CELLS, SUPPORTED
from flexforge.runtime.mesh.mesh import Mesh
from flexforge.runtime.mesh.own_cells import own_cell
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from flexforge.codegen.elements.field import AnyElement

SOURCE = "mesh"


@typed(cells=mapping, groups=optional(mapping), elements=several)
def mesh_from_arrays(
    points: ArrayLike,
    cells: Mapping[str, ArrayLike],
    groups: Mapping[str, ArrayLike | Mapping[str, ArrayLike]] | None = None,
    *,
    elements: Sequence[AnyElement | str | Path] = (),
) -> Mesh:
    """Return a mesh made of arrays, for the key ``mesh`` of :func:`load_model`.

    Parameters
    ----------
    points : array_like, (n, 2 or 3)
        Positions of the nodes, m. Messages and results call the node of row 0 node 0.
    cells : mapping of str to array_like of int, (n_cells, n_nodes)
        Rows of `points` by cell type (``hex8``, ``tri6``, ..), with the nodes in VTK's order; a
        wedge starts with the triangle whose normal points into it. Cells of a lower dimension serve
        in groups. Cells of an element of your own that no other element has are called like it.
    groups : mapping, optional
        By name: rows of `points`, or a mask of them; or rows of cells, or masks, by cell type. A
        group of nodes that loads a surface means all facets whose nodes are in it.
    elements : sequence of Element, str or Path
        Your own elements whose names are cell types here: declarations, or their files.

    Returns
    -------
    Mesh
        Which several models may share.

    Raises
    ------
    InputError
        Naming the argument: other shapes, unknown cell types, rows that do not exist, positions
        that are not finite.

    Examples
    --------
    Two squares side by side, clamped on the left:

    >>> import flexforge as ff
    >>> points = [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]]
    >>> mesh = ff.mesh_from_arrays(points, {"quad4": [[0, 1, 4, 3], [1, 2, 5, 4]]},
    ...                            groups={"root": [0, 3], "tip": [2, 5]})
    >>> mesh
    mesh: 6 nodes, 2 quad4; groups root, tip
    >>> model = ff.load_model({
    ...     "mesh": mesh,
    ...     "materials": {"steel": {"young": 2e11, "poisson": 0.0, "density": 7800}},
    ...     "bodies": [{"name": "bar", "element": "quad4", "material": "steel", "thickness": 1}],
    ...     "supports": [{"group": "root"}],
    ...     "loads": [{"kind": "pressure", "group": "tip", "value": -2e5}],
    ...     "probes": [{"name": "tip", "group": "tip", "component": "x"}],
    ...     "analysis": {"kind": "static"},
    ... })

    A bar of 2 m under 2e5 Pa becomes longer by sigma L / E = 2e-6 m:

    >>> print(f"{model.run().probes['tip'].values[-1]:.3g} m")
    2e-06 m
    """
    builder = MeshBuilder(SOURCE)
    where = _points(points)
    types = _own_cells(elements)
    cells = {types.get(cell, cell): nodes for cell, nodes in cells.items()}
    builder.add_nodes(np.arange(len(where)), where)
    for cell, nodes in cells.items():
        rows = _cells(cell, nodes, len(where), tuple(types))
        builder.add_cells(cell, rows, np.arange(len(rows)))
    for name, members in (groups or {}).items():
        if isinstance(members, Mapping):
            members = {types.get(cell, cell): rows for cell, rows in members.items()}
        _add_group(builder, name, members, cells, len(where))
    return builder.mesh()


def _points(points: ArrayLike) -> Floats:
    try:
        found = np.asarray(points, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"points: {error}; expected numbers, (n, 2 or 3)") from None
    if found.ndim != 2 or found.shape[1] not in (2, 3):
        raise InputError(f"points: found shape {found.shape}; expected (n, 2 or 3)")
    return found


def _own_cells(elements: Sequence[AnyElement | str | Path]) -> dict[str, str]:
    """Return the name of the cell of each of a user's elements by the element's name."""
    if not isinstance(elements, (list, tuple)):
        raise InputError(
            f"elements: found {type(elements).__name__}; expected a list of files or declarations "
            "of elements"
        )
    found: dict[str, str] = {}
    for i, one in enumerate(elements):
        from flexforge.codegen.elements.catalogue import declaration

        element = declaration(one)
        cell = own_cell(element).name
        if element.name in found or (element.name in CELLS and cell != element.name):
            owner = "another one" if element.name in found else "a cell of the library"
            raise InputError(
                f"elements[{i}]: found the name '{element.name}', that of {owner}; expected "
                "another name"
            )
        found[element.name] = cell
    return found


def _cells(cell: str, nodes: ArrayLike, count: int, own: tuple[str, ...]) -> Ints:
    """Return the rows of the nodes of cells, if they exist."""
    if not CELLS.knows(cell):
        known = (*SUPPORTED, *own)
        other = next((f"; did you mean '{k.name}'?" for k in CELLS.known() if k.meshio == cell),
                     nearest(cell, known))  # fmt: skip
        raise InputError(
            f"cells: unknown type '{cell}'{other}; expected one of {', '.join(known)}, or the name "
            "of one of the argument elements, your own elements"
        )
    key, expected = f"cells['{cell}']", CELLS[cell].nodes
    found = whole_numbers(nodes, key)
    if found.ndim != 2 or found.shape[1] != expected:
        raise InputError(f"{key}: found shape {found.shape}; expected (n_cells, {expected})")
    return rows_of(found, count, key, "points")


def _add_group(
    builder: MeshBuilder,
    name: str,
    members: ArrayLike | Mapping[str, ArrayLike],
    cells: Mapping[str, ArrayLike],
    count: int,
) -> None:
    """Add nodes, or cells of several types, under a name."""
    key = f"groups['{name}']"
    if not isinstance(name, str) or not name:
        raise InputError(f"groups: found the name {name!r}; expected a text")
    if not isinstance(members, Mapping):
        builder.add_node_group(name, _chosen(members, count, key, "points"))
        return
    for cell, rows in members.items():
        if cell not in cells:
            raise InputError(
                f"{key}: found cells '{cell}'{nearest(cell, cells)}; expected a type of the "
                f"argument cells: {', '.join(cells)}"
            )
        number = len(np.asarray(cells[cell]))
        builder.add_to_group(name, cell, _chosen(rows, number, f"{key}['{cell}']", "cells"))


def _chosen(members: ArrayLike, count: int, key: str, what: str) -> Ints:
    """Return rows given by numbers or by a mask."""
    found = np.asarray(members)
    if found.dtype == bool:
        if found.shape != (count,):
            raise InputError(f"{key}: found a mask of shape {found.shape}; expected ({count},)")
        found = np.flatnonzero(found)
    rows = rows_of(whole_numbers(found, key).ravel(), count, key, what)
    if not rows.size:
        raise InputError(f"{key}: found an empty group; expected rows of {what}")
    return rows


def whole_numbers(numbers: ArrayLike, key: str) -> Ints:
    """Return an array of whole numbers, or refuse it by its name."""
    try:
        found: Any = np.asarray(numbers)
        if found.size and (found.dtype.kind not in "iuf" or (found != np.floor(found)).any()):
            raise ValueError("found other values")
    except (TypeError, ValueError) as error:
        raise InputError(f"{key}: {error}; expected whole numbers") from None
    return whole(found, key)


def rows_of(found: Ints, count: int, key: str, what: str) -> Ints:
    """Return row numbers, or refuse those of rows that an array of this length does not have."""
    wrong = (found < 0) | (found >= count)
    if wrong.any():
        raise InputError(
            f"{key}: found {found[wrong][0]}; expected rows of {what}, 0 to {count - 1}"
        )
    return found
