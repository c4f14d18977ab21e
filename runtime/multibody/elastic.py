# SPDX-License-Identifier: BSD-3-Clause
"""The elastic coordinates of links: unknowns of the system, or shapes of a reduced model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.constraints.markers import Attachment
from flexforge.runtime.motion.profiles import Profile
from flexforge.runtime.multibody.integrals import link_unknowns
from flexforge.runtime.native.matrices import HEAT, SECTION, STIFFNESS, Matrices
from flexforge.runtime.system.elimination import eliminate
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.mean_axes import MeanAxes
from flexforge.runtime.system.shapes import Shapes
from flexforge.runtime.system.system import System
from flexforge.runtime.tables import structs
from flexforge.runtime.transient.system_model import stiffened_bodies
from scipy.linalg import null_space

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: Elastic coordinates of a link at most: its matrices are dense.
MOST = 600
#: Stiffness by stresses, of the largest, that counts as none.
_ROUND_OFF = 1e-14


@dataclass(frozen=True)
class ElasticCoordinates:
    """Coordinates of all links, one after the other.

    Attributes
    ----------
    matrix : csr_matrix, (n, r)
        Unknowns of the system by coordinates.
    starts : tuple of int, (links + 1,)
        First coordinate of every link.
    shapes : Shapes, optional
        Of a reduced model.
    order : ndarray of int, (k,)
        The unknowns of links, or the shapes, one link after the other.
    values : csr_matrix, (r, k)
        The coordinates by these, where they obey mean axes and rigid connections of joints.
    axes : tuple of MeanAxes
        Of links without supports: displacements have no other rigid motions.
    """

    matrix: csr_matrix
    starts: tuple[int, ...]
    shapes: Shapes | None
    order: Ints
    values: csr_matrix
    axes: tuple[MeanAxes, ...]

    def of_link(self, link: int) -> csr_matrix:
        """Return the unknowns of the system by the coordinates of a link, (unknowns, n)."""
        return self.matrix[:, self.starts[link] : self.starts[link + 1]]

    def unknowns(self, coordinates: Floats) -> Floats:
        """Return the unknowns of the system, (n,), of coordinates or their rates; or of columns."""
        return np.asarray(self.matrix @ coordinates)

    def coordinates(self, system: System, unknowns: Floats) -> Floats:
        """Return the coordinates of a state, as far as there are: of its deformation."""
        for one in self.axes:
            unknowns = one.deformation(unknowns)
        if self.shapes is not None:
            unknowns = self.shapes.coordinates(system, unknowns)
        return np.asarray(self.values @ unknowns[self.order])


def elastic_coordinates(
    system: System,
    names: Sequence[str],
    shapes: Shapes | None,
    axes: Mapping[int, MeanAxes],
    rigid: Sequence[Attachment] = (),
) -> ElasticCoordinates:
    """Return the coordinates of links.

    Parameters
    ----------
    system : System
        The bodies.
    names : sequence of str
        Of the links.
    shapes : Shapes, optional
        Of a reduced model, each of one link; they obey mean axes and rigid connections.
    axes : mapping
        Mean axes, by number of the link.
    rigid : sequence of Attachment
        Rigid connections of joints, by unknowns.

    Raises
    ------
    InputError
        Where a link has too many.
    """
    from scipy.sparse import block_diag, csr_matrix, eye_array

    own: list[Ints] = []
    blocks: list[tuple[csr_matrix, csr_matrix]] = []
    for link, name in enumerate(names):
        numbers = link_unknowns(system, link)
        if shapes is not None:
            moved = np.abs(shapes.matrix[numbers]).max(axis=0, initial=0.0)
            numbers = np.flatnonzero(moved > 0.0)
        if len(numbers) > MOST:
            raise InputError(
                f"link '{name}': found {len(numbers)} elastic coordinates where joints and drivers "
                f"leave motions of links open; expected at most {MOST}: [reduction], or fewer nodes"
            )
        own.append(numbers)
        if shapes is None:
            blocks.append(_free(numbers, axes.get(link), _rigid_rows(numbers, rigid)))
        else:
            blocks.append((eye_array(len(numbers), format="csr"),) * 2)
    order = np.concatenate([np.zeros(0, dtype=np.int64), *own])
    starts = tuple(np.cumsum([0, *(block.shape[1] for block, _ in blocks)]).tolist())
    basis, values = (csr_matrix(block_diag(one)) for one in zip(*blocks, strict=True))
    if shapes is None:
        entries = (np.ones(len(order)), (order, np.arange(len(order))))
        matrix = csr_matrix(entries, shape=(system.unknowns, len(order))) @ basis
    else:
        matrix = csr_matrix(shapes.matrix[:, order])
    return ElasticCoordinates(matrix, starts, shapes, order, values, tuple(axes.values()))


def _free(numbers: Ints, axes: MeanAxes | None, rigid: Floats) -> tuple[csr_matrix, csr_matrix]:
    """Return the unknowns of a link (m, r) by coordinates, and these by unknowns, (r, m).

    Mean axes are solved for some of the unknowns: the others remain coordinates, which deform what
    is near them, so that few stresses depend on each.
    """
    from scipy.sparse import csr_matrix, eye_array

    free = values = eye_array(len(numbers), format="csr")
    if axes is not None:
        rows = axes.momenta.T / np.abs(axes.momenta).max(axis=0)[:, None]
        names = ["mean axes"] * len(rows)
        found = eliminate(csr_matrix(rows), csr_matrix((len(rows), 0)), names)
        free, values = found.matrix, values[np.flatnonzero(found.kept)]
    if len(rigid):
        basis = csr_matrix(null_space(rigid @ free, rcond=1e-10))
        free, values = free @ basis, basis.T @ values
    return csr_matrix(free), csr_matrix(values)


def _rigid_rows(numbers: Ints, rigid: Sequence[Attachment]) -> Floats:
    """Return what rigid connections forbid of the unknowns of a link, (r, n)."""
    place = {number: k for k, number in enumerate(numbers.tolist())}
    found = [np.zeros((0, len(numbers)))]
    for one in rigid:
        columns = one.columns.tolist()
        if columns and columns[0] in place:
            rows = np.zeros((len(one.shape), len(numbers)))
            rows[:, [place[column] for column in columns]] = one.shape
            found.append(rows)
    return np.vstack(found)


def stress_table(
    system: System, loads: Loads, elastic: ElasticCoordinates, amplitudes: Sequence[Profile]
) -> structs.Stress | None:
    """Return the stiffness of links under their stresses, or None where nothing stresses them.

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them: heat stresses them as well.
    elastic : ElasticCoordinates
        The coordinates.
    amplitudes : sequence of Profile
        Functions of time of loads and of heat.
    """
    numbers = stiffened_bodies(system, loads)
    if not numbers or not elastic.starts[-1]:
        return None
    matrices = Matrices(system, loads, numbers, elastic.matrix.toarray())
    rows = np.repeat(np.arange(matrices.size), np.diff(matrices.pointers))
    starts = np.asarray(elastic.starts)
    link = np.searchsorted(starts, rows, side="right") - 1
    stiffened, stresses = _without_round_off(matrices, rows, link)
    stressing = [
        (base, values)
        for base, values in zip(matrices.meaning, stresses, strict=True)
        if base.kind in (HEAT, SECTION) and values.any()
    ]
    used = np.diff(stiffened.indptr) > 0
    for _, values in stressing:
        used |= values != 0.0
    used &= matrices.columns <= rows  # the rest is the same, mirrored
    kept = np.flatnonzero(used)  # row after row, and thus link after link
    stiffened, link = stiffened[kept], link[kept]
    own = starts[link]
    return structs.Stress(
        np.searchsorted(link, np.arange(len(starts))),
        np.column_stack([rows[kept] - own, matrices.columns[kept] - own]),
        stiffened.indptr,
        stiffened.indices,
        stiffened.data,
        tuple(
            structs.Stressing(
                system.bodies[base.body].motion.link or 0,
                _amplitude(loads, base.index, amplitudes) if base.kind == HEAT else -1,
                base.index if base.kind == SECTION else -1,
                values[kept],
            )
            for base, values in stressing
        ),
    )


def _without_round_off(matrices: Matrices, rows: Ints, link: Ints) -> tuple[csr_matrix, Floats]:
    """Return what displacements stiffen, (nnz, n), and matrices, (b, nnz), without round-off.

    Of a body whose shapes are symmetric most of it is, and would be computed in every step. The
    coordinates are measured by their own elastic energy, whatever their units.
    """
    from scipy.sparse import csr_matrix

    stiffness = matrices.bases[[one.kind == STIFFNESS for one in matrices.meaning]].sum(axis=0)
    own = matrices.sparse(stiffness).diagonal()
    unit = 1.0 / np.sqrt(np.where(own > 0.0, own, own.max()))
    pair = unit[rows] * unit[matrices.columns]
    found = csr_matrix(matrices.stiffened)
    of = np.repeat(np.arange(len(rows)), np.diff(found.indptr))
    sizes = abs(found.data) * pair[of] * unit[found.indices]
    data = np.where(sizes > _ROUND_OFF * _largest(sizes, link[of]), found.data, 0.0)
    found = csr_matrix((data, found.indices, found.indptr), shape=found.shape)
    found.eliminate_zeros()
    stresses = matrices.bases.copy()
    sections = np.array([one.kind == SECTION for one in matrices.meaning], dtype=bool)
    for k, values in enumerate(stresses):
        sizes = abs(values) * pair
        # Stresses by the spin are added to each other, those by each temperature stand alone.
        beside = abs(matrices.bases[sections]).max(axis=0) * pair if sections[k] else sizes
        values[sizes <= _ROUND_OFF * _largest(beside, link)] = 0.0
    return found, stresses


def _largest(sizes: Floats, link: Ints) -> Floats:
    """Return for every number the largest of those of its link."""
    most = np.zeros(link.max(initial=0) + 1)
    np.maximum.at(most, link, sizes)
    return most[link]


def _amplitude(loads: Loads, heating: int, amplitudes: Sequence[Profile]) -> int:
    """Return the number of the function of time of a nodal load by heat."""
    wanted = loads.nodal[heating].amplitude
    return next(k for k, one in enumerate(amplitudes) if one is wanted)
