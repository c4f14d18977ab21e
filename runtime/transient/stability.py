# SPDX-License-Identifier: BSD-3-Clause
"""The longest stable step of a conditionally stable method.

A step of length h is stable where ``M - a h C - b h^2 K`` is positive: of central differences a = 1
and b = 1/4, of Newmark's method a = 1/2 - gamma and b = gamma/2 - beta, which is stable at any
length where b is not above zero. K and C are symmetric, and Coriolis forces change nothing in it
(physics.md section 10). So the largest eigenvalue of ``a h C + b h^2 K`` relative to M decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.ranks import ONE, Ranks
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.frames import frames_over, inertia_blocks, pattern_factors
from flexforge.runtime.system.inertia import Spin
from flexforge.runtime.system.shapes import Shapes
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.linear.mass import MassFactors
from flexforge.runtime.transient.scheme import Scheme

Product = Callable[[Floats], Floats]

#: Unknowns up to which all eigenvalues are computed; Lanczos' method finds the largest of more.
_DENSE = 200
#: Relative residual of that one, by which it is taken to be larger: what is stable but for that is
#: refused, and what is accepted is stable.
_CLOSE = 1e-3
#: Most vectors of Lanczos' method, where ranks share them.
_LANCZOS = 200
#: Times of a run at which its frames are looked at.
_LOOKS = 129
#: Angle of a frame in a step, rad, above which Coriolis forces cannot be centred by corrections.
TURN = 0.5


@dataclass(frozen=True)
class ActingMatrices:
    """The symmetric matrices of a motion at one time, as products with values of n coordinates.

    Attributes
    ----------
    size : int
        n; of this rank, where several share them.
    mass, damping, stiffness : callable
        Products.
    solve_mass : callable
        ``M^-1`` times a vector.
    ranks : Ranks
        The processes that share the coordinates.
    """

    size: int
    mass: Product
    damping: Product
    stiffness: Product
    solve_mass: Product
    ranks: Ranks = ONE

    @cached_property
    def _whole(self) -> tuple[Floats, Floats, Floats]:
        unit = np.eye(self.size)
        each = [
            np.array([product(x) for x in unit])
            for product in (self.mass, self.damping, self.stiffness)
        ]
        mass, damping, stiffness = (0.5 * (one + one.T) for one in each)
        return mass, damping, stiffness

    def largest(self, damping: float, stiffness: float) -> tuple[float, Floats]:
        """Return the largest eigenvalue of ``damping C + stiffness K`` relative to M.

        Returns
        -------
        value : float
            The eigenvalue, of many unknowns as much larger as it may be.
        vector : ndarray, (n,)
            Its vector.
        """
        from scipy.linalg import eigh
        from scipy.sparse.linalg import LinearOperator, eigsh

        def both(x: Floats) -> Floats:
            return damping * self.damping(x) + stiffness * self.stiffness(x)

        if self.ranks.count > 1:
            return self._by_lanczos(both)
        if self.size <= _DENSE:
            mass, c, k = self._whole
            last = [self.size - 1] * 2
            values, vectors = eigh(damping * c + stiffness * k, mass, subset_by_index=last)
            return float(values[0]), vectors[:, 0]
        shape = (self.size, self.size)
        values, vectors = eigsh(
            LinearOperator(shape, both, dtype=np.float64),
            1,
            LinearOperator(shape, self.mass, dtype=np.float64),
            which="LA",
            Minv=LinearOperator(shape, self.solve_mass, dtype=np.float64),
            v0=np.random.default_rng(0).standard_normal(self.size),
            tol=_CLOSE,
        )
        return float(values[0]) + _CLOSE * abs(float(values[0])), vectors[:, 0]

    def _by_lanczos(self, product: Product) -> tuple[float, Floats]:
        """Return the largest eigenvalue of a symmetric matrix relative to M, and its vector."""
        ranks = self.ranks
        x = np.random.default_rng(ranks.number).standard_normal(self.size)
        basis: list[Floats] = []
        images: list[Floats] = []  # M times the basis
        entries = np.zeros((_LANCZOS + 1, _LANCZOS + 1))
        for count in range(_LANCZOS):
            image = self.mass(x)
            length = math.sqrt(ranks.dot(x, image))
            basis.append(x / length)
            images.append(image / length)
            if count:
                entries[count - 1, count] = entries[count, count - 1] = length
            x = self.solve_mass(product(basis[-1]))
            for _ in range(2):
                shares = ranks.total(np.array(images) @ x)
                entries[count, count] += shares[count]
                x = x - shares @ np.array(basis)
            values, vectors = np.linalg.eigh(entries[: count + 1, : count + 1])
            left = math.sqrt(max(ranks.dot(x, self.mass(x)), 0.0)) * abs(vectors[-1, -1])
            if left <= _CLOSE * abs(values[-1]):
                break
        value = float(values[-1])
        return value + max(left, _CLOSE * abs(value)), vectors[:, -1] @ np.array(basis)


@dataclass(frozen=True, slots=True)
class Limit:
    """A step that is stable, and the motion that longer ones are not with.

    Attributes
    ----------
    step : float
        s.
    frequency : float
        Of that motion, rad/s.
    damping : float
        Its damping ratio.
    """

    step: float
    frequency: float
    damping: float


def limit_of(scheme: Scheme, step: float, acting: ActingMatrices) -> Limit | None:
    """Return the longest stable step, or None where the given one is stable.

    Parameters
    ----------
    scheme : Scheme
        Method of integration.
    step : float
        s.
    acting : ActingMatrices
        The matrices that act.
    """
    a, b = scheme.limit
    h, found = step, None
    while acting.ranks.any(acting.size):
        value, x = acting.largest(a * h, b * h * h)
        if value < 1.0:
            break
        # The step at which this motion is at its limit; that of all is no longer.
        mass, c, k = (
            acting.ranks.dot(x, product(x))
            for product in (acting.mass, acting.damping, acting.stiffness)
        )
        c, k = c / mass, k / mass
        omega = math.sqrt(max(k, 0.0))
        own = 2.0 / (a * c + math.sqrt((a * c) ** 2 + 4.0 * b * k))
        h = min(own, h) * (1.0 - _CLOSE)
        found = Limit(h, omega, 0.5 * c / omega if omega else math.inf)
    return found


def require_stable(
    scheme: Scheme,
    step: float,
    duration: float,
    system: System,
    matrices: Callable[[Floats], Iterator[ActingMatrices]],
) -> None:
    """Refuse a step that a method is unstable with.

    Parameters
    ----------
    scheme : Scheme
        Method of integration.
    step, duration : float
        Of the run, s.
    system : System
        The bodies, in frames that move as prescribed.
    matrices : callable
        Takes times, s, and yields the matrices that act then.

    Raises
    ------
    InputError
        Naming the longest step that is stable.
    """
    if scheme.limit[1] <= 0.0:
        return
    name = scheme.method
    times, fastest = _extremes(system, duration)
    if scheme.explicit and system.include.coriolis and step * fastest >= TURN:
        raise InputError(
            f"analysis.step: found {step:.4g} s with {name} in a frame that rotates by "
            f"{step * fastest:.3g} rad per step; expected less than {_rounded(TURN / fastest)} s"
        )
    limits = [one for acting in matrices(times) if (one := limit_of(scheme, step, acting))]
    if not limits:
        return
    worst = min(limits, key=lambda one: one.step)
    damped = f" with the damping ratio {worst.damping:.3g}" if worst.damping > 1e-12 else ""
    raise InputError(
        f"analysis.step: found {step:.4g} s with {name}; expected less than "
        f"{_rounded(worst.step)} s, the longest step that is stable (highest frequency "
        f"{worst.frequency:.4g} rad/s{damped})"
    )


def require_stable_steps(
    scheme: Scheme,
    step: float,
    duration: float,
    system: System,
    solver: str,
    shapes: Shapes | None = None,
) -> None:
    """Refuse a step that a method is unstable with, of a system or of coordinates of shapes.

    Parameters
    ----------
    scheme, step, duration, system
        As of :func:`require_stable`.
    solver : str
        Linear solver, of the masses.
    shapes : Shapes, optional
        Those that the unknowns move in.

    Raises
    ------
    InputError
        Naming the longest step that is stable, or when motions have no inertia.
    """
    if scheme.limit[1] <= 0.0:
        return
    if shapes is not None:
        require_stable(scheme, step, duration, system, reduced_matrices(system, shapes))
        return
    masses = MassFactors(system, solver, scheme.method)
    require_stable(scheme, step, duration, system, system_matrices(system, masses))
    masses.close()


def reduced_matrices(
    system: System, shapes: Shapes
) -> Callable[[Floats], Iterator[ActingMatrices]]:
    """Return the matrices of the coordinates of shapes, as :func:`require_stable` asks for them.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added.
    shapes : Shapes
        Those that the unknowns move in.
    """
    from scipy.linalg import cho_factor, cho_solve

    basis = shapes.matrix

    def reduced(product: Product) -> Product:
        dense: Floats = basis.T @ np.array([product(shape) for shape in basis.T]).T
        return lambda x: dense @ x

    def at(times: Floats) -> Iterator[ActingMatrices]:
        for one in system_matrices(system, None)(times):
            mass, damping, stiffness = map(reduced, (one.mass, one.damping, one.stiffness))
            factors = cho_factor(mass(np.eye(basis.shape[1])))
            yield ActingMatrices(
                basis.shape[1], mass, damping, stiffness, partial(cho_solve, factors)
            )

    return at


def system_matrices(
    system: System, masses: MassFactors | None
) -> Callable[[Floats], Iterator[ActingMatrices]]:
    """Return the matrices of a system at times, as :func:`require_stable` asks for them.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added.
    masses : MassFactors or None
        Solves with the masses, where that is asked for.
    """
    solve = masses.solve if masses is not None else np.zeros_like
    none, zero = np.zeros(0), np.zeros((system.dimension,) * 2)
    unit = [Combination(0.0, np.eye(system.dimension), none)] * len(system.bodies)
    damped = [
        Combination(body.beta, zero + body.alpha * np.eye(system.dimension), none, 1.0)
        for body in system.bodies
    ]

    def product(combinations: list[Combination]) -> Product:
        return lambda x: system.restrict(system.apply(combinations, system.expand(x)))

    def at(times: Floats) -> Iterator[ActingMatrices]:
        for time in times:
            elastic = elastic_parts(system.spins(float(time)))
            products = product(unit), product(damped), product(elastic)
            yield ActingMatrices(system.unknowns, *products, solve, system.ranks)

    return at


def elastic_parts(spins: Sequence[Spin]) -> list[Combination]:
    """Return the symmetric parts of the matrices of displacements, one per body."""
    return [Combination(1.0, 0.5 * (s.stiffness + s.stiffness.T), s.prestress) for s in spins]


def _extremes(system: System, duration: float) -> tuple[Floats, float]:
    """Return times at which the matrices are the extreme ones of a run, and the fastest turn.

    The largest eigenvalue is a convex function of the factors of constant matrices, so that it is
    largest where these are: all that one axis of rotation makes depends on one number.
    """
    times = np.linspace(0.0, duration, _LOOKS)
    chosen, fastest = {0}, 0.0
    for body, frame in zip(system.bodies, frames_over(system.bodies, times, None), strict=True):
        blocks = inertia_blocks(frame, system.include, system.dimension)
        even = 0.5 * (blocks.stiffness + np.swapaxes(blocks.stiffness, 1, 2))
        columns = [even.reshape(len(times), -1)]
        if len(body.patterns):
            columns.append(pattern_factors(blocks.centrifugal, body.unpatterned))
        fastest = max(fastest, float(np.linalg.norm(frame.w, axis=1).max()))
        for column in np.hstack(columns).T:
            low, high = int(column.argmin()), int(column.argmax())
            if column[high] - column[low] > 1e-9 * np.abs(column).max():
                chosen |= {low, high}
    return times[sorted(chosen)], fastest


def _rounded(value: float) -> str:
    """Return a number above zero in four digits, not rounded up."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 3)
    return f"{math.floor(value / unit) * unit:.4g}"
