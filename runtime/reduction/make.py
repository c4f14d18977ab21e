# SPDX-License-Identifier: BSD-3-Clause
"""Computing the mode shape file of a model, with an error estimate."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.files.atomic import refuse_foreign
from flexforge.runtime.constraints.build import build_ties, joints_of
from flexforge.runtime.loading.checks_steps import require_one_analysis
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.observe.provenance import provenance
from flexforge.runtime.reduction.reduce import compute_basis
from flexforge.runtime.reduction.store import holds_shapes, write_basis
from flexforge.runtime.reduction.tied_modes import tied_squares
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.vibration.undamped import solve_undamped
from numpy.typing import NDArray


@dataclass(frozen=True)
class Made:
    """The computed shapes.

    Attributes
    ----------
    path : Path
        The file.
    unknowns, coordinates : int
        Numbers of the full and of the reduced model.
    full, reduced : ndarray, (count,)
        The lowest frequencies of both at rest, Hz; for bodies on links, with joints and drivers
        fixed in the position at t = 0.
    error : float
        The largest relative difference of these, where they are not zero.
    tied : bool
        Whether there are bodies on links.
    """

    path: Path
    unknowns: int
    coordinates: int
    full: NDArray[np.float64]
    reduced: NDArray[np.float64]
    error: float
    tied: bool


def make_basis(spec: ModelSpec, path: Path | None = None, *, overwrite: bool = False) -> Made:
    """Compute the shapes of a model, and write them to a file.

    Parameters
    ----------
    spec : ModelSpec
        A model with ``[reduction]``.
    path : Path, optional
        The file; by default the one that the model names as its basis.
    overwrite : bool
        Replace also a file that does not contain shapes.

    Raises
    ------
    InputError
        When the model has no reduction or names no file, when the file cannot be written, or when
        another kind of file exists there.
    AnalysisError
        When no unknowns are left to vibrate, or the system is not held.
    """
    from scipy.linalg import eigvalsh
    from scipy.sparse import csr_matrix

    require_one_analysis(spec, "reduce it")
    if spec.reduction is None:
        raise InputError("reduction: missing; expected a table with the number of modes")
    path = path or spec.reduction.basis
    if path is None:
        raise InputError("reduction.basis: missing; expected a file to write, or --output")
    if not overwrite:
        refuse_foreign(path, holds_shapes)
    places = build_system(spec, build_mesh(spec))
    system, solver = places.system, spec.analysis.solver
    joints = joints_of(build_ties(spec, places))
    basis = compute_basis(spec, places, Loads(spec, places), joints)
    pencil = Pencil.at_rest(system)
    phi = basis.matrix
    small = [np.asarray(phi.T @ (one @ phi)) for one in pencil.matrices]
    count = min(spec.reduction.modes, system.unknowns)
    if joints is None:
        all_squares, noise = solve_undamped(pencil, count, None, solver).squares, 0.0
        squares = eigvalsh(*small)
    else:
        rows = joints.at(0.0).matrix()
        all_squares, noise = tied_squares(*pencil.matrices, rows, count)
        k, m, tied = (csr_matrix(one) for one in (*small, rows @ phi))
        squares, _ = tied_squares(k, m, tied, len(all_squares))
    count = min(len(squares), len(all_squares))
    full, reduced = (
        np.sqrt(np.maximum(one, 0.0)) / (2.0 * np.pi)
        for one in (all_squares[:count], squares[:count])
    )
    moving = all_squares[:count] > noise
    error = float(np.abs(reduced[moving] / full[moving] - 1.0).max(initial=0.0))
    write_basis(path, basis, spec.reduction, system, provenance(spec, places.mesh, system))
    return Made(path, system.unknowns, basis.size, full, reduced, error, joints is not None)
