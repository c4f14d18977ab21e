# SPDX-License-Identifier: BSD-3-Clause
"""Versions of the files that are read back, and how the previous version becomes the current one.

A change of what a file contains raises its version by one and replaces the upgrade here. Readers
know the current version and the one before it; every other one is refused in one line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flexforge.codegen.errors import InputError

#: What a file says of itself: the keys of summary.json, the attributes of an HDF5 file.
Content = dict[str, Any]
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file and its current version.

    Attributes
    ----------
    what : str
        Name for messages.
    version : int
        Current version, which is written.
    upgrade : callable
        Turns the content of the previous version into that of the current one.
    """

    what: str
    version: int
    upgrade: Callable[[Content], Content]

    def require_known(self, path: Path, version: object) -> int:
        """Return the version of a file, or refuse one that is not read.

        Parameters
        ----------
        path : Path
            The file, for messages.
        version : object
            What the file says.

        Raises
        ------
        InputError
            Naming the version and those that are read.
        """
        before = self.version - 1
        known = isinstance(version, int) and not isinstance(version, bool)
        if known and version in (before, self.version):
            return int(str(version))
        raise InputError(
            f"{path}: found version {str(version)[:40]} of the format of {self.what}; expected "
            f"{before} or {self.version}, which this version of flexforge reads"
        )

    def current(self, path: Path, version: object, content: Mapping[str, Any]) -> Content:
        """Return the content of a file as the current version has it.

        Parameters
        ----------
        path : Path
            The file, for messages.
        version : object
            What the file says.
        content : mapping
            Its keys or attributes.

        Raises
        ------
        InputError
            As of :meth:`require_known`.
        """
        found = dict(content)
        if self.require_known(path, version) < self.version:
            found = self.upgrade(found)
        return found


def _results_1_to_2(content: Content) -> Content:
    """Add the origin, of which version 1 has the version of flexforge alone."""
    versions = content.get("versions")
    told = versions.get("flexforge", UNKNOWN) if isinstance(versions, Mapping) else UNKNOWN
    return content | {"provenance": {"flexforge": told, "model": UNKNOWN}}


def _shapes_2_to_3(content: Content) -> Content:
    """Add the origin, which version 2 does not state."""
    return content | {"provenance": {"flexforge": UNKNOWN, "model": UNKNOWN}}


#: summary.json (without a version: 1) and results.h5.
RESULTS = Format("results", 2, _results_1_to_2)
#: Files of the mode shapes of reduced models.
SHAPES = Format("mode shapes", 3, _shapes_2_to_3)
