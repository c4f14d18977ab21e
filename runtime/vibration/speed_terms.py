# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of small systems at any speed of rotation: a few constant ones, added up with factors.

Of bodies that turn steadily at the speed w the matrices are polynomials of it,

    k + w n + w^2 (k_omega + k_geo),   d + 2 w c,   m,

where stresses are those of inertia forces alone; bearings with tables add their coefficients at the
speed. What is constant is assembled once, and the matrices at a speed, or at many, are sums of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Complex, Floats, Ints
from flexforge.runtime.statics.pencil import Known, Pencil
from flexforge.runtime.statics.precise import deforms_only
from flexforge.runtime.statics.rigid import free_displacements
from flexforge.runtime.statics.stress_state import Stresses
from flexforge.runtime.system.bearing import BearingBody, bearings_of
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.combinations import viscous_of
from flexforge.runtime.system.inertia import Spin
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.part_modes import ConstantModes, PartModes, VaryingModes
from flexforge.runtime.vibration.quadratic import DENSE, QuadraticProblem, still_in
from flexforge.runtime.vibration.steady_speeds import turned
from flexforge.runtime.vibration.uncoupled import acting, largest, uncoupled


class Part(IntEnum):
    """Constant matrices, before those of tables."""

    ELASTIC = 0  #: Stiffness of elements that only deform.
    HELD = 1  #: Stiffness of others.
    CIRCULATION = 2
    INERTIA = 3  #: Of displacements.
    STRESS = 4
    DAMPING = 5
    GYROSCOPIC = 6
    MASS = 7


#: Unknowns of a part from which on a space of its shapes pays.
_LARGE = 48
#: Which coefficients of a bearing are added.
_STIFF, _VISCOUS, _HEAVY = range(3)


