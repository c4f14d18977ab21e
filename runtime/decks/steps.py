# SPDX-License-Identifier: BSD-3-Clause
"""``*STEP``: what each step computes, and what acts in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from flexforge.codegen.errors import InputError
from flexforge.runtime.decks.acting import Acting, Entry
from flexforge.runtime.decks.amplitudes import Amplitudes
from flexforge.runtime.decks.analyses import ANALYSES, OF_MODES, Modal, period
from flexforge.runtime.decks.deck import Deck, DeckStep
from flexforge.runtime.decks.equations import Equations
from flexforge.runtime.decks.initial import initial
from flexforge.runtime.decks.loads import (
    distributed,
    loads,
    take_distributed,
    take_forces,
    turning_frames,
)
from flexforge.runtime.decks.requests import Requests
from flexforge.runtime.decks.sectors import diameters
from flexforge.runtime.decks.stresses import Stresses
from flexforge.runtime.decks.supports import supports, take_boundary
from flexforge.runtime.decks.temperatures import Temperatures
from flexforge.runtime.decks.transforms import Transforms, transforms
from flexforge.runtime.decks.translation import Translation, line_of
from flexforge.runtime.mesh.abaqus_cards import Card

#: Takes a card of boundary conditions or loads, with its number among the cards.
_Take: TypeAlias = Callable[[Translation, Card, Acting, int], None]
#: Procedures that would go on from the state of a step before, where there was one.
GOING_ON = ("DYNAMIC", "MODALDYNAMIC", "BUCKLE")
#: Procedures that find vibrations without loads.
VIBRATING = ("FREQUENCY", "COMPLEXFREQUENCY")
#: What procedures find that have no time.
TIMELESS = {
    "FREQUENCY": "modes",
    "COMPLEXFREQUENCY": "complex modes",
    "BUCKLE": "factors",
    "STEADYSTATEDYNAMICS": "response",
}
#: Procedures that leave bodies deformed or in motion.
LEAVING = ("STATIC", "DYNAMIC", "MODALDYNAMIC")


@dataclass(slots=True)
class _Walk:
    """The steps, one after the other.

    Attributes
    ----------
    translation : Translation
        What is being made.
    held, forces, spread : Acting
        Boundary conditions, loads at nodes, distributed loads.
    equations : Equations
        Linear equations.
    warmth : Temperatures
        Temperatures of nodes.
    stresses : Stresses
        Initial stresses of elements.
    requests : Requests
        What is printed.
    preload : list of Entry
        Loads of the last static step, which stress what vibrates after it.
    modal : Modal
        The modes of the last step that found some.
    last : tuple of str
        Name and procedure of the last step that left the bodies deformed or in motion.
    cards : int
        Cards so far.
    time : float
        Total time so far.
    """

    translation: Translation
    held: Acting
    forces: Acting
    spread: Acting
    equations: Equations
    warmth: Temperatures
    stresses: Stresses
    requests: Requests
    preload: list[tuple[Acting, Entry]] = field(default_factory=list)
    modal: Modal = Modal()
    last: tuple[str, str] = ("", "")
    cards: int = 0
    time: float = 0.0

    def take(self, step: DeckStep, name: str) -> None:
        """Take the cards of a step, and let things act in it."""
        taken: dict[str, tuple[_Take, Acting]] = {
            "BOUNDARY": (partial(take_boundary, before=self.last[0]), self.held),
            "CLOAD": (take_forces, self.forces),
            "DLOAD": (take_distributed, self.spread),
        }
        for card in step.cards:
            self.cards += 1
            with self.translation.trying():
                if card.keyword in taken:
                    take, acting = taken[card.keyword]
                    take(self.translation, card, acting, self.cards)
                elif card.keyword in ("NODEPRINT", "ELPRINT"):
                    self.requests.take(card)
                elif card.keyword == "EQUATION":
                    self.equations.remove(card)
                elif card.keyword == "CONTROLS":
                    self.translation.remarks.append(
                        f"{card.where}: *CONTROLS is of the iterations of CalculiX; those here end "
                        "with round-off, or a relative residual of 1e-8"
                    )
                elif card.keyword in ("MODALDAMPING", "TEMPERATURE", "SELECTCYCLICSYMMETRYMODES"):
                    continue  # read with the analysis, and before the steps
                else:
                    raise InputError(
                        f"{card.where}: *{card.keyword} within a step is not supported; expected "
                        "it before the first"
                    )
        with self.translation.trying():
            self._act(step, name)

    def _act(self, step: DeckStep, name: str) -> None:
        assert step.procedure is not None
        keyword, where = step.procedure.keyword, step.procedure.where
        table: dict[str, Any] = {"name": name, "analysis": ANALYSES[keyword](step, self.modal)}
        table |= self._after(keyword, where)
        self.held.step(name)
        self.equations.step(name)
        self.requests.step(name)
        self._around(step, table["analysis"])
        if keyword == "FREQUENCY":
            around = tuple(table["analysis"].get("nodal_diameters", ()))
            self.modal = Modal(table["analysis"]["count"], step.has("PERTURBATION"), around)
        if keyword in OF_MODES and self.modal.diameters:
            self.translation.waves.append(name)
            self.translation.tables["cyclic"].pop("expand", None)  # results are of one sector
        if keyword in VIBRATING or keyword in OF_MODES:
            self._preloaded(name, modal=keyword in OF_MODES)
        entries: list[tuple[Acting, Entry]] = []
        if keyword in VIBRATING:
            self.forces.wait()
            self.spread.wait()
        else:
            # Loads that stress what vibrates do not vibrate.
            constant = [one for _, one in self.preload] if self.modal.preloaded else []
            but = constant if keyword in OF_MODES else ()
            entries = [(a, one) for a in (self.forces, self.spread) for one in a.step(name, but)]
        if keyword in ("STATIC", "DYNAMIC"):
            self.preload = entries
        if keyword in LEAVING:
            self.last = name, keyword
        if keyword in ("STATIC", "BUCKLE", "DYNAMIC"):
            self._strain(name)
        found = TIMELESS.get(keyword)
        if table["analysis"]["kind"] == "periodic":
            found = "period"
        if "steady" in table["analysis"]:
            found = "steady"
        self.translation.ends.append(found or self._passed(period(step)))
        table |= self._turning(step, [one for _, one in entries])
        self.translation.add("steps", table, line_of(step.card.where))

    def _after(self, keyword: str, where: str) -> dict[str, str]:
        """Return the step from whose end another goes on; none where it begins at rest."""
        name, before = self.last
        if not name or keyword not in GOING_ON:
            return {}
        if keyword == "DYNAMIC" or before == keyword == "MODALDYNAMIC":
            return {"after": name}
        if keyword == "MODALDYNAMIC" and before == "STATIC" and self.modal.preloaded:
            return {}  # the modes vibrate about the static state
        raise InputError(
            f"{where}: *{keyword} after *{before} is not supported; expected one that begins at "
            "rest, undeformed"
        )

    def _around(self, step: DeckStep, analysis: dict[str, Any]) -> None:
        """Give a modal analysis of a sector its nodal diameters.

        CalculiX doubles the unknowns where amplitudes are complex, and counts every mode twice.
        """
        if analysis["kind"] != "modes":
            return
        found = diameters(self.translation, step)
        assert step.procedure is not None
        if found is not None and step.procedure.keyword != "FREQUENCY":
            raise InputError(
                f"{step.procedure.where}: *COMPLEX FREQUENCY of the sector of a wheel is not "
                "supported; expected *FREQUENCY, or a model file, which has forward and backward "
                "waves"
            )
        if found is not None:
            analysis["nodal_diameters"] = found
            if any(card.keyword == "SELECTCYCLICSYMMETRYMODES" for card in step.cards):
                analysis["count"] = -(-analysis["count"] // 2)

    def _preloaded(self, name: str, *, modal: bool) -> None:
        """Let the loads of the last static step stress what vibrates, also by modes."""
        if self.modal.preloaded:
            for acting, one in self.preload:
                one.preload |= modal
                acting.act(one, name)
            self._strain(name)

    def _strain(self, name: str) -> None:
        """Let temperatures and initial stresses act in a step."""
        self.warmth.step(name)
        self.stresses.steps.append(name)

    def _passed(self, period: float) -> float:
        """Return the total time after a step of a period."""
        self.time += period
        return self.time

    def _turning(self, step: DeckStep, entries: list[Entry]) -> dict[str, Any]:
        """Return the frames of a step, and the inertia terms in them that count."""
        assert step.procedure is not None
        keyword = step.procedure.keyword
        if keyword != "STATIC" and turning_frames(self.translation, entries):
            raise InputError(
                f"{step.procedure.where}: *{keyword} with CENTRIF is not supported; expected it in "
                "a static step before, with PERTURBATION in the *FREQUENCY step"
            )
        modal = keyword in VIBRATING or keyword in OF_MODES
        if modal and not self.modal.preloaded:
            return {"include": {"geometric": False}} if self.preload else {}
        acting = [one for _, one in self.preload] if modal or keyword == "STATIC" else []
        frames = turning_frames(self.translation, acting)
        table: dict[str, Any] = {"frames": frames} if frames else {}
        if modal:
            # The stresses are those of the static step before, which is linear without NLGEOM.
            large = any(one.has("NLGEOM") for one in self.translation.deck.steps)
            include: dict[str, Any] = {} if large else {"prestress": "linear"}
            if frames and keyword != "COMPLEXFREQUENCY":
                include["coriolis"] = False
            return table | {"include": include}
        if frames:
            table["include"] = {"centrifugal_stiffness": False, "geometric": False}
        return table


def steps(translation: Translation, warmth: Temperatures, stresses: Stresses) -> None:
    """Translate the steps of a deck, and boundary conditions and equations before them.

    Parameters
    ----------
    translation : Translation
        What is being made.
    warmth : Temperatures
        Temperatures of nodes.
    stresses : Stresses
        Initial stresses of elements.
    """
    deck = translation.deck
    translation.steps += [f"{number + 1}" for number in range(len(deck.steps))]
    with translation.trying():
        _require_one_theory(deck)
    axes, factors = Transforms(), Amplitudes.of(deck.cards)
    with translation.trying():
        axes = transforms(deck)
    mesh = deck.mesh
    held, forces, spread = (
        Acting(mesh, adds=False),
        Acting(mesh, adds=True),
        Acting(mesh, adds=False),
    )
    walk = _Walk(
        translation,
        held,
        forces,
        spread,
        Equations(translation, axes),
        warmth,
        stresses,
        Requests(translation, axes),
    )
    for card in deck.cards:
        with translation.trying():
            if card.keyword == "BOUNDARY":
                walk.cards += 1
                take_boundary(translation, card, held, walk.cards)
            elif card.keyword == "EQUATION":
                walk.equations.take(card)
            elif card.keyword == "INITIALCONDITIONS":
                initial(translation, card)
    for step, name in zip(deck.steps, translation.steps, strict=True):
        walk.take(step, name)
    supports(translation, held, axes, factors)
    walk.equations.tables()
    loads(translation, forces, axes, factors)
    distributed(translation, spread, factors)
    walk.warmth.loads()
    walk.stresses.loads()
    walk.requests.tables()


def _require_one_theory(deck: Deck) -> None:
    """Refuse steps with small displacements before those with large ones."""
    strained = [
        one
        for one in deck.steps
        if one.procedure is not None and one.procedure.keyword in ("STATIC", "DYNAMIC")
    ]
    large = [one.has("NLGEOM") for one in strained]
    if any(large) and not large[0]:
        raise InputError(
            f"{strained[0].card.where}: a step without NLGEOM before one with it is not supported; "
            "expected NLGEOM from the first on"
        )
