# SPDX-License-Identifier: BSD-3-Clause
"""Mutations of HDF5 and NetCDF files by their structure: arrays, attributes, links, types."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from fuzzing.mutate import INTEGERS, ODDITIES, REALS, mutate_bytes


def mutate_hdf5(rng: Random, seeds: Sequence[bytes]) -> bytes:
    """Return an HDF5 file changed by its structure, or by its bytes."""
    if rng.random() < 0.5:
        return mutate_bytes(rng, seeds)
    import h5py

    image = io.BytesIO(rng.choice(seeds))
    try:
        with h5py.File(image, "r+") as file:
            for _ in range(rng.choice((1, 1, 1, 2, 3))):
                _change(rng, file)
    except (OSError, ValueError, TypeError, KeyError, RuntimeError, OverflowError, MemoryError):
        pass  # a change that HDF5 refuses leaves the others, or what is half of one
    data = image.getvalue()
    return mutate_bytes(rng, [data]) if rng.random() < 0.1 else data


def _names(file: Any) -> list[str]:
    found: list[str] = []
    file.visit(found.append)
    return sorted(found)


def _odd_array(rng: Random, like: Any = None) -> Any:
    """Return an array of another type, shape, or with values that are odd."""
    if like is not None and like.dtype.kind in "fiu" and like.size and rng.random() < 0.5:
        new = np.array(like)
        at = tuple(rng.randrange(n) for n in new.shape)
        with np.errstate(all="ignore"):
            kinds = REALS if new.dtype.kind == "f" else [i for i in INTEGERS if abs(i) < 2**31]
            new[at] = rng.choice(kinds)
        return new
    kind = rng.randrange(9)
    shape = tuple(rng.randrange(4) for _ in range(rng.randrange(4)))
    if like is not None and kind < 3:
        shape = like.shape[: rng.randrange(len(like.shape) + 1)] + (rng.randrange(3),)
    match kind:
        case 0 | 3:
            return np.full(shape, rng.choice(REALS))
        case 1 | 4:
            return np.full(
                shape, rng.randint(-5, 50), dtype=rng.choice(("i1", "u1", "i4", "i8", "u8"))
            )
        case 2:
            return np.full(shape, 1 + 2j)
        case 5:
            return rng.choice(ODDITIES).replace("\x00", "0").replace("\ud800", "")
        case 6:
            return np.zeros(shape, dtype=[("a", "i4"), ("b", "f8")])
        case 7:
            return np.array([b"ab", b""], dtype="S2")
    return np.full(shape, bool(rng.randrange(2)))


def _change(rng: Random, file: Any) -> None:
    import h5py

    names = _names(file)
    if not names:
        return
    name = rng.choice(names)
    one = file.get(name)
    kind = rng.randrange(12)
    array = one[...] if isinstance(one, h5py.Dataset) and one.shape is not None else None
    if kind == 0:
        del file[name]
    elif kind < 5:
        attributes = dict(one.attrs) if one is not None else {}
        del file[name]
        made = file.create_dataset(name, data=_odd_array(rng, array))
        made.attrs.update(attributes)
    elif kind == 5:
        file.move(
            name,
            rng.choice((name + "x", rng.choice(ODDITIES).replace("\x00", "") or "y", "q/" + name)),
        )
    elif kind == 6:
        other = rng.choice(names)
        del file[name]
        file[name] = rng.choice(
            (
                h5py.SoftLink("/" + other),
                h5py.SoftLink("/" + name),
                h5py.SoftLink("/nowhere"),
                h5py.ExternalLink("other.h5", "/"),
                h5py.ExternalLink("/dev/zero", "/a"),
            )
        )
    elif kind == 7:
        holder = one if rng.random() < 0.5 and one is not None else file
        keys = sorted(holder.attrs) or ["format"]
        key = rng.choice(keys)
        if rng.random() < 0.3:
            del holder.attrs[key]
        else:
            holder.attrs[key] = _odd_array(rng)
    elif kind == 8:  # more than there is room for, of which nothing is stored
        del file[name]
        length = rng.choice((10**6, 10**9, 2**40, 2**62))
        file.create_dataset(name, shape=(length,), chunks=(1024,), maxshape=(None,), dtype="f8")
    elif kind == 9 and array is not None and array.ndim:
        del file[name]
        file.create_dataset(
            name,
            data=array,
            chunks=True,
            compression="gzip",
            shuffle=True,
            fletcher32=rng.random() < 0.5,
        )
    elif kind == 10:
        del file[name]
        file.create_group(name).create_dataset("a", data=1)
    else:
        empty = h5py.Empty("f8")
        del file[name]
        file[name] = empty


def mutate_netcdf(rng: Random, seed: bytes) -> bytes:
    """Return a classic NetCDF file with other values in its variables."""
    import netCDF4

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.nc"
        path.write_bytes(seed)
        with netCDF4.Dataset(path, "r+") as file:
            file.set_auto_mask(False)
            for _ in range(rng.choice((1, 1, 2, 3))):
                _change_variable(rng, file)
        return path.read_bytes()


def _change_variable(rng: Random, file: Any) -> None:
    name = rng.choice(sorted(file.variables))
    variable = file.variables[name]
    kind = rng.randrange(6)
    if kind == 0:
        file.renameVariable(name, name + rng.choice("x123"))
    elif kind == 1:
        attributes = variable.ncattrs() or ["elem_type"]
        variable.setncattr(
            rng.choice(attributes), rng.choice(("HEX8", "NSIDED", "", "QUAD9", 3, 1.5))
        )
    elif variable.size:
        at = tuple(rng.randrange(n) for n in variable.shape)
        if variable.dtype.kind == "f":
            variable[at] = rng.choice(REALS)
        elif variable.dtype.kind == "i":
            variable[at] = rng.choice([i for i in INTEGERS if -(2**31) <= i < 2**31])
        else:
            variable[at] = bytes([rng.randrange(256)])
