# SPDX-License-Identifier: BSD-3-Clause
"""File of the mode shapes of a reduced model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.files.atomic import write_file
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.model.schema_reduction import ReductionSpec
from flexforge.runtime.reduction.basis import Basis
from flexforge.runtime.reduction.interface import Interface
from flexforge.runtime.results.formats import SHAPES
from flexforge.runtime.results.stored import open_hdf5, reading
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    import h5py


_FORMAT = "flexforge basis "
#: Tolerance for stiffness and mass of the shapes: another machine's round-off is acceptable.
_SAME = 1e-6


def holds_shapes(path: Path) -> bool:
    """Whether `write_basis` has written a file, for any model."""
    with suppress(InputError), open_hdf5(path) as file, reading(path):
        return str(file.attrs.get("format", "")).startswith(_FORMAT)
    return False


def write_basis(
    path: Path,
    basis: Basis,
    spec: ReductionSpec,
    system: System,
    origin: Mapping[str, Any],
) -> None:
    """Write shapes to an HDF5 file, which appears complete or not at all.

    Parameters
    ----------
    path : Path
        The file.
    basis : Basis
        The shapes.
    spec : ReductionSpec
        The settings of the reduction.
    system : System
        The system of the shapes.
    origin : mapping
        Provenance: program, model, method and kernels.

    Raises
    ------
    InputError
        When the file cannot be written.
    """
    import h5py

    # Written to memory first: HDF5 does not survive a full disk.
    with h5py.File(path.name, "w", driver="core", backing_store=False) as file:
        file.attrs["format"] = f"{_FORMAT}{SHAPES.version}"
        file.attrs["provenance"] = json.dumps(dict(origin))
        file.attrs["unknowns"] = _fingerprint(system)
        file.attrs["asked"] = _asked(spec)
        file["shapes"] = basis.matrix
        file["names"] = np.array(basis.names, dtype=h5py.string_dtype())
        file["frequencies"] = basis.frequencies
        file["sizes"] = _sizes(basis, system)
        _write_interface(file.create_group("interface"), basis.interface)
        file.flush()
        content = file.id.get_file_image()
    write_file(path, content, overwrite=True)  # whether it may be replaced was checked before


def read_basis(path: Path, spec: ReductionSpec, system: System, kept: Interface) -> Basis:
    """Read shapes from a file.

    Parameters
    ----------
    path : Path
        A file that `write_basis` has written.
    spec : ReductionSpec
        The settings of the reduction.
    system : System
        The system that the shapes must belong to.
    kept : Interface
        The kept coordinates.

    Raises
    ------
    InputError
        When there is no such file, or its shapes belong to another model or other settings.
    """
    again = "; expected one of this model, which `flexforge reduce` writes"
    if not path.is_file():
        reason = "is no file" if path.exists() else "is not there"
        raise InputError(f"reduction.basis: {path} {reason}{again}")
    try:
        with open_hdf5(path) as file, reading(path):
            told = _header(path, file)
            unknowns, asked = str(told["unknowns"]), str(told["asked"])
            found = _Stored.read(file)
    except InputError as error:
        raise InputError(f"reduction.basis: {error}{again}") from None
    if unknowns != _fingerprint(system):
        raise InputError(
            f"reduction.basis: {path} belongs to another mesh or other supports "
            f"({len(found.shapes)} unknowns; this model has {system.unknowns}){again}"
        )
    if asked != _asked(spec):
        raise InputError(
            f"reduction.basis: {path} was computed for {asked}, not {_asked(spec)}{again}"
        )
    if not found.fits(system.unknowns):
        raise InputError(f"reduction.basis: {path} is damaged{again}")
    if not kept.is_that_of(found.interface(kept)):
        raise InputError(f"reduction.basis: {path} was computed for other joints{again}")
    basis = Basis(found.shapes, found.names, found.frequencies, kept)
    none = 1e-9 * np.abs(found.sizes).max(axis=1, keepdims=True)  # for motions without stiffness
    with np.errstate(over="ignore", invalid="ignore"):
        apart = np.abs(_sizes(basis, system) - found.sizes)
    if not np.all(apart <= _SAME * np.abs(found.sizes) + none):
        raise InputError(
            f"reduction.basis: {path} was computed for another stiffness or mass{again}"
        )
    return basis


def _header(path: Path, file: h5py.File) -> dict[str, Any]:
    """Return the attributes of a file as the current version has them."""
    name, _, version = str(file.attrs.get("format", "")).rpartition(" ")
    if f"{name} " != _FORMAT:
        raise InputError(f"{path} contains no mode shapes")
    return SHAPES.current(path, int(version) if version.isdecimal() else version, file.attrs)


@dataclass(frozen=True, slots=True)
class _Stored:
    """Content of a file, as unchecked numbers and texts; the last five describe T - 1.

    Attributes
    ----------
    names : tuple of str, (r,)
        Names of the shapes.
    shapes : ndarray, (n, r)
        The shapes.
    frequencies : ndarray, (r - k,)
        Frequencies of the vibration modes, Hz.
    sizes : ndarray, (2, r)
        Stiffness and mass of every shape.
    kept, held : ndarray of int
        Kept unknowns, (k,), and those that remain zero.
    rows, columns : ndarray of int, (m,)
        Positions of entries of the transformation.
    factors : ndarray, (m,)
        Values of these entries.
    """

    names: tuple[str, ...]
    shapes: Floats
    frequencies: Floats
    sizes: Floats
    kept: Ints
    held: Ints
    rows: Ints
    columns: Ints
    factors: Floats

    @classmethod
    def read(cls, file: h5py.File) -> Self:
        """Read everything."""
        return cls(
            names=tuple(map(str, np.atleast_1d(file["names"].asstr()[...]).ravel())),
            shapes=_numbers(file["shapes"]),
            frequencies=_numbers(file["frequencies"]),
            sizes=_numbers(file["sizes"]),
            kept=_whole(file["interface/kept"]),
            held=_whole(file["interface/held"]),
            rows=_whole(file["interface/rows"]),
            columns=_whole(file["interface/columns"]),
            factors=_numbers(file["interface/factors"]),
        )

    def fits(self, unknowns: int) -> bool:
        """Whether the arrays are finite, and have the sizes that the system requires."""
        count = len(self.names)
        shapes = (unknowns, count), (count - len(self.kept),), (2, count)
        arrays = self.shapes, self.frequencies, self.sizes
        entries = {one.shape for one in (self.rows, self.columns, self.factors)}
        places = (self.kept, self.held, self.rows, self.columns)
        return (
            count >= 1
            and [one.shape for one in arrays] == list(shapes)
            and len(entries) == 1
            and all(one.ndim == 1 for one in (*places, self.factors))
            and all(np.all((one >= 0) & (one < unknowns)) for one in places)
            and all(np.isfinite(one).all() for one in (*arrays, self.factors))
        )

    def interface(self, like: Interface) -> Interface:
        """Return the stored interface; names and values are taken from another one."""
        from scipy.sparse import csr_matrix, identity

        size = like.transform.shape[0]
        more = csr_matrix((self.factors, (self.rows, self.columns)), shape=(size, size))
        transform = csr_matrix(identity(size) + more)
        return replace(like, transform=transform, kept=self.kept, held=self.held)


def _numbers(array: Any) -> Floats:
    """Return the numbers of an array in a file."""
    return np.asarray(array[...], dtype=float)


def _whole(array: Any) -> Ints:
    """Return whole numbers; a fraction is an error, and an empty array may have any type."""
    values = array[...]
    with np.errstate(invalid="ignore"):
        found: Ints = values.astype(np.int64)
    if not np.array_equal(found, values):
        raise ValueError("found fractions; expected places")
    return found


def _write_interface(group: h5py.Group, kept: Interface) -> None:
    """Write the kept coordinates, and T - 1."""
    from scipy.sparse import identity

    more = (kept.transform - identity(kept.transform.shape[0])).tocoo()
    group["kept"], group["held"] = kept.kept, kept.held
    group["rows"], group["columns"], group["factors"] = more.row, more.col, more.data


def _asked(spec: ReductionSpec) -> str:
    """Return the settings of a reduction in one line."""
    return json.dumps(spec.model_dump(exclude={"basis"}), sort_keys=True)


def _fingerprint(system: System) -> str:
    """Return a hash of the nodes and of the unknowns."""
    found = hashlib.sha256(f"{system.size} {system.dimension}".encode())
    found.update(system.map.identity)
    for body in system.bodies:
        found.update(np.ascontiguousarray(body.nodes, dtype=np.int64).tobytes())
        found.update(np.ascontiguousarray(body.points, dtype=np.float64).tobytes())
    return found.hexdigest()


def _sizes(basis: Basis, system: System) -> NDArray[np.float64]:
    """Return stiffness and mass of every shape, (2, r)."""
    return np.array(
        [
            np.einsum("ir,ir->r", basis.matrix, one @ basis.matrix)
            for one in Pencil.at_rest(system).matrices
        ]
    )
