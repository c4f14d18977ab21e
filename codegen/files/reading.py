# SPDX-License-Identifier: BSD-3-Clause
"""Reading of files named by users: only regular files up to a maximum size.

Devices have no end, and pipes without a writer block their reader forever: neither is opened.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from flexforge.codegen.errors import InputError

_KINDS = (
    (stat.S_ISDIR, "Is a directory"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


def check_file(path: Path, expected: str, most: int | None = None) -> int:
    """Raise an error unless a path is a regular file, for libraries that open files themselves.

    Parameters
    ----------
    path : Path
        The file.
    expected : str
        Expected kind of file, for the message, such as "a mesh file".
    most : int, optional
        Largest size, bytes.

    Returns
    -------
    int
        Size of the file, bytes.

    Raises
    ------
    InputError
        If it is missing, a folder, a device, a pipe or a socket, or too large.
    """
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise _unreadable(path, expected, error) from None
    _check_status(path, status, expected, most)
    return status.st_size


def read_bytes(path: Path, expected: str, most: int | None = None) -> bytes:
    """Return the content of a regular file; parameters and errors are as in :func:`check_file`."""
    try:
        check_file(path, expected, most)
        # The file of this name may have been replaced meanwhile: check the open one.
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            status = os.fstat(file.fileno())
            _check_status(path, status, expected, most)
            # Not most + 1: a read allocates the requested size at once, even gigabytes.
            data = file.read() if most is None else file.read(min(status.st_size, most) + 1)
    except (OSError, ValueError) as error:
        raise _unreadable(path, expected, error) from None
    if most is not None and len(data) > most:
        raise _too_large(path, expected, most)
    return data


def read_text(path: Path, expected: str, most: int | None = None) -> str:
    """Return the text of a regular file in UTF-8, with or without a byte order mark.

    Parameters and errors are as in :func:`check_file`.
    """
    try:
        return read_bytes(path, expected, most).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(
            f"{path}: found bytes that are not UTF-8 text; expected {expected}"
        ) from None


def _check_status(path: Path, status: os.stat_result, expected: str, most: int | None) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = next((name for test, name in _KINDS if test(status.st_mode)), "not a regular file")
        raise InputError(f"{path}: found no readable file ({kind}); expected {expected}")
    if most is not None and status.st_size > most:
        raise _too_large(path, expected, most)


def _too_large(path: Path, expected: str, most: int) -> InputError:
    return InputError(f"{path}: found a file of more than {most >> 20} MiB; expected {expected}")


def _unreadable(path: Path, expected: str, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(f"{path}: found no readable file ({reason}); expected {expected}")
