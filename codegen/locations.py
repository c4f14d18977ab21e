# SPDX-License-Identifier: BSD-3-Clause
"""Folders of an installation for other builds: the header, and the CMake package."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent


def get_include() -> str:
    """Return the folder of ``flexforge.h``, the interface of all kernels.

    It does not include the headers of exported models: an exported folder has its own copies.

    Returns
    -------
    str
        Folder for the compiler option ``-I``.

    Examples
    --------
    >>> import flexforge as ff
    >>> from pathlib import Path
    >>> (Path(ff.get_include()) / "flexforge.h").is_file()
    True
    """
    return str(_HERE / "include")


def get_cmake_dir() -> str:
    """Return the folder of ``flexforge-config.cmake``.

    Returns
    -------
    str
        Folder for the CMake variable ``flexforge_DIR``.

    Examples
    --------
    >>> import flexforge as ff
    >>> from pathlib import Path
    >>> (Path(ff.get_cmake_dir()) / "flexforge-config.cmake").is_file()
    True
    """
    return str(_HERE / "cmake")
