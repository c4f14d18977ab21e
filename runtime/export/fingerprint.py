# SPDX-License-Identifier: BSD-3-Clause
"""Hashes that tell apart what solvers compute, and the interface that they are called by."""

from __future__ import annotations

from flexforge.codegen.version import VERSION
from flexforge.runtime.digest import digest

#: Version of the interface of an exported library: raised when a program has to be compiled anew.
SOLVER_ABI = 1


def fingerprint(*given: object) -> str:
    """Return a hash of what a solver is made of, as 32 hexadecimal digits.

    The version of flexforge and that of the interface count as well.

    Parameters
    ----------
    *given : object
        As of :func:`flexforge.runtime.digest.digest`.

    Raises
    ------
    TypeError
        For an object whose content is unknown.
    """
    return digest(VERSION, SOLVER_ABI, given)
