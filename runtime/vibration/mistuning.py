# SPDX-License-Identifier: BSD-3-Clause
"""A wheel whose sectors differ a little: its modes and responses as sums of tuned waves.

Where the stiffness of some bodies is ``1 + delta_s`` times that of the tuned ones in sector s,
waves of n and of m nodal diameters are coupled by

    phi_n^H k_b phi_m  (1 / N) sum_s delta_s exp(i (m - n) s alpha)

with k_b the elastic stiffness of these bodies in the sector: the discrete Fourier transform of the
pattern. With all waves of the tuned wheel this is exact; with some, a reduced model whose waves
need only span the modes of interest (a subset of nominal modes). Damping, Coriolis forces, stresses
and mass are those of the tuned wheel.

Sources: Yang and Griffin, A reduced-order model of mistuning using a subset of nominal system
modes, J. Eng. Gas Turbines Power 123 (2001), 893-900; Whitehead, Effect of mistuning on the
vibration of turbomachine blades induced by wakes, J. Mech. Eng. Sci. 8 (1966), 15-21.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.model.schema_cyclic import MistuningSpec
from flexforge.runtime.motion.tables import read_table
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.harmonic import require_steady
from flexforge.runtime.vibration.tuned_waves import TunedWaves, applied, products

_TOGETHER = 1 << 22  # entries of matrices that are solved at once
_ROUND_OFF = 1e-12  # of damping, relative to Coriolis forces, and of the stiffness
_STILL = 1e-9  # imaginary part of a root that does not vibrate, relative


def changes_of(spec: MistuningSpec, sectors: int) -> Floats:
    """Return the relative changes of stiffness, one per sector, (N,).

    Parameters
    ----------
    spec : MistuningSpec
        Changes of stiffness or of frequency, whose square the stiffness is in proportion to.
    sectors : int
        Number of sectors, N.

    Raises
    ------
    InputError
        For another number of changes, a table that cannot be read, or a change to no stiffness.
    """
    key = "frequency" if spec.stiffness is None else "stiffness"
    given = getattr(spec, key)
    if isinstance(given, Path):
        numbers, found = read_table(given)
        if not np.array_equal(numbers, np.arange(1, sectors + 1)):
            raise InputError(
                f"{key}: {given}: found sectors {numbers[0]:g} to {numbers[-1]:g}, {len(numbers)} "
                f"of them; expected a row for each from 1 to {sectors}"
            )
    else:
        found = np.array(given)
    if len(found) != sectors:
        raise InputError(f"{key}: found {len(found)} numbers; expected {sectors}, one per sector")
    if not found.min() > -1.0:
        raise InputError(f"{key}: found {found.min():g}; expected changes above -1")
    return found if key == "stiffness" else (1.0 + found) ** 2 - 1.0


def whitehead_factor(sectors: int) -> float:
    """Return the largest amplification by mistuning, of blades with one mode each: Whitehead's."""
    return 0.5 * (1.0 + float(np.sqrt(sectors)))


def coupling(waves: TunedWaves, system: System, bodies: Sequence[str], changes: Floats) -> Complex:
    """Return the stiffness that mistuning adds to tuned waves, (R, R), (rad/s)^2.

    Parameters
    ----------
    waves : TunedWaves
        The waves, R of them.
    system : System
        The bodies of the sector.
    bodies : sequence of str
        Names of the bodies that are mistuned.
    changes : ndarray, (N,)
        Relative changes of their stiffness in the sectors.
    """
    d = system.dimension
    chosen = [
        Combination(float(bool({body.name, body.whole} & {*bodies})), np.zeros((d, d)), np.zeros(0))
        for body in system.bodies
    ]
    gram = products(waves.shapes, applied(system, chosen, waves.shapes))
    pattern = np.fft.ifft(changes)  # (1 / N) sum_s delta_s exp(i p s alpha)
    steps = waves.diameters - waves.diameters[:, None]
    return np.asarray(gram * pattern[steps % waves.sector.count])


@dataclass(frozen=True, slots=True)
class WheelModes:
    """Modes of a wheel, ascending in frequency.

    Attributes
    ----------
    values : ndarray of complex, (k,)
        Eigenvalues ``lambda``, 1/s, of those that vibrate, with positive imaginary part.
    vectors : ndarray of complex, (R, k)
        Amplitudes of the tuned waves, of unit modal mass, in columns.
    """

    values: Complex
    vectors: Complex


@dataclass(frozen=True, slots=True)
class WheelMatrices:
    """The equations of a wheel in R tuned waves, ``a'' + c a' + k a = f``.

    Attributes
    ----------
    stiffness, viscous : ndarray of complex, (R, R)
        k, Hermitian, (rad/s)^2, and c, 1/s.
    """

    stiffness: Complex
    viscous: Complex

    def modes(self) -> WheelModes:
        """Return the modes of the wheel.

        Raises
        ------
        AnalysisError
            When the stiffness is not positive, so that one grows.
        """
        from scipy.linalg import eig, eigh

        c, one = self.viscous, np.eye(len(self.stiffness))
        squares, vectors = eigh(self.stiffness)
        if squares[0] < -_ROUND_OFF * squares[-1]:
            raise AnalysisError("modes: a motion of the mistuned wheel grows by itself; expected a "
                                "stable state")  # fmt: skip
        squares = np.maximum(squares, 0.0)  # of motions that nothing holds
        if not c.any():
            return WheelModes(1j * np.sqrt(squares), vectors)
        # About the modes without velocities, scaled by a frequency.
        scale, turned = float(np.sqrt(squares.max())), vectors.conj().T @ c @ vectors
        turned, squares = turned / scale, squares / scale**2
        k, zero = np.diag(squares).astype(complex), np.zeros_like(self.stiffness)
        damped = np.abs(turned + turned.conj().T).max() > _ROUND_OFF * np.abs(turned).max()
        if damped or not squares[0] > 0.0:
            values, found = eig(np.block([[zero, one], [-k, -turned]]))
        else:  # s^2 - s g - k = 0 with g = i c as a Hermitian problem for 1 / s
            g = 1j * turned
            both = np.block([[-g, one], [one, zero]])
            inverse, found = eigh(both, np.block([[k, zero], [zero, one]]))
            values = 1j / inverse
        moving = values.imag > _STILL * np.abs(values)
        values, found = values[moving] * scale, vectors @ found[: len(vectors), moving]
        order = np.argsort(values.imag, kind="stable")
        found = found / np.linalg.norm(found, axis=0)
        return WheelModes(values[order], found[:, order])

    def answers(self, frequencies: Floats, forces: Complex) -> Complex:
        """Return the amplitudes of waves in steady vibration, (F, R).

        Parameters
        ----------
        frequencies : ndarray, (F,)
            Circular frequencies, rad/s.
        forces : ndarray of complex, (R,)
            Forces on the waves.

        Raises
        ------
        AnalysisError
            Where there is no steady vibration.
        """
        count = len(forces)
        some = max(1, _TOGETHER // count**2)
        found = np.empty((len(frequencies), count), dtype=complex)
        for first in range(0, len(frequencies), some):
            w = frequencies[first : first + some, None, None]
            matrices = self.stiffness - w**2 * np.eye(count) + 1j * w * self.viscous
            try:
                found[first : first + some] = np.linalg.solve(matrices, forces[:, None])[..., 0]
            except np.linalg.LinAlgError:
                found[first : first + some] = np.nan
        for w, elastic in zip(frequencies.tolist(), found @ self.stiffness.T, strict=True):
            require_steady(w, elastic, forces)
        return found
