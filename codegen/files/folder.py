# SPDX-License-Identifier: BSD-3-Clause
"""Writing generated files: a new folder appears complete or not at all; other files are kept."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from flexforge.codegen.errors import InputError
from flexforge.codegen.files.atomic import is_generated


def write_folder(
    folder: Path, files: Mapping[str, str | bytes], *, overwrite: bool = False
) -> list[Path]:
    """Write files into a folder.

    Parameters
    ----------
    folder : Path
        Created if missing; files of an earlier generation in the folders that are written
        are replaced or removed, except archives of other names.
    files : mapping
        Text or bytes, by path inside the folder.
    overwrite : bool
        Allow other files in the folder, and replace those of the same names; none is removed.

    Returns
    -------
    list of Path
        The files, sorted.

    Raises
    ------
    InputError
        If the folder contains other files, is not a folder, or cannot be written.
    """
    try:
        present = sorted(_files(folder)) if folder.exists() else []
        ours = [path for path in present if is_generated(path)]
        foreign = [str(path.relative_to(folder)) for path in present if path not in ours]
        if foreign and not overwrite:
            raise InputError(
                f"{folder}: found '{foreign[0]}', which flexforge did not generate; expected a new "
                "or empty folder, or --overwrite"
            )
        _refuse_links(folder, files)
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}-"))
        try:
            for name, content in files.items():
                path = scratch / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.encode() if isinstance(content, str) else content)
            stale = [] if overwrite else [path for path in ours if _is_stale(path, folder, files)]
            _move(scratch, folder, stale)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    except OSError as error:
        raise InputError(
            f"{error.filename or folder}: cannot write generated files "
            f"({error.strerror or error}); expected a writable folder"
        ) from error
    return sorted(folder / name for name in files)


def _move(scratch: Path, folder: Path, stale: list[Path]) -> None:
    """Put complete files into place: all at once into a new folder, else one by one."""
    os.chmod(scratch, 0o777 & ~_umask())
    if not folder.is_symlink() and not (folder.exists() and any(folder.iterdir())):
        os.replace(scratch, folder)
        return
    for path in sorted(_files(scratch)):
        place = folder / path.relative_to(scratch)
        place.parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, place)
    for path in stale:
        path.unlink()


def _files(folder: Path) -> list[Path]:
    """Return everything but folders in a folder and its subfolders."""
    next(folder.iterdir(), None)  # raises an error if it is not a folder
    return [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]


def _refuse_links(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Raise an error for links to folders: files written through them would be elsewhere."""
    inner = {folder / parent for name in files for parent in Path(name).parents}
    for path in sorted(inner - {folder}):
        if path.is_symlink():
            raise InputError(f"{path}: is a link; expected a folder, or none")


def _umask() -> int:
    """Return the umask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _is_stale(path: Path, folder: Path, files: Mapping[str, str | bytes]) -> bool:
    """Whether a generated file beside the new ones is left over from an earlier generation."""
    written = {folder / name for name in files}
    beside = {place.parent for place in written}
    return path not in written and path.parent in beside and path.suffix != ".fmu"