@dataclass(frozen=True, eq=False)
class SpeedTerms:
    """The matrices of the unknowns over the speed.

    Attributes
    ----------
    system : System
        The bodies at 1 rad/s, with the stresses there.
    spins : list of Spin
        Their inertia blocks.
    """

    system: System
    spins: list[Spin]

    @classmethod
    def of(
        cls, system: System, axes: Sequence[Floats | None], stresses: Stresses, time: float
    ) -> SpeedTerms | None:
        """Return the terms of a small system; None of others, and of stresses that loads cause.

        Parameters
        ----------
        system : System
            The bodies, without stresses.
        axes : sequence of ndarray (3,) or None
            Axes of their rotations.
        stresses : Stresses
            Finds their stresses.
        time : float
            Time at which loads are evaluated, s.
        """
        linked = any(body.motion.link is not None for body in system.bodies)
        # Damping of a table acts on displacements in a frame that turns: not a factor of its terms.
        each = (b for b in bearings_of(system) if b.in_turning_frame)
        varies = any(b.bearing.varies or b.swings for b in each)
        alone = system.ranks.count == 1 and not system.map.is_complex
        if linked or varies or not alone or system.unknowns > DENSE:
            return None
        at_rest, turning = (turned(system, axes, speed) for speed in (0.0, 1.0))
        if not stresses.grows_with_rotation(time, (at_rest, turning)):
            return None
        try:
            unit = stresses.find(time, turning).system
        except AnalysisError:  # which speeds of interest may not have
            return None
        return cls(unit, unit.spins(time))

    def dynamic(self, speeds: Floats, order: int) -> tuple[Floats, Complex]:
        """Return the stiffness, and it with inertia and damping at a frequency, (S, n, n) each.

        Parameters
        ----------
        speeds : ndarray, (S,)
            rad/s.
        order : int
            Frequencies are this times the speed.
        """
        k, c, m = self._factors(speeds, order * speeds)
        w = (order * speeds)[:, None]
        found = np.empty((len(speeds), *self._constant.shape[1:]), dtype=np.complex128)
        found.real, found.imag = self._sum(k - w * w * m), self._sum(w * c)
        return self._sum(k), found

    def part_modes(self) -> dict[int, PartModes]:
        """Return ways to the eigenvalues of parts over the speed, by number, where these pay."""
        ways: dict[int, PartModes] = {}
        for number, (part, varies) in enumerate(zip(self.parts, self._varies, strict=True)):
            if not varies:
                ways[number] = ConstantModes()
            elif len(part) >= _LARGE:
                ways[number] = VaryingModes()
        return ways

    def problem(
        self, speed: float, ways: Mapping[int, PartModes] | None = None
    ) -> QuadraticProblem | None:
        """Return the eigenvalue problem at a speed, rad/s; None where it has no term of velocities.

        Parameters
        ----------
        speed : float
            rad/s.
        ways : mapping, optional
            What solves parts, of :meth:`part_modes`.
        """
        turns = speed != 0.0 and any(one.coriolis.any() for one in self.spins)
        if not (turns or self._is_damped):
            return None
        factors = self._factors(np.array([speed]), np.zeros(1))
        (c,) = self._sum(factors[_VISCOUS])
        pencil = self._pencil(factors, self._still)
        found = QuadraticProblem(
            mass=pencil.inertia,
            viscous=c,
            stiffness=pencil.stiffness,
            paired=not self._is_damped and self._is_symmetric(speed),
            singular=self._free.shape[1] > 0,
            still=pencil.still.shape[1],
            pencil=pencil,
            parts=self.parts,
        )
        held = {  # where a space would have motions that nothing restrains, the part has no way
            number: way
            for number, way in (ways or {}).items()
            if not (self._varies[number] and still_in(found, self.parts[number]))
        }
        return replace(found, ways=held)

    def _pencil(self, factors: Floats, still: Floats | None = None) -> Pencil:
        """Return the pencil at a speed from factors of all sums there, (3, 1, terms)."""
        (k,), (m,) = (self._sum(factors[one]) for one in (_STIFF, _HEAVY))
        rest = None
        if self._free.shape[1] and still is None:
            each = np.repeat(factors[_STIFF], 3, axis=0)
            each[:, Part.ELASTIC] = 0.0
            each[1, Part.STRESS] = each[2, Part.INERTIA] = 0.0
            whole, inert, stressed = self._sum(each)
            rest = whole, [inert, stressed, float(factors[_STIFF, 0, Part.INERTIA]) * m]
        return Pencil(self.system, (), known=Known(k, m, self._free, rest, still))

    @cached_property
    def _still(self) -> Floats | None:
        """Motions that nothing restrains, where those are of parts that are alike."""
        each = zip(self.parts, self._varies, strict=True)
        if any(varies and self._free[part].any() for part, varies in each):
            return None
        return self._pencil(self._factors(np.ones(1), np.zeros(1))).still

    def mass(self, speed: float) -> Floats:
        """Return the mass at a speed, rad/s, (n, n)."""
        found: Floats = self._sum(self._factors(np.array([speed]), np.zeros(1))[_HEAVY])[0]
        return found

    @cached_property
    def parts(self) -> list[Ints]:
        """Unknowns of parts that no matrix couples at any speed, such as bending and torsion."""
        return uncoupled(*((one, largest(one)) for one in self._sizes))

    @cached_property
    def _sizes(self) -> list[Floats]:
        """Sizes of entries (n, n): of stiffness, inertia, damping, circulation and each table."""
        sizes = np.abs(self._constant)
        inert = [Part.INERTIA, Part.STRESS, Part.GYROSCOPIC, Part.MASS]
        laws = sizes[len(Part) :].reshape(-1, 4, *sizes.shape[1:]).sum(axis=1)
        each = [sizes[[Part.ELASTIC, Part.HELD]].sum(axis=0), sizes[inert].sum(axis=0)]
        return [*each, sizes[Part.DAMPING], sizes[Part.CIRCULATION], *laws]

    @cached_property
    def _varies(self) -> list[bool]:
        """Whether the matrices of a part depend on the speed."""
        _, inert, damped, circulating, *laws = self._sizes
        turning = np.abs(self._constant[Part.INERTIA] + self._constant[Part.STRESS])
        turning += np.abs(self._constant[Part.GYROSCOPIC])
        each = acting((turning, largest(inert)), (circulating, largest(damped)))
        each |= np.any(laws, axis=0)
        return [bool(each[np.ix_(part, part)].any()) for part in self.parts]

    def _sum(self, factors: Floats) -> Floats:
        """Return sums of the constant matrices with factors (S, terms): (S, n, n)."""
        n = self.system.unknowns
        return (factors @ self._constant.reshape(-1, n * n)).reshape(-1, n, n)

    def _factors(self, speeds: Floats, frequencies: Floats) -> Floats:
        """Return factors of all constant matrices in each of the sums, (3, S, terms)."""
        found = np.zeros((3, len(speeds), len(self._constant)))
        found[_STIFF][:, [Part.ELASTIC, Part.HELD]] = 1.0
        found[_STIFF][:, Part.CIRCULATION] = speeds
        found[_STIFF][:, [Part.INERTIA, Part.STRESS]] = speeds[:, None] ** 2
        found[_VISCOUS][:, Part.DAMPING] = 1.0
        found[_VISCOUS][:, Part.GYROSCOPIC] = speeds
        found[_HEAVY][:, Part.MASS] = 1.0
        for place, (_, bearing) in enumerate(self._tables):
            laws = bearing.bearing.vibrating(bearing.speed * speeds, frequencies)
            laws = laws.reshape(len(speeds), 3, 4)
            some = slice(len(Part) + 4 * place, len(Part) + 4 * place + 4)
            found[:, :, some] = np.moveaxis(laws, 1, 0)
        return found

    @cached_property
    def _constant(self) -> Floats:
        """The constant matrices, (terms, n, n): four of every bearing with a table at the end."""
        n = self.system.unknowns
        tables = {number for number, _ in self._tables}
        given = parts_of(self.system, self.spins, tables)
        found = np.zeros((len(Part) + 4 * len(tables), n, n))
        for into, combinations in zip(found, given, strict=False):
            if any(one.acts for one in combinations):
                into[:] = self.system.matrix(combinations).toarray()
        for place, (_, bearing) in enumerate(self._tables):
            x, y = across(self.system, bearing)
            products = [np.outer(a, b) for a in (x, y) for b in (x, y)]
            found[len(Part) + 4 * place : len(Part) + 4 * place + 4] = products
        return found

    @cached_property
    def _tables(self) -> list[tuple[int, BearingBody]]:
        """Bearings with tables, by number."""
        places = {body: number for number, body in enumerate(self.system.bodies)}
        return [(places[one], one) for one in bearings_of(self.system) if one.has_table]

    @cached_property
    def _free(self) -> Floats:
        """Rigid motions that nothing restrains, whatever bearings with tables do, (n, motions)."""
        without = {number: bearing.without_forces for number, bearing in self._tables}
        return free_displacements(self.system.with_bodies(without))

    @cached_property
    def _is_damped(self) -> bool:
        return any(body.is_damped for body in self.system.bodies)

    def _is_symmetric(self, speed: float) -> bool:
        """Whether matrices of displacements are symmetric at a speed, rad/s."""
        if any(spin.circulation for spin in self.spins):
            return False
        tables = dict(self._tables)
        bodies = enumerate(self.system.bodies)
        constant = all(body.is_symmetric for number, body in bodies if number not in tables)
        laws = [bearing.bearing.at(bearing.speed * speed) for bearing in tables.values()]
        blocks = all((spin.stiffness == spin.stiffness.T).all() for spin in self.spins)
        alike = all((law == law.swapaxes(1, 2)).all() for law in laws)
        return constant and blocks and alike


