# SPDX-License-Identifier: BSD-3-Clause
"""Laws of force that switch at events: shapes that touch and part, impacts, dry friction."""

from __future__ import annotations

from dataclasses import replace

from flexforge.codegen.forces.declaration import HELD, Event, ForceLaw, Hold, Kept

#: Parameters of impacts that are a compliant law's, and those that are instants.
SPEED, SLOWEST, SHORTEST = "speed", "slowest", "shortest"
#: What impacts keep: whether shapes rest on each other, and the time of the last one.
RESTING, SINCE = "resting", "since"
_LONG_AGO = "t - 10^9"


def touching(law: ForceLaw, approach: str = "") -> ForceLaw:
    """Return a law with a gap that acts between two events: where the gap closes and opens.

    Parameters
    ----------
    law : ForceLaw
        The law.
    approach : str
        The name of the speed at which shapes approach. If it is given, the law keeps as ``speed``
        that of the last impact, ``slowest`` at least.
    """
    kept = [Kept("touching", f"step(-({law.gap}))", None)]
    sets = [("touching", "1")]
    if approach:
        kept.append(Kept(SPEED, f"max({approach}, {SLOWEST})", float("inf")))
        sets.append((SPEED, f"max({approach}, {SLOWEST})"))
    events = (
        Event("touches", f"({law.gap})*(1 - touching) + touching", tuple(sets)),
        Event("parts", f"1 - touching - touching*({law.gap})", (("touching", "0"),)),
    )
    return replace(law, kept=tuple(kept), events=events, gate="touching")


def striking(law: ForceLaw, opening: str) -> ForceLaw:
    """Return a law with a gap whose impacts are instants, behind which shapes part or rest.

    The speed at which the gap opens becomes ``restitution`` times that at which it closed. Impacts
    that follow each other within ``shortest`` would be endless: shapes then rest on each other,
    held by a force that pushes, until it would pull.

    Parameters
    ----------
    law : ForceLaw
        The law; its formulas know ``held``, the force between the shapes that rest.
    opening : str
        The name of the speed at which the gap opens.
    """
    rests = f"step({SHORTEST} - (t - since))"
    return replace(
        law,
        states=(*law.states, HELD),
        kept=(Kept(RESTING, "0"), Kept(SINCE, _LONG_AGO)),
        events=(
            Event(
                "impact",
                f"({law.gap})*(1 - resting) + resting",
                ((RESTING, rests), (SINCE, "t")),
                strikes=True,
            ),
            Event("parts", f"{HELD}*resting + 1 - resting", ((RESTING, "0"),), at_once=True),
        ),
        hold=Hold(
            opening, RESTING, f"max(-restitution*{opening}, {opening})*(1 - {rests})", pushes=True
        ),
    )


def sticking(law: ForceLaw, slip: str, most: str) -> ForceLaw:
    """Return a law of dry friction: a slip of one sign, ``way``, or none, while it is ``stuck``.

    Parameters
    ----------
    law : ForceLaw
        The law, whose formulas know ``way``.
    slip : str
        The name of the speed of slip.
    most : str
        A formula of the largest force that sticks.
    """
    stuck = (("stuck", "1"), ("way", "0"))
    return replace(
        law,
        states=(*law.states, HELD),
        kept=(
            Kept("way", f"step({slip}) - step(-({slip}))"),
            Kept("stuck", f"1 - step({slip}) - step(-({slip}))"),
        ),
        events=(
            Event("sticks", f"stuck + way*{slip}", stuck, strikes=True),
            Event(
                "slips",
                f"1 - stuck + stuck*({most} - abs({HELD}))",
                (("stuck", "0"), ("way", f"step(-{HELD}) - step({HELD})")),
                at_once=True,
            ),
        ),
        hold=Hold(slip, "stuck", "0"),
    )
