# SPDX-License-Identifier: BSD-3-Clause
"""The processes that share a run (MPI), and what they tell each other."""

from flexforge.runtime.ranks.ranks import ONE, Ranks

__all__ = ["ONE", "Ranks"]
