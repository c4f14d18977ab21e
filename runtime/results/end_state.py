# SPDX-License-Identifier: BSD-3-Clause
"""The state at the end of a step, from which another step goes on: one file of two arrays."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.files.atomic import replacing
from flexforge.runtime.arrays import Floats

NAME = "end.npz"


def write_end(path: Path, displacement: Floats, velocity: Floats) -> None:
    """Write the state at the end of a step, whole or not at all.

    Parameters
    ----------
    path : Path
        The file.
    displacement, velocity : ndarray, (N, d) each
        Relative to the frames, m and m/s.

    Raises
    ------
    OSError
        When it cannot be written.
    """
    with replacing(path) as file:
        np.savez(file, displacement=displacement, velocity=velocity)


def read_end(path: Path, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    """Return displacement (m) and velocity (m/s) at the end of a step, (N, d) each.

    Parameters
    ----------
    path : Path
        The file.
    shape : tuple of int
        N and d of the model.

    Raises
    ------
    InputError
        When the file is absent, damaged, or of another model.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            found = file["displacement"], file["velocity"]
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
        reason = " ".join(str(error).split())
        raise InputError(
            f"{path}: cannot be read ({reason}); expected the state at the end of a step: run the "
            "model anew, without --resume"
        ) from None
    if any(one.shape != shape for one in found):
        raise InputError(
            f"{path}: found {found[0].shape[0]} nodes; expected {shape[0]}: run the model anew, "
            "without --resume"
        )
    return found
