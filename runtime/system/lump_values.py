# SPDX-License-Identifier: BSD-3-Clause
"""Properties of masses and connectors as kernel arguments."""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.model.schema_bearing import Matrix
from flexforge.runtime.model.schema_lumped import MassSpec, tensor_of
from flexforge.runtime.model.schema_mechanism import LinkSpec

#: Relative motions in the order of a bushing's law; the kernels' arguments are named after them.
MOTIONS = {2: ("x", "y", "rz"), 3: ("x", "y", "z", "rx", "ry", "rz")}
_CLOSE = 1e-9


def law_values(given: Matrix | float | None, dimension: int) -> dict[str, float]:
    """Return a law as kernel arguments by name; a number acts along the axis x.

    Parameters
    ----------
    given : tuple of tuples, or float, optional
        The matrix for the first of the relative motions; zero by default.
    dimension : int
        Coordinates per node.
    """
    names = MOTIONS[dimension]
    law = np.zeros((len(names), len(names)))
    matrix = np.atleast_2d(np.array(0.0 if given is None else given, dtype=float))
    law[: len(matrix), : len(matrix)] = matrix
    return {
        f"stiffness_{a}_{names[j]}": float(law[i, j])
        for i, a in enumerate(names)
        for j in range(i, len(names))
    }


def mass_values(spec: MassSpec | LinkSpec, dimension: int) -> dict[str, float]:
    """Return the properties of a rigid body as kernel arguments by name."""
    values = {"mass": spec.mass, **numbered("centre", spec.centre)}
    given = spec.inertia or (0.0, 0.0, 0.0)
    if dimension == 2:
        return values | {"inertia_zz": given[-1]}
    names = [f"inertia_{i}" for i in ("xx", "yy", "zz", "yz", "xz", "xy")]
    return values | dict(zip(names, (*given, 0.0, 0.0, 0.0), strict=False))


def numbered(name: str, vector: tuple[float, ...]) -> dict[str, float]:
    """Return the components of a vector as kernel arguments."""
    return {f"{name}{i + 1}": float(v) for i, v in enumerate(vector)}


def check_free(key: str, spec: MassSpec) -> None:
    """Refuse a mass that leaves its node without inertia in some direction."""
    if not spec.mass:
        raise InputError(f"{key}.mass: found 0 at a node without a body; expected a number above 0")
    if not spec.turns:
        return
    about = tensor_of(spec.inertia or (0.0,) * 3) if len(spec.inertia or ()) != 1 else None
    if about is None:
        return
    c = np.array(spec.centre)
    about = about + spec.mass * (c @ c * np.eye(3) - np.outer(c, c))
    moments = np.linalg.eigvalsh(about)
    if moments[0] <= _CLOSE * moments[-1]:
        raise InputError(
            f"{key}.inertia: found no inertia about an axis at a node without a body; expected "
            "positive moments about all axes"
        )
