# SPDX-License-Identifier: BSD-3-Clause
"""List of the files written into a folder: a later run may replace these and no others."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from flexforge.codegen.errors import InputError
from flexforge.codegen.files.atomic import replacing

NAME = ".flexforge-files"
HEAD = "files written here by flexforge; the next run replaces these and no others"
_LONGEST = 100_000_000  # bytes, for about a million names


class Manifest:
    """The list of files that runs have written into a folder.

    A name is listed before its file is written, so that a killed run leaves no file unlisted. A
    list is checked like any input: it can name only files that a run writes, in the folder itself.

    Parameters
    ----------
    folder : Path
        The folder; it may be missing.
    names : re.Pattern
        Pattern of the names of a run's files, relative to the folder, with ``/``.
    folders : sequence of str
        Subfolders with such files.
    overwrite : bool
        Treat every file of such a name as a run's, and a damaged list as missing.

    Raises
    ------
    InputError
        If there is a list that flexforge did not write.
    """

    def __init__(
        self,
        folder: Path,
        names: re.Pattern[str],
        folders: Sequence[str] = (),
        *,
        overwrite: bool = False,
    ) -> None:
        self.path = folder / NAME
        self._folder, self._names, self._folders = folder, names, tuple(folders)
        self._overwrite = overwrite
        self._file: int | None = None
        self._complete = True
        try:
            self.listed = self._read()
        except InputError:
            if not overwrite:
                raise
            self.listed, self._complete = set(), False

    def require_ours(self) -> None:
        """Raise an error if the folder contains unlisted files with names of a run's files.

        Raises
        ------
        InputError
            Naming one of them, or a link in place of a folder.
        """
        for name in self._folders:
            path = self._folder / name
            if path.is_symlink():
                raise InputError(f"{path}: is a link; expected a folder, or none")
        for name in self._present():
            self.refuse_foreign(name)

    def refuse_foreign(self, name: str) -> None:
        """Raise an error rather than replace an unlisted file.

        Raises
        ------
        InputError
            Naming the file.
        """
        path = self._folder / name
        if self._overwrite or not os.path.lexists(path):
            return
        if _whole(name) in self.listed and not path.is_dir():
            return
        raise InputError(
            f"{self._folder}: found '{name}', which is not known to be written by flexforge "
            f"(no {NAME} names it); expected another folder, or --overwrite"
        )

    def clear(self) -> None:
        """Remove the listed files, and begin an empty list.

        Raises
        ------
        OSError
            If one cannot be removed.
        """
        for name in self._present():
            if self._overwrite or _whole(name) in self.listed:
                (self._folder / name).unlink()
        self.listed.clear()
        self._rewrite()

    def remove(self, which: Callable[[str], bool]) -> None:
        """Remove some of the listed files; their names stay listed.

        Parameters
        ----------
        which : callable
            Takes a name, returns whether the file is removed.

        Raises
        ------
        OSError
            If one cannot be removed.
        """
        for name in list(self._present()):
            if _whole(name) in self.listed and which(_whole(name)):
                (self._folder / name).unlink()

    def add(self, name: str) -> None:
        """List a file that is about to be written.

        Raises
        ------
        OSError
            If the list cannot be written; then the file must not be written.
        """
        assert self._names.fullmatch(name), name
        if name in self.listed:
            return
        if not self._complete or not os.path.lexists(self.path):
            self._rewrite()
        if self._file is None:
            flags = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            self._file = os.open(self.path, flags)
        write_whole(self._file, f"{name}\n".encode())
        self.listed.add(name)

    def discard(self) -> None:
        """Remove the listed files and the list, after a run without results."""
        self.close()
        for name in sorted(self.listed):
            (self._folder / name).unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the list."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _read(self) -> set[str]:
        """Return the names in the list, without a truncated last line."""
        if not os.path.lexists(self.path):
            return set()
        wrong = InputError(
            f"{self.path}: found no list of files of flexforge; expected another folder, or "
            "--overwrite"
        )
        if self.path.is_symlink() or not self.path.is_file():
            raise wrong
        if self.path.stat().st_size > _LONGEST:
            raise wrong
        head, *lines = self.path.read_bytes().decode("utf-8", "replace").split("\n")
        if head != HEAD:
            raise wrong
        self._complete = not lines[-1:] or lines[-1] == ""
        for number, name in enumerate(lines[:-1], start=2):
            if not self._names.fullmatch(name):
                raise InputError(
                    f"{self.path}:{number}: found {name[:80]!r}, which no run writes; expected "
                    "another folder, or --overwrite"
                )
        return set(lines[:-1])

    def _present(self) -> Iterator[str]:
        """Return the files in the folder with names of a run's files, complete or not."""
        for inner in ("", *self._folders):
            folder = self._folder / inner
            if folder.is_dir() and not (inner and folder.is_symlink()):
                for name in sorted(os.listdir(folder)):
                    path = f"{inner}/{name}" if inner else name
                    if self._names.fullmatch(_whole(path)):
                        yield path

    def _rewrite(self) -> None:
        """Rewrite the list."""
        self.close()
        with replacing(self.path) as file:
            file.write("".join(f"{name}\n" for name in (HEAD, *sorted(self.listed))).encode())
        self._complete = True


def _whole(name: str) -> str:
    """Return the final name of a file from the name while it is written (`files.scratch_of`)."""
    return re.sub(r"(^|/)\.([^/]+)\.\d+\.tmp$", r"\1\2", name)


def write_whole(descriptor: int, line: bytes) -> None:
    """Append a line to an open file, completely or not at all.

    Raises
    ------
    OSError
        If it cannot be written; then the file is unchanged.
    """
    size = os.fstat(descriptor).st_size
    try:
        written = os.write(descriptor, line)
        while written < len(line):  # the disk is full: the next call reports it
            written += os.write(descriptor, line[written:])
    except BaseException:
        os.ftruncate(descriptor, size)
        os.lseek(descriptor, size, os.SEEK_SET)  # else the next line would leave a hole before it
        raise
