# SPDX-License-Identifier: BSD-3-Clause
"""The modes of a wheel at rest, from one sector, as a superposition under loads on some sectors.

A mode ``phi exp(i n k alpha)`` of sectors k stands for two real ones, its real and its imaginary
part, whose mass is N / 2 times that of phi in the sector; with 0 and N / 2 nodal diameters for one,
of N times its mass. Forces f on the sectors of a set do the work of ``sum_k exp(i n k alpha) phi``
on them in the sector of the mesh.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Complex
from flexforge.runtime.model.schema_solving import Rayleigh
from flexforge.runtime.system.combinations import elastic_of, require_symmetric, viscous_of
from flexforge.runtime.system.sector import Sector
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.modal_basis import further_damping
from flexforge.runtime.vibration.superposition import Superposition
from flexforge.runtime.vibration.tuned_waves import applied, undamped_waves


@dataclass(frozen=True, slots=True, kw_only=True)
class WaveSuperposition(Superposition):
    """Real modes of a wheel; shapes are their displacements in the sector of the mesh.

    Attributes
    ----------
    amplitudes : ndarray of complex, (k, N, d)
        Those whose real parts, turned with their phase from sector to sector, are the modes.
    diameters : ndarray of int, (k,)
        Numbers of nodal diameters.
    sector : Sector
        The sector.
    """

    amplitudes: Complex
    diameters: np.ndarray
    sector: Sector

    def acting_on(self, sectors: Sequence[int] | None) -> Superposition:
        """Return the modes under forces on some sectors, numbered from 1; by default on all."""
        count = self.sector.count
        numbers = range(count) if sectors is None else [one - 1 for one in sectors]
        sums = np.array(
            [sum(self.sector.phase(int(n) * k) for k in numbers) for n in self.diameters]
        )
        loaded = np.ascontiguousarray((sums[:, None, None] * self.amplitudes).real)
        return replace(self, loading=loaded)


def wave_superposition(
    stressed: System,
    sector: Sector,
    diameters: Sequence[int],
    at: Callable[[int], System],
    count: int,
    damping: Rayleigh | float | tuple[float, ...] | None,
    time: float,
    solver: str,
) -> WaveSuperposition:
    """Return the lowest modes of a wheel at each nodal diameter.

    Parameters
    ----------
    stressed : System
        The bodies of the sector, with their stresses.
    sector : Sector
        The sector.
    diameters : sequence of int
        Numbers of nodal diameters.
    at : callable
        Returns the system at a nodal diameter.
    count : int
        Number of modes of the sector at each.
    damping : Rayleigh, float or tuple, optional
        Further damping, ratios of the modes in the order of their frequencies.
    time : float
        Time at which frames are taken, s.
    solver : str
        Linear solver.

    Raises
    ------
    InputError
        For frames that turn, whose Coriolis terms couple modes, and for matrices that are not
        symmetric.
    AnalysisError
        When modes do not converge, or one grows.
    """
    spins = stressed.spins(time)
    if any(spin.coriolis.any() for spin in spins):
        raise InputError(
            "analysis.modes: found with a frame that turns, whose Coriolis terms couple the modes; "
            "expected include.coriolis = false"
        )
    elastic = elastic_of(spins)
    wanted = "expected an analysis without modes"
    require_symmetric(stressed.bodies, elastic, "analysis.modes: found with", wanted)
    viscous = viscous_of(stressed.bodies, stressed.spins(time))
    damped = any(body.is_damped for body in stressed.bodies)
    squares, shapes, numbers, blocks = [], [], [], []
    for diameter in diameters:
        system = at(diameter)
        own_squares, own = undamped_waves(system, elastic, count, diameter, solver)
        real = sector.is_real(diameter)
        parts = (1.0,) if real else (1.0, -1j)  # the real part of -i phi is the imaginary of phi
        mass = sector.count if real else sector.count / 2.0
        own = np.concatenate([part * own for part in parts]) / np.sqrt(mass)
        shapes.append(own)
        squares.append(np.tile(own_squares, len(parts)))
        numbers.append(np.full(len(own), diameter))
        if damped:
            forces = applied(system, viscous, own)
            blocks.append(mass * np.tensordot(own.conj(), forces, axes=((1, 2), (1, 2))).real)
    amplitudes, diameter_of = np.concatenate(shapes), np.concatenate(numbers)
    every = np.concatenate(squares)
    order = np.argsort(every, kind="stable")
    matrix = np.zeros((len(every),) * 2)
    for diameter, block in zip(diameters, blocks, strict=False):
        some = np.flatnonzero(diameter_of == diameter)
        matrix[np.ix_(some, some)] = block
    matrix = matrix[np.ix_(order, order)] + further_damping(every[order], damping)
    amplitudes = amplitudes[order]
    made = WaveSuperposition(
        every[order],
        np.ascontiguousarray(amplitudes.real),
        matrix,
        amplitudes=amplitudes,
        diameters=diameter_of[order],
        sector=sector,
    )
    return replace(made, loading=made.acting_on(None).loading)
