# SPDX-License-Identifier: BSD-3-Clause
"""A V-cycle of PETSc's smoothed aggregation, GAMG: an approximation of ``A^-1``.

Levels by another hand, to compare with ours. A user's options whose names begin with ``flexforge_``
go before the ones here, as with ``PETSC_OPTIONS="-flexforge_mg_levels_pc_type sor"``.
"""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.ranks.mpi import petsc
from flexforge.runtime.solvers.interface import Backend
from flexforge.runtime.solvers.layout import Blocked
from flexforge.runtime.solvers.petsc import distributed, options
from flexforge.runtime.solvers.preconditioner import Preconditioner

_PREFIX = "flexforge_"
#: As in the demo of elasticity of DOLFINx.
_OPTIONS = {
    "pc_type": "gamg", "mg_levels_ksp_type": "chebyshev", "mg_levels_pc_type": "jacobi",
    "mg_levels_ksp_chebyshev_esteig_steps": "20",
}  # fmt: skip


class Gamg(Preconditioner):
    """A V-cycle for a symmetric positive definite matrix.

    Parameters
    ----------
    blocked : Blocked
        The matrix, of one rank or of several, which then all call it.

    Attributes
    ----------
    bytes : int
        Memory of the matrix; PETSc does not report that of the levels.

    Raises
    ------
    AnalysisError
        When PETSc does not set up the levels.
    """

    def __init__(self, blocked: Blocked) -> None:
        library = petsc()
        self._matrix = matrix = distributed(blocked)
        matrix.setOption(library.Mat.Option.SPD, True)
        matrix.setNearNullSpace(
            library.NullSpace().create(vectors=self._motions(blocked), comm=matrix.getComm())
        )
        self._right, self._left = matrix.createVecs()
        self._cycle = library.PC().create(matrix.getComm())
        self._cycle.setOperators(matrix)
        self._cycle.setOptionsPrefix(_PREFIX)
        try:
            with options(_PREFIX, _OPTIONS):
                self._cycle.setFromOptions()
                self._cycle.setUp()
        except library.Error as error:
            raise AnalysisError(f"gamg: PETSc: {error}".splitlines()[0]) from None
        entries = matrix.getInfo(library.Mat.InfoType.LOCAL)["nz_used"]
        self.bytes = int(entries * (8 + np.dtype(library.IntType).itemsize))

    def _motions(self, blocked: Blocked) -> list[object]:
        """Return the rigid motions as orthonormal vectors of PETSc."""
        ranks, vectors = blocked.rows.ranks, []
        known: list[Floats] = []
        for motion in blocked.null_space().T:
            left, size = motion.copy(), ranks.norm(motion)
            for one in known * 2:  # twice is enough
                left -= ranks.dot(one, left) * one
            if ranks.norm(left) > 1e-10 * size:  # a body on one node has fewer
                known.append(left / ranks.norm(left))
        for one in known:
            vector = self._matrix.createVecRight()
            vector.setArray(one)
            vectors.append(vector)
        return vectors

    def __call__(self, residual: Floats) -> Floats:
        """Return an approximation of ``A^-1 r`` (m,); it is symmetric and positive definite."""
        self._left.setArray(residual)
        self._cycle.apply(self._left, self._right)
        found: Floats = self._right.getArray().copy()
        return found

    def close(self) -> None:
        """Release the memory; all ranks must."""
        for one in (self._cycle, self._matrix, self._left, self._right):
            one.destroy()
        super().close()


def probe() -> Backend:
    """Return whether it can be used, with the reason if not; PETSc is not started for it."""
    try:
        import petsc4py
    except ImportError as error:
        return Backend("gamg", None, f"petsc4py: {error}")
    return Backend("gamg", str(petsc4py.__version__))
