# SPDX-License-Identifier: BSD-3-Clause
"""A deck in memory: its mesh, and its other cards, of the model and step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from flexforge.codegen.errors import InputError, nearest
from flexforge.runtime.arrays import Ints
from flexforge.runtime.decks import keywords
from flexforge.runtime.mesh.abaqus_cards import Card, cards
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.mesh import NUMBERED, Group, Mesh
from flexforge.runtime.mesh.read_abaqus import AbaqusReader

#: What the names of plane elements begin with.
PLANE = ("CPS", "CPE", "CAX")
#: A plane element that becomes a solid by choice.
EXPANDED_PLANE = "CPS4"
_MOST = 12  # unsupported cards listed before the message says "and n more"


@dataclass(slots=True)
class DeckStep:
    """A step of a deck.

    Attributes
    ----------
    card : Card
        Its ``*STEP``.
    cards : list of Card
        Those within it, but for the procedure.
    procedure : Card
        What it computes.
    """

    card: Card
    cards: list[Card] = field(default_factory=list)
    procedure: Card | None = None

    def has(self, option: str) -> bool:
        """Whether its card has a parameter such as PERTURBATION."""
        return option in self.card.options


@dataclass(slots=True)
class Deck:
    """A deck.

    Attributes
    ----------
    path : Path
        The file.
    mesh : Mesh
        Nodes, elements and sets.
    types : dict
        Numbers of the elements of every element type, in the order of the file.
    lumps : list of Card
        ``*ELEMENT`` cards of springs, dashpots and masses.
    cards : list of Card
        Cards before the first step, but for those of the mesh.
    steps : list of DeckStep
        The steps.
    nodal : list of Card
        Surfaces that are sets of nodes.
    ignored : list of Card
        Cards that the user asked to ignore.
    expanded : bool
        Whether all shells and beams become solids, also those with an element of their own.
    pictured : bool
        Whether it asks for a file of results for CalculiX's viewer.
    """

    path: Path
    mesh: Mesh
    types: dict[str, Ints]
    lumps: list[Card]
    cards: list[Card] = field(default_factory=list)
    steps: list[DeckStep] = field(default_factory=list)
    nodal: list[Card] = field(default_factory=list)
    ignored: list[Card] = field(default_factory=list)
    expanded: bool = False
    pictured: bool = False

    @property
    def is_planar(self) -> bool:
        """Whether all its elements are plane ones, which do not become solids."""
        plane = bool(self.types) and all(kind[:3] in PLANE for kind in self.types)
        return plane and not (self.expanded and EXPANDED_PLANE in self.types)

    def is_solid(self, cell: str) -> bool:
        """Whether cells of a type are those of solids, or of plane elements in a plane deck."""
        return CELLS[cell].dim == (2 if self.is_planar else 3)

    def nodes(self, target: str, where: str) -> tuple[str, Ints]:
        """Return the group of the mesh that a node or a set of nodes is, and its nodes.

        Raises
        ------
        InputError
            When there is none.
        """
        if target.isdigit():
            name = f"{NUMBERED}{target}"
        else:
            name = self._name(target, 0, "node", where)
        try:
            return name, self.mesh.select(name).nodes
        except InputError as error:
            raise InputError(f"{where}: {error}") from None

    def surface(self, name: str, where: str) -> str:
        """Return the group of the mesh that a surface is, of facets or of nodes.

        Raises
        ------
        InputError
            When there is none.
        """
        for one in self.nodal:
            if one.options.get("NAME", "").upper() == name.upper():
                fields = [field for row, _ in one.rows() for field in row if field]
                if len(fields) == 1:
                    return self.nodes(fields[0], one.where)[0]
                found = [self.nodes(field, one.where)[1] for field in fields]
                return self.mesh.numbered(np.concatenate(found))
        return self._name(name, None, "surface", where)

    def elements(self, target: str, where: str) -> Group:
        """Return the group of cells that an element or a set of elements is.

        Raises
        ------
        InputError
            When there is none.
        """
        if target.isdigit():
            name = f"{NUMBERED}{target}"
            cells = self.mesh.rows_of(name)
            return Group(name, self.mesh.dim, cells, np.empty(0, dtype=np.int64))
        return self.mesh.groups[self._name(target, None, "element", where)]

    def parts(self, target: str, where: str) -> list[Group]:
        """Return the groups of cells that a set of elements is: of solids, surfaces and lines.

        Raises
        ------
        InputError
            When there is none.
        """
        found = self.elements(target, where)
        plain = found.name.rpartition(":")[0] if found.name.endswith(_KINDS) else found.name
        several = [f"{plain}{kind}" for kind in _KINDS[:3]]
        return [self.mesh.groups[name] for name in several if name in self.mesh.groups] or [found]

    def _name(self, target: str, dim: int | None, what: str, where: str) -> str:
        """Return the name of a group of the mesh: those of decks are not case-sensitive."""
        found = {}
        for name, group in self.mesh.groups.items():
            plain = name.rpartition(":")[0] if name.endswith(_KINDS) else name
            if plain.upper() == target.upper():
                found[group.dim] = name
        of_cells = [dim for dim in found if dim > 0]
        if dim == 0 and 0 not in found and of_cells and what == "node":
            # A set of nodes that are those of the elements of the same name.
            return found[max(of_cells)]
        wanted = 0 if dim == 0 else max(of_cells, default=-1)
        if wanted not in found:
            plural = "sets" if found else "set"
            raise InputError(
                f"{where}: no {what} {plural.rstrip('s')} named '{target}'"
                f"{nearest(target, self.mesh.groups)}"
            )
        return found[wanted]


_KINDS = (":volume", ":surface", ":curve", ":points")


def read_deck(path: Path, ignore: Sequence[str] = (), *, expanded: bool = False) -> Deck:
    """Read a deck.

    Parameters
    ----------
    path : Path
        The file.
    ignore : sequence of str
        Keywords whose cards are left out.
    expanded : bool
        Whether all shells and beams become solids.

    Returns
    -------
    Deck

    Raises
    ------
    InputError
        For cards that are not supported, all of them with their lines, and what the mesh reader
        refuses.
    """
    reader, wrong = AbaqusReader(path), list[str]()
    left_out = {"".join(one.upper().split()).lstrip("*") for one in ignore}
    model: list[Card] = []
    steps: list[DeckStep] = []
    ignored: list[Card] = []
    nodal: list[Card] = []
    within = pictured = False
    for card in _plain(cards(path)):
        keyword = card.keyword
        if keyword in left_out:
            ignored.append(card)
            continue
        reader.take(card)
        pictured |= keyword in keywords.FILES
        if keyword == "SURFACE" and card.options.get("TYPE", "").upper() == "NODE":
            nodal.append(card)
        if keyword == "STEP":
            steps.append(DeckStep(card))
            within = True
        elif keyword == "ENDSTEP":
            within = False
        elif keyword in keywords.PROCEDURES and within:
            if steps[-1].procedure is not None:
                wrong.append(f"{card.where}: found a second procedure, *{keyword}, in a step")
            steps[-1].procedure = card
        elif keyword not in keywords.KNOWN:
            wrong.append(_refused(card))
        elif keyword not in (*keywords.MESH, *keywords.WORDLESS):
            (steps[-1].cards if within else model).append(card)
    if steps and steps[-1].procedure is None and not steps[-1].cards:
        steps.pop()  # a *STEP that nothing follows
    wrong += [
        f"{step.card.where}: found a step without a procedure; expected one of "
        f"{', '.join(f'*{one}' for one in keywords.PROCEDURES)}"
        for step in steps
        if step.procedure is None and not wrong
    ]
    if not steps and not wrong:
        wrong.append(f"{path}: found no *STEP; expected one, which says what to compute")
    if wrong:
        more = [f"and {len(wrong) - _MOST} more"] if len(wrong) > _MOST else []
        raise InputError("\n".join([*wrong[:_MOST], *more]))
    mesh = reader.finish()
    types = {kind: np.concatenate(pieces) for kind, pieces in reader.types.items()}
    return Deck(path, mesh, types, reader.lumps, model, steps, nodal, ignored, expanded, pictured)


def _plain(given: Iterator[Card]) -> Iterator[Card]:
    """Yield cards with keywords as CalculiX reads them: spaces within them do not count."""
    for card in given:
        yield replace(card, keyword=card.keyword.replace(" ", ""))


def _refused(card: Card) -> str:
    """Return the line about a card that is not supported."""
    keyword = card.keyword
    if keyword in keywords.REFUSED:
        return f"{card.where}: *{keyword} is not supported: {keywords.REFUSED[keyword]}"
    hint = nearest(keyword, keywords.KNOWN)
    return f"{card.where}: *{keyword} is not supported{hint}; --ignore {keyword} leaves it out"
