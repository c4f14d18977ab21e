# SPDX-License-Identifier: BSD-3-Clause
"""From a deck to the tables of a model file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from flexforge.codegen.errors import InputError
from flexforge.runtime.decks.bodies import bodies
from flexforge.runtime.decks.couplings import couplings
from flexforge.runtime.decks.deck import read_deck
from flexforge.runtime.decks.lumps import lumps
from flexforge.runtime.decks.materials import materials
from flexforge.runtime.decks.parts import parts
from flexforge.runtime.decks.pretensions import pretensions
from flexforge.runtime.decks.sectors import sectors
from flexforge.runtime.decks.steps import steps
from flexforge.runtime.decks.stresses import Stresses
from flexforge.runtime.decks.temperatures import Temperatures
from flexforge.runtime.decks.translation import Translation
from flexforge.runtime.unit_systems import UNDECLARED, system_of

_MOST = 12  # problems listed before the message says "and n more"


def translate(
    path: Path, ignore: Sequence[str] = (), *, expanded: bool = False, units: str | None = None
) -> Translation:
    """Return a deck as the tables of a model file.

    Parameters
    ----------
    path : Path
        The deck.
    ignore : sequence of str
        Keywords whose cards are left out.
    expanded : bool
        Whether all shells and beams become solids, as CalculiX makes them.
    units : str, optional
        Name of its system of units, of which decks say nothing.

    Returns
    -------
    Translation
        Tables whose paths are absolute or relative to the working directory, notes and remarks.

    Raises
    ------
    InputError
        For everything that is not supported, a line each, and unknown units.
    """
    try:
        system = system_of(UNDECLARED if units is None else units)
    except InputError as error:
        raise InputError(f"--units: {error}") from None
    translation = Translation(read_deck(path, ignore, expanded=expanded))
    tables = translation.tables
    tables["title"] = path.stem
    tables["units"] = system.name
    tables["mesh"] = {"file": str(path)}
    warmth, stresses = Temperatures.of(translation), Stresses.of(translation)
    for part in (
        materials,
        pretensions,
        partial(bodies, warmth=warmth),
        partial(parts, stressed=list(stresses.sets.values())),
        lumps,
        couplings,
        sectors,
        partial(steps, warmth=warmth, stresses=stresses),
    ):
        part(translation)
        if translation.problems:
            found = translation.problems
            more = [f"and {len(found) - _MOST} more"] if len(found) > _MOST else []
            raise InputError("\n".join([*found[:_MOST], *more]))
    for card in translation.deck.ignored:
        translation.remarks.append(f"{card.where}: *{card.keyword} is ignored, as asked for")
    return translation
