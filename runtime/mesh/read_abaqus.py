# SPDX-License-Identifier: BSD-3-Clause
"""Abaqus and CalculiX input files: nodes, elements, node sets, element sets, element surfaces.

This reader replaces meshio because meshio (5.3.5) does not know CPS6, CPS8, CPE3, CPE4, CPE8 or S6,
does not join element sets that come in several pieces, drops the sets named on *NODE, and lets a
second *NODE card replace the first.
Numbering: Abaqus Analysis User's Guide, "Two-dimensional / Three-dimensional solid element
library"; it is the numbering used here, except for the middle node of a line, which Abaqus puts
second, and the nodes 21 to 27 of C3D27: the centre, then the middles of its faces S1 to S6.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.machine.memory import require_memory
from flexforge.runtime.mesh.abaqus_cards import Card, cards
from flexforge.runtime.mesh.abaqus_faces import face_loads
from flexforge.runtime.mesh.build import MeshBuilder, whole
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.mesh import Mesh

# Solids, plane solids, shells and membranes (surfaces of them), lines (edges of plane parts).
_FAMILIES = (
    (r"C3D(4|10|5|6|15|8|20|27)", {str(c.nodes): c.name for c in CELLS.values() if c.dim == 3}),
    (
        r"(?:CPS|CPEG?|CG?AX|M3D|SFM3D|DS|S|R3D|STRI)(3|4|6(?!5)|65|8)",
        {"3": "tri3", "4": "quad4", "6": "tri6", "65": "tri6", "8": "quad8"},
    ),
    (r"(?:M3D|S)(9)", {"9": "quad9"}),  # Abaqus has no plane solids of nine nodes
    (r"(?:T2D|T3D|B2|B3|R2D)(1|2|3)", {"1": "line2", "2": "line3", "3": "line3"}),
)
#: Our node i is Abaqus's node ORDER[i]; all other cells are numbered alike.
ORDER = {"line3": [0, 2, 1], "hex27": [*range(20), 26, 24, 23, 25, 21, 22, 20]}
_FACES = {
    "tet": ((0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)),
    "pyramid": ((0, 1, 2, 3), (0, 4, 1), (1, 4, 2), (2, 4, 3), (3, 4, 0)),
    "wedge": ((0, 1, 2), (3, 5, 4), (0, 3, 4, 1), (1, 4, 5, 2), (2, 5, 3, 0)),
    "hex": (
        (0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0),
    ),
    "tri": ((0, 1), (1, 2), (2, 0)),
    "quad": ((0, 1), (1, 2), (2, 3), (3, 0)),
}  # fmt: skip
#: Elements that join nodes, or weigh on one: they are no cells of a body.
_LUMPS = re.compile(r"(SPRING|DASHPOT|MASS|GAP|DCOUP|ROTARYI|CONN)\w*$")
_MAKES_GEOMETRY = ("NGEN", "NFILL", "NCOPY", "NMAP", "ELGEN", "ELCOPY", "SYSTEM")


def cell_of(kind: str) -> str | None:
    """Return the cell type of an Abaqus element type, None if there is none.

    Parameters
    ----------
    kind : str
        Such as ``C3D10M``.

    Returns
    -------
    str or None
    """
    name = kind.upper()
    if re.match(r"[TR][23]D2|[TR]2D2", name):
        return "line2"
    for pattern, sizes in _FAMILIES:
        found = re.match(pattern + r"(?!\d)[A-Z]*5?$", name)
        if found:
            return sizes[found[1]]
    return None


def read_abaqus(path: Path) -> Mesh:
    """Read an .inp file.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    Mesh

    Raises
    ------
    InputError
        If it contains element types, or methods of generating a mesh, that are not supported.
    """
    reader = AbaqusReader(path)
    for card in cards(path):
        reader.take(card)
    for card in reader.lumps:
        reader.build.remark(
            f"elements of type {card.need('TYPE')} are no cells of a mesh; they are left out"
        )
    return reader.finish()


@dataclass(slots=True)
class _Set:
    """A set as written in the file.

    Attributes
    ----------
    name : str
        Name as written.
    numbers, ranges : list
        Numbers, and ranges with steps, of any length: only numbers that exist count.
    inner : dict
        Names of other sets, in order.
    """

    name: str
    numbers: list[Ints] = field(default_factory=list)
    ranges: list[range] = field(default_factory=list)
    inner: dict[str, None] = field(default_factory=dict)


class AbaqusReader:
    """Collects the cards; sets may name later sets, so they are resolved at the end.

    Parameters
    ----------
    path : Path
        The file, for messages.

    Attributes
    ----------
    types : dict
        Numbers of the elements of every element type, in capitals, in pieces.
    lumps : list of Card
        Cards of springs, dashpots, masses and others that are no cells of a mesh.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.build = MeshBuilder(str(path))
        self.instances = 0
        self.labels: dict[str, list[Ints]] = {}  # cell -> element numbers
        self.nodes: dict[str, list[Ints]] = {}  # cell -> nodes by number
        # By names in capitals: Abaqus is not case-sensitive.
        self.node_sets: dict[str, _Set] = {}
        self.cell_sets: dict[str, _Set] = {}
        self.surfaces: list[Card] = []
        self.loads: list[Card] = []
        self.types: dict[str, list[Ints]] = {}
        self.lumps: list[Card] = []
        self.node_labels: list[Ints] = []
        # By kind of set: numbers that are defined, sets that are resolved.
        self.there: dict[str, Ints] = {}
        self.resolved: dict[str, dict[str, Ints]] = {}
        self.members = 0

    def take(self, card: Card) -> None:
        """Take a card; those that are not about meshes are left."""
        keyword = card.keyword
        if keyword in _MAKES_GEOMETRY:
            raise InputError(f"{card.where}: *{keyword} is not supported; expected a plain mesh")
        if keyword == "INSTANCE":
            self._instance(card)
        elif keyword == "NODE":
            table = card.table(4)
            labels = whole(table[:, 0], card.where)
            self.build.add_nodes(labels, table[:, 1:])
            self.node_labels.append(labels)
            if name := card.options.get("NSET", ""):
                _named(self.node_sets, name).numbers.append(labels)
        elif keyword == "ELEMENT":
            self._elements(card)
        elif keyword == "NSET":
            self._set(card, self.node_sets, card.need("NSET"))
        elif keyword == "ELSET":
            self._set(card, self.cell_sets, card.need("ELSET"))
        elif keyword == "SURFACE" and card.options.get("TYPE", "ELEMENT").upper() == "ELEMENT":
            self.surfaces.append(card)
        elif keyword == "DLOAD":
            self.loads.append(card)

    def finish(self) -> Mesh:
        """Return the mesh of all cards.

        Raises
        ------
        InputError
            For sets and nodes that are missing.
        """
        numbers = {cell: np.concatenate(pieces) for cell, pieces in self.labels.items()}
        self.there = {"element": _joined(numbers.values()), "node": _joined(self.node_labels)}
        for one in self.cell_sets.values():
            wanted = self._resolve(self.cell_sets, one.name, "element")
            for cell, labels in numbers.items():
                places = np.flatnonzero(np.isin(labels, wanted))
                if places.size:
                    self.build.add_to_group(one.name, cell, places)
        for one in self.node_sets.values():
            self.build.add_node_group(one.name, self._resolve(self.node_sets, one.name, "node"))
        for card in self.surfaces:
            name = card.need("NAME")
            for line in card.lines:
                target, _, face = (piece.strip() for piece in line.partition(","))
                self._facets(name, target, face.upper(), numbers)
        for card in self.loads:
            for load in face_loads(card):
                for target in load.targets:
                    self._facets(load.group, target, load.face, numbers)
        return self.build.mesh(of_nodes=bool(self.lumps))

    def _instance(self, card: Card) -> None:
        self.instances += 1
        moved = any(card.table(3).ravel()) if card.lines else False
        if self.instances > 1 or moved:
            raise InputError(
                f"{card.where}: an assembly of several or moved instances is not supported; "
                "expected a flat mesh or one instance in place"
            )

    def _elements(self, card: Card) -> None:
        kind = card.need("TYPE")
        if _LUMPS.match(kind.upper()):
            self.lumps.append(card)
            return
        cell = cell_of(kind)
        if cell is None:
            raise InputError(
                f"{card.where}: element type {kind} is not supported; expected one whose cell is "
                f"{', '.join(CELLS)} "
                "(C3D 4 5 6 8 10 15 20 27, CPS and CPE 3 4 6 8, and their variants)"
            )
        width = CELLS[cell].nodes + 1
        numbers = card.integers()
        if kind.upper() == "C3D8I" and numbers.size % width:
            # Its nodes may be followed by others in the line, for the incompatible modes.
            firsts = [",".join(line.split(",")[:width]) for line in card.lines]
            numbers = replace(card, lines=firsts).integers()
        if numbers.size % width:
            raise InputError(
                f"{card.where}: {numbers.size} numbers for {kind}; expected {width} for each "
                "element: truncated?"
            )
        rows = numbers.reshape(-1, width)
        nodes = rows[:, 1:][:, ORDER[cell]] if cell in ORDER else rows[:, 1:]
        self.build.add_cells(cell, nodes, rows[:, 0])
        self.labels.setdefault(cell, []).append(rows[:, 0])
        self.types.setdefault(kind.upper(), []).append(rows[:, 0])
        self.nodes.setdefault(cell, []).append(nodes)
        if name := card.options.get("ELSET", ""):
            _named(self.cell_sets, name).numbers.append(rows[:, 0])

    def _set(self, card: Card, sets: dict[str, _Set], name: str) -> None:
        if "GENERATE" in card.options:
            for line in card.lines:
                bounds = Card(card.keyword, {}, [line], card.where).integers()
                if bounds.size not in (2, 3):
                    raise InputError(f"{card.where}: expected first, last, step, found '{line}'")
                first, last, step = [*bounds.tolist(), 1][:3]
                _named(sets, name).ranges.append(range(first, last + 1, max(step, 1)))
            return
        if sets is self.node_sets and card.options.get("ELSET"):
            raise InputError(f"{card.where}: *NSET made from an ELSET is not supported")
        fields = [field for line in card.lines for field in re.split(r"[,\s]+", line) if field]
        numbers = [field for field in fields if field.isdigit()]
        found = _named(sets, name)
        found.numbers.append(np.array(numbers, dtype=np.int64))
        found.inner |= {field.strip('"'): None for field in fields if not field.isdigit()}

    def _resolve(self, sets: dict[str, _Set], name: str, what: str) -> Ints:
        """Return the numbers of a set; sets within it are resolved once each.

        In a range from first to last only existing numbers count: the range may be of any length.
        """
        found = self.resolved.setdefault(what, {})
        there = self.there[what]
        wanted = self._key(sets, name, what)
        waiting, entered = [wanted], set()
        while waiting:
            key = waiting[-1]
            if key in found:
                waiting.pop()
                continue
            own = sets[key]
            inner = {self._key(sets, one, what): None for one in own.inner}
            missing = [one for one in inner if one not in found]
            if not missing:
                given = [_listed(there, one) for one in own.numbers]
                given += [_between(there, one) for one in own.ranges]
                absent = sum(number for _, number in given)
                if absent:
                    self.build.remark(
                        f"{what} set '{own.name}' names {absent} {what}s that the file does not "
                        "define; they are left out"
                    )
                parts = [*(members for members, _ in given), *(found[one] for one in inner)]
                found[key] = np.unique(np.concatenate(parts)) if parts else there[:0]
                self.members += len(found[key])
                require_memory(8 * self.members, str(self.path), f"the members of {what} sets")
            elif key in entered:
                raise InputError(f"{self.path}: {what} set '{own.name}' contains itself")
            else:
                entered.add(key)
                waiting += missing
        return found[wanted]

    def _key(self, sets: dict[str, _Set], name: str, what: str) -> str:
        """Return the key of a set name."""
        # A name within an assembly is written Part-1-1.Set-1.
        key = name.upper() if name.upper() in sets else name.upper().rpartition(".")[2]
        if key not in sets:
            raise InputError(f"{self.path}: no {what} set named '{name}', which a set refers to")
        return key

    def _facets(self, name: str, target: str, face: str, numbers: dict[str, Ints]) -> None:
        """Turn a face of elements, such as S3, into cells of one dimension less."""
        if not re.fullmatch(r"S[1-6]?", face):
            return  # shell sides and whole-part surfaces have no face numbers
        wanted = (
            np.array([int(target)])
            if target.isdigit()
            else self._resolve(self.cell_sets, target, "element")
        )
        for cell, labels in numbers.items():
            if face == "S":
                places = np.flatnonzero(np.isin(labels, wanted))
                if CELLS[cell].dim == 2 and places.size:
                    self.build.add_to_group(name, cell, places)
                continue
            faces = _FACES.get(cell.rstrip("0123456789"), ())
            if CELLS[cell].dim < 2 or int(face[1:]) > len(faces):
                continue
            chosen = np.isin(labels, wanted)
            if not chosen.any():
                continue
            nodes = np.concatenate(self.nodes[cell])[chosen]
            corners = faces[int(face[1:]) - 1]
            self.build.add_facets(name, cell, nodes, labels[chosen], corners)


def _joined(pieces: Iterable[Ints]) -> Ints:
    """Return all numbers, ascending, each once."""
    return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *pieces]))


def _named(sets: dict[str, _Set], name: str) -> _Set:
    """Return the set of a name, a new one if there is none."""
    return sets.setdefault(name.upper(), _Set(name))


def _between(there: Ints, wanted: range) -> tuple[Ints, int]:
    """Return the existing numbers of a range, ascending, and the count of missing ones."""
    between = there[(there >= wanted.start) & (there < wanted.stop)]
    chosen = between[(between - wanted.start) % wanted.step == 0]
    return chosen, len(wanted) - len(chosen)


def _listed(there: Ints, wanted: Ints) -> tuple[Ints, int]:
    """Return the existing ones of some numbers, ascending, and the count of missing ones."""
    numbers = np.unique(wanted)
    chosen = numbers[np.isin(numbers, there)]
    return chosen, len(numbers) - len(chosen)
