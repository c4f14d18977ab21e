# SPDX-License-Identifier: BSD-3-Clause
"""Writing results so that nothing is lost: folders checked first, room on the disk, one line."""

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

_MARGIN = 1 << 20  # bytes left free beside what is about to be written
_FOLDERS = ("frames", "modes")
_NAMES = re.compile(
    r"(summary\.json|report\.html|results\.h5|probes\.csv|campbell\.(csv|svg)"
    r"|(frames|stations|modes)\.pvd|frames/[A-Za-z0-9_.+-]+_\d{6,}\.vtu"
    r"|modes/[A-Za-z0-9_.+-]+_\d{3,}\.vtu)"
)


def manifest_of(folder: Path, *, overwrite: bool = False) -> Manifest:
    """Return the list of the files that runs have written into a folder of results.

    Parameters
    ----------
    folder : Path
        The folder; it need not be there.
    overwrite : bool
        Take all files with names of results for those of a run.

    Raises
    ------
    InputError
        When there is a list that is not one of flexforge.
    """
    return Manifest(folder, _NAMES, _FOLDERS, overwrite=overwrite)


def prepare_folder(folder: Path) -> None:
    """Make a folder for results and prove that it can be written to.

    Parameters
    ----------
    folder : Path
        It, and folders above it, are made where missing.

    Raises
    ------
    InputError
        If it cannot be made or written to; then nothing has been left behind in it.
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
    """Refuse to begin what the disk has no room for.

    Parameters
    ----------
    folder : Path
        Where it would be written.
    size : int
        Bytes about to be written.

    Raises
    ------
    OSError
        If there is not that much room; nothing has been written then.
    """
    free = shutil.disk_usage(folder).free
    if free < size + _MARGIN:
        needed = f"{size / 1e6:.1f} MB needed, {free / 1e6:.1f} MB free"
        raise OSError(28, f"No space left on device: {needed}")


def set_aside(descriptor: int, start: int, size: int) -> None:
    """Allocate bytes of a file on disk, so that writing them cannot fail for want of room.

    Parameters
    ----------
    descriptor : int
        The open file.
    start, size : int
        Which bytes; on systems that cannot do it nothing happens.

    Raises
    ------
    OSError
        If there is no room.
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
    """Turn a failure to write into one line for the user.

    Parameters
    ----------
    path : Path
        What is being written.
    kept : str
        What stays of the run, such as ``12 frames``.
    """
    try:
        yield
    except OSError as error:
        reason = " ".join((error.strerror or str(error)).split())
        raise AnalysisError(f"{path}: cannot be written ({reason}); kept: {kept}") from None


def file_name(name: str) -> str:
    """Return a name of the model as a name for a file."""
    return re.sub(r"[^A-Za-z0-9_.+-]+", "_", name).strip(".") or "body"


def embedded(kind: str, data: bytes) -> str:
    """Return a picture as a page holds it; the kind is "png" or "svg+xml"."""
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
