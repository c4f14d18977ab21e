# SPDX-License-Identifier: BSD-3-Clause
"""The equations of links whose motion is found, as native code reads them: an ``ff_multibody``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flexforge.codegen.joints.table import JOINTS
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.constraints.actuators import Actuator
from flexforge.runtime.mechanism.joints import GROUND, Joint
from flexforge.runtime.mechanism.tables import kernels
from flexforge.runtime.multibody.formulas import Formulas
from flexforge.runtime.multibody.integrals import LinkIntegrals
from flexforge.runtime.multibody.pushes import Push
from flexforge.runtime.tables.structs import Energy, Linkage, Multibody, Stress

#: No formulas.
NONE = Formulas()
#: Shapes of the two markers of a joint, (6, n) each.
Shapes = tuple[Floats, Floats]


def build_multibody(
    linkage: Linkage,
    joints: tuple[Joint, ...],
    integrals: Sequence[LinkIntegrals],
    shapes: Sequence[Shapes],
    pushes: Sequence[Push],
    actuators: Sequence[Actuator],
    formulas: Formulas = NONE,
    stress: Stress | None = None,
    energies: tuple[Energy, ...] = (),
) -> Multibody:
    """Return the table of links with their bodies, joints, loads and actuators.

    Parameters
    ----------
    linkage : Linkage
        The equations of joints, with the values at which they are kept.
    joints : tuple of Joint
        The joints.
    integrals : sequence of LinkIntegrals
        Of every link.
    shapes : sequence
        Of every joint, how its markers move with the elastic coordinates of their links.
    pushes : sequence of Push
        The loads.
    actuators : sequence of Actuator
        What acts along coordinates of joints, joint after joint; one at least along every one that
        occurs in a formula.
    formulas : Formulas, optional
        Formulas of what moves.
    stress : Stress, optional
        What stresses add to the stiffness.
    energies : tuple of Energy, optional
        Bodies with an energy.
    """
    actuator_of = {one.coordinate: k for k, one in enumerate(actuators)}
    forces = formulas.force_tables
    named = {one.name: k for k, one in enumerate(actuators)}
    joint_of = np.repeat(np.arange(len(joints)), np.diff(linkage.starts))
    rows = rows_of_coordinates(linkage)
    acting = [joint_of[rows[one.coordinate]] for one in actuators]
    pushes = sorted(pushes, key=lambda one: one.link)
    counts = np.array([len(one.stiffness) for one in integrals], dtype=int)
    marked = [shape for pair in shapes for shape in pair]
    return Multibody(
        linkage=linkage,
        elastic=int(counts.sum()),
        first=np.cumsum([0, *counts]),
        squares=np.cumsum([0, *(counts**2)]),
        mass=np.array([one.mass for one in integrals]),
        moment=np.array([one.moment for one in integrals]),
        second=np.array([one.second for one in integrals]),
        translation=_joined([one.translation for one in integrals]),
        position=_joined([one.position.transpose(1, 2, 0) for one in integrals]),
        masses=_joined([one.masses for one in integrals]),
        stiffness=_joined([one.stiffness for one in integrals]),
        damping=_joined([one.damping for one in integrals]),
        shape_of=np.cumsum([0, *(shape.size for shape in marked)]),
        shapes=_joined(marked),
        entries=np.cumsum([0, *_lengths(linkage, counts)]),
        row_of=rows,
        held_of=_order(linkage.equation_of),
        joint_of=joint_of,
        tangent=kernels(joints, "tangent"),
        free_of=np.array([len(JOINTS[joint.kind].held) for joint in joints]),
        push_first=np.searchsorted([one.link for one in pushes], np.arange(linkage.links + 1)),
        push_of=np.array([(one.link, one.amplitude, *one.entry) for one in pushes]),
        push_at=np.cumsum([0, *(one.elastic.size for one in pushes)]),
        push=np.array([one.wrench for one in pushes]),
        push_elastic=_joined([one.elastic for one in pushes]),
        acting_first=np.searchsorted(acting, np.arange(len(joints) + 1)),
        actuator_of=np.array([one.coordinate for one in actuators]),
        springs=np.array([(one.stiffness, one.damping, one.rest) for one in actuators]),
        controllers=len(formulas.controllers),
        most=formulas.most,
        law_of=np.array([named[name] for name in formulas.laws], dtype=int),
        formula=formulas.tables(actuator_of),
        force=forces,
        kept=sum(one.kept for one in forces),
        events=sum(one.events for one in forces),
        hold_of=np.array(
            [k for k, one in enumerate(formulas.forces) for _ in one.law.holds], dtype=int
        ),
        stress=stress,
        energy=energies,
    )


def rows_of_coordinates(linkage: Linkage) -> Ints:
    """Return the row, among those of all joints, of every coordinate."""
    return _order(linkage.coordinate_of)


def _order(number_of: Ints) -> Ints:
    """Return the place of every number that is not negative, in their order."""
    numbers = np.asarray(number_of, dtype=int)
    places = np.flatnonzero(numbers >= 0)
    return places[np.argsort(numbers[places])]


def row_columns(linkage: Linkage, counts: Ints) -> list[Ints]:
    """Return, for every row of a joint, the numbers of its entries among all speeds; -1 of none."""
    first = 6 * linkage.links + np.cumsum([0, *counts])
    found = []
    for joint, ends in enumerate(np.reshape(linkage.ends, (-1, 2)).tolist()):
        rigid = [6 * k + np.arange(6) if k != GROUND else np.full(6, -1) for k in ends]
        elastic = [first[k] + np.arange(counts[k]) for k in ends if k != GROUND]
        columns = np.concatenate([*rigid, *elastic]).astype(np.int64)
        found += [columns] * (linkage.starts[joint + 1] - linkage.starts[joint])
    return found


def _lengths(linkage: Linkage, counts: Ints) -> list[int]:
    return [len(columns) for columns in row_columns(linkage, counts)]


def _joined(arrays: Sequence[Floats]) -> Floats:
    return np.concatenate([np.zeros(0), *(np.ravel(one) for one in arrays)])
