# SPDX-License-Identifier: BSD-3-Clause
"""A body of bars, beams or shells: nodes carry vectors, and inertia is not a scalar matrix.

``int rho N^T B N`` is linear in the block B, so every inertia term of a moving frame is a
combination of a few constant matrices: the mass matrix, and the Coriolis and centrifugal matrices
for as many angular velocities as are needed to span every possible B.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import is_
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from flexforge.codegen.errors import FlexforgeError
from flexforge.runtime import _operators
from flexforge.runtime.arrays import Floats
from flexforge.runtime.assembly.assemble import Scalars, assemble_matrix, assemble_vector
from flexforge.runtime.mechanism.motion import LinkMotion
from flexforge.runtime.motion.frame import FrameMotion
from flexforge.runtime.system.body import Body, Combination, some_blocks
from flexforge.runtime.system.inertia import skew
from flexforge.runtime.system.standing import (
    StandingInertia,
    circulatory,
    require_alike,
    torque_stiffness,
)
from flexforge.runtime.system.vector_body import VectorBody
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix

_NOTHING = np.zeros(0)
#: Residual of a block as a combination of others that is more than round-off.
_CLOSE = 1e-12


@dataclass(frozen=True, eq=False)
class FieldBody(VectorBody):
    """The cells of a body whose element declares its field, and its constant matrices.

    Its points, graph and nodes are those of the vectors.
    """

    @property
    def has_mass(self) -> bool:
        """Whether its element has inertia at all."""
        return "mass" in self.kernels

    @cached_property
    def _blocks(self) -> tuple[Floats, list[dict[str, float]]]:
        """Blocks that span all possible ones, (n, d, d), and the motions that cause them.

        For the mass matrix, which comes first, the motion is None.
        """
        if self.dimension == 2:
            w = [{"w3": 1.0}]
            return np.array([np.eye(2), skew(np.array([0, 0, 1.0]))[:2, :2]]), [{}, *w]
        unit = np.eye(3)
        turns = list(unit)
        spins = [unit[i] + (unit[j] if i != j else 0) for i in range(3) for j in range(i, 3)]
        blocks = [np.eye(3), *(skew(w) for w in turns), *(skew(w) @ skew(w) for w in spins)]
        motions = [_rates("w", w) for w in (*turns, *spins)]
        return np.array(blocks), [{}, *motions]

    @cached_property
    def mass_matrix(self) -> Floats:
        """Values of the mass matrix, block by block, (nnz d d,), kg."""
        return self._matrix("mass", {})

    @cached_property
    def inertia(self) -> Floats:
        """Matrices of these blocks, (n, nnz d d), in axes that turn with the frame."""
        motions = self._blocks[1][1:]
        skews = 1 if self.dimension == 2 else 3
        terms = ["coriolis"] * skews + ["centrifugal"] * (len(motions) - skews)
        turned = [self._matrix(term, motion) for term, motion in zip(terms, motions, strict=True)]
        return np.array([self.mass_matrix, *turned])

    @cached_property
    def _standing(self) -> StandingInertia | None:
        """Inertia in axes that stand still while the body spins; None where axes turn with it."""
        axis = self.motion.rotation.axis
        if not self.motion.stands or axis is None:
            return None
        turn = skew(axis)
        each = (combine(self._blocks[0], block, "matrix") for block in (turn, turn @ turn))
        coriolis, centrifugal = (_weighted(factors, self.inertia) for factors in each)
        return StandingInertia.of(axis, self.mass_matrix, coriolis, centrifugal)

    def require_alike(self) -> None:
        """Refuse a body that spins about an axis about which turning it has an effect.

        Raises
        ------
        InputError
            Naming what differs.
        """
        standing = self._standing
        if standing is None:
            return
        turn = skew(standing.axis)
        matrices = {"stiffness": self.stiffness, "mass matrix": standing.matrices[0]}
        matrices |= {"gyroscopic matrix": standing.matrices[1]}
        arm = self.motion.arm if isinstance(self.motion, FrameMotion) else np.zeros(3)
        loads = np.array(
            [
                self.inertia_load(block) - self.translation_load(block @ arm)
                for block in (turn, turn @ turn)
            ]
        )
        reach = float(np.abs(self.points).max(initial=0.0))
        require_alike(self.name, standing.axis, matrices, loads, reach)

    @cached_property
    def _frame_loads(self) -> Floats:
        """Loads ``int rho N^T B x`` for blocks that span those of loads, (n, V, d)."""
        _, blocks = self._load_blocks
        return np.array([self._vector(term, motion) for term, motion in blocks])

    @cached_property
    def _load_blocks(self) -> tuple[Floats, list[tuple[str, dict[str, float]]]]:
        """Blocks of loads, (n, d, d), with the kernels and motions that cause them."""
        if self.dimension == 2:
            turn = skew(np.array([0, 0, 1.0]))[:2, :2]
            made = [("centrifugal_load", {"w3": 1.0}), ("euler_load", {"e3": 1.0})]
            return np.array([-np.eye(2), turn]), made
        blocks, motions = self._blocks
        turns = [("euler_load", _rates("e", w)) for w in np.eye(3)]
        return blocks[1:], [*turns, *(("centrifugal_load", m) for m in motions[4:])]

    @cached_property
    def translations(self) -> Floats:
        """Loads ``int rho N^T`` of unit accelerations, (d, V, d), kg."""
        zero = dict.fromkeys((f"a_O{i + 1}" for i in range(self.dimension)), 0.0)
        return np.array(
            [
                self.of_own(self._vector("translation", {**zero, f"a_O{i + 1}": 1.0}))
                for i in range(self.dimension)
            ]
        )

    @property
    def _turning(self) -> slice:
        """Its vectors that are rotations."""
        return slice(len(self.part.points), None)

    @property
    def is_symmetric(self) -> bool:
        """Whether its matrices are symmetric: torques that stay along an axis are not."""
        return not self.spins or all(
            (one == one.swapaxes(1, 2)).all() for one in map(self._on_rotations, self.geometric)
        )

    @property
    def symmetric_part(self) -> Body:
        """The body with the symmetric parts of its matrices."""
        return self if self.is_symmetric else self._changed(geometric=self._without_torques())

    def _on_rotations(self, geometric: Floats) -> Floats:
        """Return the blocks of a geometric stiffness on the diagonal of rotations, (n, 3, 3)."""
        return geometric.reshape(-1, 3, 3)[self.diagonal[self._turning]]

    def _without_torques(self) -> tuple[Floats, ...]:
        """Return the symmetric parts of its geometric stiffnesses."""
        found = tuple(one.copy() for one in self.geometric)
        for one in found:
            some = self._on_rotations(one)
            places = self.diagonal[self._turning]
            one.reshape(-1, 3, 3)[places] = 0.5 * (some + some.swapaxes(1, 2))
        return found

    @property
    def has_sections(self) -> bool:
        """Whether inertia forces stress its sections, as in a beam, however stiff it is."""
        return "section_geometric" in self.kernels

    def prestress(
        self,
        displacement: Floats,
        temperature: Floats | None = None,
        block: Floats | None = None,
        acceleration: Floats | None = None,
    ) -> Floats:
        """Return the geometric stiffness matrix of a state, including its sections' own stress.

        That of a body that spins includes the torques on its nodes, which stay along its axis.
        Parameters and result are those of ``Stressed.prestress``.
        """
        total = super().prestress(displacement, temperature)
        axis = self.motion.rotation.axis
        if self.spins and self.has_sections and axis is not None:
            blocks, nodes = total.reshape(-1, 3, 3), self._turning
            elastic = Combination(1.0, np.zeros((3, 3)), _NOTHING)
            torques = self.apply(elastic, displacement)[nodes] @ axis
            blocks[self.diagonal[nodes]] += torque_stiffness(axis, torques)
        if block is not None and self.has_sections:
            factors = combine(self._load_blocks[0], block, "load")
            total += np.tensordot(factors, self._sections, axes=1)
        return total

    @cached_property
    def _sections(self) -> Floats:
        """Geometric stiffness by the sections' own stress, for blocks that span those of loads.

        (n, nnz d d); a uniform acceleration causes none.
        """
        _, motions = self._load_blocks
        return np.array([self._stiffened("section_geometric", motion) for _, motion in motions])

    def _stiffened(self, term: str, motion: Mapping[str, float]) -> Floats:
        """Return the geometric stiffness by the inertia forces of one motion of the frame."""
        rest = {f"{name}{i + 1}": 0.0 for name in ("w", "e", "a_O") for i in range(3)}
        return self._matrix(term, {**rest, **motion})

    def _matrix(self, term: str, motion: Mapping[str, float]) -> Floats:
        """Return the matrix of a term for a motion of the frame."""
        values = {**self._inertia_values, **motion}
        return assemble_matrix(self.kernels[term], self.graph, self.points, values)

    def _vector(self, term: str, motion: Mapping[str, float]) -> Floats:
        """Return the load of a term for a motion of the frame, (V, d)."""
        values = {**self._inertia_values, **motion}
        return assemble_vector(self.kernels[term], self.graph.cells, self.points, values)

    @property
    def _inertia_values(self) -> Scalars:
        """Scalar arguments of the kernels of inertia."""
        return self.values if self.rotary_inertia else self.without_spread

    def inertia_load(self, block: Floats) -> Floats:
        """Return ``int rho N^T block x``, (V, d)."""
        factors = combine(self._load_blocks[0], block, "load")
        return _weighted(factors, self._frame_loads)

    def translation_load(self, acceleration: Floats) -> Floats:
        """Return ``int rho N^T a``, (V, d), of an acceleration in the frame, m/s^2."""
        return _weighted(acceleration, self.translations)

    def momentum(self, velocity: Floats) -> Floats:
        """Return the linear momentum of velocities (V, d), kg m/s."""
        flat = self.translations.reshape(self.dimension, -1)
        return np.asarray(flat @ velocity.ravel())

    def mass_diagonal(self) -> Floats:
        """Return the diagonal of the mass matrix, (V, d)."""
        d = self.dimension
        blocks = self.mass_matrix.reshape(-1, d, d)[self.diagonal]
        return np.ascontiguousarray(blocks[:, range(d), range(d)])

    @cached_property
    def first_moment(self) -> Floats:
        """Integral of density times position, (d,), kg m."""
        total: Floats = self.inertia_load(np.eye(self.dimension))[: len(self.part.points)].sum(
            axis=0
        )
        return total

    def assemble(self) -> None:
        """Assemble all constant matrices; those of a frame that turns where it may."""
        self.stiffness, self.mass_matrix, self.translations  # noqa: B018 (computed on first use)
        if _may_turn(self.motion):
            self.inertia, self._frame_loads  # noqa: B018

    def moving(self, motion: FrameMotion | LinkMotion) -> Self:
        """Return the body with another motion of its frame; both share the assembled matrices."""
        if _may_turn(motion):
            self.inertia, self._frame_loads  # noqa: B018
        return super().moving(motion)

    @cached_property
    def total_mass(self) -> float:
        """Mass, kg: the momentum for a unit velocity."""
        moving = np.zeros((len(self.points), self.dimension))
        moving[: len(self.part.points), 0] = 1.0
        return float(self.momentum(moving)[0])

    def mass_times(self, x: Floats) -> Floats:
        """Return the mass matrix times vectors (V, d)."""
        return self._multiply(self.mass_matrix, x)

    def apply(self, c: Combination, x: Floats) -> Floats:
        """Return a combination of its matrices times vectors (V, d)."""
        return self._multiply(self._kept(c), x)

    def inner(
        self, elastic: Combination, viscous: Combination, q: Floats, v: Floats, a: Floats
    ) -> Floats:
        """Return its forces for displacements, velocities and accelerations, (V, d) each.

        Parameters are those of :meth:`flexforge.runtime.system.body.Body.inner`.
        """
        total = self.apply(elastic, q) + self.mass_times(a)
        return total + self.apply(viscous, v) if v.any() else total

    def _changed(self, **changes: Any) -> Self:
        """Return a copy with other attributes, including computed ones; it shares the others."""
        self._recent  # noqa: B018 (so that copies keep no more combinations than one body)
        return super()._changed(**changes)

    def _some(self, entries: NDArray[np.int64]) -> dict[str, Any]:
        """Return some entries of the matrices, by matrix name; no combinations yet."""
        return {
            "stiffness": some_blocks(self.stiffness, entries, self.dimension),
            "mass_matrix": some_blocks(self.mass_matrix, entries, self.dimension),
            "inertia": some_blocks(self.inertia, entries, self.dimension),
            "_recent": deque(maxlen=self._recent.maxlen),
        }

    def blocks(self, c: Combination) -> bsr_matrix:
        """Return a combination of its matrices in blocks of nodes, with values of its own."""
        from scipy.sparse import bsr_matrix

        d, n = self.dimension, self.graph.nodes
        data = self._combined(c).reshape(-1, d, d).copy()
        return bsr_matrix((data, self.graph.columns, self.graph.pointers), shape=(n * d, n * d))

    @cached_property
    def _recent(self) -> deque[tuple[Combination, tuple[Floats, ...], Floats]]:
        """Recent combinations, each with its geometric stiffness and values."""
        return deque(maxlen=4)  # of displacements, of velocities, of the step, and its change

    def _kept(self, c: Combination) -> Floats:
        """Return the values of a combination, computed once for all products of a step."""
        for known, geometric, values in self._recent:
            same = len(geometric) == len(self.geometric)
            if known is c and same and all(map(is_, geometric, self.geometric)):
                return values
        values = self._combined(c)
        self._recent.appendleft((c, self.geometric, values))
        return values

    def _combined(self, c: Combination) -> Floats:
        """Return the values of a combination, block by block."""
        total = c.stiffness * self.stiffness
        if c.inertia.any():
            total += self._of_block(c.inertia)
        if self.geometric and c.geometric.any():
            total += np.tensordot(c.geometric, np.array(self.geometric), axes=1)
        if c.circulation:
            total += c.circulation * self._circulatory
        return total

    def _of_block(self, block: Floats) -> Floats:
        """Return the matrix of inertia of a block, block by block, (nnz d d,)."""
        if self._standing is not None:
            return self._standing.combined(block)
        if (block == block[0, 0] * np.eye(self.dimension)).all():
            return np.asarray(block[0, 0] * self.mass_matrix)
        return _weighted(combine(self._blocks[0], block, "matrix"), self.inertia)

    @cached_property
    def _circulatory(self) -> Floats:
        """Matrix of displacements of the damping that spins at 1 rad/s, block by block."""
        axis = self.motion.rotation.axis
        assert axis is not None
        return circulatory(axis, self.alpha * self.mass_matrix + self.beta * self.stiffness)

    def _multiply(self, values: Floats, x: Floats) -> Floats:
        x = np.ascontiguousarray(x)
        y = np.empty_like(x)
        _operators.apply(
            self.graph.pointers,
            self.graph.columns,
            values,
            _NOTHING,
            _NOTHING,
            1.0,
            np.zeros((self.dimension, self.dimension)),
            0.0,
            x,
            y,
            self.graph.threads,
        )
        return y


def _rates(letter: str, vector: Floats) -> dict[str, float]:
    """Return the components of a vector as scalar arguments of a kernel."""
    return {f"{letter}{i + 1}": float(v) for i, v in enumerate(vector)}


def _weighted(factors: Floats, each: Floats) -> Floats:
    """Return the sum of arrays (n, ...) with factors (n,): a small one costs half of tensordot."""
    return np.asarray(factors @ each.reshape(len(each), -1)).reshape(each.shape[1:])


@lru_cache(maxsize=8)  # of matrices and of loads, in the plane and in space
def _flat_and_inverse(data: bytes, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return blocks as columns, and their pseudo-inverse: balances combine them many times."""
    flat: Floats = np.frombuffer(data).reshape(shape[0], -1).T
    cut = float(max(flat.shape) * np.finfo(float).eps)
    return flat, np.asarray(np.linalg.pinv(flat, rcond=cut), dtype=float)


def _may_turn(motion: FrameMotion | LinkMotion) -> bool:
    """Whether a frame turns, or is on a link whose motion is found."""
    return not isinstance(motion, FrameMotion) or motion.rotates


def combine(blocks: Floats, wanted: Floats, what: str) -> Floats:
    """Return the factors by which blocks combine to the given one.

    Raises
    ------
    FlexforgeError
        When it is not a combination of them; in the plane a block is a combination of 1 and J.
    """
    flat, inverse = _flat_and_inverse(blocks.tobytes(), blocks.shape)
    factors = inverse @ wanted.ravel()
    left = np.abs(flat @ factors - wanted.ravel()).max()
    if left > _CLOSE * max(float(np.abs(wanted).max()), 1e-300):
        raise FlexforgeError(
            f"{what}: no combination of frame motions gives the block {wanted.tolist()}"
        )
    return factors
