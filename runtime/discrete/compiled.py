# SPDX-License-Identifier: BSD-3-Clause
"""A discrete system as functions of numbers: its kernels, compiled on first use and cached."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy
from flexforge.codegen.jit.build import build
from flexforge.codegen.output.sources import kernel_sources
from flexforge.codegen.systems.declaration import System
from flexforge.codegen.systems.derivation import SystemEquations, derive_system
from flexforge.codegen.systems.lower import system_kernel, system_terms
from flexforge.runtime import _kernels
from flexforge.runtime.arrays import Floats
from flexforge.runtime.assembly.calls import CompiledKernel
from flexforge.runtime.assembly.kernels import load_library


@dataclass(frozen=True)
class CompiledSystem:
    """The kernels of a discrete system without inputs, with the values of its constants.

    A state y has the coordinates, then the speeds.

    Attributes
    ----------
    equations : SystemEquations
        The derived equations.
    kernels : dict
        By term.
    """

    equations: SystemEquations
    kernels: dict[str, CompiledKernel]

    @classmethod
    def of(cls, system: System, formalism: str = "kane") -> CompiledSystem:
        """Derive and compile a system driven by the formulas of its inputs.

        Raises
        ------
        InputError
            For an invalid system, or without a compiler.
        """
        equations = derive_system(system.driven, formalism)
        made = [system_kernel(equations, term) for term in system_terms(equations)]
        library = load_library(build(kernel_sources(made)))
        return cls(equations, {kernel.term: kernel for kernel in library})

    @property
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        """The coordinates."""
        return self.equations.system.coordinates

    @property
    def size(self) -> int:
        """Numbers of a state."""
        return len(self.coordinates) + len(self.equations.speeds)

    @cached_property
    def _constants(self) -> Floats:
        values = list(self.equations.system.constants.values())
        return np.array(values or [0.0], dtype=float)

    def evaluate(
        self, term: str, times: Floats, states: Floats, rates: Floats | None = None
    ) -> Floats:
        """Return the results of a kernel at many times, (T, rows, columns).

        Parameters
        ----------
        term : str
            One of :func:`flexforge.codegen.systems.lower.system_terms`.
        times : ndarray, (T,)
            s.
        states : ndarray, (T, size)
            Coordinates, then speeds.
        rates : ndarray, (T, speeds), optional
            Rates of the speeds, for ``frames``.
        """
        kernel, n = self.kernels[term], len(self.coordinates)
        count = len(times)
        out = np.empty((count, kernel.rows * kernel.columns))
        places = np.ascontiguousarray(states[:, :n], dtype=float)
        state = np.column_stack([states[:, n:], times, *([] if rates is None else [rates])])
        given = np.zeros((count, kernel.state_vectors * n))
        if kernel.state_vectors:  # a kernel of coordinates alone has no state
            given[:, : state.shape[1]] = state
        _kernels.evaluate(kernel.descriptor, places, self._constants, given, out, 1)
        return out.reshape(count, kernel.rows, kernel.columns)

    def rates(self, t: float, y: Floats) -> Floats:
        """Return y' at a time, (size,)."""
        return self.evaluate("motion", np.array([t]), y[None])[0, :, 0]
