# SPDX-License-Identifier: BSD-3-Clause
"""Equations of a discrete system by a formalism: ``M z' + h = 0`` and ``q' = A z + b``."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy
from flexforge.codegen.errors import FlexforgeError
from flexforge.codegen.mechanics.formalisms import formalism as formalism_by_name
from flexforge.codegen.mechanics.formalisms import formalism_named
from flexforge.codegen.mechanics.formalisms.energies import kinetic_energy
from flexforge.codegen.mechanics.formalisms.motion import Motion
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.quantities import Quantities
from flexforge.codegen.systems.canonical import TooLargeError, canonical
from flexforge.codegen.systems.declaration import TIME, System
from flexforge.codegen.systems.kinematics import SystemKinematics
from flexforge.codegen.systems.speeds import Rows, constraint_rows, solved
from flexforge.codegen.systems.values import Values

#: Random states at which formalisms are compared, and the largest relative difference.
STATES = 3
TOLERANCE = 1e-40
_SEED = 7


@dataclass(frozen=True)
class SystemEquations:
    """The equations of motion of a discrete system.

    ``M z' + h = 0``, ``q' = A z + b``, in named quantities.

    Attributes
    ----------
    system : System
        The declaration.
    formalism : str
        How they were derived.
    speeds : tuple of sympy.Symbol
        Independent speeds z.
    mass : sympy.ImmutableMatrix
        M, symmetric.
    forces : sympy.ImmutableMatrix
        h: inertia forces without z', less all others.
    rates : sympy.ImmutableMatrix
        Rates of the coordinates, ``A z + b``.
    rows : Rows
        Constraints; those of positions and their rates.
    kinematics : SystemKinematics
        Positions and velocities of its points, in the speeds.
    motion : Motion
        What the formalism gives: its own equations.
    ledger : Ledger
        Cost of the derivation.
    """

    system: System
    formalism: str
    speeds: tuple[sympy.Symbol, ...]
    mass: sympy.ImmutableMatrix
    forces: sympy.ImmutableMatrix
    rates: sympy.ImmutableMatrix
    rows: Rows
    kinematics: SystemKinematics
    motion: Motion
    ledger: Ledger

    def __repr__(self) -> str:
        return (
            f"{self.system.name} by {self.formalism}: {len(self.speeds)} equations in "
            f"{', '.join(map(str, self.speeds))}"
        )

    @property
    def quantities(self) -> Quantities:
        """Definitions of the names."""
        return self.kinematics.quantities

    @property
    def energies(self) -> tuple[sympy.Expr, sympy.Expr]:
        """Kinetic energy; and potential energy of weights, springs and the declared potential."""
        uncounted = Ledger(quantities=self.quantities)
        parts = self.kinematics.parts
        kinetic = (kinetic_energy(p.inertia, p.velocity(uncounted), uncounted) for p in parts)
        return sympy.Add(*kinetic), self.kinematics.potential_energy(uncounted)

    @property
    def seconds(self) -> float:
        """Duration of the derivation."""
        return self.ledger.seconds

    @cached_property
    def expanded(self) -> tuple[sympy.ImmutableMatrix, ...] | None:
        """M, h and q' multiplied out, identical by all formalisms; None where that is too large."""
        n = len(self.speeds)
        try:
            found = canonical(self.quantities, [*self.mass, *self.forces, *self.rates])
        except TooLargeError:
            return None
        mass, rest = found[: n * n], found[n * n :]
        return (
            sympy.ImmutableMatrix(n, n, mass),
            sympy.ImmutableMatrix(rest[:n]),
            sympy.ImmutableMatrix(rest[n:]),
        )

    @property
    def shown(self) -> tuple[sympy.ImmutableMatrix, ...]:
        """M, h and q': multiplied out, or in named quantities where that is too large."""
        return self.expanded or (self.mass, self.forces, self.rates)

    def written_out(self, value: sympy.Expr) -> sympy.Expr:
        """Return an expression without names, in coordinates, speeds and constants."""
        done: dict[sympy.Basic, sympy.Expr] = {}
        for name in self.quantities.below([value]):
            done[name] = self.quantities.definitions[name].xreplace(done)
        return value.xreplace(done)

    def at(self, known: dict[sympy.Symbol, object]) -> Values:
        """Return the values of quantities where all symbols have given values."""
        return Values(self.quantities, known)


