# SPDX-License-Identifier: BSD-3-Clause
"""Files of HDF5 that are read back: opened only when all in them is of a kind that is expected.

HDF5 files can refer to other files, ask for plugins, claim arrays of any size and go round in
circles. Ours do nothing of that kind, but that results of several processes are over those of each,
in files beside them; a file that does is refused before anything of it is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.codegen.errors import FlexforgeError, InputError
from flexforge.runtime.machine.child import TooLong, try_in_child
from flexforge.runtime.results.files import one_line
from flexforge.runtime.results.torn import mend_torn

if TYPE_CHECKING:
    import h5py

#: Names of the files of processes, over which the arrays of results are.
PART = re.compile(r"results\.(\d+)\.h5")
SIGNATURE = b"\x89HDF\r\n\x1a\n"
# Flags of a superblock: open for writing, and in single-writer mode.
_OPEN, _WRITING = 1, 4
_DEEPEST = 8  # groups in groups
_MOST = 100_000  # objects
_SMALL = 1 << 26  # bytes of an array that is read to see whether it can be
_RATIO = 1100  # by which compression can make data smaller
_SLACK = 1 << 20  # bytes


def open_hdf5(path: Path) -> h5py.File:
    """Open a file for reading, as soon as a child process has seen all of it.

    Parameters
    ----------
    path : Path
        A file that flexforge has written; also one that is being written in single-writer mode.

    Returns
    -------
    h5py.File

    Raises
    ------
    InputError
        If it is no file of HDF5, damaged, or holds what flexforge never writes.
    """
    if not path.is_file():
        raise InputError(f"{path}: is not a file; expected an HDF5 file")
    with reading(path), open(path, "rb") as file:
        begin = file.read(len(SIGNATURE))
    if begin != SIGNATURE:
        raise InputError(f"{path}: is not an HDF5 file, or is damaged")
    if _flags(path) & (_OPEN | _WRITING) == _OPEN:
        raise InputError(
            f"{path}: holds nothing to read yet; its run has not come to the first frame or to its "
            "modes, or was killed before"
        )
    try:
        try_in_child(lambda: _look(path), path)
    except TooLong:
        if not _mended(path):
            raise
        try_in_child(lambda: _look(path), path)
    return open_seen(path)


def open_seen(path: Path) -> h5py.File:
    """Open a file again that `open_hdf5` has opened before.

    Parameters and errors are those of `open_hdf5`.
    """
    with reading(path):
        return _opened(path)


def part_files(folder: Path) -> dict[int, Path]:
    """Return the files of processes in a folder of results, by their numbers."""
    found = {path: PART.fullmatch(path.name) for path in folder.glob("results.*.h5")}
    return {int(name[1]): path for path, name in found.items() if name and path.is_file()}


def superblock(path: Path) -> tuple[bytes, int | None]:
    """Return the superblock of a file and where, by that, the file ends (versions 2 and 3)."""
    with open(path, "rb") as file:
        head = file.read(48)
    known = len(head) == 48 and head[:8] == SIGNATURE and head[8] in (2, 3)
    return head, int.from_bytes(head[28:36], "little") if known and head[9] == 8 else None


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn whatever a damaged file does to its reader into one line.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    InputError
        In place of any error that is not ours already.
    """
    try:
        yield
    except FlexforgeError:
        raise
    except UnicodeDecodeError:
        raise InputError(f"{path}: is damaged (bytes that are not UTF-8 text)") from None
    except RecursionError:
        raise InputError(f"{path}: is damaged (values nested too deeply)") from None
    except MemoryError:
        raise InputError(f"{path}: does not fit in memory, or is damaged") from None
    except KeyError as error:
        raise InputError(f"{path}: is damaged or truncated ({error} is missing)") from None
    except Exception as error:  # a damaged file can trip a reader, or its library, anywhere
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{path}: is damaged or truncated ({reason})") from None


def _opened(path: Path) -> h5py.File:
    import h5py

    # Of a file that nobody writes the library would try each damaged part a hundred times, as if
    # somebody were writing it now, and of one that is shorter than it says it would wait for the
    # rest, for ever. Of several processes some may have been killed and others not.
    if any(map(_is_being_written, _with_parts(path))):
        return h5py.File(path, "r", swmr=True, locking=False)
    return h5py.File(path, "r")


