# SPDX-License-Identifier: BSD-3-Clause
"""Forces by transfer functions as internal displacements: sections of second order in a chain.

A function of s is a polynomial, which is stiffness, damping and mass, and a rest

    sum_i (c_i + d_i s) y_i,   y_i'' + a_i y_i' + b_i y_i = g_i y_(i-1),   y_0 = u

that divides out section by section, whatever the multiplicity of its poles. Every section has the
two poles of a complex pair or two real ones, and mass: there are no unknowns of first order, and
statics have ``b_i y_i = g_i y_(i-1)``. A real pole that is left has a second one beside it, faster
and stable, which a zero of the function cancels: it takes no part in any motion.

Fast sections come first: slow ones then follow what these pass on as it is. All y are displacements
of about the size of u, with equations times a factor that makes them as large as the forces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.model.schema_bearing import RationalSpec, TransferSpec
from flexforge.runtime.model.schema_lumped import ConnectorSpec

#: A pole that is real, by its imaginary part relative to its size.
_REAL = 1e-12
#: A second pole beside a real one, relative to it: of no simple ratio that a zero may have.
_BESIDE = float(np.sqrt(3.0))
#: A motion that nothing drives, b and a relative to the frequency of its section: it only decays.
_IDLE = (float(np.sqrt(14.0)), float(np.sqrt(2.0) + np.sqrt(7.0)))
#: Where in a matrix across the shaft a place is.
_ROWS = {"xx": (0, 0), "xy": (0, 1), "yx": (1, 0), "yy": (1, 1)}


@dataclass(frozen=True)
class Section:
    """A section of a chain.

    Attributes
    ----------
    damping, stiffness, gain : float
        a (1/s), b and g (1/s^2).
    output, rate : float
        c (N/m) and d (N s/m).
    """

    damping: float
    stiffness: float
    gain: float
    output: float
    rate: float

    @property
    def size(self) -> float:
        """What it adds to the stiffness at its own frequency, N/m."""
        return abs(self.output) + abs(self.rate) * float(np.sqrt(self.gain))


@dataclass(frozen=True)
class Rational:
    """A function of s.

    Attributes
    ----------
    numerator, denominator : ndarray
        Coefficients of descending powers.
    """

    numerator: Floats
    denominator: Floats

    @classmethod
    def of(cls, spec: RationalSpec) -> Rational:
        """Return the function of a model file."""
        return cls(np.array(spec.numerator, dtype=float), np.array(spec.denominator, dtype=float))

    def at(self, s: complex) -> complex:
        """Return its value."""
        return complex(np.polyval(self.numerator, s) / np.polyval(self.denominator, s))

    @cached_property
    def poles(self) -> Complex:
        """Its poles, 1/s."""
        return np.asarray(np.roots(self._scaled[1]) * self._unit, dtype=complex)

    @property
    def growing(self) -> Complex:
        """Poles that grow, 1/s."""
        poles = self.poles
        size = np.abs(poles).max(initial=0.0)
        return np.asarray(poles[poles.real > _REAL * size])

    @cached_property
    def polynomial(self) -> Floats:
        """Stiffness, damping and mass that it has beside sections, (3,)."""
        quotient = np.trim_zeros(np.polydiv(*self._scaled)[0], "f")[::-1]
        found = np.zeros(3)
        found[: len(quotient)] = quotient / self._unit ** np.arange(len(quotient))
        return found

    @cached_property
    def sections(self) -> list[Section]:
        """Its sections in the order of the chain."""
        numerator, denominator = self._scaled
        rest = np.polydiv(numerator, denominator)[1]
        pairs, beside = _pairs(self.poles / self._unit)
        if beside is not None:
            rest = np.polymul(rest, [1.0, -beside])
        divisors = [np.poly(pair).real for pair in pairs]
        gains = [float(np.abs(pair).max()) ** 2 or 1.0 for pair in pairs]
        found: list[Section] = []
        unit = self._unit
        for number in range(len(pairs) - 1, -1, -1):
            rest, left = np.polydiv(rest, divisors[number])
            rate, output = np.concatenate([np.zeros(2), left])[-2:] / np.prod(gains[: number + 1])
            _, a, b = divisors[number]
            found.insert(
                0, Section(a * unit, b * unit**2, gains[number] * unit**2, output, rate / unit)
            )
        return found

    @cached_property
    def _unit(self) -> float:
        """A frequency of the size of its poles, 1/s, for coefficients of the same size."""
        given = np.flatnonzero(self.denominator)
        first, last = self.denominator[given[[0, -1]]]
        powers = int(given[-1] - given[0])
        return float(np.exp(np.log(abs(last / first)) / powers)) if powers else 1.0

    @cached_property
    def _scaled(self) -> tuple[Floats, Floats]:
        """Numerator and denominator for s in units of that frequency, the latter monic."""
        size = len(self.denominator) - 1
        lead = self.denominator[0] * self._unit**size
        n, d = (
            one * self._unit ** np.arange(len(one) - 1.0, -1.0, -1.0) / lead
            for one in (self.numerator, self.denominator)
        )
        return n, d


def _pairs(poles: Complex) -> tuple[list[Complex], float | None]:
    """Return the poles in pairs, the fastest first, and the one that is put beside a real one."""
    real = np.abs(poles.imag) <= _REAL * np.abs(poles)
    upper = poles[~real & (poles.imag > 0.0)]
    pairs = [np.array([one, one.conjugate()]) for one in upper]
    alone = sorted(poles[real].real.tolist(), key=abs)
    beside = None
    if len(alone) % 2:
        last = abs(alone[-1]) or float(np.abs(poles).max(initial=0.0)) or 1.0
        beside = -_BESIDE * last
        alone.append(beside)
    pairs += [np.array(alone[k : k + 2], dtype=complex) for k in range(0, len(alone), 2)]
    return sorted(pairs, key=lambda pair: -float(np.abs(pair).max())), beside


def functions_of(spec: TransferSpec) -> dict[str, Rational]:
    """Return the functions of a bearing by their places, xx .. yy."""
    return {place: Rational.of(one) for place, one in spec.functions.items()}


def realized(functions: Mapping[str, Rational]) -> Floats:
    """Return stiffness, damping and mass with internal displacements, (3, 2 + 3 h, 2 + 3 h).

    They are of x and y across the shaft, and along x, y and the axis of h internal vectors: first
    those of the functions xx and yy, then those of yx and xy, x driven by x and y by y. What
    nothing drives has a motion of its own that decays.

    Parameters
    ----------
    functions : mapping
        Functions by their places.
    """
    chains = [
        ([functions[one].sections if one in functions else [] for one in places], crossed)
        for places, crossed in ((("xx", "yy"), False), (("yx", "xy"), True))
    ]
    lengths = [max(map(len, pair)) for pair, _ in chains]
    size = 2 + 3 * sum(lengths)
    found = np.zeros((3, size, size))
    for place, one in functions.items():
        found[(slice(None), *_ROWS[place])] = one.polynomial
    scale = _scale(functions, found)
    begin = 2
    for (pair, crossed), length in zip(chains, lengths, strict=True):
        for axis in range(2):
            row = 1 - axis if crossed else axis
            _chain(found, pair[axis], begin, axis, row, scale)
        for number in range(length):
            fastest = max((one[number].gain for one in pair if number < len(one)), default=1.0)
            for axis in range(3):
                if axis == 2 or number >= len(pair[axis]):
                    _idle(found, begin + 3 * number + axis, fastest, scale)
        begin += 3 * length
    return found


def _chain(
    found: Floats, sections: Sequence[Section], begin: int, axis: int, row: int, scale: float
) -> None:
    """Put a chain that a displacement drives, and its force, into the matrices."""
    stiffness, damping, mass = found
    before = axis
    for number, one in enumerate(sections):
        place = begin + 3 * number + axis
        inert = scale / one.gain
        mass[place, place] = inert
        damping[place, place] = inert * one.damping
        stiffness[place, place] = inert * one.stiffness
        stiffness[place, before] = -inert * one.gain
        stiffness[row, place], damping[row, place] = one.output, one.rate
        before = place


def _idle(found: Floats, place: int, square: float, scale: float) -> None:
    """Put a motion that only decays, about as fast as a section, into the matrices."""
    stiff, viscous = _IDLE
    found[:, place, place] = scale * np.array([stiff, viscous / np.sqrt(square), 1.0 / square])


def _scale(functions: Mapping[str, Rational], found: Floats) -> float:
    """Return the size of the forces for a unit displacement, N/m."""
    each = [one.size for function in functions.values() for one in function.sections]
    return max(each, default=0.0) or float(np.abs(found[0]).max()) or 1.0


def transfer_remarks(connectors: Iterable[ConnectorSpec]) -> list[str]:
    """Return what to tell of transfer functions that grow by themselves.

    Parameters
    ----------
    connectors : iterable of ConnectorSpec
        Of the model file.
    """
    found = []
    for one in connectors:
        if one.kind != "bearing" or one.transfer is None:
            continue
        functions = functions_of(one.transfer).values()
        growing = np.concatenate([function.growing for function in functions])
        if len(growing):
            fastest = growing[growing.real.argmax()]
            found.append(
                f"connector '{one.name}': its transfer function has poles that grow, such as "
                f"{fastest:.4g} 1/s: it is unstable by itself"
            )
    return found
