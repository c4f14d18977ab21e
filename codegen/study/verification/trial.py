# SPDX-License-Identifier: BSD-3-Clause
"""A trial element: a shape in space, parameters, and its terms by the interpreter."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import sympy
from flexforge.codegen.driver import Kernel, compile_kernel
from flexforge.codegen.elements.definite import LawEnergies, law_energies, law_of
from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.elements.parameters import parameters_of
from flexforge.codegen.elements.terms import terms_of
from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.ir.interpret import interpret
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_MATERIALS = ("young", "poisson", "density", "mass", "thickness")
_KNOWN = {
    "young": 2.1, "poisson": 0.29, "density": 0.78, "mass": 0.78, "thickness": 0.35,
    "w1": 0.7, "w2": -0.4, "w3": 0.9, "e1": -0.3, "e2": 0.8, "e3": 0.5,
    "a_O1": 1.1, "a_O2": -0.6, "a_O3": 0.4, "f1": 0.3, "f2": 0.9, "f3": -0.7,
    "orientation1": 0.2, "orientation2": 0.9, "orientation3": -0.3,
    # Parameters of laminates, such that the law is positive definite.
    "A11": 3.0, "A22": 2.5, "A66": 1.2, "D11": 1.1, "D22": 1.3, "D66": 0.9, "S11": 0.8, "S22": 0.9,
    "BT": 0.1,
}  # fmt: skip
#: Value of other parameters: small enough for a ratio, positive as a stiffness must be.
_OTHER = 0.3
#: Values of a law that 0.3 for each parameter makes singular: random ones, until it is definite.
_RANGE, _TRIES = (0.1, 1.0), 200
#: Smallest eigenvalue of a law, relative to its largest, with which checks keep their digits.
_DEFINITE = 1e-2
_SHAKE = 0.08
#: How much a quantity that is given at points differs from one to the next.
_TAPER = 0.15


class Trial:
    """An element with a random shape: rotated, stretched, and distorted if it may be curved.

    Parameters
    ----------
    element : Element or FieldElement
        The declaration.
    values : mapping, optional
        Given scalar arguments; the others are chosen.
    seed : int
        Random seed of the shape.
    """

    def __init__(
        self, element: AnyElement, values: Mapping[str, float] | None = None, seed: int = 1
    ) -> None:
        self.element = element
        self.given = dict(values or {})
        self._refuse_unknown()
        self._chosen = {} if self.law is None else self._definite()
        self._seed = seed
        self._kernels: dict[str, Kernel] = {}

    @property
    def size(self) -> int:
        """Number of coordinates of a vector: 2 or 3."""
        return self.element.components

    @property
    def carried(self) -> int:
        """Number of vectors per node of the mesh."""
        return len(self.element.carried) if isinstance(self.element, FieldElement) else 1

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """Names of the terms the element has."""
        return terms_of(self.element)

    @cached_property
    def straight(self) -> Floats:
        """Positions of the nodes, (places, components), an affine image of the reference cell."""
        return self._shape(0.0)

    @cached_property
    def distorted(self) -> Floats:
        """Positions of the nodes, (places, components), each moved by a little."""
        # A rod of two nodes is straight, and a plate with an explicit field is flat.
        return self._shape(0.0 if isinstance(self.element, FieldElement) else _SHAKE)

    def _shape(self, shake: float) -> Floats:
        rng = np.random.default_rng(self._seed)
        places = (
            self.element.places if isinstance(self.element, FieldElement) else self.element.nodes
        )
        nodes = np.array([[float(x) for x in place] for place in places])
        nodes = nodes.reshape(len(places), -1)
        moved = nodes + shake * rng.uniform(-1, 1, nodes.shape)
        whole = np.zeros((len(nodes), self.size))
        whole[:, : nodes.shape[1]] = moved
        if self.element.revolved:  # its axes are r and z; r stays positive
            whole[:, :2] = moved * rng.uniform(0.7, 1.4, 2) + [3.0, rng.standard_normal()]
            return whole
        turn, _ = np.linalg.qr(rng.standard_normal((self.size, self.size)))
        if np.linalg.det(turn) < 0:
            turn[:, 0] *= -1
        found: Floats = whole @ np.diag(rng.uniform(0.6, 1.6, self.size)) @ turn.T
        return found + rng.standard_normal(self.size)

    def kernel(self, term: str) -> Kernel:
        """Return a term as lowered; the passes are tested elsewhere."""
        if term not in self._kernels:
            self._kernels[term] = compile_kernel(self.element, term, passes={})
        return self._kernels[term]

    def value(self, name: str) -> float:
        """Return a scalar argument; one that is given at points differs between them."""
        other = _OTHER
        if isinstance(self.element, FieldElement):
            stem = name.rstrip("0123456789")
            if name != stem and stem in self.element.varying:
                other *= 1.0 + _TAPER * int(name.removeprefix(stem))
        return self.given.get(name, _KNOWN.get(name, self._chosen.get(name, other)))

    @property
    def own(self) -> dict[str, float]:
        """Values of the parameters of the element itself: law, section, density."""
        return {name: self.value(name) for name in parameters_of(self.element)}

    @cached_property
    def law(self) -> sympy.Matrix | None:
        """The law as a function of its parameters, where it depends on nothing else."""
        return law_of(self.element)

    def energies(self, values: Mapping[str, float]) -> LawEnergies:
        """Return the eigenvalues of the law for values of its parameters."""
        assert self.law is not None
        return law_energies(self.law, values)

    def _definite(self) -> dict[str, float]:
        """Return values of the parameters that are not given for which the law is definite."""
        names = self.element.constitutive.parameters
        known = {name: self.given.get(name, _KNOWN.get(name)) for name in names}
        missing = [name for name, value in known.items() if value is None]
        rng = np.random.default_rng(0)
        for attempt in range(_TRIES):
            drawn = rng.uniform(*_RANGE, len(missing)) if attempt else [_OTHER] * len(missing)
            chosen = {n: round(float(x), 2) for n, x in zip(missing, drawn, strict=True)}
            found = self.energies({k: v for k, v in (known | chosen).items() if v is not None})
            if found.least > _DEFINITE * found.most:
                return chosen
        return {}

    def _refuse_unknown(self) -> None:
        """Refuse values of parameters that the element does not have."""
        own = parameters_of(self.element)
        known = [*own, *(name for name in _KNOWN if name not in _MATERIALS)]
        for name in self.given:
            if name not in known:
                raise InputError(
                    f"{self.element.name}: found a value of '{name}'; expected one of "
                    f"{', '.join(own)}{nearest(name, own)}"
                )

    def vector(self, name: str) -> Floats:
        """Return w, e or a_O in space; in the plane w and e are along its normal.

        All are along the axis of a body of revolution.
        """
        if self.element.revolved:
            return np.array([0.0, self.value(f"{name}2"), 0.0])
        if self.size == 2 and name in ("w", "e"):
            return np.array([0.0, 0.0, self.value(f"{name}3")])
        found = np.zeros(3)
        found[: self.size] = [self.value(f"{name}{i + 1}") for i in range(self.size)]
        return found

    def run(self, term: str, points: Floats, state: Floats | None = None) -> Floats:
        """Return the value of a term: a matrix, or a vector if it has one column.

        Parameters
        ----------
        term : str
            Its name.
        points : ndarray, (places, components)
            Positions of the nodes.
        state : ndarray, (coordinates,), optional
            Displacements, for terms that need them.
        """
        kernel = self.kernel(term)
        inputs = {"coordinates": np.repeat(points, self.carried, axis=0)[..., None]}
        if state is not None:
            inputs["state"] = state.reshape(-1, self.size, 1)
        parameters = {p.name: self.value(p.name) for p in kernel.parameters}
        found = interpret(kernel.program, inputs, parameters)[..., 0]
        rows = self.element.size
        square = found.size == rows * rows and found.ndim == 4
        return found.reshape(rows, rows) if square else found

    def motion(self, points: Floats, slope: Floats, shift: Floats) -> Floats:
        """Return the nodal coordinates of ``u = shift + slope x``; rotations are those of slope.

        Parameters
        ----------
        points : ndarray, (places, components)
            Positions of the nodes.
        slope : ndarray, (components, components)
            Gradient of the displacement.
        shift : ndarray, (components,)
            Displacement of the origin.
        """
        nodal = np.zeros((len(points), self.carried, self.size))
        nodal[:, 0] = shift + points @ slope.T
        if isinstance(self.element, FieldElement) and "slope" in self.element.carried:
            along = points[1] - points[0]
            nodal[:, 1] = slope @ along / np.linalg.norm(along)
        elif self.carried == 2:
            spin = (slope - slope.T) / 2
            turn = [spin[1, 0], 0.0] if self.size == 2 else [spin[2, 1], spin[0, 2], spin[1, 0]]
            nodal[:, 1] = turn
        return nodal.ravel()

    def rigid(self, points: Floats) -> Floats:
        """Return the rigid motions, one per column: translations, then rotations about O."""
        n = self.size
        columns = [self.motion(points, np.zeros((n, n)), axis) for axis in np.eye(n)]
        turns = np.eye(3) if n == 3 else np.array([[0.0, 0.0, 1.0]])
        columns += [self.motion(points, skew(w)[:n, :n], np.zeros(n)) for w in turns]
        return np.array(columns).T


def skew(v: Floats) -> Floats:
    """Return the matrix of ``v x .``."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
