# SPDX-License-Identifier: BSD-3-Clause
"""Passes: programs into cheaper programs that mean the same.

``PIPELINE`` is the order in which they run; each is one file, states what it assumes and what it
guarantees, and leaves the value of every output unchanged in exact arithmetic. ``choose`` drops the
change of a pass that does not pay in the end.
"""

from __future__ import annotations

from flexforge.codegen.passes.choose import Pass, remembered, where_it_pays
from flexforge.codegen.passes.cse import eliminate_common_subexpressions
from flexforge.codegen.passes.factor import factor_sums
from flexforge.codegen.passes.grid_sums import factor_grid_sums
from flexforge.codegen.passes.hoist import hoist_invariants
from flexforge.codegen.passes.moments import sum_moments
from flexforge.codegen.passes.precompute import precompute_point_values
from flexforge.codegen.passes.prune import prune_unused
from flexforge.codegen.passes.tabulate import tabulate_sums
from flexforge.codegen.passes.uniform import keep_uniform_once
from flexforge.codegen.passes.unroll import unroll_short_loops

_factor = where_it_pays(factor_sums, hoist_invariants, eliminate_common_subexpressions)
_unroll = where_it_pays(
    unroll_short_loops, _factor, hoist_invariants, eliminate_common_subexpressions
)
_moments = where_it_pays(
    sum_moments,
    tabulate_sums,
    precompute_point_values,
    _factor,
    hoist_invariants,
    eliminate_common_subexpressions,
)

_rest: dict[str, Pass] = {
    "uniform": keep_uniform_once,
    "moments": _moments,
    "tabulate": tabulate_sums,
    "precompute": precompute_point_values,
    "unroll": _unroll,
    "factor": _factor,
    "hoist": hoist_invariants,
    "cse": eliminate_common_subexpressions,
    "prune": prune_unused,
}

PIPELINE: dict[str, Pass] = {
    "grid_sums": where_it_pays(factor_grid_sums, *_rest.values()),
    **_rest,
}
PIPELINE = {name: remembered(run) for name, run in PIPELINE.items()}
