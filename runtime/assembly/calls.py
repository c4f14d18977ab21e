# SPDX-License-Identifier: BSD-3-Clause
"""A kernel in memory, called from Python: arrays of any number of elements in, arrays out."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from flexforge.codegen.arguments import described
from flexforge.codegen.elements.facts import ambient_dimension
from flexforge.codegen.elements.parameters import NOT_NEGATIVE
from flexforge.codegen.errors import InputError, nearest
from flexforge.runtime import _kernels
from flexforge.runtime.assembly.arguments import real_numbers
from flexforge.runtime.machine.threads import checked_threads, default_threads, is_forked
from numpy.typing import ArrayLike, DTypeLike, NDArray

Array = NDArray[np.floating[Any]]

#: Operations for which a further thread pays: about a millisecond. If other programs use the cores
#: too, threads wait for each other that long.
WORTH = 5_000_000


@dataclass(frozen=True, slots=True)
class CompiledKernel:
    """A kernel in memory; its fields are those of ``flexforge_kernel`` in flexforge.h.

    ``function`` and ``descriptor`` are addresses, and so is ``geometry``: that of the descriptor of
    the kernel for the geometry check of the element, or 0 if there is none. ``carried`` is the
    number of vectors per node of the mesh, 2 with rotations, which the declaration knows; 0 where
    that was not at hand.
    """

    abi: int
    name: str
    element: str
    cell: str
    term: str
    formalism: str
    frame: str
    scalar: str
    units: str
    symmetry: str
    structure: str
    lanes: int
    nodes: int
    dimension: int
    rows: int
    columns: int
    state_vectors: int
    parameters: tuple[str, ...]
    operations: int
    bytes: int
    stack: int
    workspace: int
    level: int
    hash: str
    function: int
    descriptor: int
    geometry: int = 0
    carried: int = 0

    def __reduce__(self) -> NoReturn:
        """Refuse: addresses hold in this process alone."""
        raise TypeError("kernels cannot be pickled; expected kernels_of in the other process")

    def __repr__(self) -> str:
        return (
            f"{self.name}: {self.term} of {self.element}, {self.rows} x {self.columns} "
            f"[{self.units}], {self.lanes} elements per call, "
            f"{self.operations} operations per element"
        )

    def __call__(
        self,
        points: ArrayLike,
        state: ArrayLike | None = None,
        /,
        *,
        out: NDArray[Any] | None = None,
        threads: int | None = None,
        check: bool = True,
        **values: float,
    ) -> NDArray[Any]:
        """Return the results of the kernel for one element or many; the loop is native.

        Parameters
        ----------
        points : array_like, (nodes, dimension) or (elements, nodes, dimension)
            Undeformed positions, m.
        state : array_like, optional
            Nodal vectors of the same shape if the kernel reads one, (elements, vectors, nodes,
            dimension) if it reads several.
        out : ndarray, optional
            Memory for the result.
        threads : int, optional
            Largest number; by default every core, for calls that are large enough. The result is
            bit-identical for any number. A forked process computes in one thread.
        check : bool
            Whether inverted, folded and flat elements, and elements with non-finite positions, are
            refused. The kernels themselves compute them without an error.
        **values : float
            The scalar arguments, by the names in ``parameters``; with a trailing underscore if a
            name has another meaning in Python or here.

        Returns
        -------
        ndarray, (rows, columns) or (elements, rows, columns)
            In ``units``. The GIL is released during the computation.

        Raises
        ------
        InputError
            When a parameter is missing, unknown, not finite, or negative though it is a density, a
            mass, a thickness or an area; when an array has another shape or does not contain real
            numbers, the number of threads is zero, or the geometry of an element is bad.
        """
        return _call(self, points, state, values, out, threads, check)


def _call(
    kernel: CompiledKernel,
    points: ArrayLike,
    state: ArrayLike | None,
    values: Mapping[str, float],
    out: Array | None,
    threads: int | None,
    check: bool,
) -> Array:
    """Return the results of a kernel; see :meth:`CompiledKernel.__call__`."""
    dtype = np.dtype(np.float32 if kernel.scalar == "float" else np.float64)
    x = real_numbers(points, dtype, f"{kernel.name}: points")
    cell = (kernel.nodes, kernel.dimension)
    if x.ndim not in (2, 3) or x.shape[-2:] != cell:
        raise InputError(
            f"{kernel.name}: found points of shape {x.shape}; expected {cell} or "
            f"{('elements', *cell)}{_twice(kernel)}".replace("'", "")
        )
    several = x.shape[:-2]
    count = several[0] if several else 1
    d = _state(kernel, state, several, dtype)
    shape = (*several, kernel.rows, kernel.columns)
    if out is None:
        out = np.empty(shape, dtype=dtype)
    elif out.shape != shape or out.dtype != dtype or not out.flags.c_contiguous:
        raise InputError(f"{kernel.name}: out; expected a contiguous array of {shape}, {dtype}")
    scalars = parameters_of(kernel, values, dtype)
    if count and check and kernel.geometry and kernel.geometry != kernel.descriptor:
        check_geometry(kernel, x, count)
    if count:
        _kernels.evaluate(
            kernel.descriptor,
            x.reshape(count, -1),
            scalars,
            d.reshape(count, d.size // count),
            out.reshape(count, -1),
            _threads(kernel, count, threads),
        )
    return out


def _twice(kernel: CompiledKernel) -> str:
    """Return how the rows of positions belong to nodes, where they are not one each."""
    if kernel.carried != 2:
        return ""
    return ": every node twice, once for its displacement and once for its rotation"


def check_geometry(kernel: CompiledKernel, x: Array, count: int, name: str = "points") -> None:
    """Refuse inverted, folded, flat and non-finite elements; `name` is what they are rows of."""
    bad, first, point, determinant, points = _kernels.check(kernel.geometry, x.reshape(count, -1))
    if not bad:
        return
    from flexforge.codegen.lowering.jacobian import good_geometry, judged_nodes

    element = f"{name}[{first}]" if x.ndim == 3 else name
    skipped = f"({bad} of {count} elements; check=False skips this check)"
    found = x.reshape(count, -1, kernel.dimension)[first]
    wrong = np.flatnonzero(~np.isfinite(found).all(axis=1))
    if len(wrong):
        raise InputError(
            f"{kernel.name}: {element}[{wrong[0]}]: found {found[wrong[0]].tolist()}; expected "
            f"finite positions {skipped}"
        )
    ambient = ambient_dimension(kernel.dimension, kernel.frame)
    nodes = judged_nodes(kernel.cell, ambient, kernel.nodes, points)
    where = f"node {point}" if point <= nodes else f"quadrature point {point - nodes}"
    what, expected = good_geometry(kernel.cell, ambient)
    if not np.isfinite(determinant):
        expected = "a finite one"
    raise InputError(
        f"{kernel.name}: {element}: {what} is {determinant:.6g} at {where}; "
        f"expected {expected} {skipped}"
    )


def _threads(kernel: CompiledKernel, count: int, wanted: int | None) -> int:
    """Return the number of threads: each has at least one batch."""
    if wanted is None:
        wanted = min(default_threads(), 1 + count * kernel.operations // WORTH)
    chosen = checked_threads(wanted, kernel.name)
    return 1 if is_forked() else min(chosen, -(-count // kernel.lanes))


def _state(
    kernel: CompiledKernel, state: ArrayLike | None, several: tuple[int, ...], dtype: np.dtype[Any]
) -> Array:
    """Return nodal vectors of the same elements, None if the kernel reads none."""
    if (state is None) != (kernel.state_vectors == 0):
        wanted = "nodal vectors" if state is None else "none"
        raise InputError(f"{kernel.name}: state; expected {wanted} for '{kernel.term}'")
    if state is None:
        return np.empty(0, dtype=dtype)
    vectors = (kernel.state_vectors,) if kernel.state_vectors > 1 else ()
    shape = (*several, *vectors, kernel.nodes, kernel.dimension)
    d = real_numbers(state, dtype, f"{kernel.name}: state")
    if d.shape != shape:
        raise InputError(f"{kernel.name}: state of shape {d.shape}; expected {shape}")
    return d


def parameters_of(
    kernel: CompiledKernel, values: Mapping[str, float], dtype: DTypeLike = np.float64
) -> Array:
    """Return the scalar arguments in kernel order; `class_` and `out_` mean class and out."""
    known = kernel.parameters
    values = {
        name[:-1] if name not in known and name.removesuffix("_") in known else name: value
        for name, value in values.items()
    }
    for name in values:
        if name not in kernel.parameters:
            raise InputError(
                f"{kernel.name}: parameter '{name}' is unknown; expected "
                f"{', '.join(kernel.parameters) or 'none'}{nearest(name, kernel.parameters)}"
            )
    for name in kernel.parameters:
        if name not in values:
            raise InputError(f"{kernel.name}: no value for parameter '{name}'")
    numbers = [_finite(kernel, name, values[name]) for name in kernel.parameters]
    with np.errstate(over="ignore"):
        found = np.array([*numbers, 0.0], dtype=dtype)
    if not np.isfinite(found).all():
        name = kernel.parameters[int(np.argmin(np.isfinite(found)))]
        raise InputError(
            f"{kernel.name}: parameter '{name}': found {values[name]}; expected a number of "
            f"{kernel.scalar} precision"
        )
    return found


def _finite(kernel: CompiledKernel, name: str, value: Any) -> float:
    """Return the value of a parameter, or refuse it by its name."""
    found, expected = described(value), "a finite number"
    with suppress(TypeError, ValueError):
        number = float(value)
        if np.isfinite(number) and (number >= 0.0 or name not in NOT_NEGATIVE):
            return number
        found = f"{number:g}"
        expected = "a number of at least 0" if np.isfinite(number) else expected
    raise InputError(f"{kernel.name}: parameter '{name}': found {found}; expected {expected}")
