# SPDX-License-Identifier: BSD-3-Clause
"""C10: the formalisms in a frame whose motion is unknown, counted as in a prescribed one."""

from __future__ import annotations

from dataclasses import dataclass

from flexforge.codegen.elements.library import element
from flexforge.codegen.mechanics.derivation import derive
from flexforge.codegen.mechanics.equations import ElementEquations
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.study.claims.claim import Finding, Table

#: Elements of the plane and of space: their nodes and shapes do not matter.
SHOWN = ("tri3", "tet4")
#: The quantities that are compared, least first in both frames or not.
_COMPARED = ("differentiations", "operations without collecting", "all operations")


@dataclass(frozen=True, slots=True)
class Cost:
    """What a derivation takes.

    Attributes
    ----------
    differentiations, algebra, collecting : int
        Scalar derivatives; products and sums, and those among them that expand and sort.
    """

    differentiations: int
    algebra: int
    collecting: int

    @classmethod
    def of(cls, ledger: Ledger) -> Cost:
        """Return the cost that a ledger has counted."""
        counts = ledger.counts()
        algebra = sum(counts["products"].values()) + sum(counts["sums"].values())
        return cls(ledger.differentiations, algebra, ledger.collecting)

    @property
    def compared(self) -> tuple[int, int, int]:
        """Numbers by which the formalisms are put in order."""
        whole = self.differentiations + self.algebra
        return self.differentiations, whole - self.collecting, whole


def c10() -> Finding:
    """Return the cost of every formalism with the motion of the frame given, and unknown."""
    costs: dict[tuple[str, str, str], Cost] = {}
    agree, rows = True, []
    for name in SHOWN:
        for frame in ("", "free"):
            derived = {one: _derived(name, frame, one) for one in FORMALISMS}
            first, *others = derived.values()
            agree &= all(other.terms == first.terms for other in others)
            costs |= {(name, frame, one): Cost.of(e.ledger) for one, e in derived.items()}
    for name in SHOWN:
        for one in FORMALISMS:
            given, free = costs[name, "", one], costs[name, "free", one]
            pairs = zip(given.compared, free.compared, strict=True)
            numbers = [number for pair in pairs for number in pair]
            rows.append((name, one, *numbers, f"{numbers[5] / numbers[4]:.2f}"))
    return Finding(
        "C10",
        "What is found of the formalisms in a prescribed frame holds where the motion of the frame "
        "is unknown.",
        "no paper: they prescribe the motion of the frame",
        verdict(agree, costs),
        "One pair of nodes is derived, in a frame that moves as given, and in one whose "
        "velocities v_O and w are unknown like those of the nodes: 2 + 1 more equations in the "
        "plane, 3 + 3 in space, and inertia that depends on the displacements. Lagrange's "
        "equations are those of quasi-velocities (Boltzmann-Hamel), Hamilton's have the momenta "
        "of the body, Maggi's begin from the attitude. All end in the same matrices, compared "
        "as data; the rows of the nodes, with v_O and w given, are the equations of the "
        "prescribed frame. Without initial stress, as in the papers. [The "
        "formalisms](formalisms/README.md#a-frame-whose-motion-is-unknown) have the equations, "
        "`flexforge derive ELEMENT --frame free` those of any element.",
        (
            Table(
                (
                    "element",
                    "formalism",
                    *(f"{what}: {frame}" for what in _COMPARED for frame in ("given", "unknown")),
                    "unknown to given",
                ),
                tuple(rows),
            ),
        ),
    )


def verdict(agree: bool, costs: dict[tuple[str, str, str], Cost]) -> str:
    """Return whether all formalisms agree, and which numbers are in the same order in both frames.

    Parameters
    ----------
    agree : bool
        Whether the equations are the same by all formalisms.
    costs : dict of (element, frame, formalism) to Cost
        Of both frames.
    """
    if not agree:
        return "does not hold"
    found = ["the same equations by all: holds"]
    for k, what in enumerate(_COMPARED):
        given, free = (
            sorted({_least(costs, name, frame, k) for name in SHOWN}) for frame in ("", "free")
        )
        if given == free:
            found.append(f"fewest {what} by {' or '.join(given)}: holds")
        else:
            found.append(
                f"fewest {what}: depends on the frame ({' or '.join(given)} where its motion is "
                f"given, {' or '.join(free)} where it is unknown)"
            )
    return "; ".join(found)


def _least(costs: dict[tuple[str, str, str], Cost], name: str, frame: str, k: int) -> str:
    return min(FORMALISMS, key=lambda one: costs[name, frame, one].compared[k])


def _derived(name: str, frame: str, formalism: str) -> ElementEquations:
    return derive(element(name), frame or None, formalism, initial_stress=False)
