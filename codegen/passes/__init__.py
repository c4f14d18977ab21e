# SPDX-License-Identifier: BSD-3-Clause
"""Passes: transformations of programs into cheaper equivalent programs.

``PIPELINE`` is their order. Each pass is a file, states what it assumes and guarantees, and leaves
every output unchanged in exact arithmetic. ``choose`` drops the result of a pass that does not save
operations in the end.
"""

from __future__ import annotations

from flexforge.codegen.passes.choose import Pass, Way, remembered, where_it_pays
from flexforge.codegen.passes.cse import eliminate_common_subexpressions
from flexforge.codegen.passes.factor import factor_sums
from flexforge.codegen.passes.hoist import hoist_invariants
from flexforge.codegen.passes.mirrored_sums import mirror_sums
from flexforge.codegen.passes.moments import sum_moments
from flexforge.codegen.passes.precompute import precompute_point_values
from flexforge.codegen.passes.prune import prune_unused
from flexforge.codegen.passes.uniform import keep_uniform_once
from flexforge.codegen.passes.unroll import unroll_longer_loops, unroll_short_loops

#: Unrolled loops are long chains of dependent operations for the processor, which a few saved
#: operations do not make up for: hex27's stiffness was 1.3 times slower with 1.6 % fewer. Entries
#: that are no longer kept in memory do: hex8's tangent takes 0.85 of the time with a third of the
#: accesses and as many operations.
WRITTEN_OUT, ACCESS = 0.04, 0.5
LONGER_WRITTEN_OUT = 0.2

_closing: tuple[Pass, ...] = (hoist_invariants, eliminate_common_subexpressions)
_factor = where_it_pays(factor_sums, Way(_closing))
_rolled = Way((_factor, *_closing))
_unroll_short = where_it_pays(
    unroll_short_loops, Way((*_rolled.passes, prune_unused), access=ACCESS), saving=WRITTEN_OUT
)
# Where loops stay, a compiler turns the rows of one element into vectors: longer ones must save
# more, as those of masses do. quad8's stiffness took 1.5 times as long with a tenth fewer.
_unroll = where_it_pays(
    unroll_longer_loops, _rolled, saving=LONGER_WRITTEN_OUT, instead=_unroll_short
)
# Values stored per point and node are loaded for every pair, so they must save operations.
_precompute = where_it_pays(
    precompute_point_values,
    _rolled,
    Way((unroll_short_loops, *_rolled.passes), 1 / (1 - WRITTEN_OUT)),
    Way((unroll_longer_loops, *_rolled.passes), 1 / (1 - LONGER_WRITTEN_OUT)),
)
_moments = where_it_pays(sum_moments, Way((precompute_point_values, *_rolled.passes)))
_rolled_rest = Way(
    (keep_uniform_once, _moments, where_it_pays(precompute_point_values, _rolled), *_rolled.passes)
)

_rest: dict[str, Pass] = {
    "uniform": keep_uniform_once,
    "moments": _moments,
    "precompute": _precompute,
    "unroll": _unroll,
    "factor": _factor,
    "hoist": hoist_invariants,
    "cse": eliminate_common_subexpressions,
    "prune": prune_unused,
}

PIPELINE: dict[str, Pass] = {
    "mirrored_sums": where_it_pays(mirror_sums, Way(tuple(_rest.values())), large=_rolled_rest),
    **_rest,
}
PIPELINE = {name: remembered(run) for name, run in PIPELINE.items()}
