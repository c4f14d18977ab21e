# SPDX-License-Identifier: BSD-3-Clause
"""Forces between links by how they move relative to each other: laws as formulas of coordinates.

Every force has a joint of its own that holds nothing and tells the relative motion, so that forces
act on links that deform, in all formalisms, modes, equilibria and exports, as actuators do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.forces.declaration import VARIABLES, ForceLaw
from flexforge.codegen.forces.switching import SHORTEST
from flexforge.codegen.forces.terms import EFFORTS, GAP, HOLD, SWITCHES, terms_of
from flexforge.runtime.assembly.kernels import law_kernels
from flexforge.runtime.constraints.actuators import Actuator
from flexforge.runtime.mechanism.build import Parts, find_coordinate, is_length
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_forces import ForceSpec
from flexforge.runtime.motion.profiles import PolynomialProfile
from flexforge.runtime.tables import structs
from flexforge.runtime.tables.layout import Kernel

#: Time between impacts below which shapes come to rest, of a step, if none is given.
_SHORTEST = 1e-3


def with_joints(model: ModelSpec) -> ModelSpec:
    """Return a model with a joint for every force, which are in no model file."""
    if not model.forces:
        return model
    further = tuple(one.relative for one in model.forces if one.relative is not None)
    found = model.model_copy(update={"joints": (*model.joints, *further)})
    found._seams = (*model.seams, *(one.name for one in further))
    return found


@dataclass(frozen=True, slots=True)
class Force:
    """A force of a model.

    Attributes
    ----------
    name : str
        As in the model file.
    law : ForceLaw
        What it does.
    values : ndarray
        Of the parameters of the law.
    coordinates : dict of str to int
        Numbers of the coordinates that tell the relative motion, by name.
    controllers : tuple of str
        Names of the states of all controllers.
    reactions : dict of str to int
        Equations whose multipliers the law knows, by its names of them.
    """

    name: str
    law: ForceLaw
    values: np.ndarray = field(compare=False)
    coordinates: Mapping[str, int] = field(compare=False)
    controllers: tuple[str, ...] = ()
    reactions: Mapping[str, int] = field(default_factory=dict, compare=False)

    @property
    def actuators(self) -> list[Actuator]:
        """What acts along the coordinates, by names that no actuator of a model file has."""
        none = PolynomialProfile([0.0])
        return [
            Actuator(self._acting(name), self.coordinates[name], 0.0, 0.0, 0.0, none)
            for name in self.law.efforts
        ]

    @property
    def formulas(self) -> dict[str, Component]:
        """Its components as formulas, by the names of their actuators."""
        return {self._acting(name): Component(self) for name in self.law.efforts}

    @property
    def held(self) -> dict[str, Component]:
        """Speeds that it holds now and then as formulas, by their names."""
        return {self._acting(one.force): Component(self) for one in self.law.holds}

    def table(
        self,
        numbers: Sequence[int],
        first_kept: int = 0,
        first_event: int = 0,
        first_hold: int = 0,
    ) -> structs.Force:
        """Return it as native code reads it.

        Parameters
        ----------
        numbers : sequence of int
            Of its components among all formulas, and of the speeds that it holds.
        first_kept, first_event, first_hold : int
            Of the numbers that all laws keep, of all events, and of all speeds that laws hold.
        """
        law, kernels, terms = self.law, law_kernels(self.law), terms_of(self.law)
        place = {term: terms.index(term) if term in terms else -1
                 for term in (EFFORTS, GAP, SWITCHES, HOLD)}  # fmt: skip
        kept = [one.name for one in law.kept]
        forces = [one.force for one in law.holds]
        return structs.Force(
            kernel=tuple(
                Kernel(law.name, one, partial(getattr, kernels[one], "function"), law)
                for one in terms
            ),
            parameter=self.values,
            formula=np.array(numbers, dtype=int),
            efforts=place[EFFORTS],
            gap=place[GAP],
            switches=place[SWITCHES],
            hold=place[HOLD],
            kept=len(kept),
            first_kept=first_kept,
            events=len(law.events),
            first_event=first_event,
            event=np.array(
                [
                    (
                        sum(1 << forces.index(name) for name in one.strikes),
                        one.at_once,
                        one.crosses,
                    )
                    for one in law.events
                ],
                dtype=int,
            ).ravel(),
            gate=kept.index(law.gate) if law.gate else -1,
            holds=len(forces),
            first_hold=first_hold,
            held=np.array(
                [(kept.index(one.during), one.pushes, one.yields) for one in law.holds], dtype=int
            ).ravel(),
            grip=law.parameters.index(law.grip) if law.grip else -1,
        )

    def _acting(self, coordinate: str) -> str:
        return f"{self.name}[{coordinate}]"


@dataclass(frozen=True, slots=True)
class Component:
    """A component of a force in place of a formula; the law sets those of a force together.

    Attributes
    ----------
    force : Force
        The force.
    """

    force: Force

    @property
    def used(self) -> tuple[str, ...]:
        """Names of its variables: those of the law."""
        return self.force.law.variables

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states of all controllers."""
        return self.force.controllers

    @property
    def inputs(self) -> Mapping[str, float]:
        """None: parameters are constants."""
        return {}

    @property
    def breaks(self) -> tuple[float, ...]:
        """None that are known: laws are not smooth where shapes touch."""
        return ()

    def coordinate(self, name: str) -> int | None:
        """Return the number of the coordinate that a variable is, or is the rate of."""
        if name in self.force.law.states:
            return None
        return self.force.coordinates[VARIABLES[name][0]]

    def variable(self, name: str, actuator_of: Mapping[int, int]) -> int:
        """Return a variable as an ``ff_formula`` numbers it."""
        coordinate = self.coordinate(name)
        if name in self.force.reactions:
            return -1 - len(self.states) - self.force.reactions[name]
        if coordinate is None:
            return -1 - self.states.index(name)
        return 2 * actuator_of[coordinate] + VARIABLES[name][1]

    def function(self, slots: Mapping[str, int]) -> None:
        """Return no function: the law of the force computes it."""
        del slots


