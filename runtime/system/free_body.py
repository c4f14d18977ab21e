# SPDX-License-Identifier: BSD-3-Clause
"""A body whose rigid motion is unknown: its coordinates are displacements along fixed axes.

Its frame follows from them: the rotation R and the centre of mass c about which the displacements
``d = R^T (x - c) - X`` satisfy Buckens' condition ``int rho X x d = 0``, so that the strain energy
``V = 1/2 d.k d`` depends on the shape alone. With the weights ``p = int rho N X``

    B = sum x p^T = R U  (polar decomposition),      H = tr(U) 1 - U,      H w = sum p x R^T x'

Forces are the gradient of V: as a displacement also turns the frame, by ``H a = sum p x R^T u``,

    dV/dx = R (k d - s x p),      H s = sum R^T (x - c) x k d

The second part is small, of the second order in d; without it angular momentum would be lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.inertia import skew

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix

#: Smallest moment of the body about an axis, relative to the largest, that keeps a rotation.
_THIN = 1e-12


@dataclass(frozen=True)
class Attitude:
    """Where a body is, as its nodes say.

    Attributes
    ----------
    turn : ndarray, (3, 3)
        R.
    centre : ndarray, (3,)
        c, m.
    arms : ndarray, (P, 3)
        ``R^T (x - c)``, m.
    inverse : ndarray, (3, 3)
        Of H.
    """

    turn: Floats
    centre: Floats
    arms: Floats
    inverse: Floats


@dataclass(frozen=True, eq=False)
class FreeBody(Body):
    """A continuum in a free frame.

    Attributes
    ----------
    turn : ndarray, (3, 3)
        R by which its matrices are turned.
    """

    turn: Floats = field(default_factory=lambda: np.eye(3))

    is_free: ClassVar[bool] = True

    @classmethod
    def instead_of(cls, body: Body) -> FreeBody:
        """Return a body in a free frame.

        Raises
        ------
        InputError
            For a body that is not a solid or plane continuum.
        """
        if body.has_field or body.lumped or body.revolved:
            raise InputError(
                f"body '{body.name}': found a free frame with element '{body.element}'; expected "
                "one with solids or plane elements (not of revolution)"
            )
        return cls(**{one.name: getattr(body, one.name) for one in fields(Body)})

    @cached_property
    def _weights(self) -> tuple[Floats, Floats, Floats]:
        """Centre of mass (3,), masses (P,) and weights p (P, 3) of the undeformed body."""
        masses = self.moments[:, 0]
        points = self._in_space(self.points)
        centre = masses @ points / masses.sum()
        return (
            centre,
            masses,
            self._in_space(self.mass_times(self.points - centre[: self.dimension])),
        )

    def attitude(self, u: Floats) -> Attitude:
        """Return where displacements (P, d) along fixed axes take the body."""
        _, masses, weights = self._weights
        x = self._in_space(self.points + u)
        centre = masses @ x / masses.sum()
        stretch = x.T @ weights
        if self.dimension == 2:
            stretch[2, 2] = 1.0  # turns about the normal alone
        left, sizes, right = np.linalg.svd(stretch)
        sign = np.array([1.0, 1.0, np.linalg.det(left) * np.linalg.det(right)])
        turn = (left * sign) @ right
        sizes = sizes * sign
        # H has these sums as eigenvalues, along the columns of right^T.
        sums = sizes.sum() - sizes
        if sums.min() <= _THIN * sums.max():
            raise InputError(
                f"body '{self.name}': its points are on a line, about which a free frame would "
                "turn freely; expected points in a plane or in space"
            )
        inverse = (right.T / sums) @ right
        return Attitude(turn, centre, (x - centre) @ turn, inverse)

    def relative(self, u: Floats) -> Floats:
        """Return the displacements relative to the frame found, (P, d), m."""
        return self._relative(self.attitude(u))

    def relative_rate(self, u: Floats, v: Floats) -> Floats:
        """Return their rates, (P, d), m/s."""
        return self._rate(self.attitude(u), v)[0]

    def frame(self, time: float, u: Floats, v: Floats, a: Floats) -> FrameState:
        """Return the motion of the frame found, whose origin is that of the mesh."""
        del time
        at = self.attitude(u)
        undeformed, masses, weights = self._weights
        rate, w = self._rate(at, v)
        whole = self._in_space(rate)
        mean = masses @ self._in_space(a) / masses.sum()
        turned = (self._in_space(a) - mean) @ at.turn
        tilde = skew(w)
        turned -= 2.0 * whole @ tilde.T + at.arms @ (tilde @ tilde).T
        e = at.inverse @ _moment(weights, turned)
        velocity = at.turn.T @ (masses @ self._in_space(v) / masses.sum()) - tilde @ undeformed
        acceleration = at.turn.T @ mean - skew(e) @ undeformed - tilde @ tilde @ undeformed
        place = at.centre - at.turn @ undeformed
        return FrameState(w, e, velocity, acceleration, at.turn, place)

    def placed_frame(self, u: Floats) -> FrameState:
        """Return the place of the frame found, as if at rest: loads that turn with it need it."""
        at, zero = self.attitude(u), np.zeros(3)
        place = at.centre - at.turn @ self._weights[0]
        return FrameState(zero, zero, zero, zero, at.turn, place)

    def inner(
        self, elastic: Combination, viscous: Combination, q: Floats, v: Floats, a: Floats
    ) -> Floats:
        """Return its forces along fixed axes, (P, d), N.

        Parameters are those of ``Body.inner``; damping acts on rates relative to the frame.
        """
        at = self.attitude(q)
        d, rate = self._relative(at), self._rate(at, v)[0]
        local = self._in_space(super().inner(elastic, viscous, d, rate, np.zeros_like(d)))
        _, whole = self._balanced(at, local)
        found = (whole @ at.turn.T)[:, : self.dimension]
        return found + self.mass_times(a) if a.any() else found

    def change(
        self, elastic: Combination, viscous: Combination, u: Floats, v: Floats
    ) -> Callable[[Floats, Floats], Floats]:
        """Return the derivative of `inner` at a state, without inertia, as a product.

        With the change ``e = R^T u' - a x R^T (x - c)`` of d, ``H a = sum p x R^T u'``, and
        ``g = k d``,

            R (k e - s_e x p + a x (g - s x p) - s' x p),
            H s_e = sum y x k e,      H s' = sum e x g - sum ((p.e) 1 - e p^T) s

        Of damping, whose forces are small, the part that turns is left out.

        Parameters are those of `inner`; those of the product are changes of u and v.
        """
        at, weights = self.attitude(u), self._weights[2]
        d, rate = self._relative(at), self._rate(at, v)[0]
        zero, inner = np.zeros_like(d), super().inner
        force = self._in_space(inner(elastic, viscous, d, rate, zero))
        share, whole = self._balanced(at, force)

        def product(moved: Floats, faster: Floats) -> Floats:
            change, turn = self._rate(at, moved)
            speed = self._rate(at, faster)[0] if faster.any() else zero
            found = self._in_space(
                super(FreeBody, self).inner(elastic, viscous, change, speed, zero)
            )
            e = self._in_space(change)
            sums = weights.T @ e
            later = _moment(e, force) - (np.trace(sums) * np.eye(3) - sums.T) @ share
            turned = at.inverse @ (_moment(at.arms, found) + later)
            found = found + whole @ skew(turn).T - weights @ skew(turned).T
            return (found @ at.turn.T)[:, : self.dimension]

        return product

    def energies(self, u: Floats, v: Floats) -> tuple[float, float]:
        """Return kinetic and strain energy, J."""
        d = self.relative(u)
        nothing = np.zeros((self.dimension, self.dimension))
        stored = 0.5 * float((d * self.apply(Combination(1.0, nothing, np.zeros(0)), d)).sum())
        return 0.5 * float((v * self.mass_times(v)).sum()), stored

    def angular_momentum(self, u: Floats, v: Floats) -> Floats:
        """Return the angular momentum about the origin of space, (3,), kg m^2/s."""
        x, moved = self._in_space(self.points + u), self._in_space(self.mass_times(v))
        return _moment(x, moved)

    def turned(self, turn: Floats) -> Self:
        """Return the body with matrices turned by a rotation; both share the assembled ones."""
        self.assemble()
        return self._changed(turn=turn)

    def blocks(self, c: Combination) -> bsr_matrix:
        """Return a combination of its matrices in blocks of nodes, turned."""
        found, d = super().blocks(c), self.dimension
        turn = self.turn[:d, :d]
        found.data = turn @ found.data @ turn.T
        return found

    def _in_space(self, nodal: Floats) -> Floats:
        """Return nodal vectors (P, d) with three components, the third of a plane being zero."""
        if nodal.shape[1] == 3:
            return nodal
        return np.column_stack([nodal, np.zeros(len(nodal))])

    def _relative(self, at: Attitude) -> Floats:
        centre = self._weights[0][: self.dimension]
        return np.ascontiguousarray(at.arms[:, : self.dimension] - (self.points - centre))

    def _balanced(self, at: Attitude, force: Floats) -> tuple[Floats, Floats]:
        """Return s of forces ``k d`` (P, 3), and the forces with it, which have no moment."""
        share = at.inverse @ _moment(at.arms, force)
        return share, force - self._weights[2] @ skew(share).T

    def _rate(self, at: Attitude, v: Floats) -> tuple[Floats, Floats]:
        """Return the rates of relative displacements, and the angular velocity w of the frame."""
        _, masses, weights = self._weights
        moving = self._in_space(v)
        local = (moving - masses @ moving / masses.sum()) @ at.turn
        w = at.inverse @ _moment(weights, local)
        return np.ascontiguousarray((local - at.arms @ skew(w).T)[:, : self.dimension]), w


def _moment(arms: Floats, forces: Floats) -> Floats:
    """Return the sum of vector products, (3,)."""
    sums = arms.T @ forces
    return np.array([sums[1, 2] - sums[2, 1], sums[2, 0] - sums[0, 2], sums[0, 1] - sums[1, 0]])
