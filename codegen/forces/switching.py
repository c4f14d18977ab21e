# SPDX-License-Identifier: BSD-3-Clause
"""Laws of force that switch at events: shapes that touch and part, impacts, dry friction."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flexforge.codegen.forces.declaration import GRIPS, HELD, ZERO, Event, ForceLaw, Hold, Kept

#: Parameters of impacts that are a compliant law's, and those that are instants.
SPEED, SLOWEST, SHORTEST = "speed", "slowest", "shortest"
#: What contacts keep: whether shapes touch; rest on each other, and the time of the last impact.
TOUCHING, RESTING, SINCE = "touching", "resting", "since"
#: Whether shapes stick; slips, m/s or rad/s, that are none, and gaps, m: those of round-off.
STUCK, STILL = "stuck", "1e-9"


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
    kept = [Kept(TOUCHING, f"step(-({law.gap}))", None)]
    sets = [(TOUCHING, "1")]
    if approach:
        kept.append(Kept(SPEED, f"max({approach}, {SLOWEST})", float("inf")))
        sets.append((SPEED, f"max({approach}, {SLOWEST})"))
    jumps = bool(law.kept)  # the gap may change where other events change what it depends on
    touches = f"({law.gap})*(1 - touching) + touching"
    parts = f"1 - touching - touching*({law.gap})"
    events = (
        Event("touches", touches, tuple(sets), at_once=jumps),
        Event("parts", parts, ((TOUCHING, "0"),), at_once=jumps),
    )
    return replace(law, kept=(*law.kept, *kept), events=(*law.events, *events), gate=TOUCHING)


def striking(law: ForceLaw, opening: str) -> ForceLaw:
    """Return a law with a gap whose impacts are instants, behind which shapes part or rest.

    The speed at which the gap opens becomes ``restitution`` times that at which it closed. Impacts
    that follow each other within ``shortest`` would be endless: shapes then rest on each other,
    held by a force that pushes, until it would pull. So do shapes that touch at the start without
    opening.

    Parameters
    ----------
    law : ForceLaw
        The law; its formulas know ``held``, the force between the shapes that rest.
    opening : str
        The name of the speed at which the gap opens.
    """
    rests = f"step({SHORTEST} - (t - since))"
    rest = f"step({STILL} - abs({law.gap}))*step({STILL} - abs({opening}))"
    to = f"max(-restitution*{opening}, {opening})*(1 - {rests})"
    return replace(
        law,
        states=(*law.states, HELD),
        kept=(Kept(RESTING, rest), Kept(SINCE, f"t - 10^9*(1 - {rest})")),
        events=(
            Event(
                "impact",
                f"({law.gap})*(1 - resting) + resting",
                ((RESTING, rests), (SINCE, "t")),
                strikes=(HELD,),
            ),
            Event("parts", f"{HELD}*resting + 1 - resting", ((RESTING, "0"),), at_once=True),
        ),
        holds=(Hold(HELD, opening, RESTING, to, pushes=True),),
    )


@dataclass(frozen=True, slots=True)
class Slip:
    """How formulas have a slip across one or two directions, and its way: numbers that are kept.

    Attributes
    ----------
    speeds : tuple of str
        Names of its components; the first is along the way.
    size : str
        A formula of its size, without the way.
    way : tuple of str
        Names of the kept numbers.
    toward : tuple of str
        Formulas of the way that the slip has, also where it is zero.
    turned : str
        A formula, below zero where the way is no longer about that of the slip.
    tilted : str
        The same while shapes stick, where the way is one of two directions across the normal that
        turn with it; empty: it never is.
    along, across : tuple of str
        Formulas of the directions of the components, as the kept numbers have them.
    """

    speeds: tuple[str, ...]
    size: str
    way: tuple[str, ...]
    toward: tuple[str, ...]
    turned: str
    tilted: str = ""
    along: tuple[str, ...] = ("1",)
    across: tuple[str, ...] = ()

    @property
    def grips(self) -> tuple[str, ...]:
        """Names of the forces that hold its components."""
        return GRIPS[: len(self.speeds)]

    @property
    def force(self) -> str:
        """Formula of the size of the force that holds it."""
        first, *second = self.grips
        return f"sqrt({first}^2 + {second[0]}^2)" if second else f"abs({first})"

    @property
    def against(self) -> tuple[str, ...]:
        """Formulas of the way in which it begins: against the force that held it."""
        if not self.across:
            return tuple(f"1 - 2*step({one})" for one in self.grips)
        first, second = self.grips
        return tuple(
            f"-({first}*{one} + {second}*{other})/{self.force}"
            for one, other in zip(self.along, self.across, strict=True)
        )


def gripping(law: ForceLaw, slip: Slip, grip: str) -> ForceLaw:
    """Return a law of impacts that have friction: impulses along the slip too.

    Parameters
    ----------
    law : ForceLaw
        A law of `striking`.
    slip : Slip
        The slip of what touches.
    grip : str
        The parameter that is its coefficient.
    """
    sets = (*zip(slip.way, slip.toward, strict=True), (STUCK, "0"))
    return replace(
        law,
        kept=(*law.kept, *_ways(slip), Kept(STUCK, "0")),
        events=tuple(
            replace(one, sets=(*one.sets, *sets), strikes=(*one.strikes, *slip.grips))
            if one.strikes
            else one
            for one in law.events
        ),
        holds=(*law.holds, *_held(slip)),
        grip=grip,
    )


def sticking(law: ForceLaw, slip: Slip, most: str) -> ForceLaw:
    """Return a law of dry friction: a slip in a way, or none while shapes are ``stuck``.

    Parameters
    ----------
    law : ForceLaw
        The law, whose formulas know the way and ``stuck``: of a joint, or with a gap and events.
    slip : Slip
        The slip.
    most : str
        A formula of the largest force that sticks.
    """
    acts = next((one.name for one in law.kept if one.name in (TOUCHING, RESTING)), "1")
    still = f"step({STILL} - {slip.size})"
    slips, toward = f"{acts}*(1 - {STUCK})", tuple(zip(slip.way, slip.toward, strict=True))
    turned = f"{slips}*({slip.turned})"
    turns = toward
    if slip.tilted:
        turned = f"{turned} + {acts}*{STUCK}*({slip.tilted})"
        turns = tuple(
            (name, f"{STUCK}*{own} + (1 - {STUCK})*({of_slip})")
            for own, (name, of_slip) in zip(slip.along, toward, strict=True)
        )
    began = {"touches": (*toward, (STUCK, "0")), "parts": ((STUCK, "0"),)}
    known = tuple(replace(one, sets=(*one.sets, *began.get(one.name, ()))) for one in law.events)
    if law.is_rigid:  # impacts may end in sticking where shapes rest behind them
        known = tuple(
            replace(one, sets=tuple((name, dict(one.sets)[RESTING] if name == STUCK else text)
                                    for name, text in one.sets))
            if one.strikes else one
            for one in known
        )  # fmt: skip
    ahead = slip.speeds[0] if slip.across else f"{slip.way[0]}*{slip.speeds[0]}"
    own = (
        Event(
            "sticks",
            f"1 - {slips} + {slips}*({ahead} + {STILL}/1000)",
            ((STUCK, "1"),),
            strikes=slip.grips,
        ),
        Event(
            "slips",
            f"1 - {STUCK} + {STUCK}*({most} - {slip.force})",
            ((STUCK, "0"), *zip(slip.way, slip.against, strict=True)),
            at_once=True,
        ),
        Event("turns", turned, turns, at_once=True),
    )
    law = replace(law, events=(*known, *own), states=(*law.states, *slip.grips))
    stuck = f"{_at_start(acts, law)}*{still}"
    if law.grip:
        kept = (replace(one, start=stuck) if one.name == STUCK else one for one in law.kept)
        holds = (one if one.pushes else replace(one, most=most) for one in law.holds)
        return replace(law, kept=tuple(kept), holds=tuple(holds))
    return replace(
        law,
        kept=(*law.kept, *_ways(slip), Kept(STUCK, stuck)),
        holds=_held(slip, most, yields=bool(law.gate)),
    )


def _at_start(acts: str, law: ForceLaw) -> str:
    """Return the formula, at the start, of the kept number that tells whether a law acts."""
    return next((one.start for one in law.kept if one.name == acts), acts)


def _ways(slip: Slip) -> list[Kept]:
    return [Kept(name, text) for name, text in zip(slip.way, slip.toward, strict=True)]


def _held(slip: Slip, most: str = ZERO, *, yields: bool = False) -> tuple[Hold, ...]:
    pairs = zip(slip.grips, slip.speeds, strict=True)
    return tuple(
        Hold(grip, speed, STUCK, most=most, yields=yields, jumps=False) for grip, speed in pairs
    )