def forces_of(model: ModelSpec, parts: Parts) -> tuple[Force, ...]:
    """Return the forces of a model with its joints for forces.

    Raises
    ------
    InputError
        For two laws whose names are the same in C.
    """
    states = tuple(one.name for one in model.controllers)
    numbers = {joint.name: k for k, joint in enumerate(parts.joints)}
    found: list[Force] = []
    equations = len(parts.names) + len(model.constraints)
    analysis = model.analysis
    defaults = {SHORTEST: _SHORTEST * analysis.step_size} if analysis.kind == "transient" else {}
    for spec in model.forces:
        reactions: dict[str, int] = {}
        if spec.rubs:
            law, reactions = _rubbing(model, spec, parts, f"forces[{len(found)}]")
        else:
            law = spec.law(spec.plane(planar=model.is_planar), states)
        if law.holds:
            _refuse_holding(model, f"forces[{len(found)}]")
            reactions = reactions | {one.force: equations + k for k, one in enumerate(law.holds)}
            equations += len(law.holds)
        if spec.joint is None:
            own = {
                one.name: k
                for k, one in enumerate(parts.coordinates)
                if one.joint == numbers[spec.name]
            }
        else:
            key = f"forces[{len(found)}].joint"
            given = (model.joints, parts.coordinates, spec.joint, spec.coordinate, key)
            own = {"slide": find_coordinate(*given)}
        for k, other in enumerate(found):
            if other.law.name == law.name and other.law != law:
                raise InputError(
                    f"forces[{len(found)}].name: found '{spec.name}' beside '{other.name}' of "
                    f"forces[{k}], which are one name in C; expected names that differ in a letter"
                )
        values = np.array([{**defaults, **spec.parameters}[name] for name in law.parameters])
        found.append(Force(spec.name, law, values, own, states, reactions))
    return tuple(found)


def _refuse_holding(model: ModelSpec, key: str) -> None:
    """Refuse a law that holds a speed now and then where steps or equilibria do not know that."""
    analysis = model.analysis
    text = f"{key}: found a law that holds a speed, an impact, dry friction or hold, "
    if analysis.kind != "transient":
        raise InputError(f"{text}with {analysis.kind}; expected transient")
    if analysis.formalism not in (None, "lagrange"):
        raise InputError(f"{text}with formalism {analysis.formalism}; expected lagrange")


def _rubbing(
    model: ModelSpec, spec: ForceSpec, parts: Parts, key: str
) -> tuple[ForceLaw, dict[str, int]]:
    """Return the law of friction of a joint, and the equations whose multipliers it knows."""
    given = (model.joints, parts.coordinates, spec.joint or "", spec.coordinate, f"{key}.joint")
    coordinate = parts.coordinates[find_coordinate(*given)]
    joint = parts.joints[coordinate.joint]
    first = sum(one.held for one in parts.joints[: coordinate.joint])
    held = [k for k, row in enumerate(joint.held_rows) if is_length(joint.kind, row)]
    reactions = {f"reaction_{n}": first + k for n, k in enumerate(held, start=1)}
    analysis = model.analysis
    if not reactions:
        raise InputError(f"{key}.joint: found '{spec.joint}', which holds no force; expected one "
                         "that does")  # fmt: skip
    if analysis.kind == "transient" and analysis.formalism == "hamilton":
        raise InputError(
            f"{key}.friction: found friction of a joint with formalism hamilton, whose multipliers "
            "are impulses of steps; expected lagrange, kane, maggi or gibbs_appell"
        )
    law = spec.rubbing(tuple(reactions), turns=not coordinate.is_length)
    for name in law.parameters:
        if name not in spec.parameters:
            raise InputError(
                f"{key}.parameters: missing {name}; expected {', '.join(law.parameters)}"
            )
    return law, reactions
