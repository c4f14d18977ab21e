# SPDX-License-Identifier: BSD-3-Clause
"""Tables of what cells have as a whole: energies and volumes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.assembly.assemble import evaluate, some_of
from flexforge.runtime.model.schema_table import TableSpec
from flexforge.runtime.observe.motion import AnyState
from flexforge.runtime.results.listing import Listing
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.large_body import LargeBody
from flexforge.runtime.system.loads import Loads

_UNITS = {"strain_energy": "J", "kinetic_energy": "J", "volume": "m^3"}
#: Cells whose matrices are in memory at the same time.
_TOGETHER = 512


@dataclass(frozen=True, slots=True)
class CellTable:
    """A table of one value of every cell.

    Attributes
    ----------
    spec : TableSpec
        What is asked for.
    where : tuple
        Bodies and rows of their cells.
    """

    spec: TableSpec
    where: tuple[tuple[Body, Ints], ...]

    def listing(self, time: float, state: AnyState) -> Listing:
        """Return the values at a time."""
        made = _MADE[self.spec.quantity]
        values = np.concatenate([made(body, rows, state) for body, rows in self.where])
        labels = np.concatenate([body.part.labels[rows] for body, rows in self.where])
        order = np.argsort(labels, kind="stable")
        spec, rows = self.spec, labels[order, None]
        return Listing(
            spec.title, spec.quantity, spec.group, _UNITS[spec.quantity], time, rows,
            values[order, None], spec.total, labelled=("element",),
        )  # fmt: skip


def cell_table(
    spec: TableSpec, key: str, where: tuple[tuple[Body, Ints], ...], loads: Loads
) -> CellTable:
    """Return a table of cells.

    Parameters
    ----------
    spec : TableSpec
        What is asked for.
    key : str
        Where it stands, for messages.
    where : tuple
        Bodies and rows of their cells.
    loads : Loads
        What acts on the system.

    Raises
    ------
    InputError
        For the strain energy of bodies with temperatures, or stresses of their own.
    """
    for body, _ in where:
        heated = loads.temperature(body.name, 0.0) is not None
        if spec.quantity == "strain_energy" and heated:
            raise InputError(
                f"{key}.quantity: found strain_energy of body '{body.name}', which has a "
                "temperature or a stress; expected a body without"
            )
    return CellTable(spec, where)


def _strain_energies(body: Body, rows: Ints, state: AnyState) -> Floats:
    """Return ``1/2 d.k d``, or the energy, of every cell, J."""
    d = body.relative(state.displacement[body.nodes])
    if isinstance(body, LargeBody):
        return body.energies(d)[rows]
    return _halves(body, rows, "stiffness", lambda cells: d[cells].reshape(len(cells), -1))


def _kinetic_energies(body: Body, rows: Ints, state: AnyState) -> Floats:
    """Return ``1/2 int rho v.v`` of every cell by its motion relative to its frame, J."""
    v = body.relative_rate(state.displacement[body.nodes], state.velocity[body.nodes])
    parts = [
        _halves(body, rows, "scalar_mass", lambda cells, k=k: v[cells, k])  # type: ignore[misc]
        for k in range(v.shape[1])
    ]
    return np.asarray(sum(parts))


def _volumes(body: Body, rows: Ints, state: AnyState) -> Floats:
    """Return the volume of every cell, m^3."""
    del state
    ones = np.ones(len(body.part.points))
    return 2.0 * _halves(body, rows, "scalar_mass", lambda cells: ones[cells], density=1.0)


def _halves(
    body: Body, rows: Ints, term: str, vectors: Callable[[Ints], Floats], **changes: float
) -> Floats:
    """Return half of ``x.A x`` of every cell, with its matrix A and its vector x."""
    kernel = body.kernels[term]
    values = {**body.values, **changes}
    found = []
    for begin in range(0, len(rows), _TOGETHER):
        which = rows[begin : begin + _TOGETHER]
        cells = body.graph.cells[which].astype(np.int64)
        matrices = evaluate(kernel, cells, body.points, some_of(values, which))
        x = vectors(cells)
        found.append(0.5 * np.einsum("ci,cij,cj->c", x, matrices, x))
    return np.concatenate(found)


_MADE = {
    "strain_energy": _strain_energies,
    "kinetic_energy": _kinetic_energies,
    "volume": _volumes,
}
