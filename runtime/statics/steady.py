# SPDX-License-Identifier: BSD-3-Clause
"""The state at rest in the moving frame about which bodies vibrate, and its geometric stiffness.

``(k + k_omega + k_eps + k_geo(d)) d = q - q_omega - q_eps - m_O a_O`` with ``k_geo`` from the
stresses of d itself, and all loads that are constant in the frames. First d follows from k alone;
then k_geo and d are computed alternately until d no longer changes. The factors of k serve every
speed: the remainder is iterated. A free body has such a state if its loads are in equilibrium, as
in a rotation about a principal axis through its centre; its stresses are then those that k alone
gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers import Factorization, gmres
from flexforge.runtime.statics.balanced import is_balanced, pinned
from flexforge.runtime.statics.held import factor_held, factor_slightly_held, product_of
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.prestress import require_geometric, unstiffened
from flexforge.runtime.statics.refined import Refined
from flexforge.runtime.statics.rigid import (
    free_displacements,
    free_motions,
    may_hold_itself,
    name_equation,
    require_held,
)
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.deformation import Deformation
from flexforge.runtime.system.inertia import Spin
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System

_TOLERANCE = 1e-10  # relative change of the displacements
_RESIDUAL = 1e-12  # of the equations, relative
_NOISE = 1e-13  # of inertia forces, relative to their cancelling terms
_MOST = 60  # iterations
_SOLVED, _UNSOLVED = 1e-3, 5  # residual of a solution; iterations that may fail to reach it
_FAR = 0.1  # displacement relative to the size of a body that is not small
_LEAST_SHARE = 0.1  # smallest fraction of a change that is applied


@dataclass(frozen=True, slots=True)
class SteadyState:
    """A state at rest in the frames.

    Attributes
    ----------
    displacement : ndarray, (N, d)
        m; zero if no geometric stiffness was requested.
    system : System
        The bodies under the stresses of that state, with the motion of their frames at that time.
    turns : int
        How often k_geo was computed.
    solves : int
        Solves with the factors of k.
    """

    displacement: Floats
    system: System
    turns: int = 0
    solves: int = 0


class SteadySolver:
    """Finds steady states of one system, at several times or speeds.

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    solver : str
        Linear solver.
    linear : bool
        Whether stresses are those that k alone gives, as in a linear static analysis.

    Attributes
    ----------
    warnings : list of str
        Loads left out, with reasons, and displacements that are not small.

    Raises
    ------
    InputError
        When ``geometric = true`` and the bodies are free, or their element has no geometric
        stiffness.
    """

    def __init__(self, system: System, loads: Loads, solver: str, *, linear: bool = False) -> None:
        self._system, self._solver, self._linear = system, solver, linear
        self._all_loads = loads
        self._factors: Factorization | Refined | None = None
        self._said: list[str] = []
        self._deformation = Deformation(system)
        self._stressed = self._with_stresses()

    @cached_property
    def _free(self) -> Floats:
        """Rigid motions that nothing holds, (n, k), as far as they are known."""
        if may_hold_itself(self._system):
            return np.zeros((self._system.unknowns, 0))
        return free_displacements(self._system)

    @property
    def warnings(self) -> list[str]:
        """Loads left out, and displacements that are not small, for all computed states."""
        return self._said + self._deformation.warnings("in the steady state")

    def find(self, time: float, system: System | None = None) -> SteadyState:
        """Return the steady state for the motion of the frames and the loads at a time.

        Parameters
        ----------
        time : float
            Time, s.
        system : System, optional
            The same bodies with another motion of the frames.

        Raises
        ------
        InputError
            When supports leave a rigid motion free, and ``geometric = true`` requires it to be
            held.
        AnalysisError
            When there is none: naming the body and the motion that keeps changing.
        """
        found = self._find(time, system or self._system)
        if found.system.include.geometric is not False:
            bodies = found.system.bodies
            ranks = self._system.ranks
            strained = [b for b in bodies if ranks.any(found.displacement[b.nodes].any())]
            self._warn(unstiffened(strained, stressed=True))
        self._deformation.follow(time, found.displacement)
        return found

    def at(self, time: float, displacement: Floats) -> SteadyState:
        """Return the bodies with the stresses of a state that is known.

        Parameters
        ----------
        time : float
            Time, s.
        displacement : ndarray, (N, d)
            Of the state, m.
        """
        loads, _ = self._all_loads.on(self._system).constant_in_frames()
        spins = self._system.spins(time)
        self._deformation.follow(time, displacement)
        stressed = self._stiffened(self._stressed, displacement, loads, spins, time)
        return SteadyState(displacement, stressed)

    def _find(self, time: float, system: System) -> SteadyState:
        """Return the steady state, whatever its displacements."""
        still = np.zeros((system.size, system.dimension))
        if system.include.geometric is not False:
            self._warn(unstiffened(system.bodies))
        if not self._stressed:
            texts = unstiffened(system.bodies, stressed=True)
            if texts and system.include.geometric is not False and self._is_loaded(system, time):
                self._warn(texts)
            return SteadyState(still, system)
        loads, left_out = self._all_loads.on(system).constant_in_frames()
        self._warn(
            [f"{what}: turns in its frame, left out of the steady state" for what in left_out]
        )
        spins = system.spins(time)
        force, given, rhs = self._acting(loads, spins, time)
        ranks = system.ranks
        if not ranks.any(
            rhs.any() or given.any()
        ):  # held bodies may have thermal stresses, or stiffen themselves
            warm = bool(loads.heat)
            turned = enumerate(zip(system.bodies, spins, strict=True))
            own = [
                n for n, (b, s) in turned if b.stiffens_itself or (b.has_sections and s.load.any())
            ]
            chosen = self._stressed if warm else [n for n in own if n in self._stressed]
            return SteadyState(still, self._stiffened(chosen, still, loads, spins, time), int(warm))
        if not self._has_state(rhs):
            return SteadyState(still, system)
        try:
            factors = self._factored()
        except AnalysisError as error:
            if ranks.count > 1:
                raise
            return self._hung(force, given, loads, spins, time, error)
        current, solves = self._by_stiffness(rhs, factors)
        share, before, unsolved = 1.0, np.inf, 0
        for turn in range(1, _MOST + 1):
            state = system.expand(current) + given
            stressed = self._stiffened(self._stressed, state, loads, spins, time)
            if self._free.size or self._linear:
                return SteadyState(state, stressed, turn, solves)
            if loads.given is not None:
                rhs = _acting(stressed, spins, force, given)
            product = product_of(stressed, _elastic(stressed, spins), factors)
            result = gmres(
                product, rhs, factors.solve, guess=current, tolerance=_RESIDUAL, ranks=ranks
            )
            solves += result.preconditioner_solves
            unsolved += result.residual > _SOLVED
            change = result.solution - current
            size, moved = ranks.norm(result.solution), ranks.norm(change)
            if not np.isfinite(size) or unsolved > _UNSOLVED:
                break
            if moved <= _TOLERANCE * size:
                return SteadyState(system.expand(result.solution) + given, stressed, turn, solves)
            if moved > 0.7 * before:  # it oscillates about the state, or diverges
                share = max(0.5 * share, _LEAST_SHARE)
            current = current + share * change
            before = moved
        raise AnalysisError(self._no_state(change, turn))

    def grows_with_rotation(self, time: float, system: System) -> bool:
        """Whether only inertia forces within bodies stress them, as the square of the speed.

        Parameters
        ----------
        time : float
            Time, s.
        system : System
            The same bodies with another motion of the frames: at rest, or at any speed.
        """
        if not self._stressed:
            return True
        loads, _ = self._all_loads.on(system).constant_in_frames()
        _, given, rhs = self._acting(loads, system.spins(time), time)
        return not (system.ranks.any(rhs.any() or given.any()) or loads.heat)

    def _acting(
        self, loads: Loads, spins: list[Spin], time: float
    ) -> tuple[Floats, Floats, Floats]:
        """Return nodal forces, N, given displacements, m, (N, d), and forces on the unknowns."""
        system = loads.system
        force, given = loads.at(time, spins), np.zeros((system.size, system.dimension))
        if loads.given is not None:
            given = loads.given.at(time)[0]
        rhs = _acting(system, spins, force, given)
        rhs[np.abs(rhs) <= system.restrict(self._round_off(loads, spins, time))] = 0.0
        return force, given, rhs

    def _hung(
        self,
        force: Floats,
        given: Floats,
        loads: Loads,
        spins: list[Spin],
        time: float,
        error: AnalysisError,
    ) -> SteadyState:
        """Return the state of a body that only its stresses hold, like a string under tension.

        Bars have no lateral stiffness before they are stressed. A small stiffness in its place
        gives the stresses along the bars, and with these stresses the stiffness is factored as it
        is.

        Raises
        ------
        AnalysisError
            If the stresses hold nothing either; the given error if there are no stresses.
        """
        system = loads.system
        rhs = _acting(system, spins, force, given)
        factors = factor_slightly_held(Pencil.at_rest(system), self._solver)
        current, change = factors.solve(rhs), rhs
        factors.close()
        for turn in range(1, _MOST + 1):
            state = system.expand(current) + given
            stressed = self._stiffened(self._stressed, state, loads, spins, time)
            rhs = _acting(stressed, spins, force, given)
            if not any(one.any() for body in stressed.bodies for one in body.geometric):
                raise error
            combinations = _elastic(stressed, spins)
            symmetric = [c.symmetric_part for c in combinations]
            rests = not any(s.stiffness.any() for s in spins)
            held = factor_held(
                Pencil.of(stressed, symmetric),
                self._solver,
                "steady state",
                positive_definite=rests,
            )
            product = product_of(stressed, combinations, held)
            result = gmres(product, rhs, held.solve, tolerance=_RESIDUAL)
            held.close()
            change = result.solution - current
            current = result.solution
            bodies = [system.bodies[number] for number in self._stressed]
            if np.abs(current).max() > _FAR * max(np.ptp(b.points, axis=0).max() for b in bodies):
                raise error  # a load that turns an unrestrained body, like a plate on a hinge
            if np.linalg.norm(change) <= _TOLERANCE * np.linalg.norm(current):
                return SteadyState(system.expand(current) + given, stressed, turn, turn)
        raise AnalysisError(self._no_state(change, turn))

    def _round_off(self, loads: Loads, spins: list[Spin], time: float) -> Floats:
        """Return the round-off of cancelling inertia forces, (N, d), N."""
        system = loads.system
        size, frames = np.zeros((system.size, system.dimension)), system.frames(time)
        for number, (body, spin, frame) in enumerate(
            zip(system.bodies, spins, frames, strict=True)
        ):
            turned = float(np.abs(spin.load).max())
            away = turned * system.ranks.largest(float(np.abs(body.points).max(initial=0.0)))
            away += float(np.abs(loads.acceleration(number, frame, time)).max())
            mass = body.mass_diagonal()
            size[body.placed] += away * mass[: len(body.placed)]
            turns = slice(len(body.placed), len(body.placed) + len(body.rotations))
            size[body.rotations] += turned * mass[turns]
        return _NOISE * size

    def _stiffened(
        self, numbers: Sequence[int], state: Floats, loads: Loads, spins: list[Spin], time: float
    ) -> System:
        """Return the bodies, some of them with the geometric stiffness of a state."""
        system, stressed = loads.system, {}
        d, frames = system.dimension, system.frames(time)
        for number in numbers:
            # Of the bodies as they were given: their assembled matrices serve all motions.
            body = self._system.bodies[number]
            warmth = loads.temperature(body.name, time)
            acceleration = -loads.acceleration(number, frames[number], time)
            stiffness = body.prestress(
                state[body.nodes], warmth, spins[number].load[:d, :d], acceleration
            )
            stressed[number] = system.bodies[number].stressed([stiffness])
        return system.with_bodies(stressed)

    def close(self) -> None:
        """Release the factors."""
        if self._factors is not None:
            self._factors.close()
            self._factors = None

    def _with_stresses(self) -> list[int]:
        """Return the numbers of the bodies that receive a geometric stiffness."""
        wanted, bodies = self._system.include.geometric, self._system.bodies
        if wanted is False:
            return []
        if wanted is True:
            require_geometric(bodies)
        return [number for number, body in enumerate(bodies) if "geometric" in body.kernels]

    def _is_loaded(self, system: System, time: float) -> bool:
        """Whether a load would cause stresses in bodies without geometric stiffness."""
        loads, _ = self._all_loads.on(system).constant_in_frames()
        ranks = self._system.ranks
        if loads.given is not None and ranks.any(loads.given.at(time)[0].any()):
            return True
        spins = system.spins(time)
        acting = np.abs(system.restrict(loads.at(time, spins)))
        left = acting > system.restrict(self._round_off(loads, spins, time))
        return ranks.any(left.any())

    def _has_state(self, rhs: Floats) -> bool:
        """Whether there is an equilibrium; without one, "auto" omits the stiffness and says so."""
        if not self._free.size:
            return True
        if is_balanced(self._free, rhs):
            return True
        if self._system.include.geometric == "auto":
            self._warn(
                [
                    f"geometric stiffness left out: body '{body}' is free to move "
                    f"({', '.join(motions)}), and its loads do not balance"
                    for body, motions in free_motions(self._system)
                ]
            )
            return False
        require_held(self._system, "for its prestress (or include.geometric = false)")
        return True

    def _warn(self, texts: list[str]) -> None:
        self._said += [text for text in texts if text not in self._said]

    def _factored(self) -> Factorization | Refined:
        """Return the factors of k, or of its symmetric part where that holds the bodies."""
        if self._factors is None:
            whole = self._system
            parts = [whole] if whole.is_symmetric else [whole.symmetric_part, whole]
            for system in parts:
                pencil = Pencil.at_rest(system)
                if self._free.size:
                    pencil = pinned(pencil, system, self._free)
                try:
                    self._factors = factor_held(
                        pencil, self._solver, "steady state", solves=1 if self._linear else None
                    )
                except AnalysisError:
                    if system is whole:
                        raise
                else:
                    break
            assert self._factors is not None
        return self._factors

    def _by_stiffness(self, rhs: Floats, factors: Factorization | Refined) -> tuple[Floats, int]:
        """Return the displacements under forces by k alone, and how often factors were used."""
        if self._system.is_symmetric:
            return factors.solve(rhs), 1
        pencil = Pencil.at_rest(self._system)
        product = product_of(self._system, pencil.combinations, factors)
        result = gmres(product, rhs, factors.solve, tolerance=_RESIDUAL)
        return result.solution, result.preconditioner_solves

    def _no_state(self, change: Floats, turns: int) -> str:
        """Name the body without a steady state, and the motion away from it."""
        where = name_equation(
            self._system, int(np.argmax(np.abs(np.nan_to_num(change, nan=np.inf))))
        )
        return (
            f"steady state: {where} comes to no rest in {turns} turns; expected speeds and loads "
            "that the body holds (include.geometric = false leaves their stresses out)"
        )


def _acting(stressed: System, spins: Sequence[Spin], force: Floats, given: Floats) -> Floats:
    """Return the forces on the unknowns, (n,), minus those of given displacements (N, d)."""
    if given.any():
        force = force - stressed.apply(_elastic(stressed, spins), given)
    return stressed.restrict(force)


def _elastic(stressed: System, spins: Sequence[Spin]) -> list[Combination]:
    """Return the displacement operator: elastic, geometric and rotational stiffness."""
    return [
        Combination(1.0, spin.stiffness, np.ones(len(body.geometric)), circulation=spin.circulation)
        for body, spin in zip(stressed.bodies, spins, strict=True)
    ]
