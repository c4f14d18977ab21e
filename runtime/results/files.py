# SPDX-License-Identifier: BSD-3-Clause
"""Safe writing of results: folders checked first, disk space reserved, one-line errors."""

from __future__ import annotations

import base64
import errno
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.codegen.files.manifest import Manifest

_MARGIN = 1 << 20  # bytes that remain free after a write
_FOLDERS = ("frames", "modes", "tables")
_NAMES = re.compile(
    r"(summary\.json|(checkpoint|end)\.npz|report\.html|results(\.\d+)?\.h5|(probes|events|response|campbell|critical_speeds)\.csv"
    r"|campbell\.svg|(frames|stations|modes)\.pvd|frames/[A-Za-z0-9_.+-]+_\d{6,}(_part\d+)?\.p?vtu"
    r"|modes/[A-Za-z0-9_.+-]+_\d{3,}(_part\d+)?\.p?vtu"
    r"|tables/[A-Za-z0-9_ .+-]+\.csv|(modes|spectrum|densities|envelope|cases|peaks)\.csv"
    r"|(bearing_loads|orbits|undamped|sensitivities|critical_map|multiples|interference|mistuning)\.csv"
    r"|results\.(dat|frd))"
)


def manifest_of(folder: Path, *, overwrite: bool = False) -> Manifest:
    """Return the list of the files that runs have written to a folder of results.

    Parameters
    ----------
    folder : Path
        The folder; it need not exist.
    overwrite : bool
        Treat all files with names of results as those of a run.

    Raises
    ------
    InputError
        When there is a list that flexforge did not write.
    """
    return Manifest(folder, _NAMES, _FOLDERS, overwrite=overwrite)


def prepare_folder(folder: Path) -> None:
    """Create a folder for results and verify that it is writable.

    Parameters
    ----------
    folder : Path
        The folder; it and its parents are created if missing.

    Raises
    ------
    InputError
        When it cannot be created or written to; nothing is then left behind in it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder, prefix=".probe.") as probe:
            probe.write(b"\0" * 4096)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"output.folder: {folder} cannot be written to ({reason}); expected a writable folder"
        ) from None


def require_space(folder: Path, size: int) -> None:
    """Refuse to start a write for which the disk has no space.

    Parameters
    ----------
    folder : Path
        Where it would be written.
    size : int
        Bytes about to be written.

    Raises
    ------
    OSError
        When there is not enough space; nothing has been written then.
    """
    free = shutil.disk_usage(folder).free
    if free < size + _MARGIN:
        needed = f"{size / 1e6:.1f} MB needed, {free / 1e6:.1f} MB free"
        raise OSError(28, f"No space left on device: {needed}")


def set_aside(descriptor: int, start: int, size: int) -> None:
    """Allocate bytes of a file on disk, so that a later write cannot fail for lack of space.

    Parameters
    ----------
    descriptor : int
        The open file.
    start, size : int
        Range of bytes; does nothing on systems without this function.

    Raises
    ------
    OSError
        When there is no space.
    """
    if not hasattr(os, "posix_fallocate"):
        return
    try:
        os.posix_fallocate(descriptor, start, size)
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
            raise


@contextmanager
def one_line(path: Path, kept: str) -> Iterator[None]:
    """Return a failure to write as a one-line error for the user.

    Parameters
    ----------
    path : Path
        What was being written.
    kept : str
        What remains of the run, such as ``12 frames``.
    """
    try:
        yield
    except OSError as error:
        reason = " ".join((error.strerror or str(error)).split())
        raise AnalysisError(f"{path}: cannot be written ({reason}); kept: {kept}") from None


def file_name(name: str) -> str:
    """Return a name of the model as a file name."""
    return re.sub(r"[^A-Za-z0-9_.+-]+", "_", name).strip(".") or "body"


def embedded(kind: str, data: bytes) -> str:
    """Return a picture for embedding in a page; the kind is "png" or "svg+xml"."""
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
