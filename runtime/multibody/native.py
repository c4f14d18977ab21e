# SPDX-License-Identifier: BSD-3-Clause
"""Links whose motion is found as the tables of ``ff_model.h``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mechanism.build import Parts
from flexforge.runtime.multibody.formulas import coupled
from flexforge.runtime.multibody.model import MultibodyModel
from flexforge.runtime.multibody.order import Elimination, Tie, eliminate
from flexforge.runtime.native.inputs import Functions
from flexforge.runtime.native.motions import ANGULAR, LINEAR, Motions
from flexforge.runtime.tables import structs
from flexforge.runtime.transient.scheme import Scheme
from numpy.typing import NDArray

#: Part of the largest mass below which a link has none of its own.
_MASSLESS = 1e-12


@dataclass(frozen=True, slots=True)
class Pace:
    """How steps adapt.

    Attributes
    ----------
    accuracy : float
        Local error of a step, relative to large displacements.
    longest : float
        Longest step, s.
    """

    accuracy: float
    longest: float


def found_model(
    model: MultibodyModel,
    scheme: Scheme,
    step: float,
    tolerance: float,
    independent: NDArray[np.int64],
    near: Floats,
    functions: Functions | None = None,
    outputs: Sequence[structs.Output] = (),
    tree: structs.Tree | None = None,
    *,
    canonical: bool = False,
    pace: Pace | None = None,
) -> structs.Model:
    """Return the tables of links whose motion is found.

    Parameters
    ----------
    model : MultibodyModel
        Their equations.
    scheme : Scheme
        Method of integration.
    step : float
        Of the analysis, s.
    tolerance : float
        Relative error of the rates of a step.
    independent : ndarray of int
        Equations that do not depend on others.
    near : ndarray, (C,)
        Coordinates of joints at the start.
    functions : Functions, optional
        Where functions of time are collected.
    outputs : sequence of Output
        What an exported solver tells.
    tree : Tree, optional
        Independent speeds of which steps are.
    canonical : bool
        Whether steps are of momenta.
    pace : Pace, optional
        How steps adapt; by default they do not.
    """
    functions = functions or Functions()
    parts, table = model.parts, model.table
    motions = Motions(functions)
    drivers = tuple(
        motions.coordinate(one.motion, 0, _units(parts, one.coordinate)) for one in parts.drivers
    )
    amplitudes = tuple(structs.Amplitude(functions.add(one)) for one in model.amplitudes)
    given = tuple(
        structs.Amplitude(functions.add(one.force, _effort(parts, one.coordinate)))
        for one in model.actuators
    )
    found = _elimination(model, independent)
    told = _told(model, functions)
    states = 6 * len(parts.links) + table.elastic + np.arange(table.controllers)
    return structs.Model(
        structs.Matrices(table.elastic),
        structs.Scheme(scheme.alpha_m, scheme.alpha_f, scheme.beta, scheme.gamma, scheme.explicit),
        structs.Include(1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
        2 if parts.planar else 3,
        step,
        driver=drivers,
        knots=motions.knots,
        output=tuple(outputs),
        found=structs.Found(
            replace(table, formula=told),
            rigid=model.poses.dimension,
            numbers=np.concatenate([model.numbers, states]),
            place=found.place,
            independent=independent,
            block_of_link=found.block_of_link,
            block_of_state=found.block_of_state,
            block_of=found.block_of,
            unknown=found.unknown,
            order=found.order,
            scale=parts.size,
            tolerance=tolerance,
            amplitude=amplitudes,
            given=given,
            near=near,
            tree=tree,
            canonical=canonical,
            **({} if pace is None else _paced(pace, model, functions)),
        ),
        input_start=functions.start,
    )


def _paced(pace: Pace, model: MultibodyModel, functions: Functions) -> dict[str, Any]:
    """Return the fields of steps that adapt: they end where a function of time is not smooth."""
    kinks = {*functions.kinks, *((time, time) for time in model.formulas.breaks)}
    return {
        "accuracy": pace.accuracy,
        "longest": pace.longest,
        "kink": np.array(sorted(kinks)).ravel(),
    }


def _told(model: MultibodyModel, functions: Functions) -> tuple[structs.Formula, ...]:
    """Return the formulas with their inputs numbered among all of the model, behind variables."""
    most = model.table.most
    numbers = [functions.told_number(*one) for one in model.formulas.inputs]
    inputs = [*range(most), *(most + number for number in numbers)]
    return tuple(
        one if one.value is None else replace(one, value=one.value.of_inputs(inputs))
        for one in model.table.formula
    )


def _units(parts: Parts, coordinate: int) -> tuple[str, str, str]:
    return LINEAR if parts.coordinates[coordinate].is_length else ANGULAR


def _effort(parts: Parts, coordinate: int) -> str:
    return "N" if parts.coordinates[coordinate].is_length else "N m"


def _elimination(model: MultibodyModel, independent: NDArray[np.int64]) -> Elimination:
    """Return the order of elimination: one block where a link has no inertia of its own."""
    table, links, rigid = model.table, len(model.parts.links), model.poses.dimension
    assert table.linkage is not None
    per_link, first = rigid // max(links, 1), np.asarray(table.first)
    speeds = [
        np.concatenate(
            [link * per_link + np.arange(per_link), rigid + np.arange(first[link], first[link + 1])]
        )
        for link in range(links)
    ]
    pairs = [np.column_stack([one, model.numbers[one]]) for one in speeds]
    coordinates = model.parts.coordinates
    acting = {one.name: one.coordinate for one in model.actuators}
    driving = len(model.formulas.laws) + table.controllers
    ties = [
        Tie(
            {k for one in numbers for k in model.parts.joints[coordinates[one].joint].links},
            states,
            holds=number >= driving,
        )
        for number, (numbers, states) in enumerate(coupled(model.formulas, acting))
    ]
    return eliminate(
        table.linkage,
        pairs,
        6 * links + table.elastic,
        independent,
        ties,
        table.controllers,
        whole=not all(_has_inertia(model, link) for link in range(links)),
    )


def _has_inertia(model: MultibodyModel, link: int) -> bool:
    """Whether a rigid link has inertia against every motion."""
    table, planar = model.table, model.parts.planar
    mass, moment = float(table.mass[link]), np.asarray(table.moment[link])
    second = np.asarray(table.second[link])
    largest = float(np.max(table.mass, initial=0.0))
    if mass <= _MASSLESS * largest:
        return False
    central = second - np.outer(moment, moment) / mass
    inertia = np.trace(central) * np.eye(3) - central
    least = inertia[2, 2] if planar else float(np.linalg.eigvalsh(inertia)[0])
    return bool(least > _MASSLESS * mass * model.parts.size**2)
