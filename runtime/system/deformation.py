# SPDX-License-Identifier: BSD-3-Clause
"""Rotations and strains of every body: check that displacements are small.

The displacement gradient of an element is the one that fits its nodal displacements best (least
squares): exact for rigid motions and uniform strains, a mean otherwise. In lines and surfaces it is
known in tangential directions; the remaining components are a rotation. Nodal rotations are
included, and their gradient gives the bending strains at the surfaces of shells and the outer
fibres of beams, at the centre of the element. Sections that have no shape have no outer fibres:
their strains are those without bending.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


#: Validity of small displacements: the error of linear strains is the square of the rotation, 3 %
#: of the stresses at 10 degrees; the geometry changes by the strain.
LARGEST_ROTATION, LARGEST_STRAIN = math.radians(10.0), 0.05
#: Rotation, rad, or strain that only a diverging motion reaches.
_BEYOND = 1e6
#: Elements with the largest strain norms, for which principal strains are computed.
_CHOSEN = 1000
_OFFSETS = ("offset_y", "offset_z")
_ORIENTATION = ("orientation1", "orientation2", "orientation3")
_STRAIN, _WITHOUT_BENDING = "largest strain", " without bending"


@dataclass
class Extreme:
    """The largest value of a quantity of a body so far.

    Attributes
    ----------
    value, time : float
        The value, and its time, s.
    place : ndarray, (d,)
        Its position in the frame of the body, m.
    """

    KEPT: ClassVar[tuple[str, ...]] = ("value", "time", "place")

    value: float = 0.0
    time: float = 0.0
    place: Floats = field(default_factory=lambda: np.zeros(3))

    def replace(self, other: Extreme) -> None:
        """Take over another one."""
        self.value, self.time, self.place = other.value, other.time, other.place

    def follow(self, values: Floats, time: float, places: Floats) -> None:
        """Include the values at some points."""
        if not len(values):
            return
        most = int(np.argmax(values))
        if not values[most] <= self.value:
            self.value, self.time, self.place = float(values[most]), time, places[most]


class Deformation:
    """Tracks the largest rotations and strains of the bodies of a system.

    Parameters
    ----------
    system : System
        The bodies.
    """

    def __init__(self, system: System) -> None:
        self._ranks = system.ranks
        self._bodies = [_Followed(body) for body in system.bodies if _deforms(body)]

    def follow(self, time: float, displacement: Floats, *, bounded: bool = False) -> None:
        """Include a state.

        Parameters
        ----------
        time : float
            s.
        displacement : ndarray, (N, d)
            Nodal displacements relative to the frames, m.
        bounded : bool
            Whether it belongs to a motion, which fails when it diverges.

        Raises
        ------
        AnalysisError
            Naming the body whose motion diverges.
        """
        for one in self._bodies:
            one.follow(time, displacement)
            most = max(one.rotation, one.strain, key=lambda extreme: extreme.value)
            if bounded and not most.value <= _BEYOND:
                raise AnalysisError(
                    f"transient: body '{one.body.name}' deforms beyond all bounds at "
                    f"t = {time:g} s: a {'strain' if most is one.strain else 'rotation'} of "
                    f"{most.value:.2g}"
                )

    def tell(self) -> None:
        """Tell the other ranks of the largest values here, and learn of theirs."""
        for one in self._bodies:
            for extreme in (one.rotation, one.strain):
                extreme.replace(max(self._ranks.gathered(extreme), key=lambda each: each.value))

    def extremes(self) -> dict[str, Extreme]:
        """Return the largest values so far, by body and quantity."""
        return {
            f"{name} of {one.body.name}": extreme
            for one in self._bodies
            for name, extreme in (("rotation", one.rotation), ("strain", one.strain))
        }

    def figures(self) -> dict[str, object]:
        """Return the largest rotation and strain."""
        self.tell()
        found: dict[str, object] = {}
        if self._bodies:
            rotation = max(one.rotation.value for one in self._bodies)
            found["largest rotation"] = [math.degrees(rotation), "deg"]
        for name in (_STRAIN, _STRAIN + _WITHOUT_BENDING):
            strained = [one.strain.value for one in self._bodies if one.figure == name]
            if strained:
                found[name] = max(strained)
        return found

    def warnings(self, of: str = "") -> list[str]:
        """Return warnings where displacements or strains are not small.

        Parameters
        ----------
        of : str
            Description of the states; by default the states at the recorded times.
        """
        self.tell()
        said = []
        for name in dict.fromkeys(one.body.in_file for one in self._bodies):
            own = [one for one in self._bodies if one.body.in_file == name]
            turned = max((one.rotation for one in own), key=lambda extreme: extreme.value)
            strain = max((one.strain for one in own), key=lambda extreme: extreme.value)
            if turned.value > LARGEST_ROTATION:
                said.append(
                    f"body '{name}': turns by {math.degrees(turned.value):.3g} degrees "
                    f"{_where(turned, of)}; small displacements hold up to about 10 degrees, and "
                    "results beyond are not to be trusted"
                )
            if strain.value > LARGEST_STRAIN:
                said.append(
                    f"body '{name}': strained by {100.0 * strain.value:.3g} % "
                    f"{_where(strain, of)}; small strains hold up to about 5 %, and results beyond "
                    "are not to be trusted"
                )
        return said


def _where(extreme: Extreme, of: str) -> str:
    place = ", ".join(f"{x:.4g}" for x in extreme.place)
    return f"near ({place}) m {of or f'at t = {extreme.time:g} s'}"


def _deforms(body: Body) -> bool:
    """Whether a body has elements for small displacements, or a rotation; not connectors."""
    return body.is_linear and (not body.lumped or (body.turns and not body.is_connector))


class _Followed:
    """A body, the operator of its displacement gradients, and the largest values so far."""

    def __init__(self, body: Body) -> None:
        self.body, self.rotation, self.strain = body, Extreme(), Extreme()
        self.stretches = not body.lumped
        self.figure = _STRAIN if self.stretches else ""
        self._turned = body.rotations[: len(body.part.points)]
        if not self.stretches:
            return
        cells = body.part.connectivity
        points = body.part.points[:, : body.ambient]
        self._centres = points[cells].mean(axis=1)
        self._gradient, self._along, self._normal = _fitted(points, cells, _extent(body))
        self._half = 0.5 * float(body.values.get("thickness", 0.0))
        self._section: _Section | None = None
        if self._along is None or not body.turns:
            return
        if _extent(body) == 1 and body.reach is not None:
            self._section = _Section(body, points[cells[:, 1]] - points[cells[:, 0]])
        elif _extent(body) == 1 or not self._half:
            self.figure += _WITHOUT_BENDING

    def follow(self, time: float, displacement: Floats) -> None:
        """Include a state."""
        body, points = self.body, self.body.part.points[:, : self.body.dimension]
        turned = displacement[self._turned]
        if body.dimension == 2:
            turned = turned[:, :1]
        self.rotation.follow(np.linalg.norm(turned, axis=1), time, points)
        if not self.stretches:
            return
        moved = body.relative(displacement[body.nodes])[: len(body.placed)]
        gradient = self._of(moved)
        if self._along is None:
            self._continuum(time, gradient, moved)
        else:
            self._thin(time, gradient, turned)

    def _of(self, nodal: Floats) -> Floats:
        """Return the gradients ``du_i / dx_j`` of nodal values (P, k), (E, k, d)."""
        found = self._gradient @ nodal
        return np.swapaxes(found.reshape(len(self._centres), -1, nodal.shape[1]), 1, 2)

    def _continuum(self, time: float, gradient: Floats, u: Floats) -> None:
        if self.body.revolved:
            gradient = self._with_circles(gradient, u)
        whole = np.einsum("eij,eij->e", gradient, gradient)
        crossed = np.einsum("eij,eji->e", gradient, gradient)
        turned = np.sqrt(np.maximum(0.25 * (whole - crossed), 0.0))
        self.rotation.follow(turned, time, self._centres)
        norms = 0.5 * (whole + crossed)
        if len(norms) > _CHOSEN:
            chosen = np.argpartition(norms, -_CHOSEN)[-_CHOSEN:]
            gradient, centres = gradient[chosen], self._centres[chosen]
        else:
            centres = self._centres
        self.strain.follow(_principal(gradient), time, centres)

    def _with_circles(self, gradient: Floats, u: Floats) -> Floats:
        """Return gradients (E, 2 or 3, 2) of a body of revolution with their entries along circles.

        In cylindrical coordinates these are ``- u_t / r`` and ``u_r / r``.
        """
        turned = u[self.body.part.connectivity].mean(axis=1) / self._centres[:, :1]
        found = np.zeros((len(gradient), 3, 3))
        found[:, : gradient.shape[1], :2] = gradient
        found[:, 2, 2] = turned[:, 0]
        if self.body.dimension == 3:
            found[:, 0, 2] = -turned[:, 2]
        return found

    def _thin(self, time: float, gradient: Floats, turned: Floats) -> None:
        """Include gradients that are known along lines or surfaces."""
        along = self._along
        assert along is not None
        inside = along @ gradient @ along
        across = gradient - along @ gradient
        skew = 0.5 * (inside - np.swapaxes(inside, 1, 2))
        squares = 0.5 * (skew**2).sum(axis=(1, 2)) + (across**2).sum(axis=(1, 2))
        self.rotation.follow(np.sqrt(squares), time, self._centres)
        strains = [inside]
        if self._section is not None:
            stretch = np.trace(inside, axis1=1, axis2=2)
            self.strain.follow(
                self._section.strains(stretch, self._of(turned)), time, self._centres
            )
            return
        if self._half and self._normal is not None and len(turned):
            bent = self._of(turned)
            faces = np.cross(bent, self._normal[:, :, None], axisa=1, axisb=1, axisc=1)
            faces = self._half * (along @ faces @ along)
            strains = [inside + faces, inside - faces]
        for one in strains:
            self.strain.follow(_principal(one), time, self._centres)


class _Section:
    """Outer fibres of the sections of a beam.

    Parameters
    ----------
    body : Body
        A body whose sections have a shape.
    spans : ndarray, (E, d)
        From the first node of each element to the second, m.
    """

    def __init__(self, body: Body, spans: Floats) -> None:
        assert body.reach is not None
        # Of a section that varies the largest along each element.
        self._reach = [np.max(np.atleast_2d(one), axis=1) for one in body.reach]
        self._round = getattr(body, "round", False)
        read = body.kernels["stiffness"].parameters
        self._offset = [body.values[name] if name in read else 0.0 for name in _OFFSETS]
        self._axes = spans[:, None, :] / np.linalg.norm(spans, axis=1)[:, None, None]
        if body.dimension == 3:
            x = self._axes[:, 0]
            z = np.cross(x, [body.values[name] for name in _ORIENTATION])
            z /= np.linalg.norm(z, axis=1)[:, None]
            self._axes = np.stack([x, np.cross(z, x), z], axis=1)

    def strains(self, stretch: Floats, bent: Floats) -> Floats:
        """Return the largest magnitude of the strain of every section, (E,).

        Parameters
        ----------
        stretch : ndarray, (E,)
            Strain along the line of the mesh.
        bent : ndarray, (E, k, d)
            Gradients of the rotation.
        """
        rates = np.einsum("ekj,ej->ek", bent, self._axes[:, 0])
        if len(self._axes[0]) == 1:  # a plane beam turns around z alone
            around_y, around_z = np.zeros(len(rates)), rates[:, 0]
        else:
            around_y, around_z = np.einsum("eik,ek->ie", self._axes[:, 1:], rates)
        middle = stretch + around_y * self._offset[1] - around_z * self._offset[0]
        outer = np.abs(around_z * self._reach[0]), np.abs(around_y * self._reach[1])
        return np.asarray(np.abs(middle) + (np.hypot(*outer) if self._round else sum(outer)))


def _principal(gradient: Floats) -> Floats:
    """Return the largest magnitudes of the principal strains, (E,)."""
    if not np.isfinite(gradient).all():
        return np.full(len(gradient), np.inf)
    strain = 0.5 * (gradient + np.swapaxes(gradient, 1, 2))
    return np.asarray(np.abs(np.linalg.eigvalsh(strain)).max(axis=1))


def _extent(body: Body) -> int:
    """Return the dimension of the cells of a body: 1 for lines, 2 for surfaces, else 3."""
    return CELLS[body.part.cell].dim or 3


def _fitted(
    points: Floats, cells: NDArray[np.int64], extent: int
) -> tuple[csr_matrix, Floats | None, Floats | None]:
    """Return the gradient operator, (E d, P), known directions (E, d, d), and normals (E, d).

    All directions of a continuum are known; normals are those of surfaces in space.
    """
    from scipy.sparse import csr_matrix

    d, count = points.shape[1], len(cells)
    arms = points[cells]
    arms = arms - arms.mean(axis=1, keepdims=True)
    sizes, axes = np.linalg.eigh(np.einsum("eai,eaj->eij", arms, arms))
    kept = min(extent, d)
    known, own = axes[:, :, d - kept :], sizes[:, d - kept :]
    inverse = np.divide(1.0, own, out=np.zeros_like(own), where=own > 0.0)
    inverted = (known * inverse[:, None, :]) @ np.swapaxes(known, 1, 2)
    weights = inverted @ np.swapaxes(arms, 1, 2)
    columns = np.repeat(cells, d, axis=0).ravel()
    pointers = np.arange(0, weights.size + 1, cells.shape[1])
    gradient = csr_matrix((weights.ravel(), columns, pointers), shape=(count * d, len(points)))
    if kept == d:
        return gradient, None, None
    along = known @ np.swapaxes(known, 1, 2)
    return gradient, along, axes[:, :, 0] if kept == 2 else None
