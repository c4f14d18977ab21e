# SPDX-License-Identifier: BSD-3-Clause
"""Dividing a model among ranks: the first reads and checks it, and sends every rank its share."""

from __future__ import annotations

from dataclasses import dataclass

from flexforge.runtime.arrays import Floats
from flexforge.runtime.distributed.share import Fragment, shares
from flexforge.runtime.distributed.supported import require_shareable
from flexforge.runtime.machine.threads import default_threads
from flexforge.runtime.observe.probes import AnyProbe
from flexforge.runtime.ranks.mpi import MpiRanks
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System


@dataclass(frozen=True, slots=True)
class Divided:
    """One rank's part of a model.

    Attributes
    ----------
    system : System
        The bodies; those of the whole model where one rank runs it alone.
    loads : Loads
        What acts on them.
    state : tuple of two ndarray, (N, d)
        Displacement and velocity at the start, m and m/s.
    probes : list
        The probes.
    """

    system: System
    loads: Loads
    state: tuple[Floats, Floats]
    probes: list[AnyProbe]


def divide(
    ranks: MpiRanks, whole: Divided | None, threads: int | None
) -> tuple[Divided, tuple[Fragment, ...]]:
    """Return this rank's share of a model, and the shares of its bodies.

    Parameters
    ----------
    ranks : MpiRanks
        The ranks.
    whole : Divided or None
        The model, on the first rank.
    threads : int, optional
        Threads of every rank; by default the cores of a machine are shared by its ranks.

    Raises
    ------
    InputError
        For a model that cannot be shared.
    AnalysisError
        When there are fewer nodes than ranks.
    """
    items = None
    if whole is not None:
        require_shareable(whole.system, ranks.count)
        items = shares(whole.system, whole.loads, whole.state, whole.probes, ranks.count)
    share = ranks.handed_out(items)
    if threads is None:
        threads = max(1, default_threads() // ranks.on_this_machine)
    system, loads, probes = share.built(ranks, threads)
    return Divided(system, loads, share.state, probes), share.fragments
