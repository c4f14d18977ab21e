# SPDX-License-Identifier: BSD-3-Clause
"""The hash of a model: of all its tables, and of the content of the files that they name."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from flexforge.codegen.files.reading import read_bytes
from flexforge.runtime.digest import digest
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.model.schema import ModelSpec

#: Keys that say where something is: the mesh counts by its content, a basis is checked when it is
#: read, and results are the same in every folder.
_PLACES: dict[str, Any] = {
    "mesh": {"file"}, "reduction": {"basis"}, "output": {"folder", "checkpoint"}
}  # fmt: skip


def model_hash(spec: ModelSpec, mesh: Mesh) -> str:
    """Return the hash of a model, as 32 hexadecimal digits.

    It depends on every key that differs from its default, on points, cells and groups of the mesh,
    and on the content of tables of time and element files. It does not depend on where files are,
    on the order of keys, on comments, on the format of the mesh file, or on whether the model
    comes from a file or from Python.

    Parameters
    ----------
    spec : ModelSpec
        The validated model.
    mesh : Mesh
        Its mesh, in metres.

    Raises
    ------
    InputError
        When a file that the model names cannot be read.

    Examples
    --------
    >>> import flexforge as ff
    >>> from flexforge.runtime.system.construct import build_mesh
    >>> tables = {"mesh": {"points": {"tip": [0, 0, 0]}},
    ...           "masses": [{"name": "ball", "group": "tip", "mass": 2}],
    ...           "analysis": {"kind": "transient", "duration": 1, "steps": 10}}
    >>> spec = ff.load_model(tables).spec
    >>> found = model_hash(spec, build_mesh(spec))
    >>> len(found)
    32
    >>> tables["masses"][0]["mass"] = 2.5
    >>> spec = ff.load_model(tables).spec
    >>> model_hash(spec, build_mesh(spec)) == found
    False
    """
    tables = spec.model_dump(exclude_defaults=True, exclude=_PLACES)
    for body, table in zip(spec.bodies, tables.get("bodies", ()), strict=True):
        if body.is_user_element:
            table["element"] = _declaration(body.element)
    return digest(_contents(tables), mesh_content(mesh))


def mesh_content(mesh: Mesh) -> list[object]:
    """Return the points, cells and groups of a mesh, without numbers and names of its file."""
    blocks = [(block.cell, block.nodes) for block in mesh.blocks]
    groups = {
        name: (sorted(group.cells.items()), group.nodes) for name, group in mesh.groups.items()
    }
    return [mesh.points, blocks, groups]


def _contents(value: object) -> object:
    """Return tables with the content of each file in place of its path, without empty ones."""
    if isinstance(value, dict):
        return {key: _contents(one) for key, one in value.items() if one != {}}
    if isinstance(value, tuple | list):
        return [_contents(one) for one in value]
    if isinstance(value, Path):
        return hashlib.sha256(read_bytes(value, "a file of the model")).hexdigest()
    return value


def _declaration(path: str) -> str:
    """Return the content of an element's declaration and of those that it extends."""
    from flexforge.codegen.elements.catalogue import find
    from flexforge.codegen.output.derived import fingerprint

    return digest(fingerprint(find(path)))