def parts_of(
    system: System, spins: Sequence[Spin], varying: Collection[int]
) -> list[list[Combination]]:
    """Return what the constant matrices of bodies are made of, but for some of them.

    Parameters
    ----------
    system : System
        The bodies at 1 rad/s.
    spins : sequence of Spin
        Their inertia blocks.
    varying : collection of int
        Numbers of the bodies that are left out, as their matrices vary otherwise.

    Returns
    -------
    list of list of Combination
        Of every constant matrix, in their order, one per body.
    """
    d = system.dimension
    nothing = Combination(0.0, np.zeros((d, d)), np.zeros(0))
    stiff, unit = replace(nothing, stiffness=1.0), replace(nothing, inertia=np.eye(d))
    given: list[list[Combination]] = [[] for _ in range(len(Part))]
    each = zip(system.bodies, spins, viscous_of(system.bodies, spins), strict=True)
    for number, (body, spin, drag) in enumerate(each):
        varies, deforms = number in varying, deforms_only(body)
        coriolis = replace(nothing, inertia=spin.coriolis)
        damping = replace(drag, inertia=drag.inertia - spin.coriolis)
        circulation = replace(nothing, circulation=spin.circulation)
        given[Part.ELASTIC].append(stiff if deforms else nothing)
        given[Part.HELD].append(nothing if deforms or varies else stiff)
        given[Part.CIRCULATION].append(nothing if varies else circulation)
        given[Part.INERTIA].append(nothing if varies else replace(nothing, inertia=spin.stiffness))
        given[Part.STRESS].append(replace(nothing, geometric=spin.prestress))
        given[Part.DAMPING].append(nothing if varies else damping)
        given[Part.GYROSCOPIC].append(nothing if varies else coriolis)
        given[Part.MASS].append(nothing if varies else unit)
    return given


def across(system: System, bearing: BearingBody) -> list[Floats]:
    """Return the displacements of a bearing along its axes, as rows for the unknowns, (n,)."""
    nodal = np.zeros((2, system.size, system.dimension))
    for sign, node in zip((1.0, -1.0), bearing.placed, strict=False):
        nodal[:, node] = sign * bearing.across
    return [system.restrict(one) for one in nodal]
