# SPDX-License-Identifier: BSD-3-Clause
"""Mechanisms as constants of ``ff_linkage.h``, with the kernels of their joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.joints.lower import joint_kernel
from flexforge.runtime.export.identifiers import c_number, c_numbers
from flexforge.runtime.export.motions import ANGULAR, LINEAR, Motions
from flexforge.runtime.mechanism.mechanism import Assembled, Mechanism
from flexforge.templates import render
from numpy.typing import NDArray

#: What a term of a joint's kernel is called in C: tables of functions by joint.
TABLES = {"rigid": "ff_my_joints", "elastic": "ff_my_elastic_joints"}


@dataclass(frozen=True, slots=True)
class Linkage:
    """A mechanism as C.

    Attributes
    ----------
    text : str
        Definitions: the kernels of the joints, ``ff_my_linkage``, ``ff_my_drivers`` and
        ``ff_my_assembled``. Functions of time and their kinks come before.
    drivers : int
        How many there are.
    """

    text: str
    drivers: int

    @property
    def pointers(self) -> str:
        """What an ``ff_model`` knows of it: mechanism, drivers, state at time zero."""
        return f"&ff_my_linkage, {'ff_my_drivers' if self.drivers else '0'}, ff_my_assembled"


def build_linkage(mechanism: Mechanism, motions: Motions, *, elastic: bool = False) -> Linkage:
    """Return a mechanism as C.

    Parameters
    ----------
    mechanism : Mechanism
        Assembled at t = 0.
    motions : Motions
        Where the functions of time of its drivers are written, and their knots counted.
    elastic : bool
        Whether the kernels for links with elastic displacements come too, as
        ``ff_my_elastic_joints``.

    Raises
    ------
    InputError
        When a driver cannot be exported.
    """
    parts, tables, start = mechanism.parts, mechanism.tables, mechanism.assembled
    drivers = [
        motions.coordinate(
            one.motion, 0, LINEAR if parts.coordinates[one.coordinate].is_length else ANGULAR
        )
        for one in parts.drivers
    ]
    terms = ("rigid", "elastic") if elastic else ("rigid",)
    kinds = list(dict.fromkeys(tables.kinds))
    integers = {
        "ends": tables.ends, "starts": tables.starts, "equation_of": tables.equation_of,
        "coordinate_of": tables.coordinate_of, "gear_of": tables.gears,
        "driver_of": tables.drivers, "touched": tables.touched,
    }  # fmt: skip
    reals = {
        "markers": tables.markers, "radii": tables.radii, "ratios": tables.ratios,
        "scales": tables.scales, "offsets": start.offsets, "assembled": start_state(start),
    }  # fmt: skip
    text = render(
        "export/linkage.c.jinja",
        kernels=[(_name(kind, term), joint_kernel(kind, term)) for kind in kinds for term in terms],
        joints=[(TABLES[term], [_name(kind, term) for kind in tables.kinds]) for term in terms],
        tables=tables,
        equations=len(tables.scales),
        coordinates=len(start.coordinates),
        rows=len(tables.equation_of),
        integers=_filled(integers),
        reals=_filled(reals),
        drivers=drivers,
        size=c_number(tables.size),
        tolerance=c_number(mechanism.tolerance),
        numbers=c_numbers,
    )
    return Linkage(text, len(drivers))


def start_state(start: Assembled) -> NDArray[np.float64]:
    """Return the state of ``ff_linkage.h`` from which a solver goes on.

    Parameters
    ----------
    start : Assembled
        The mechanism at t = 0.

    Returns
    -------
    (3 + 48 L + R + 3 C,) array
        Time, last step (none), sign; frames twice, angles, coordinates.
    """
    frames = start.frames.ravel()
    head = [0.0, 0.0, float(start.sign)]
    return np.concatenate([head, frames, frames, start.angles, start.coordinates.ravel()])


def _name(kind: str, term: str) -> str:
    """Return the name of the C function of a kernel, of one library alone."""
    return f"ff_my_{kind}_{term}"


def _filled(arrays: Mapping[str, NDArray[np.generic]]) -> dict[str, list[float]]:
    """Return the numbers of arrays by name; those with none are left out: C has no empty arrays."""
    return {name: array.ravel().tolist() for name, array in arrays.items() if array.size}
