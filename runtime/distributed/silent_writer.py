# SPDX-License-Identifier: BSD-3-Clause
"""What ranks other than the first hand results to: nothing is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results import BodyGeometry, BodyState, ResultWriter
from flexforge.runtime.results.checkpoint import Checkpoint, Position
from flexforge.runtime.unit_systems import SI, UnitSystem


class SilentWriter(ResultWriter):
    """A writer that writes nothing.

    Parameters
    ----------
    folder : Path
        Folder of the results.
    bodies : sequence of BodyGeometry
        The bodies.
    units : UnitSystem
        The units of the model.
    """

    def __init__(
        self, folder: Path, bodies: Sequence[BodyGeometry], units: UnitSystem = SI
    ) -> None:
        self.folder, self.bodies, self.units = folder, tuple(bodies), units

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Do nothing."""

    @property
    def model(self) -> str:
        """No hash: the first rank has it."""
        return ""

    @property
    def position(self) -> Position:
        """Nothing is written."""
        return Position(np.zeros(0), 0)

    @property
    def campbell_data(self) -> dict[str, Any] | None:
        """None."""
        return None

    def frames(self, times: Floats, states: Mapping[str, BodyState]) -> None:
        """Do nothing."""

    def progress(self, what: str, done: int, total: int, time: float | None = None) -> None:
        """Do nothing."""

    def probe_rows(self, times: Floats, values: Floats) -> None:
        """Do nothing."""

    def modes(
        self,
        frequencies: Floats,
        shapes: Mapping[str, Floats],
        about: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Do nothing."""

    def campbell(self, data: Mapping[str, Any]) -> None:
        """Do nothing."""

    def checkpoint(self, moment: Checkpoint) -> None:
        """Do nothing."""

    def summary(self, figures: Mapping[str, Any]) -> None:
        """Do nothing."""

    def close(self, status: str = "finished", reason: str = "") -> None:
        """Do nothing."""
