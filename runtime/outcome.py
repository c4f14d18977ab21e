# SPDX-License-Identifier: BSD-3-Clause
"""What a run returns: its folder, figures, timings and warnings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flexforge.runtime.observe.record import Figures
from flexforge.runtime.results.history import History
from flexforge.runtime.results.read import Results
from flexforge.runtime.results.units import figure
from flexforge.runtime.results.view import View


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a run.

    Attributes
    ----------
    folder : Path
        Folder of the results.
    status : str
        ``finished``; a run that fails raises an error, and stores its status in ``summary.json``.
    figures : dict
        Name to number, or to a number with its unit.
    timings : dict
        Phase to seconds.
    warnings : tuple of str
        Warnings for the user.
    campbell : dict, optional
        Modes over the speeds, as in ``summary.json``.
    theory : dict
        The theories used where there are several, in words, by subject.
    steps : dict
        Outcomes of the steps of the model, by name; empty without ``[[steps]]``.
    """

    folder: Path
    status: str
    figures: Figures
    timings: dict[str, float]
    warnings: tuple[str, ...]
    campbell: dict[str, Any] | None = None
    theory: dict[str, str] = field(default_factory=dict)
    steps: dict[str, Outcome] = field(default_factory=dict)

    @classmethod
    def of_summary(cls, folder: Path, summary: Mapping[str, Any]) -> Outcome:
        """Return the outcome of a finished run from its summary.

        Parameters
        ----------
        folder : Path
            Folder of the results.
        summary : mapping
            Its ``summary.json``.
        """
        return cls(
            folder,
            summary["status"],
            summary.get("figures", {}),
            summary.get("timings", {}),
            tuple(summary.get("warnings", ())),
            summary.get("campbell"),
            summary.get("theory", {}),
        )

    @property
    def results(self) -> Results:
        """What was written: frames, modes, probes as arrays."""
        return Results(self.folder)

    @property
    def probes(self) -> dict[str, History]:
        """The probes over time, by name, as arrays with units."""
        return self.results.probes

    def view(self, frames: int = 60, height: int = 600) -> View:
        """Return the results in three dimensions: :meth:`Results.view`."""
        return self.results.view(frames, height)

    def __repr__(self) -> str:
        lines = [f"{self.status}: {self.folder}"]
        lines += [f"  {name}: {figure(value)}" for name, value in self.figures.items()]
        return "\n".join([*lines, *(f"  warning: {text}" for text in self.warnings)])
