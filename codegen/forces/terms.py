# SPDX-License-Identifier: BSD-3-Clause
"""Names of the kernels of a law of force."""

from __future__ import annotations

from flexforge.codegen.forces.declaration import ForceLaw

GAP, EFFORTS, SWITCHES, HOLD = "gap", "efforts", "switches", "hold"


def terms_of(law: ForceLaw) -> tuple[str, ...]:
    """Return the names of the kernels that a law has, in the order of its table."""
    has = {EFFORTS: law.efforts, GAP: law.gap, SWITCHES: law.switches, HOLD: law.holds}
    return tuple(term for term, one in has.items() if one)
