# SPDX-License-Identifier: BSD-3-Clause
"""A body: cells of one element and material in one frame, and their constant matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from flexforge.codegen.elements.facts import FACTS, FULL_MASS, REVOLVED
from flexforge.runtime import _operators
from flexforge.runtime.arrays import Floats, Ints, Number
from flexforge.runtime.assembly.assemble import Scalars, assemble_matrix
from flexforge.runtime.assembly.calls import CompiledKernel
from flexforge.runtime.assembly.diagonal_mass import diagonal_masses
from flexforge.runtime.assembly.graph import Graph
from flexforge.runtime.assembly.kernels import kernels_of
from flexforge.runtime.elasticity import ReducedLaw, reduce
from flexforge.runtime.mechanism.motion import LinkMotion
from flexforge.runtime.mesh import Part
from flexforge.runtime.motion.frame import FrameMotion, FrameState
from flexforge.runtime.solvers.blocks import some_rows
from flexforge.runtime.system.block_sum import BlockSum
from flexforge.runtime.system.inertia import pattern_inverse
from flexforge.runtime.system.stresses import Stressed
from numpy.typing import NDArray

if TYPE_CHECKING:
    from flexforge.codegen.elements.field import AnyElement
    from scipy.sparse import bsr_matrix, csr_matrix

#: Relative change of what varies of a matrix that is worth another factorization.
MOVED = 0.05
_NOTHING = np.zeros(0)
_NO_PATTERNS = np.zeros((0, 3, 3))


@dataclass(frozen=True, slots=True)
class Combination:
    """A linear combination of the matrices of a body.

    ``stiffness K + M (x) inertia + sum geometric_k G_k (x) I + damping D + circulation N``.

    Attributes
    ----------
    stiffness : float
        Factor of the stiffness matrix.
    inertia : ndarray, (d, d)
        Block that multiplies the scalar mass matrix.
    geometric : ndarray, (patterns,)
        Factors of the geometric stiffness matrices.
    damping : float
        Factor of the damping matrix, which only bodies with dampers have.
    circulation : float
        Factor of the matrix by which damping that spins in axes that stand still acts on
        displacements, for 1 rad/s; an angular velocity.
    """

    stiffness: float
    inertia: Floats
    geometric: Floats
    damping: float = 0.0
    circulation: float = 0.0

    @property
    def acts(self) -> bool:
        """Whether any factor differs from zero."""
        blocks = self.inertia.any() or self.geometric.any()
        return bool(self.stiffness or self.damping or self.circulation or blocks)

    @property
    def is_stiffness(self) -> bool:
        """Whether it is a multiple of the stiffness matrix alone."""
        others = self.inertia.any() or self.geometric.any() or self.damping or self.circulation
        return bool(self.stiffness and not others)

    @property
    def none(self) -> Combination:
        """The combination of the same matrices with nothing of them."""
        return Combination(0.0, 0.0 * self.inertia, 0.0 * self.geometric)

    @property
    def is_symmetric(self) -> bool:
        """Whether it is a symmetric matrix, of symmetric matrices of a body."""
        return not self.circulation and bool((self.inertia == self.inertia.T).all())

    @property
    def symmetric_part(self) -> Combination:
        """The combination without its skew part, and without all of the circulation."""
        return replace(self, inertia=0.5 * (self.inertia + self.inertia.T), circulation=0.0)

    def in_part(self, part: float) -> Combination:
        """Return the combination with a part of all that motion of the frame causes."""
        return replace(
            self,
            inertia=part * self.inertia,
            geometric=part * self.geometric,
            circulation=part * self.circulation,
        )


@dataclass(frozen=True, eq=False)
class Body(Stressed):
    """The cells of one body and its constant matrices.

    State-dependent properties are those of another body that shares the matrices: see
    :meth:`stressed`.

    Attributes
    ----------
    name : str
        Name in the model file.
    part : Part
        Cells and points.
    dimension : int
        Coordinates per node: 2 or 3.
    element : str
        Full name of the element.
    kernels : mapping
        Compiled terms by name.
    values : mapping
        Scalar arguments of the kernels: material and section; of a section that varies, arrays
        (E,).
    alpha, beta : float
        Rayleigh damping, 1/s and s.
    motion : FrameMotion or LinkMotion
        Motion of its frame.
    graph : Graph
        Neighbouring nodes.
    nodes : ndarray of int, (P,)
        Numbers of its nodes in the system.
    law : ReducedLaw
        The law of its material under the hypothesis of its element.
    declared : Element or FieldElement, optional
        Declaration of an element that is not part of the library.
    viscosity : float
        Retardation time of the viscosity of the material, s; also included in ``beta``.
    geometric : tuple of ndarray, (nnz,) each
        Scalar geometric stiffness matrices of unit prestress, for a body of revolution with their
        blocks, (nnz d d,); none for a body without stresses.
    patterns : ndarray, (len(geometric), 3, 3)
        The loads of those prestresses; none where the prestress is that of a state.
    stressing : tuple of ndarray, (P, d) each
        The displacements under those loads, m; none where the prestress is of another kind.
    lumps_mass : bool
        Whether its mass matrix is diagonal, in every inertia term.
    reach : tuple, optional
        Largest distances from the centroid of its section along y and z, m, if it has one; of one
        that varies, at all stations (E, Q).
    rotary_inertia : bool
        Whether its sections have rotary inertia; otherwise their mass is at their centroids, in
        every inertia term and in the stress that inertia forces cause within a section.
    own : ndarray of bool, (P,), optional
        Which of its nodes are those of this rank, where several ranks share it; by default all.
    whole : str
        Name in the model file of the body that it is a piece of; empty where it is a whole one.
    """

    name: str
    part: Part
    dimension: int
    element: str
    kernels: Mapping[str, CompiledKernel]
    values: Scalars
    alpha: float
    beta: float
    motion: FrameMotion | LinkMotion
    graph: Graph
    nodes: NDArray[np.int64]
    law: ReducedLaw = field(default_factory=lambda: reduce(np.eye(6), np.zeros(6), ""))
    declared: AnyElement | None = None
    viscosity: float = 0.0
    geometric: tuple[Floats, ...] = ()
    patterns: Floats = field(default_factory=lambda: _NO_PATTERNS)
    stressing: tuple[Floats, ...] = ()
    lumps_mass: bool = False
    reach: tuple[float | Floats, float | Floats] | None = None
    rotary_inertia: bool = True
    own: NDArray[np.bool_] | None = None
    whole: str = ""

    #: Whether its element declares its field: its nodes carry vectors, and it has no stresses.
    has_field: ClassVar[bool] = False
    #: Whether it is a mass or a connector: all its elasticity is in its stiffness matrix.
    lumped: ClassVar[bool] = False

    #: Whether its forces are linear in displacements; otherwise ``inner`` alone has them.
    is_linear: ClassVar[bool] = True

    #: Whether its frame is free: coordinates are then displacements along fixed axes.
    is_free: ClassVar[bool] = False

    @property
    def spins(self) -> bool:
        """Whether it spins about its axis in axes that stand still."""
        return self.motion.stands

    @property
    def circulates(self) -> bool:
        """Whether it has damping that spins in axes that stand still."""
        return self.spins and bool(self.alpha or self.beta)

    @property
    def is_symmetric(self) -> bool:
        """Whether its matrices of stiffness and damping are symmetric."""
        return True

    @property
    def symmetric_part(self) -> Body:
        """The body with the symmetric parts of these matrices."""
        return self

    @property
    def in_file(self) -> str:
        """Name in the model file of the body that it is, or is a piece of."""
        return self.whole or self.name

    @property
    def has_mass(self) -> bool:
        """Whether its element has inertia at all."""
        return True

    @property
    def is_inert(self) -> bool:
        """Whether it has a mass matrix, also one without weight."""
        return self.has_mass

    @property
    def is_connector(self) -> bool:
        """Whether it connects nodes without being part of a body."""
        return False

    @property
    def generalized(self) -> tuple[str, ...]:
        """Names of the forces at its stations, for a body with a declared field."""
        return ()

    @property
    def stiffens_itself(self) -> bool:
        """Whether its geometric stiffness is due to its own inertia forces, as in rigid bodies."""
        return False

    @property
    def has_sections(self) -> bool:
        """Whether inertia forces stress its sections, as in a beam, however stiff it is."""
        return False

    @property
    def is_damped(self) -> bool:
        """Whether it has any damping."""
        return bool(self.alpha or self.beta)

    @property
    def varies(self) -> bool:
        """Whether its matrices of stiffness, damping and mass vary in time."""
        return False

    def under(self, frame: FrameState) -> Body:
        """Return the body with the matrices that it has under a motion of its frame."""
        del frame
        return self

    @property
    def vibrates(self) -> bool:
        """Whether these matrices depend on the frequency of vibrations; others are of rest then."""
        return False

    def vibrating(self, frequency: float) -> Body:
        """Return the body with the matrices of vibrations of a frequency, rad/s."""
        del frequency
        return self

    def differs(self, then: Body) -> bool:
        """Whether its matrices differ much from those it had at another time."""
        del then
        return False

    def relative(self, u: Floats) -> Floats:
        """Return displacements relative to its frame, (P, d), m, from coordinates."""
        return u

    def relative_rate(self, u: Floats, v: Floats) -> Floats:
        """Return their rates, (P, d), m/s, from coordinates and their rates."""
        del u
        return v

    def frame(self, time: float, u: Floats, v: Floats, a: Floats) -> FrameState:
        """Return the motion of its frame at a time, from coordinates and their rates (P, d)."""
        del u, v, a
        return self.motion.at(time)

    @property
    def placed(self) -> NDArray[np.int64]:
        """Numbers of its nodes in the system, without rotations, (P,)."""
        return self.nodes[: len(self.part.points)]

    @property
    def rotations(self) -> NDArray[np.int64]:
        """Numbers of the rotations of its nodes in the system; none for a continuum."""
        return self.nodes[len(self.part.points) :]

    @property
    def internal(self) -> Ints:
        """Numbers in the system of vectors that are no motions of nodes; none by default."""
        return self.nodes[:0]

    @property
    def idle(self) -> int:
        """Number of internal motions that may be no motion of nodes, but seem to vibrate."""
        return 0

    @property
    def turns(self) -> bool:
        """Whether its nodes have rotations."""
        return False

    @property
    def turns_about(self) -> bool:
        """Whether its nodes turn by any angle about any axis, so that rotations do not add up."""
        return False

    @property
    def first_moment(self) -> Floats:
        """Integral of density times position, (d,), kg m."""
        return self._resultant(self.moments[:, 1:].sum(axis=0))

    def _resultant(self, total: Floats) -> Floats:
        """Return a sum over nodes; over whole circles all but the part along the axis cancels."""
        return total * [0.0, 1.0, 0.0][: self.dimension] if self.revolved else total

    @property
    def elements(self) -> int:
        """Number of its elements, each counted by the owner of its first node."""
        cells = self.graph.cells
        return len(cells) if self.own is None else int(self.own[cells[:, 0]].sum())

    def of_own(self, nodal: NDArray[Number]) -> NDArray[Number]:
        """Return nodal values, zero at nodes of other ranks, which count them."""
        if self.own is None:
            return nodal
        return np.where(self.own.reshape(-1, *[1] * (nodal.ndim - 1)), nodal, 0.0)

    def assemble(self) -> None:
        """Assemble all constant matrices."""
        self.stiffness, self.mass, self.moments  # noqa: B018 (computed on first use)

    @cached_property
    def unpatterned(self) -> Floats:
        """Matrix (9, patterns) that computes the factors of the patterns from ``w~ w~``."""
        return pattern_inverse(self.patterns)

    def stressed(
        self,
        geometric: Sequence[Floats],
        patterns: Floats = _NO_PATTERNS,
        stressing: Sequence[Floats] = (),
    ) -> Self:
        """Return the body with other stresses; both share the matrices, assembled here if not yet.

        Parameters are attributes of the body.
        """
        self.assemble()
        return self._changed(
            geometric=tuple(geometric), patterns=patterns, stressing=tuple(stressing)
        )

    def moving(self, motion: FrameMotion | LinkMotion) -> Self:
        """Return the body with another motion of its frame; both share the assembled matrices."""
        self.assemble()
        return self._changed(motion=motion)

    def _changed(self, **changes: Any) -> Self:
        """Return a copy with other attributes, including computed ones; it shares the others."""
        self.points, self.diagonal, self._further  # noqa: B018 (shared once computed)
        if "patterns" in changes:
            changes["unpatterned"] = pattern_inverse(changes["patterns"])
        found = copy(self)
        vars(found).update(changes)  # computed attributes may be set although the class is frozen
        return found

    @cached_property
    def points(self) -> Floats:
        """Undeformed positions of its nodes, (P, d), m."""
        return np.ascontiguousarray(self.part.points[:, : self.dimension])

    @cached_property
    def stiffness(self) -> Floats:
        """Values of the stiffness matrix, block by block, (nnz d d,), N/m."""
        return assemble_matrix(self.kernels["stiffness"], self.graph, self.points, self.values)

    @cached_property
    def stiffest(self) -> float:
        """Largest diagonal entry of the stiffness matrix, N/m."""
        d = self.dimension
        blocks = self.stiffness.reshape(-1, d, d)[self.diagonal]
        return float(blocks[:, range(d), range(d)].max(initial=0.0))

    @cached_property
    def mass(self) -> Floats:
        """Values of the scalar mass matrix, (nnz,), kg."""
        if self.lumps_mass:
            values = np.zeros(self.graph.nnz)
            kernel = self.kernels["scalar_mass"]
            masses = diagonal_masses(kernel, self.graph.cells, self.points, self.values)
            values[self.diagonal] = masses
            return values
        return assemble_matrix(self.kernels["scalar_mass"], self.graph, self.points, self.values)

    @property
    def lacks_mass(self) -> bool:
        """Whether some motions of its nodes have no inertia, by reduced integration."""
        return bool(self._full_mass)

    @property
    def _full_mass(self) -> str:
        """Name of the element with the same functions and all inertia; empty where it has all."""
        plain, _, more = self.element.partition("_")
        full = FULL_MASS.get(plain, "")
        if self.declared is None or not full:
            return f"{full}_{more}" if full and more else full
        # With an energy, or with points in walls alone; not a user's own, whose mass is its own.
        if "density" not in self.values or FACTS[plain].cell != self.part.cell:
            return ""
        if self.revolved:
            return f"{full}_{REVOLVED[self.dimension - 2]}"
        # Masses of planes are the same in stress and in strain.
        return full if self.dimension == 3 else f"{full}_plane_strain"

    @cached_property
    def regular_mass(self) -> Floats:
        """Scalar mass matrix in the pattern of the graph, kg, whose inverse there is.

        That of the body, or where reduced integration makes it singular, of the full rule. Walls
        alone have less mass than what they enclose: it is spread over all of that.
        """
        if not self.lacks_mass:
            return self.mass
        kernel = kernels_of(self._full_mass, ("scalar_mass",))["scalar_mass"]
        found = assemble_matrix(kernel, self.graph, self.points, self.values)
        share = 1.0 if self.declared is None else self.mass.sum() / found.sum()
        return np.asarray(found * share)

    @cached_property
    def diagonal(self) -> NDArray[np.int64]:
        """Positions of the diagonal blocks among the pairs of the graph, (P,)."""
        rows = np.repeat(np.arange(self.graph.nodes), np.diff(self.graph.pointers))
        return np.flatnonzero(self.graph.columns == rows)

    @cached_property
    def moments(self) -> Floats:
        """Mass matrix times 1 and the nodal positions, (P, 1 + d): kg and kg m."""
        full = np.column_stack([np.ones(len(self.points)), self.points])
        found = np.column_stack([self.mass_times(column[:, None]) for column in full.T])
        return self.of_own(found)

    def inertia_load(self, block: Floats) -> Floats:
        """Return ``int rho N^T block x``, (P, d), for a block and the nodal positions."""
        return self.moments[:, 1:] @ block.T

    def translation_load(self, acceleration: Floats) -> Floats:
        """Return ``int rho N^T a``, (P, d), of an acceleration in the frame, m/s^2."""
        return np.outer(self.moments[:, 0], acceleration)

    def momentum(self, velocity: Floats) -> Floats:
        """Return the linear momentum of nodal velocities (P, d), kg m/s."""
        return self._resultant(self.moments[:, 0] @ velocity)

    def mass_diagonal(self) -> Floats:
        """Return the diagonal of the mass matrix, (P, d), kg."""
        return np.tile(self.mass[self.diagonal, None], (1, self.dimension))

    @property
    def total_mass(self) -> float:
        """Mass, kg."""
        return float(self.moments[:, 0].sum())

    def mass_times(self, x: Floats) -> Floats:
        """Return the scalar mass matrix times nodal values (P, k), k = 1, 2 or 3."""
        size = x.shape[1]
        return self._apply(_NOTHING, _NOTHING, 0.0, np.eye(size), 0.0, x)

    def apply(self, c: Combination, x: Floats) -> Floats:
        """Return a combination of its matrices times nodal vectors (P, d)."""
        stiffness, ck, geometric, cg = self._elastic(c)
        return self._apply(stiffness, geometric, ck, c.inertia, cg, x)

    def inner(
        self, elastic: Combination, viscous: Combination, q: Floats, v: Floats, a: Floats
    ) -> Floats:
        """Return its forces for displacements, velocities and accelerations, (P, d) each, N.

        Parameters
        ----------
        elastic, viscous : Combination
            Matrices of displacements and of velocities; the scalar mass is that of accelerations.
        q, v, a : ndarray, (P, d)
            Nodal vectors.
        """
        geometric, factor = self._geometric(elastic)
        if len(geometric) > self.graph.nnz or viscous.geometric.any():
            return self.apply(elastic, q) + self.apply(viscous, v) + self.mass_times(a)
        u = elastic.stiffness * q + viscous.stiffness * v
        w = a + q @ elastic.inertia.T + v @ viscous.inertia.T
        y = np.empty_like(w)
        _operators.apply_each(
            self.graph.pointers,
            self.graph.columns,
            self.stiffness,
            self.mass,
            geometric,
            factor,
            u,
            w,
            np.ascontiguousarray(q),
            y,
            self.graph.threads,
        )
        return y

    def among(self, graph: Graph, entries: NDArray[np.int64]) -> Self:
        """Return a body with some entries of its matrices only, for products.

        Parameters
        ----------
        graph : Graph
            Pairs of these entries.
        entries : ndarray of int
            Their positions among the pairs of the full graph.
        """
        return self._changed(
            graph=graph, geometric=(), patterns=_NO_PATTERNS, **self._some(entries)
        )

    def _some(self, entries: NDArray[np.int64]) -> dict[str, Any]:
        """Return some entries of the matrices, by matrix name."""
        return {
            "stiffness": some_blocks(self.stiffness, entries, self.dimension),
            "mass": np.ascontiguousarray(self.mass[entries]),
        }

    def matrix(self, c: Combination) -> csr_matrix:
        """Return a combination of its matrices, (P d, P d)."""
        return self.blocks(c).tocsr()

    def blocks(self, c: Combination) -> bsr_matrix:
        """Return a combination of its matrices in blocks of nodes, with values of its own."""
        return self._summed(c).whole()

    def summed(self, c: Combination) -> BlockSum | None:
        """Return what `blocks` sums; None for bodies whose blocks are made in another way."""
        return self._summed(c) if type(self).blocks is Body.blocks else None

    def _summed(self, c: Combination) -> BlockSum:
        stiffness, ck, geometric, cg = self._elastic(c)
        return BlockSum(self.graph, stiffness, ck, self.mass, c.inertia, geometric, cg)

    def some_rows(self, c: Combination, which: Ints) -> bsr_matrix:
        """Return some rows of a combination of its matrices in blocks, in the order given.

        Parameters
        ----------
        c : Combination
            Factors of the matrices.
        which : ndarray of int
            Numbers of the nodes.
        """
        return some_rows(self.blocks(c), which)

    @property
    def revolved(self) -> bool:
        """Whether its cells are the section of a body of revolution about y."""
        return bool(getattr(self.declared, "revolved", False)) or self.element.endswith(REVOLVED)

    @property
    def ambient(self) -> int:
        """Dimension of the space of its positions: that of a section, if it is one."""
        return 2 if self.revolved else self.dimension

    def _elastic(self, c: Combination) -> tuple[Floats, float, Floats, float]:
        """Return the values of blocks and of scalars in the stiffness, each with a factor.

        The geometric stiffness is a scalar matrix, except that of a body of revolution, which is
        added to the blocks.
        """
        geometric, factor = self._geometric(c)
        if len(geometric) <= self.graph.nnz:
            stiffness = self.stiffness if c.stiffness else _NOTHING
            return stiffness, c.stiffness, geometric, factor
        return c.stiffness * self.stiffness + factor * geometric, 1.0, _NOTHING, 0.0

    def _geometric(self, c: Combination) -> tuple[Floats, float]:
        """Return values and factor of the combined geometric stiffness."""
        if not self.geometric or not c.geometric.any():
            return _NOTHING, 0.0
        if len(self.geometric) == 1:
            return self.geometric[0], float(c.geometric[0])
        return np.tensordot(c.geometric, np.array(self.geometric), axes=1), 1.0

    def _apply(
        self, stiffness: Floats, geometric: Floats, ck: float, block: Floats, cg: float, x: Floats
    ) -> Floats:
        x = np.ascontiguousarray(x)
        y = np.empty_like(x)
        _operators.apply(
            self.graph.pointers,
            self.graph.columns,
            stiffness,
            self.mass,
            geometric,
            ck,
            np.ascontiguousarray(block),
            cg,
            x,
            y,
            self.graph.threads,
        )
        return y


def some_blocks(blocks: Floats, entries: NDArray[np.int64], dimension: int) -> Floats:
    """Return some blocks of a matrix, (..., nnz d d), one after the other."""
    square = dimension**2
    found = blocks.reshape(*blocks.shape[:-1], -1, square)[..., entries, :]
    return np.ascontiguousarray(found.reshape(*blocks.shape[:-1], -1))
