# SPDX-License-Identifier: BSD-3-Clause
"""The kinematics of each kind of element, where a derivation starts."""

from __future__ import annotations

from collections.abc import Sequence

from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.mechanics.field_kinematics import FieldPoint
from flexforge.codegen.mechanics.frames import Frame
from flexforge.codegen.mechanics.kinematics import MaterialPoint


def point_of(element: AnyElement, frame: Frame, nodes: Sequence[str]) -> MaterialPoint:
    """Return the material point of an element with a field carried by labelled nodes or vectors.

    Parameters
    ----------
    element : Element or FieldElement
        The declaration.
    frame : Frame
        The moving frame.
    nodes : sequence of str
        Labels of the nodes, or of their vectors.
    """
    if isinstance(element, FieldElement):
        return FieldPoint(
            frame,
            tuple(nodes),
            "field",
            element.constitutive,
            strains=element.strain.rows,
            stiffened=element.stiffening.quadratic if element.stiffening is not None else (),
        )
    return MaterialPoint(frame, tuple(nodes), element.strain, element.constitutive)