def _with_parts(path: Path) -> list[Path]:
    """Return a file and those of processes that it may be over."""
    return [path] if PART.fullmatch(path.name) else [path, *part_files(path.parent).values()]


def _mended(path: Path) -> bool:
    """Mend the files of a run that was killed; return whether there was anything to mend."""
    with one_line(path, "the file as it is"):
        return sum(mend_torn(each) for each in _with_parts(path) if _is_being_written(each)) > 0


def _is_being_written(path: Path) -> bool:
    """Whether a file is marked as being written: by a run that lasts, or one that was killed."""
    _, end = superblock(path)
    return end is not None and bool(_flags(path) & _WRITING) and end <= path.stat().st_size


def _flags(path: Path) -> int:
    """Return the flags of a superblock that has some; 0 of others."""
    head, end = superblock(path)
    return 0 if end is None else head[11]


def _look(path: Path) -> None:
    """Look at everything in a file."""
    look = _Look(path)
    with _opened(path) as file:
        look.group(file, 0)
    for part in look.parts:
        with reading(part), _opened(part) as file:
            _Look(part, is_part=True).group(file, 0)


class _Look:
    """A walk over a file that refuses what flexforge never writes.

    Parameters
    ----------
    path : Path
        The file.
    is_part : bool
        Whether it is that of one process, whose arrays are its own.

    Attributes
    ----------
    parts : list of Path
        Files of processes, over which its arrays are.
    """

    def __init__(self, path: Path, *, is_part: bool = False) -> None:
        self.path, self._size, self._seen = path, path.stat().st_size, set[int]()
        self._is_part = is_part
        self.parts: list[Path] = []

    def group(self, group: Any, depth: int) -> None:
        """Look at a group and all in it."""
        import h5py

        self._begin(group, depth)
        for name in group:
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                raise self._wrong(f"{group.name}: '{name}' is a link")
            one = group[name]
            if isinstance(one, h5py.Group):
                self.group(one, depth + 1)
            elif isinstance(one, h5py.Dataset):
                self._begin(one, depth)
                self._array(one)
            else:
                raise self._wrong(f"{group.name}: '{name}' is a type")

    def _begin(self, one: Any, depth: int) -> None:
        """Count an object, which may be there once, and read its attributes."""
        import h5py

        address = h5py.h5o.get_info(one.id).addr
        if address in self._seen or depth > _DEEPEST or len(self._seen) > _MOST:
            raise self._wrong(f"{one.name} is there more than once, too deep, or one of too many")
        self._seen.add(address)
        for name, value in one.attrs.items():
            if isinstance(value, h5py.Empty) or np.asarray(value).dtype.kind not in "fiuUSO":
                raise self._wrong(f"{one.name}: attribute '{name}' has a type of its own")

    def _array(self, array: Any) -> None:
        """Check that an array is stored in the file itself and no larger than that allows."""
        import h5py

        made = array.id.get_create_plist()
        filters = [made.get_filter(i)[0] for i in range(made.get_nfilters())]
        plain = (h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32)
        if not set(filters) <= set(plain):
            raise self._wrong(f"{array.name} needs a plugin")
        if made.get_external_count():
            raise self._wrong(f"{array.name} is in another file")
        if made.get_layout() == h5py.h5d.VIRTUAL:
            self._virtual(array)
        text = h5py.check_string_dtype(array.dtype) is not None
        if array.shape is None or not (text or array.dtype.kind in "fiu"):
            raise self._wrong(f"{array.name} contains no numeric data")
        most = (_RATIO if filters else 2) * self._size + _SLACK
        if array.nbytes > most:
            raise self._wrong(f"{array.name} claims {array.nbytes:,} bytes")
        if array.nbytes <= _SMALL:
            array[...]
        elif array.chunks:
            array.id.get_num_chunks()

    def _virtual(self, array: Any) -> None:
        """Note the files of processes that an array is over; refuse others."""
        for name in {source.file_name for source in array.virtual_sources()}:
            path = self.path.parent / name
            if self._is_part or not PART.fullmatch(name):
                raise self._wrong(f"{array.name} is in another file")
            if not path.is_file():
                raise InputError(f"{path}: is missing; expected it beside {self.path.name}")
            if path not in self.parts:
                self.parts.append(path)
                self._size += path.stat().st_size

    def _wrong(self, found: str) -> InputError:
        return InputError(f"{self.path}: {found}; expected a file that flexforge has written")
