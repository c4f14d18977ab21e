# SPDX-License-Identifier: BSD-3-Clause
"""Where an installation keeps what other builds need: the header, and the package for CMake."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent


def get_include() -> str:
    """Return the folder of ``flexforge.h``, the interface of all kernels.

    The headers of exported models are no part of it: an exported folder brings its own copies.

    Returns
    -------
    str
        To be given to a compiler after ``-I``.

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
        To be given to CMake as ``flexforge_DIR``.

    Examples
    --------
    >>> import flexforge as ff
    >>> from pathlib import Path
    >>> (Path(ff.get_cmake_dir()) / "flexforge-config.cmake").is_file()
    True
    """
    return str(_HERE / "cmake")
