# SPDX-License-Identifier: BSD-3-Clause
"""``*AMPLITUDE``: factors in time, as profiles of a model file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from flexforge.codegen.errors import InputError, nearest
from flexforge.runtime.decks.fields import number, numbers
from flexforge.runtime.mesh.abaqus_cards import Card


class Amplitude(NamedTuple):
    """The factor in time of a load or a boundary condition.

    Attributes
    ----------
    name : str
        Of its ``*AMPLITUDE``; empty without one.
    delay : float
        Time by which it comes later.
    """

    name: str = ""
    delay: float = 0.0

    @classmethod
    def of(cls, card: Card) -> Amplitude:
        """Return that of a card.

        Raises
        ------
        InputError
            When its delay is no number.
        """
        delay = number([card.options.get("TIME DELAY", "0")], 0, card.where)
        return cls(card.options.get("AMPLITUDE", ""), delay)


@dataclass(frozen=True, slots=True)
class Amplitudes:
    """The amplitudes of a deck.

    Attributes
    ----------
    cards : dict
        Their cards by name in capitals.
    """

    cards: dict[str, Card]

    @classmethod
    def of(cls, cards: Sequence[Card]) -> Amplitudes:
        """Return those among the cards of a deck."""
        named = [card for card in cards if card.keyword == "AMPLITUDE"]
        return cls({card.options.get("NAME", "").upper(): card for card in named})

    def profile(self, value: float, amplitude: Amplitude, where: str) -> Any:
        """Return a value times an amplitude as a profile; the value itself without one.

        Parameters
        ----------
        value : float
            What the amplitude multiplies.
        amplitude : Amplitude
            Its name and its delay.
        where : str
            File and line, for messages.

        Raises
        ------
        InputError
            When there is no such amplitude, or none that is a table of step time.
        """
        name, delay = amplitude
        if not name:
            return value
        if name.upper() not in self.cards:
            hint = nearest(name.upper(), self.cards)
            raise InputError(f"{where}: no *AMPLITUDE named '{name}'{hint}")
        points = _points(self.cards[name.upper()])
        return {"points": [[t + delay, value * factor] for t, factor in points]}


def _points(card: Card) -> list[tuple[float, float]]:
    """Return times and factors of an amplitude."""
    options = card.options
    for option in ("USER", "SHIFTX", "SHIFTY"):
        if option in options:
            raise InputError(f"{card.where}: {option} is not supported; expected a table")
    for option, expected in (("DEFINITION", "TABULAR"), ("TIME", "STEP TIME")):
        if options.get(option, expected).upper() != expected:
            raise InputError(f"{card.where}: found {option}={options[option]}; expected {expected}")
    values = numbers(card)
    if len(values) % 2 or len(values) < 4:
        raise InputError(
            f"{card.where}: found {len(values)} values; expected pairs of time and factor, two or "
            "more"
        )
    return list(zip(values[::2], values[1::2], strict=True))
