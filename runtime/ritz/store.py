# SPDX-License-Identifier: BSD-3-Clause
"""The shapes of a reduced model in a file, so that they are computed once."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.files import write_file
from flexforge.runtime.analyses.pencil import Pencil
from flexforge.runtime.model.schema_reduction import ReductionSpec
from flexforge.runtime.ritz.basis import Basis
from flexforge.runtime.ritz.interface import Interface
from flexforge.runtime.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    import h5py

FORMAT = "flexforge basis 2"
#: Of stiffness and mass of the shapes: round-off of another machine is not another material.
_SAME = 1e-6


def holds_shapes(path: Path) -> bool:
    """Whether a file is one that `write_basis` has written, of any model."""
    import h5py

    with suppress(OSError), h5py.File(path) as file:
        return str(file.attrs.get("format", "")).startswith("flexforge basis")
    return False


def write_basis(path: Path, basis: Basis, spec: ReductionSpec, system: System) -> None:
    """Write shapes into an HDF5 file, which is there complete or not at all.

    Parameters
    ----------
    path : Path
        The file.
    basis : Basis
        The shapes.
    spec : ReductionSpec
        What was asked for.
    system : System
        What they are of.

    Raises
    ------
    InputError
        When the file cannot be written.
    """
    import h5py

    # Made in memory: HDF5 does not survive a disk that fills up under it.
    with h5py.File(path.name, "w", driver="core", backing_store=False) as file:
        file.attrs["format"] = FORMAT
        file.attrs["unknowns"] = _fingerprint(system)
        file.attrs["asked"] = _asked(spec)
        file["shapes"] = basis.matrix
        file["names"] = np.array(basis.names, dtype=h5py.string_dtype())
        file["frequencies"] = basis.frequencies
        file["sizes"] = _sizes(basis, system)
        _write_interface(file.create_group("interface"), basis.interface)
        file.flush()
        content = file.id.get_file_image()
    write_file(path, content, overwrite=True)  # whether it may be replaced was asked before


def read_basis(path: Path, spec: ReductionSpec, system: System, kept: Interface) -> Basis:
    """Read shapes from a file.

    Parameters
    ----------
    path : Path
        A file that `write_basis` has written.
    spec : ReductionSpec
        What is asked for.
    system : System
        What they have to be of.
    kept : Interface
        What of it is to be kept.

    Raises
    ------
    InputError
        When there is no such file, or the shapes are of another model, or other ones.
    """
    import h5py

    again = "; expected one of this model, which `flexforge reduce` writes"
    try:
        with h5py.File(path) as file:
            if file.attrs.get("format") != FORMAT:
                raise InputError(f"reduction.basis: {path} holds no shapes{again}")
            unknowns, asked = file.attrs["unknowns"], file.attrs["asked"]
            names = tuple(file["names"].asstr()[...])
            found = Basis(file["shapes"][...], names, file["frequencies"][...], kept)
            sizes = file["sizes"][...]
            keeps = {name: one[...] for name, one in file["interface"].items()}
    except (OSError, KeyError, TypeError) as error:
        there = "cannot be read" if path.exists() else "is not there"
        raise InputError(f"reduction.basis: {path} {there}{again}") from error
    if unknowns != _fingerprint(system):
        raise InputError(
            f"reduction.basis: {path} is of another mesh or other supports, with "
            f"{len(found.matrix)} unknowns for {system.unknowns}{again}"
        )
    if asked != _asked(spec):
        raise InputError(f"reduction.basis: {path} was made for {asked}, not {_asked(spec)}{again}")
    if not kept.is_that_of(_interface(keeps, kept)):
        raise InputError(f"reduction.basis: {path} is of other joints{again}")
    none = 1e-9 * np.abs(sizes).max(axis=1, keepdims=True)  # of motions without stiffness
    if not np.all(np.abs(_sizes(found, system) - sizes) <= _SAME * np.abs(sizes) + none):
        raise InputError(f"reduction.basis: {path} is of another stiffness or other masses{again}")
    return found


def _write_interface(group: h5py.Group, kept: Interface) -> None:
    """Write what is kept, and what T is more than one."""
    from scipy.sparse import identity

    more = (kept.transform - identity(kept.transform.shape[0])).tocoo()
    group["kept"], group["held"] = kept.kept, kept.held
    group["rows"], group["columns"], group["factors"] = more.row, more.col, more.data


def _interface(found: dict[str, NDArray[Any]], like: Interface) -> Interface:
    """Return what is kept in a file, as far as it tells; names and values are those of another."""
    from scipy.sparse import csr_matrix, identity

    size = like.transform.shape[0]
    more = csr_matrix((found["factors"], (found["rows"], found["columns"])), shape=(size, size))
    transform = csr_matrix(identity(size) + more)
    return replace(like, transform=transform, kept=found["kept"], held=found["held"])


def _asked(spec: ReductionSpec) -> str:
    """Return what a reduction is to be, in one line."""
    return json.dumps(spec.model_dump(exclude={"basis"}), sort_keys=True)


def _fingerprint(system: System) -> str:
    """Return a hash of the nodes and of what is unknown."""
    found = hashlib.sha256(f"{system.size} {system.dimension}".encode())
    found.update(np.ascontiguousarray(system.free, dtype=np.int64).tobytes())
    for body in system.bodies:
        found.update(np.ascontiguousarray(body.nodes, dtype=np.int64).tobytes())
        found.update(np.ascontiguousarray(body.points, dtype=np.float64).tobytes())
    return found.hexdigest()


def _sizes(basis: Basis, system: System) -> NDArray[np.float64]:
    """Return stiffness and mass of every shape, (2, r)."""
    return np.array([np.einsum("ir,ir->r", basis.matrix, one @ basis.matrix)
                     for one in Pencil.at_rest(system).matrices])  # fmt: skip
