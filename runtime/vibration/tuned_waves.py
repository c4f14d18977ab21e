# SPDX-License-Identifier: BSD-3-Clause
"""The undamped waves of a tuned wheel, at all nodal diameters, as coordinates of the whole wheel.

A wave phi at n nodal diameters, from - N / 2 to N / 2, moves sector s by ``exp(i n s alpha) phi``
in the axes of that sector; divided by the root of N it has unit modal mass in the wheel. Those at
- n are the conjugates of those at n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Complex, Floats, Ints
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.combinations import elastic_of, require_symmetric, viscous_of
from flexforge.runtime.system.sector import Sector
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.undamped import solve_undamped


@dataclass(frozen=True, slots=True)
class TunedWaves:
    """Waves of a wheel of equal sectors, R in all.

    Attributes
    ----------
    sector : Sector
        The sector.
    diameters : ndarray of int, (R,)
        Numbers of nodal diameters n, with sign.
    squares : ndarray, (R,)
        Squared circular frequencies without Coriolis forces and damping, (rad/s)^2.
    shapes : ndarray of complex, (R, V, d)
        In the sector of the mesh, of unit modal mass of the sector.
    viscous : ndarray of complex, (R, R)
        Coriolis forces and damping, 1/s: of waves of one n, as all sectors have them alike.
    """

    sector: Sector
    diameters: Ints
    squares: Floats
    shapes: Complex
    viscous: Complex

    def in_sectors(self) -> Complex:
        """Return what waves of unit mass of the wheel are in every sector, (N, R)."""
        count = self.sector.count
        turns = np.outer(np.arange(count), self.diameters) % count
        return np.asarray(np.exp(1j * self.sector.angle * turns) / np.sqrt(count))

    def forces(self, nodal: Complex, sectors: Sequence[int] | None, diameter: int) -> Complex:
        """Return forces on the waves, (R,), of a wave of forces on some sectors.

        Parameters
        ----------
        nodal : ndarray of complex, (V, d)
            Amplitudes on the sector of the mesh, N; on sector s they are ``exp(i k s alpha)`` times
            these in its own axes.
        sectors : sequence of int, optional
            Numbers of the sectors on which they act, from 1; by default all.
        diameter : int
            k.
        """
        numbers = np.arange(self.sector.count) if sectors is None else np.array(sectors) - 1
        phases = np.exp(1j * diameter * numbers * self.sector.angle)
        acting = self.in_sectors()[numbers].conj().T @ phases
        return np.asarray(acting * np.tensordot(self.shapes.conj(), nodal, axes=2))


def undamped_waves(
    system: System, elastic: Sequence[Combination], count: int, diameter: int, solver: str
) -> tuple[Floats, Complex]:
    """Return the lowest undamped waves of a sector at a number of nodal diameters.

    Parameters
    ----------
    system : System
        The sector at that number.
    elastic : sequence of Combination
        Its stiffness, one per body.
    count : int
        Number of waves.
    diameter : int
        The number, for messages.
    solver : str
        Linear solver.

    Returns
    -------
    squares : ndarray, (count,)
        Squared circular frequencies, (rad/s)^2.
    shapes : ndarray of complex, (count, V, d)
        Of unit modal mass of the sector.

    Raises
    ------
    AnalysisError
        When waves do not converge, or one grows.
    """
    found = solve_undamped(Pencil.of(system, elastic), count, None, solver)
    if found.missing:
        raise AnalysisError(f"modes: nodal diameter {diameter}: {found.missing}")
    if (found.squares < 0.0).any():
        raise AnalysisError("modes: a motion grows by itself; expected a stable state")
    shapes = np.array([system.expand(vector) for vector in found.vectors.T])
    return found.squares, shapes.astype(complex)


def tuned_waves(
    stressed: System,
    sector: Sector,
    at: Callable[[int], System],
    diameters: Sequence[int],
    count: int,
    time: float,
    solver: str,
) -> TunedWaves:
    """Return the lowest undamped waves of a wheel at some nodal diameters.

    Parameters
    ----------
    stressed : System
        The bodies of the sector, with their stresses.
    sector : Sector
        The sector.
    at : callable
        Returns the system at a number of nodal diameters.
    diameters : sequence of int
        Numbers of nodal diameters, from 0 to N / 2.
    count : int
        Number of waves at each.
    time : float
        Time at which frames are taken, s.
    solver : str
        Linear solver.

    Raises
    ------
    InputError
        For matrices that are not symmetric.
    AnalysisError
        When waves do not converge, or one grows.
    """
    spins = stressed.spins(time)
    elastic, viscous = elastic_of(spins), viscous_of(stressed.bodies, spins)
    require_symmetric(
        stressed.bodies, elastic, "cyclic.mistuning: found with", "expected it without mistuning"
    )
    numbers, squares, shapes, blocks = list[int](), list[Floats](), list[Complex](), []
    for diameter in diameters:
        system = at(diameter)
        own_squares, own = undamped_waves(system, elastic, count, diameter, solver)
        block = products(own, applied(system, viscous, own))
        both = (False,) if sector.is_real(diameter) else (False, True)
        for opposite in both:
            numbers += [-diameter if opposite else diameter] * len(own)
            squares.append(own_squares)
            shapes.append(own.conj() if opposite else own)
            blocks.append(block.conj() if opposite else block)
    from scipy.linalg import block_diag

    return TunedWaves(
        sector,
        np.array(numbers),
        np.concatenate(squares),
        np.concatenate(shapes),
        np.asarray(block_diag(*blocks), dtype=complex),
    )


def applied(system: System, combinations: Sequence[Combination], shapes: Complex) -> Complex:
    """Return a combination of matrices times complex nodal fields (k, V, d), one after the other.

    Parameters
    ----------
    system : System
        The bodies.
    combinations : sequence of Combination
        One per body.
    shapes : ndarray of complex, (k, V, d)
        The fields.
    """
    found = np.empty_like(shapes)
    for into, shape in zip(found, shapes, strict=True):
        real, imaginary = (np.ascontiguousarray(part) for part in (shape.real, shape.imag))
        into[:] = system.apply(combinations, real) + 1j * system.apply(combinations, imaginary)
    return found


def products(shapes: Complex, forces: Complex) -> Complex:
    """Return ``phi_i^H f_j`` of fields (a, V, d) and (b, V, d): (a, b)."""
    return np.asarray(np.tensordot(shapes.conj(), forces, axes=((1, 2), (1, 2))))
