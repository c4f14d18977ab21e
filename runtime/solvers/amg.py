# SPDX-License-Identifier: BSD-3-Clause
"""Algebraic multigrid: conjugate gradients preconditioned by smoothed aggregation, ours or PETSc's.

Time and memory grow in proportion to the unknowns, where those of factors grow with a power. Where
inverted diagonal blocks do as well, there are no levels. Ranks that share a matrix iterate as one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers.conjugate import conjugate_gradients
from flexforge.runtime.solvers.corners import from_corners
from flexforge.runtime.solvers.gamg import Gamg
from flexforge.runtime.solvers.interface import (
    Backend,
    Factorization,
    checked_matrix,
    checked_rhs,
    singular,
)
from flexforge.runtime.solvers.jacobi import BlockJacobi
from flexforge.runtime.solvers.layout import Blocked, Layout
from flexforge.runtime.solvers.preconditioner import Preconditioner
from flexforge.runtime.solvers.rows import Product
from flexforge.runtime.solvers.vcycle import VCycle

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: In the name of a solver that had to be used instead.
INSTEAD = " instead of "


class Amg:
    """Conjugate gradients with block Jacobi or a V-cycle; a direct solver where these stagnate.

    Parameters
    ----------
    blocked : Blocked
        The matrix, symmetric.
    threads : int
        Threads of the products.
    direct : callable
        Factors the same matrix with a direct solver.
    positive_definite : bool
        Refuse a matrix that turns out not to be.
    layout : Layout, optional
        To `update` a matrix of the unknowns.
    remark : str
        Reason why it is taken, for its name.
    kind : str
        Whose levels: "amg", ours, or "gamg", those of PETSc.
    """

    iterative = True

    def __init__(
        self,
        blocked: Blocked,
        threads: int,
        direct: Callable[[], Factorization],
        *,
        positive_definite: bool,
        layout: Layout | None = None,
        remark: str = "",
        kind: str = "amg",
    ) -> None:
        self._remark, self._kind = remark, kind
        self._preconditioner: Preconditioner | None = None
        self._threads, self._direct, self._layout = threads, direct, layout
        self._positive = positive_definite
        self._instead: Factorization | None = None
        self.iterations = 0
        self._set_up(blocked)

    def _set_up(self, blocked: Blocked) -> None:
        rows, ranks = blocked.rows, blocked.rows.ranks
        self._slots, self._size, self._ranks = blocked.slots, len(blocked.slots), ranks
        self._matrix: Product | None = rows.times(np.float64, self._threads)
        self._release()
        self._rows = rows.size
        diagonal = np.einsum("ijj->ij", rows.diagonal()).ravel()[self._slots]
        self._scale = ranks.largest(float(diagonal.max(initial=0.0)))
        least = int(diagonal.argmin()) if len(diagonal) else 0
        if ranks.any(len(diagonal) and not diagonal[least] > 0.0):
            where = least if ranks.count == 1 else None
            self._refuse(where, "found a diagonal entry that is not positive")
            return
        remarks = [self._remark] if self._remark else []
        jacobi = BlockJacobi(rows, self._threads)
        if jacobi.suffices(self._matrix, self._scale):
            self._preconditioner = jacobi
            remarks.insert(0, "block Jacobi")
        else:
            try:
                self._preconditioner = self._levels(blocked, jacobi)
            except np.linalg.LinAlgError:
                self._refuse(None, "found a coarsest level that is not positive definite")
                return
        self.name = f"{self._kind} ({'; '.join(remarks)})" if remarks else self._kind

    def _levels(self, blocked: Blocked, jacobi: BlockJacobi) -> Preconditioner:
        """Return a V-cycle."""
        if self._kind == "gamg":
            return Gamg(blocked)
        motions, corners = blocked.null_space(), from_corners(blocked)
        return VCycle(blocked.rows, motions, self._threads, jacobi.inverses, corners)

    @property
    def bytes(self) -> int | None:
        """Memory of the matrix, and of the levels."""
        if self._instead is not None:
            return self._instead.bytes
        if self._preconditioner is None or self._matrix is None:
            return None
        return int(self._matrix.bytes + self._preconditioner.bytes)

    def update(self, matrix: csr_matrix) -> None:
        """Set up the levels of new values."""
        if self._layout is None:
            raise AnalysisError("found no layout of the unknowns; expected one")
        if self._instead is not None:
            self._instead.update(matrix)
        else:
            self._set_up(self._layout.blocked(checked_matrix(matrix)))

    def solve(self, rhs: Floats) -> Floats:
        """Solve for one right-hand side or several."""
        rhs = checked_rhs(rhs, self._size)
        if rhs.ndim == 2:
            return np.column_stack([self.solve(column) for column in rhs.T])
        if self._instead is not None:
            return self._instead.solve(rhs)
        if self._matrix is None or self._preconditioner is None:
            raise AnalysisError("found a closed factorization; expected an open one")
        whole = np.zeros(self._rows)
        whole[self._slots] = rhs
        found = conjugate_gradients(
            self._matrix.__matmul__,
            whole,
            self._preconditioner,
            scale=self._scale,
            ranks=self._ranks,
        )
        self.iterations = found.iterations
        if found.is_indefinite:
            self._refuse(None, f"met {found.why_not}")
        elif found.why_not:
            self._replace(f"stagnates ({found.why_not})")
        else:
            return found.solution[self._slots]
        assert self._instead is not None
        return self._instead.solve(rhs)

    def precondition(self, rhs: Floats) -> Floats:
        """Return what one V-cycle, or the inverted diagonal blocks, make of a right-hand side."""
        if self._instead is not None:
            return self._instead.solve(rhs)
        if self._preconditioner is None:
            raise AnalysisError("found a closed factorization; expected an open one")
        whole = np.zeros(self._rows)
        whole[self._slots] = rhs
        return self._preconditioner(whole)[self._slots]

    def close(self) -> None:
        """Release the levels."""
        if self._instead is not None:
            self._instead.close()
        self._matrix = None
        self._release()

    def _release(self) -> None:
        if self._preconditioner is not None:
            self._preconditioner.close()
        self._preconditioner = None

    def _refuse(self, equation: int | None, why: str) -> None:
        """Refuse a matrix that must be positive definite; factor another one."""
        if self._positive:
            raise singular(equation, why)
        self._replace(why)

    def _replace(self, why: str) -> None:
        """Go on with a direct solver."""
        self._matrix = None
        self._release()  # the memory that the factors need
        self._instead = self._direct()
        self.name = f"{self._instead.name}{INSTEAD}{self._kind}, which {why}"


def probe() -> Backend:
    """Return whether it can be used, with the reason if not."""
    try:
        import pyamg
    except ImportError as error:
        return Backend("amg", None, f"pyamg: {error}")
    return Backend("amg", str(pyamg.__version__))
