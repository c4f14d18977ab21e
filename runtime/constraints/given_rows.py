# SPDX-License-Identifier: BSD-3-Clause
"""Share of supports that move as given in the rows of joints: c(t) of ``J q + c = 0``.

With ``d = T y + g(t)`` and ``g = D f(t)`` the rows ``J d = 0`` of joints are ``J T y + J D f = 0``.
``J D`` is made of the same joints as ``J T``, with the functions f in place of the unknowns y.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.constraints.joint_rows import RowSet, TiedRow
from flexforge.runtime.constraints.markers import Attachment
from flexforge.runtime.constraints.rows import Rows
from flexforge.runtime.system.prescribed import Prescribed


class GivenRows:
    """c and its rates for rows of joints.

    Parameters
    ----------
    prescribed : Prescribed
        g.
    tied : sequence of TiedRow
        The rows.
    ends : sequence of tuples of Attachment
        How the two markers of every joint move with the functions f.
    kept : sequence of (name, ndarray (c,), ndarray (r, c))
        Rows that never change, after those, as of :class:`RowSet`.
    """

    def __init__(
        self,
        prescribed: Prescribed,
        tied: Sequence[TiedRow],
        ends: Sequence[tuple[Attachment, ...]],
        kept: Sequence[tuple[str, Ints, Floats]] = (),
    ) -> None:
        self._prescribed = prescribed
        self._rows = RowSet(tied, ends, len(prescribed.functions), kept)

    def at(self, time: float, jacobians: Sequence[Floats]) -> Floats:
        """Return c, c' and c'', (3, m).

        Parameters
        ----------
        time : float
            Time, s.
        jacobians : sequence of ndarray, (1, 3, rows, 12)
            Of every joint then.
        """
        rows = Rows(self._rows.pattern, self._rows.over(jacobians)[0])
        return np.stack(rows.residuals(*self._prescribed.values(time)))


def along_functions(attachment: Attachment, prescribed: Prescribed) -> Attachment:
    """Return how a marker moves with the functions f of given displacements.

    Parameters
    ----------
    attachment : Attachment
        How it moves with the coordinates of all nodes.
    prescribed : Prescribed
        The displacements.
    """
    moved = prescribed.matrix[attachment.columns]
    functions = np.unique(moved.indices).astype(np.int64)
    dense = moved[:, functions].toarray()
    shape = attachment.shape @ dense if attachment.shape.size else attachment.shape
    return Attachment(functions, attachment.matrix @ dense, attachment.turns, shape)
