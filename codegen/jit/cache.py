# SPDX-License-Identifier: BSD-3-Clause
"""The kernel cache: a folder of files that are executed, and therefore verified before use.

The name of a file consists of a key and the SHA-256 of its content: a file damaged by a disk or a
killed process does not match its name and is made again. The folder and its files belong to the
user (or to root), and nobody else can write to them.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import stat
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from flexforge.codegen.errors import FlexforgeWarning, InputError

#: Suffix of unfinished files and folders, which the next holder of the lock removes.
_SCRATCH = ".tmp"


def cache_folder() -> Path:
    """Return the folder of compiled kernels: FLEXFORGE_CACHE, or the user's cache folder."""
    chosen = os.environ.get("FLEXFORGE_CACHE")
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "flexforge"


def open_cache() -> Path:
    """Return the cache folder, created if missing with access for the user only.

    Raises
    ------
    InputError
        If it cannot be created, belongs to another user, or others can write to it.
    """
    folder = cache_folder()
    try:
        _make(folder)
        link, found = os.lstat(folder), os.stat(folder)
    except OSError as error:
        raise _unwritable(error) from error
    for owner in (link.st_uid, found.st_uid):
        if owner not in _trusted_users():
            raise InputError(
                f"{folder}: the kernel cache belongs to user {owner}, and its files are "
                f"executed by user {os.geteuid()}; set FLEXFORGE_CACHE to a folder of your own"
            )
    if _others_write(found):
        own = found.st_uid == os.geteuid()
        remedy = f"expected `chmod go-w {folder}`, or FLEXFORGE_CACHE set" if own else "set"
        remedy += "" if own else " FLEXFORGE_CACHE"
        raise InputError(
            f"{folder}: others can write to the kernel cache (mode {stat.S_IMODE(found.st_mode):o})"
            f", and its files are executed; {remedy} to a folder of your own"
        )
    return folder


def find_kept(name: str, ending: str) -> Path | None:
    """Return an undamaged file of the cache, or None.

    Parameters
    ----------
    name : str
        Key of the file: a hash of everything its content depends on.
    ending : str
        Suffix of its name, such as ``.so``.

    Raises
    ------
    InputError
        If the folder cannot be trusted.
    """
    return next((p for p in _entries(open_cache(), name, ending) if _is_intact(p, ending)), None)


def keep(name: str, ending: str, content: bytes) -> Path:
    """Write a file into the cache, completely or not at all; the caller must hold its lock.

    Parameters
    ----------
    name, ending
        As in :func:`find_kept`.
    content : bytes
        Its content.

    Returns
    -------
    Path
        The file. Damaged files of the same name are replaced, with a warning.

    Raises
    ------
    InputError
        When the cache cannot be written.
    """
    folder = open_cache()
    target = folder / f"{name}-{hashlib.sha256(content).hexdigest()}{ending}"
    try:
        for path in _entries(folder, name, ending):
            if _is_intact(path, ending):
                return path
            said = f"{path}: damaged file in the kernel cache; made again"
            warnings.warn(said, FlexforgeWarning, stacklevel=2)
            path.unlink()
        _write(target, content)
    except OSError as error:
        raise _unwritable(error) from error
    return target


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Hold the lock of a name: one of several processes makes a file, and the others find it.

    Parameters
    ----------
    name : str
        Key of the file. Its unfinished files left by a killed process are removed.

    Raises
    ------
    InputError
        When the cache cannot be written.
    """
    path = open_cache() / f"{name}.lock"
    try:
        descriptor = _lock(path)
    except OSError as error:
        raise _unwritable(error) from error
    try:
        for left in _entries(path.parent, name, _SCRATCH):
            _remove(left)
        yield
    finally:
        # Removed while held: processes waiting for it find it missing, and start again.
        with suppress(OSError):
            path.unlink()
        os.close(descriptor)


@contextmanager
def scratch_folder(name: str) -> Iterator[Path]:
    """Provide a temporary folder in the cache to make a file in.

    Raises
    ------
    InputError
        When the cache cannot be written.
    """
    try:
        with tempfile.TemporaryDirectory(
            dir=open_cache(), prefix=f"{name}-", suffix=_SCRATCH
        ) as scratch:
            yield Path(scratch)
    except OSError as error:
        raise _unwritable(error) from error


def _make(folder: Path) -> None:
    """Create a folder and its parents, with access for the user only."""
    missing = []
    while not folder.exists() and not folder.is_symlink():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)
    if not folder.is_dir():
        raise NotADirectoryError(20, "Not a directory", str(folder))


def _lock(path: Path) -> int:
    """Return the descriptor of a held lock that still has this name."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    while True:
        descriptor = os.open(path, flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), os.lstat(path)):
                    return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _entries(folder: Path, name: str, ending: str) -> list[Path]:
    """Return the files of a name in the cache, damaged or not."""
    # Of thousands of files; to match patterns takes several times as long.
    begin = f"{name}-"
    found = [one for one in os.listdir(folder) if one.startswith(begin) and one.endswith(ending)]
    return [folder / one for one in sorted(found)]


def _is_intact(path: Path, ending: str) -> bool:
    """Whether a file belongs to the user and its content matches its name."""
    try:
        # Reading from a pipe would block forever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or _others_write(found):
                return False
            if found.st_uid not in _trusted_users():
                return False
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return False
    return path.name.endswith(f"-{digest}{ending}")


def _write(target: Path, content: bytes) -> None:
    """Write a file that is complete even after a power failure."""
    stem = target.name.rpartition("-")[0]
    descriptor, scratch = tempfile.mkstemp(dir=target.parent, prefix=f"{stem}-", suffix=_SCRATCH)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        os.replace(scratch, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(scratch)
        raise
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _remove(path: Path) -> None:
    """Remove an unused file or folder; errors are ignored, because leftovers do no harm."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _trusted_users() -> tuple[int, int]:
    """Return the ids of the users whose files are trusted: the current user and root."""
    return os.geteuid(), 0


def _others_write(found: os.stat_result) -> bool:
    """Whether the group or others can write."""
    return bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _unwritable(error: OSError) -> InputError:
    """Return the message for a cache that cannot be written."""
    return InputError(
        f"{cache_folder()}: cannot write the kernel cache ({error.strerror}); "
        "set FLEXFORGE_CACHE to a writable folder"
    )
