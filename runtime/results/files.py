# SPDX-License-Identifier: BSD-3-Clause
"""Writing so that nothing is ever half there: folders checked first, files replaced whole."""

from __future__ import annotations

import base64
import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from flexforge.codegen.errors import AnalysisError, InputError

_MARGIN = 1 << 20  # bytes left free beside what is about to be written
_OURS = ("*.pvd", "frames/*.vtu", "modes/*.vtu", "results.h5", "probes.csv", "summary.json",
         "report.html", "campbell.csv", "campbell.svg",
         ".*.tmp", "frames/.*.tmp", "modes/.*.tmp")  # fmt: skip


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
    probe = folder / f".probe.{os.getpid()}.tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.write_bytes(b"\0" * 4096)
        probe.unlink()
    except OSError as error:
        with suppress(OSError):
            probe.unlink(missing_ok=True)
        reason = error.strerror or str(error)
        raise InputError(
            f"output.folder: {folder} cannot be written to ({reason}); expected a writable folder"
        ) from None


def remove_results(folder: Path) -> None:
    """Remove the results of an earlier run, and nothing else.

    Parameters
    ----------
    folder : Path
        Folder of results.
    """
    for pattern in _OURS:
        for path in folder.glob(pattern):
            path.unlink()


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Write a file under another name and put it in place when it is complete.

    Parameters
    ----------
    path : Path
        The file. Whoever reads it sees the old content or the new, never a part.

    Yields
    ------
    file object
        Open for binary writing.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            yield file
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


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
