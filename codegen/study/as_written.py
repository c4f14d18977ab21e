# SPDX-License-Identifier: BSD-3-Clause
"""Kernels in the natural form of a formalism, before any canonical form or optimization.

The kernels of :mod:`flexforge.codegen.driver` are the same for all formalisms. These differ: they
compute the equations of motion as a method writes them, either *as written*, after SymPy's common
subexpression elimination, or after the passes of this compiler.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy
from flexforge.codegen.driver import Kernel
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.ir.program import Program
from flexforge.codegen.mechanics.formalisms import formalism as formalism_by_name
from flexforge.codegen.mechanics.formalisms.motion import Motion
from flexforge.codegen.mechanics.frames import frame_for
from flexforge.codegen.mechanics.kinematics import MaterialPoint
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.points import point_of
from flexforge.codegen.passes import PIPELINE
from flexforge.codegen.study.written_equations import lower_equations, natural_equations

#: Stages of optimization, least first.
STAGES = ("as_written", "sympy_cse", "passes")


@dataclass(frozen=True)
class Natural:
    """The equations of a formalism for all coordinates of an element, not expanded.

    Attributes
    ----------
    element : Element
        The declaration.
    point : MaterialPoint
        The symbols of the equations; there is no initial stress, as in the papers.
    motion : SecondOrder or FirstOrder
        The equations.
    ledger : Ledger
        Cost of the derivation.
    """

    element: Element
    point: MaterialPoint
    motion: Motion
    ledger: Ledger


def write_equations(element: Element, formalism: str) -> Natural:
    """Apply a formalism to all coordinates of an element.

    Raises
    ------
    InputError
        For an unknown formalism.
    """
    labels = [str(k + 1) for k in range(len(element.nodes))]
    point = point_of(element, frame_for(element.components, revolved=element.revolved), labels)
    point, ledger = replace(point, prestressed=False), Ledger()
    motion = formalism_by_name(formalism)(point, ledger)
    ledger.stop()
    return Natural(element, point, motion, ledger)


def natural_programs(natural: Natural) -> dict[str, Program]:
    """Return the program of an element's equations of motion at every stage.

    Returns
    -------
    dict
        Program by stage: ``as_written`` prints every expression in full, ``sympy_cse`` names the
        subexpressions found by ``sympy.cse``, ``passes`` applies the passes of this compiler.
    """
    element, point = natural.element, natural.point
    equations = natural_equations(point, natural.motion)
    written = lower_equations(element, point, equations)
    named, reduced = sympy.cse(equations, order="none")
    shortened = written
    for run in PIPELINE.values():
        shortened = run(shortened)
    return {
        "as_written": written,
        "sympy_cse": lower_equations(element, point, reduced, named),
        "passes": shortened,
    }


def compile_equations(element: Element, formalism: str, stage: str = "passes") -> Kernel:
    """Return the kernel of an element's equations of motion as a formalism writes them.

    Parameters
    ----------
    element : Element
        The declaration.
    formalism : str
        Method of derivation.
    stage : str
        One of :data:`STAGES`.

    Raises
    ------
    InputError
        For an unknown formalism or stage.
    """
    if stage not in STAGES:
        raise InputError(
            f"stage '{stage}' is unknown; expected one of {', '.join(STAGES)}"
            f"{nearest(stage, STAGES)}"
        )
    programs = natural_programs(write_equations(element, formalism))
    return equations_kernel(element, formalism, stage, programs[stage])


def equations_kernel(element: Element, formalism: str, stage: str, program: Program) -> Kernel:
    """Return a program of :func:`natural_programs` as a kernel."""
    equations = program.array("out").shape[0]
    meaning = (
        "equations of motion, left minus right side"
        if equations == 1
        else "c d + s, and p' of Hamilton's pair"
    )
    return Kernel(
        name=f"{element.name}_{formalism}_{stage}",
        element=element.name,
        cell=element.cell,
        term="equations",
        formalism=formalism,
        frame=frame_for(element.components, revolved=element.revolved).name,
        meaning=meaning,
        units="N" if equations == 1 else "kg m/s, N",
        symmetry="general",
        structure="full",
        nodes=len(element.nodes),
        dimension=element.components,
        rows=equations * element.size,
        columns=1,
        scalar="double",
        lanes=1,
        program=program,
    )
