# SPDX-License-Identifier: BSD-3-Clause
"""The data that an analysis hands over for writing: bodies, states, columns of values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.motion.frame import FrameState

#: Names of the values of modes: frequencies of vibrations, factors of loads that buckle.
FREQUENCY, FACTOR = "frequency", "factor"
UNITS = {
    **dict.fromkeys(("points", "displacement", "largest_displacement", "r_O"), "m"),
    **dict.fromkeys(("velocity", "v_O"), "m/s"),
    **dict.fromkeys(("acceleration", "a_O"), "m/s^2"),
    **dict.fromkeys(("stress", "von_mises", "principal", "largest_normal_stress"), "Pa"),
    **dict.fromkeys(("stress_top", "stress_bottom", "von_mises_top", "von_mises_bottom"), "Pa"),
    **dict.fromkeys(("N", "Vy", "Vz", "M11", "M22", "M12"), "N"),
    **dict.fromkeys(("T", "My", "Mz"), "N m"),
    **dict.fromkeys(("N11", "N22", "N12", "Q1", "Q2"), "N/m"),
    "time": "s",
    **dict.fromkeys(("frequency", "mean_frequency"), "Hz"),
    "w": "rad/s",
    "e": "rad/s^2",
    "R": "1",
}
"""SI unit of everything that is written, by name."""
#: Ends of the names of extremes, and of what has them.
MOST, LEAST, OF_MOST, OF_LEAST = "_max", "_min", "_max_of", "_min_of"


def unit_of(name: str) -> str:
    """Return the SI unit of a quantity that is written, also of its extremes; empty if unknown."""
    return UNITS.get(name.removesuffix(MOST).removesuffix(LEAST), "")


STRESS_COMPONENTS = ("xx", "yy", "zz", "xy", "yz", "zx")
"""Order of the six components of a stress, which is also ParaView's."""


@dataclass(frozen=True, slots=True)
class BodyGeometry:
    """The constant data of a body.

    Parameters
    ----------
    name : str
        Its name in the model.
    cell : str
        Name of its cell type.
    points : ndarray, (n, 3)
        Undeformed coordinates in its frame, m.
    connectivity : ndarray of int, (n_cells, n_nodes)
        Rows of `points`.
    stations : ndarray, (m, 3), optional
        Undeformed coordinates of points in the cells with recorded values, m.
    pieces_of : str
        Number and type of the cells of the mesh, if these cells are pieces of them.
    nodes, cells : ndarray of int, (n,) and (n_cells,), optional
        Their numbers in the mesh.
    """

    name: str
    cell: str
    points: Floats
    connectivity: Ints
    stations: Floats | None = None
    pieces_of: str = ""
    nodes: Ints | None = None
    cells: Ints | None = None


@dataclass(frozen=True, slots=True)
class BodyState:
    """A body at one time.

    Parameters
    ----------
    displacement : ndarray, (n, 2 or 3)
        In the body's frame, m.
    velocity : ndarray, (n, 2 or 3), optional
        Time derivative in that frame, m/s.
    stress : ndarray, (n, 6), optional
        At the nodes, Pa: xx yy zz xy yz zx.
    frame : FrameState, optional
        Motion of the frame.
    at_stations : dict of str to ndarray, (m, ...), optional
        Values at these points: stresses, or section forces.
    others : dict of str to ndarray, (n, ...), optional
        Further values at the nodes; among them ``von_mises``, Pa, where it does not follow from the
        stress, as that of combined peaks does not.
    """

    displacement: Floats
    velocity: Floats | None = None
    stress: Floats | None = None
    frame: FrameState | None = None
    at_stations: dict[str, Floats] | None = None
    others: dict[str, Floats] | None = None

    @property
    def von_mises(self) -> Floats | None:
        """Von Mises stress at the nodes, (n,), Pa, if there are stresses."""
        given = (self.others or {}).get("von_mises")
        if given is not None or self.stress is None:
            return given
        return von_mises(self.stress)


@dataclass(frozen=True, slots=True)
class Frame:
    """All bodies at one time.

    Parameters
    ----------
    time : float
        Time, s.
    states : dict of str to BodyState
        By body name.
    """

    time: float
    states: dict[str, BodyState]

    def __repr__(self) -> str:
        return f"t = {self.time:g}: {', '.join(self.states)}"


@dataclass(frozen=True, slots=True)
class Column:
    """A value that is written once per step: its name and its unit."""

    name: str
    unit: str = ""

    @property
    def title(self) -> str:
        """Name and unit, as a column heading."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


def von_mises(stress: Floats) -> Floats:
    """Return the von Mises stress.

    Parameters
    ----------
    stress : ndarray, (..., 6)
        Components xx yy zz xy yz zx.

    Returns
    -------
    ndarray, (...)
    """
    xx, yy, zz, xy, yz, zx = np.moveaxis(np.asarray(stress, dtype=float), -1, 0)
    squares = (xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2
    return np.asarray(np.sqrt(0.5 * squares + 3.0 * (xy**2 + yz**2 + zx**2)))


def principal(stress: Floats) -> Floats:
    """Return the principal stresses, the largest first.

    Parameters
    ----------
    stress : ndarray, (..., 6)
        Components xx yy zz xy yz zx.

    Returns
    -------
    ndarray, (..., 3)
    """
    given = np.asarray(stress, dtype=float)
    tensor = given[..., [0, 3, 5, 3, 1, 4, 5, 4, 2]].reshape(*given.shape[:-1], 3, 3)
    return np.asarray(np.linalg.eigvalsh(tensor)[..., ::-1])


def derived(fields: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return quantities derived from a stress, if there is one: ``von_mises`` and ``principal``.

    Where ``von_mises`` is given the stress is one of combined peaks, of which none are derived.
    """
    if "stress" not in fields or "von_mises" in fields:
        return {}
    return {"von_mises": von_mises(fields["stress"]), "principal": principal(fields["stress"])}


def spatial(vectors: Floats) -> Floats:
    """Return vectors of two or three components as vectors of three.

    Parameters
    ----------
    vectors : ndarray, (..., 2 or 3)
        Plane or spatial vectors.

    Returns
    -------
    ndarray, (..., 3)
    """
    given = np.asarray(vectors, dtype=float)
    full = np.zeros((*given.shape[:-1], 3))
    full[..., : given.shape[-1]] = given
    return full
