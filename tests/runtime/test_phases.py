# SPDX-License-Identifier: BSD-3-Clause
"""Phases of a run: each second counts once, and work deep inside names itself."""

from __future__ import annotations

import time

import pytest
from flexforge.runtime.machine import phases as module
from flexforge.runtime.machine.phases import Phases, phase


def test_a_second_counts_for_the_innermost_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that ticks once at every look: two ticks outside, one inside, also on errors."""
    ticks = iter(range(100))
    monkeypatch.setattr(module.time, "perf_counter", lambda: float(next(ticks)))
    told: list[str] = []
    phases = Phases(lambda text, done, total: told.append(text))
    with phases("outer"), phase("inner"):
        pass
    assert phases.seconds == {"outer": 2.0, "inner": 1.0}
    with pytest.raises(KeyError), phases("outer"), phase("inner"):
        raise KeyError
    assert phases.seconds == {"outer": 4.0, "inner": 2.0}
    assert told == ["outer", "inner"] * 2


def test_without_a_run_nothing_is_measured() -> None:
    """After a run, and beside it."""
    phases = Phases()
    with phases("all"):
        time.sleep(0)
    with phase("later"):
        time.sleep(0)
    assert list(phases.seconds) == ["all"]
