# SPDX-License-Identifier: BSD-3-Clause
"""Meshes written to files: decks (.inp), and VTK's .vtu through meshio."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
from flexforge.codegen.arguments import typed
from flexforge.codegen.errors import InputError
from flexforge.codegen.files.atomic import replacing
from flexforge.runtime.arrays import Ints
from flexforge.runtime.mesh.cells import CELLS, KINDS
from flexforge.runtime.mesh.mesh import Mesh
from flexforge.runtime.mesh.read_abaqus import ORDER

#: Element types of decks by cell; solids and plane stress, which section cards may change.
_KINDS = {
    "tet4": "C3D4", "tet10": "C3D10", "pyramid5": "C3D5", "wedge6": "C3D6", "wedge15": "C3D15",
    "hex8": "C3D8", "hex20": "C3D20", "hex27": "C3D27", "tri3": "CPS3", "tri6": "CPS6",
    "quad4": "CPS4", "quad8": "CPS8", "line2": "T3D2", "line3": "T3D3",
}  # fmt: skip
_PER_LINE = 12
_FIELD = 20  # characters of a number that CalculiX reads


@typed()
def write_mesh(mesh: Mesh, path: Path | str, *, overwrite: bool = False) -> Path:
    """Write a mesh to a file.

    Cells of the highest dimension are written, and every group: in a deck, which has the numbers of
    nodes and cells as well (from 1), as sets of nodes and of elements, in a .vtu file as arrays of
    zeros and ones.

    Parameters
    ----------
    mesh : Mesh
        The mesh.
    path : path-like
        The file, ``.inp`` or ``.vtu``.
    overwrite : bool
        Whether a file that is there is replaced.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    InputError
        For other formats, cells that a format does not have, and a file that is there.

    Examples
    --------
    >>> import flexforge as ff
    >>> mesh = ff.mesh_from_arrays([[0, 0], [1, 0], [0, 1]], {"tri3": [[0, 1, 2]]},
    ...                            groups={"left": [0, 2]})
    >>> ff.write_mesh(mesh, "one.inp")
    PosixPath('one.inp')
    >>> ff.read_mesh("one.inp")
    one.inp: 3 nodes, 1 tri3; groups Eall, Nall, left
    """
    path = Path(path)
    formats: dict[str, Callable[[Mesh, Path], None]] = {".inp": _deck, ".vtu": _vtu}
    if path.suffix.lower() not in formats:
        raise InputError(
            f"{path}: found a file '{path.suffix}'; expected one of {', '.join(formats)}"
        )
    if path.exists() and not overwrite:
        raise InputError(f"{path}: exists; expected a new file, or overwrite=True")
    formats[path.suffix.lower()](mesh, path)
    return path


def _blocks(mesh: Mesh) -> list[int]:
    """Return the blocks of the cells that are written."""
    return [i for i, one in enumerate(mesh.blocks) if CELLS[one.cell].dim == mesh.dim]


def _deck(mesh: Mesh, path: Path) -> None:
    """Write a deck of nodes, elements and sets."""
    blocks = _blocks(mesh)
    if wrong := [mesh.blocks[b].cell for b in blocks if mesh.blocks[b].cell not in _KINDS]:
        raise InputError(f"{path}: decks have no cells {wrong[0]}; expected {', '.join(_KINDS)}")
    with replacing(path) as file:
        file.writelines(line.encode() for line in _lines(mesh, blocks))


def _lines(mesh: Mesh, blocks: list[int]) -> Iterator[str]:
    # Numbers of decks begin with 1; those of arrays are rows, from 0.
    labels = mesh.node_labels + (mesh.node_labels.min(initial=1) < 1)
    numbers = [block.labels for block in mesh.blocks]
    first = min(int(one.min(initial=1)) for one in numbers) < 1
    numbers = [one + first for one in numbers]
    yield "*NODE, NSET=Nall\n"
    for number, place in zip(labels.tolist(), mesh.points.tolist(), strict=True):
        yield f"{number}, {', '.join(map(_short, place))}\n"
    for b in blocks:
        block = mesh.blocks[b]
        yield f"*ELEMENT, TYPE={_KINDS[block.cell]}, ELSET=Eall\n"
        # Our node i is theirs of number ORDER[i].
        order = np.argsort(ORDER.get(block.cell, range(block.nodes.shape[1])))
        rows = np.column_stack([numbers[b], labels[block.nodes[:, order]]])
        for row in rows.tolist():
            yield from _listed(row)
    for name, group in mesh.groups.items():
        plain = _plain(name)
        cells = [numbers[b][rows] for b, rows in group.cells.items() if b in blocks]
        if group.dim == mesh.dim and cells:
            yield f"*ELSET, ELSET={plain}\n"
            yield from _listed(np.concatenate(cells).tolist())
        else:
            yield f"*NSET, NSET={plain}\n"
            yield from _listed(labels[group.nodes].tolist())


def _short(value: float) -> str:
    """Return a number with as many digits as a field of 20 characters has room for."""
    text = repr(value)
    digits = 16
    while len(text) > _FIELD:
        text, digits = f"{value:.{digits}g}", digits - 1
    return text


def _plain(name: str) -> str:
    """Return the name of a group as that of a set."""
    for kind in KINDS.values():
        name = name.removesuffix(f":{kind}")
    return name.replace(",", "_")


def _listed(numbers: Iterable[int]) -> Iterator[str]:
    """Yield lines of numbers, all but the last with a comma at the end."""
    every = [*map(str, numbers)]
    for start in range(0, len(every), _PER_LINE):
        end = ",\n" if start + _PER_LINE < len(every) else "\n"
        yield ", ".join(every[start : start + _PER_LINE]) + end


def _vtu(mesh: Mesh, path: Path) -> None:
    """Write a .vtu file with an array for each group."""
    import meshio

    blocks = _blocks(mesh)
    points: dict[str, Ints] = {}
    cells: dict[str, list[Ints]] = {}
    for name, group in mesh.groups.items():
        if group.dim == mesh.dim and group.cells:
            cells[name] = [_mask(len(mesh.blocks[b].nodes), group.cells.get(b)) for b in blocks]
        else:
            points[name] = _mask(len(mesh.points), group.nodes)
    found = meshio.Mesh(
        mesh.points,
        [(CELLS[mesh.blocks[b].cell].meshio, mesh.blocks[b].nodes) for b in blocks],
        point_data=points,
        cell_data=cells,
    )
    meshio.write(path, found)


def _mask(count: int, rows: Ints | None) -> Ints:
    mask = np.zeros(count, dtype=np.int64)
    if rows is not None:
        mask[rows] = 1
    return mask
