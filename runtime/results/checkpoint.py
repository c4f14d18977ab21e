# SPDX-License-Identifier: BSD-3-Clause
"""A checkpoint: what another process needs to go on with a run, in one file, written atomically.

A zip archive of arrays (NumPy's ``npz``), in which numbers and texts are JSON. Nothing in it is
executed when it is read.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.files.atomic import replacing
from flexforge.codegen.version import VERSION
from flexforge.runtime.arrays import Floats

NAME = "checkpoint.npz"
_ABOUT = "about"
#: Errors by which NumPy, zip archives and JSON tell of damaged files.
_DAMAGED = (
    OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile,
    zlib.error,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Position:
    """How far results are written.

    Attributes
    ----------
    times : ndarray, (frames,)
        Times of the frames, s.
    rows : int
        Number of rows of probes.
    """

    times: Floats
    rows: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A moment of a run.

    Attributes
    ----------
    model : str
        Hash of the model.
    step : int
        Number of steps taken.
    state : bytes
        The state of the motion.
    position : Position
        Of the results.
    counts : mapping of str to int
        Work done.
    followed : mapping of str to mapping
        Arrays, numbers and texts that observers have collected, by their names.
    stepper : str
        What takes the steps: it alone knows what their state contains.
    """

    model: str
    step: int
    state: bytes
    position: Position
    counts: Mapping[str, int]
    followed: Mapping[str, Mapping[str, Any]]
    stepper: str = ""

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all.

        Raises
        ------
        OSError
            When it cannot be written; an earlier checkpoint is kept.
        """
        arrays: dict[str, Any] = {
            "state": np.frombuffer(self.state, dtype=np.uint8),
            "times": self.position.times,
        }
        plain: dict[str, dict[str, Any]] = {}
        for owner, parts in self.followed.items():
            for name, value in parts.items():
                if isinstance(value, np.ndarray):
                    arrays[f"{owner}/{name}"] = value
                else:
                    plain.setdefault(owner, {})[name] = value
        about = {
            "flexforge": VERSION,
            "model": self.model,
            "step": self.step,
            "rows": self.position.rows,
            "counts": dict(self.counts),
            "followed": plain,
            "stepper": self.stepper,
        }
        arrays[_ABOUT] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
        with replacing(path) as file:
            np.savez(file, **arrays)

    @classmethod
    def read(cls, path: Path, model: str) -> Checkpoint:
        """Read a checkpoint of a model.

        Parameters
        ----------
        path : Path
            The file.
        model : str
            Hash of the model.

        Raises
        ------
        InputError
            When it is damaged, of another model, or of another version of flexforge.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            about = json.loads(arrays.pop(_ABOUT).tobytes())
            followed: dict[str, dict[str, Any]] = {
                owner: dict(parts) for owner, parts in about["followed"].items()
            }
            state, times = arrays.pop("state").tobytes(), arrays.pop("times")
            for name, value in arrays.items():
                owner, _, part = name.rpartition("/")
                followed.setdefault(owner, {})[part] = value
            found = cls(
                about["model"],
                int(about["step"]),
                state,
                Position(times, int(about["rows"])),
                {name: int(count) for name, count in about["counts"].items()},
                followed,
                str(about["stepper"]),
            )
            version = str(about["flexforge"])
        except _DAMAGED as error:
            reason = " ".join(str(error).split())
            raise InputError(
                f"{path}: is damaged ({reason}); expected the checkpoint of a run: run the model "
                "anew, without --resume"
            ) from None
        if version != VERSION:
            raise InputError(
                f"{path}: found a checkpoint of flexforge {version}; expected one of {VERSION}: "
                "run the model anew, without --resume"
            )
        if found.model != model:
            raise InputError(
                f"{path}: found the checkpoint of another model, or of this one before it was "
                "changed; expected the same model: run it anew, without --resume"
            )
        return found
