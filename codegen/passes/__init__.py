# SPDX-License-Identifier: BSD-3-Clause
"""Passes: programs into cheaper programs that mean the same.

``PIPELINE`` is the order in which they run; each is one file, states what it assumes and what it
guarantees, and leaves the value of every output unchanged in exact arithmetic. ``choose`` drops the
change of a pass that does not pay in the end.
"""

from __future__ import annotations

from flexforge.codegen.passes.choose import Pass, where_it_pays
from flexforge.codegen.passes.cse import eliminate_common_subexpressions
from flexforge.codegen.passes.factor import factor_sums
from flexforge.codegen.passes.hoist import hoist_invariants
from flexforge.codegen.passes.moments import sum_moments
from flexforge.codegen.passes.precompute import precompute_point_values
from flexforge.codegen.passes.prune import prune_unused

_factor = where_it_pays(factor_sums, hoist_invariants, eliminate_common_subexpressions)
_moments = where_it_pays(
    sum_moments,
    precompute_point_values,
    _factor,
    hoist_invariants,
    eliminate_common_subexpressions,
)

PIPELINE: dict[str, Pass] = {
    "moments": _moments,
    "precompute": precompute_point_values,
    "factor": _factor,
    "hoist": hoist_invariants,
    "cse": eliminate_common_subexpressions,
    "prune": prune_unused,
}
