# SPDX-License-Identifier: BSD-3-Clause
"""What never changes of a small system of tied bodies, and what time alone makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime._steps import Tied
from flexforge.runtime.constraints.joints import JointConstraints
from flexforge.runtime.native.band import narrow
from flexforge.runtime.native.forces import Forces
from flexforge.runtime.native.matrices import Matrices
from flexforge.runtime.native.ties import Ties
from flexforge.runtime.system.frames import frames_over, inertia_blocks
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.shapes import Shapes
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.scheme import Scheme
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Terms:
    """What time makes of a system, at many times.

    Attributes
    ----------
    elastic, viscous : ndarray, (T, b)
        Factors of the constant matrices, for displacements and velocities.
    force : ndarray, (T, n)
        Forces, N.
    rows : ndarray, (T, 3, nnz of J)
        Entries of J, J' and J''.
    """

    elastic: Floats
    viscous: Floats
    force: Floats
    rows: Floats


class TiedConstants:
    """The constants of a small system of tied bodies.

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    joints : JointConstraints
        What ties them.
    stiffened : sequence of int
        Numbers of the bodies with a geometric stiffness of their own state.
    shapes : Shapes, optional
        Those that the unknowns move in; r coordinates take their place then.
    independent : bool
        Whether speeds are rates of coordinates (Kane), or along the null space (Maggi).

    Attributes
    ----------
    system, loads, joints, stiffened, shapes
        As given; the joints on the coordinates.
    matrices : Matrices
        Constant matrices.
    forces : Forces
        Constant vectors.
    ties : Ties
        Which constraints hang together.
    place : ndarray of int32, (s,)
        Place of every speed in the band matrix of a step.
    band : int
        Half width of its band.
    """

    def __init__(
        self, system: System, loads: Loads, joints: JointConstraints, stiffened: Sequence[int],
        shapes: Shapes | None = None, *, independent: bool,
    ) -> None:  # fmt: skip
        self.system, self.loads, self.shapes = system, loads, shapes
        self.stiffened = tuple(stiffened)
        basis = None if shapes is None else shapes.matrix
        self.joints = joints if basis is None else joints.reduced(basis)
        self.matrices = Matrices(system, loads, self.stiffened, basis)
        self.forces = Forces(system, loads, basis)
        self.ties = Ties(self.joints.pattern, independent=independent)
        order, self.band = self._narrow()
        self.place = np.empty(len(order), dtype=np.int32)
        self.place[order] = np.arange(len(order))

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return self.matrices.size

    def tied(self, scheme: Scheme) -> Tied:
        """Return what takes steps."""
        matrices, stiffened = self.matrices, self.matrices.stiffened
        return Tied(
            matrices.pointers, matrices.columns, self.place, self.band, matrices.mass,
            matrices.bases, stiffened.indptr.astype(np.int32), stiffened.indices.astype(np.int32),
            stiffened.data, self.ties, (scheme.alpha_m, scheme.alpha_f, scheme.beta, scheme.gamma),
        )  # fmt: skip

    def nodal(self, coordinates: Floats) -> Floats:
        """Return nodal values (N, d) from those of the coordinates (r,)."""
        return self.system.expand(self.unknowns(coordinates))

    def unknowns(self, coordinates: Floats) -> Floats:
        """Return the values of the unknowns (n,) from those of the coordinates (r,)."""
        return coordinates if self.shapes is None else self.shapes.matrix @ coordinates

    def coordinates(self, unknowns: Floats) -> Floats:
        """Return the coordinates (r,) of a state of the unknowns (n,), as far as there are."""
        return unknowns if self.shapes is None else self.shapes.coordinates(self.system, unknowns)

    def rows(self, time: float) -> Floats:
        """Return the entries of J at a time, s, (nnz,)."""
        return np.ascontiguousarray(self.joints.at(time, ()).data[0])

    def over(self, times: Floats) -> tuple[Terms, AnalysisError | None]:
        """Return what ascending times make of the system, as far as the mechanism gets.

        Parameters
        ----------
        times : ndarray, (T,)
            Times, s.

        Returns
        -------
        Terms, AnalysisError or None
            And why not further, where it does not get to the last.
        """
        course, error = self.joints.mechanism.follow(times)
        times, links = times[: len(course.times)], course.frames
        system = self.system
        frames = frames_over(system.bodies, times, links)
        blocks = [inertia_blocks(one, system.include, system.dimension) for one in frames]
        elastic, viscous = self.matrices.factors(times, blocks)
        force = self.forces.over(times, frames, blocks)
        return Terms(elastic, viscous, force, self.joints.over(links)), error

    def _narrow(self) -> tuple[NDArray[np.int64], int]:
        """Return an order of the speeds that makes the band narrow, and its half width."""
        from scipy.sparse import csr_matrix

        ties = self.ties
        shape = (ties.unknowns, ties.speeds)
        free = csr_matrix((np.ones(len(ties.columns)), ties.columns, ties.pointers), shape=shape)
        return narrow((free.T @ self.matrices.pattern @ free).tocsr())