def derive_system(system: System, formalism: str = "kane") -> SystemEquations:
    """Derive the equations of motion of a discrete system.

    Parameters
    ----------
    system : System
        The declaration.
    formalism : str
        One of :data:`flexforge.codegen.mechanics.formalisms.FORMALISMS`.

    Raises
    ------
    InputError
        For an unknown formalism, redundant constraints or dependent speeds.
    """
    formalism = formalism_named(formalism)
    ledger = Ledger()
    quantities = Quantities(dict(zip(system.coordinates, system.rates, strict=True)))
    ledger.quantities = quantities
    in_coordinates = SystemKinematics(system, quantities)
    rows = constraint_rows(in_coordinates)
    found = solved(in_coordinates, rows, Values(quantities, _start(system)))
    kinematics = in_coordinates
    if found is not None:
        kinematics = SystemKinematics(system, quantities, found.rates, found.speeds, in_coordinates)
    motion = formalism_by_name(formalism)(kinematics, ledger)
    ledger.stop()
    residuals = motion.second_order(kinematics, Ledger(quantities=quantities))
    mass = [
        [quantities.partial(residual, rate) if j >= i else None
         for j, rate in enumerate(kinematics.speed_rates)]
        for i, residual in enumerate(residuals)
    ]  # fmt: skip
    n = len(residuals)
    rest = dict.fromkeys(kinematics.speed_rates, sympy.Integer(0))
    rates = kinematics.rates()
    return SystemEquations(
        system=system,
        formalism=formalism,
        speeds=kinematics.speeds,
        mass=sympy.ImmutableMatrix(n, n, lambda i, j: mass[min(i, j)][max(i, j)]),
        forces=sympy.ImmutableMatrix(quantities.at(list(residuals), rest)),
        rates=sympy.ImmutableMatrix([rates[q] for q in system.coordinates]),
        rows=rows,
        kinematics=kinematics,
        motion=motion,
        ledger=ledger,
    )


def _start(system: System) -> dict[sympy.Symbol, object]:
    """Return the values at the start, slightly off: zeros by symmetry would be no pivots."""
    near = random.Random(_SEED)
    known: dict[sympy.Symbol, object] = {TIME: 0, **dict(system.constants)}
    for q in (*system.coordinates, *system.inputs, *system.rates, *system.speeds):
        known[q] = system.start.get(q, 0.0) + 1e-3 * near.uniform(0.5, 1)
    return known


def check_agreement(equations: Sequence[SystemEquations]) -> str:
    """Compare the equations of several formalisms, and return how.

    Small ones are multiplied out: equal means identical. Large ones are compared at random states
    to 40 digits, to which different formulas do not agree by chance.

    Returns
    -------
    str
        ``symbol by symbol``, or at how many states.

    Raises
    ------
    FlexforgeError
        If two disagree.
    """
    if all(one.expanded is not None for one in equations):
        for other in equations[1:]:
            if other.expanded != equations[0].expanded:
                raise _disagreement(equations[0], other, "their equations multiplied out")
        return "symbol by symbol"
    random_state = random.Random(_SEED)
    first, *others = equations
    for _ in range(STATES):
        known = _random_state(first, random_state)
        expected = _numbers(first, known)
        for other in others:
            found = _numbers(other, known)
            for entry, value in expected.items():
                scale = max(abs(value), 1)
                if abs(found[entry] - value) > TOLERANCE * scale:
                    raise _disagreement(first, other, entry)
    return f"to 40 digits at {STATES} random states"


def _disagreement(first: SystemEquations, other: SystemEquations, where: str) -> FlexforgeError:
    return FlexforgeError(
        f"{first.formalism} and {other.formalism} of {first.system.name} disagree in {where}"
    )


def _random_state(equations: SystemEquations, source: random.Random) -> dict[sympy.Symbol, object]:
    """Return random values of all symbols, constants among them."""
    system = equations.system
    symbols = (TIME, *system.coordinates, *system.inputs, *equations.speeds, *system.rates)
    known: dict[sympy.Symbol, object] = {s: source.uniform(0.2, 1.2) for s in symbols}
    return known | {s: source.uniform(0.5, 1.5) for s in system.constants}


def _numbers(
    equations: SystemEquations, known: dict[sympy.Symbol, object]
) -> dict[str, sympy.Float]:
    """Return the values of all equations."""
    values = equations.at(known)
    n = range(len(equations.speeds))
    found = {f"M[{i + 1},{j + 1}]": values.of(equations.mass[i, j]) for i in n for j in n}
    return found | {f"h[{i + 1}]": values.of(equations.forces[i]) for i in n}
