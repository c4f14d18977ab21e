# SPDX-License-Identifier: BSD-3-Clause
"""The compiler's driver: from an element and the name of a term to the text of a kernel.

Element + Frame -> Formalism -> ElementEquations -> Program -> passes -> C text
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from flexforge.codegen.count import Count, count
from flexforge.codegen.derivation import derive, roll
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.elements.strain import stress_components
from flexforge.codegen.emit import Pieces, emit
from flexforge.codegen.equations import ElementEquations
from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.frames import frame_for
from flexforge.codegen.ir.program import Program
from flexforge.codegen.lowering.action import Part, lower_action
from flexforge.codegen.lowering.field_stress import (
    lower_field_points,
    lower_field_stress,
    lower_field_thermal_load,
)
from flexforge.codegen.lowering.fields import (
    lower_field_geometric,
    lower_field_load,
    lower_field_matrix,
)
from flexforge.codegen.lowering.lumped import lower_lumped_mass
from flexforge.codegen.lowering.rigid import lower_rigid_geometric
from flexforge.codegen.lowering.stress import lower_geometric, lower_points, lower_stress
from flexforge.codegen.lowering.structure import find_structure
from flexforge.codegen.lowering.surface import lower_pressure
from flexforge.codegen.lowering.terms import lower_load, lower_matrix
from flexforge.codegen.lowering.thermal import lower_thermal_load
from flexforge.codegen.passes import PIPELINE
from flexforge.codegen.rows import side_by_side
from flexforge.codegen.workspace import SCALAR_BYTES, Layout, lay_out

MATRICES = ("stiffness", "mass", "coriolis", "euler", "centrifugal")
ACTIONS = ("stiffness_action", "mass_action", "motion_action")
#: Of elements with stresses, besides :func:`terms_of`: of a change of temperature, and at points.
THERMAL = ("thermal_load", "thermal_stress", "thermal_geometric")
POINTS = ("points", "point_stress", "thermal_point_stress")
LOADS = ("euler_load", "centrifugal_load", "translation", "body_load")

_UNITS = {
    "young": "Pa", "poisson": "1", "density": "kg/m^3", "thickness": "m", "pressure": "Pa",
    "stiffness": "N/m", "mass": "kg", "area": "m^2", "inertia_y": "m^4", "inertia_z": "m^4",
    "torsion": "m^4", "w": "rad/s", "e": "rad/s^2", "a_O": "m/s^2", "f": "N/m^3",
    "centre": "m", "offset_y": "m", "offset_z": "m",
    **{f"inertia_{i}": "kg m^2" for i in ("xx", "yy", "zz", "yz", "xz", "xy")},
    "H": "Pa", "expansion": "1/K",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ParameterInfo:
    """A scalar argument: its name and its units."""

    name: str
    units: str


@dataclass(frozen=True)
class Kernel:
    """A compiled term: the program, and everything its descriptor says.

    Attributes
    ----------
    name : str
        Name of the C function.
    element, cell, term, formalism, frame : str
        What it computes and how it was derived.
    meaning, units, symmetry, structure : str
        Of an entry, and of the matrix.
    nodes, dimension, rows, columns : int
        Sizes.
    scalar : str
        ``double`` or ``float``.
    lanes : int
        Elements a call.
    program : Program
        After the passes.
    """

    name: str
    element: str
    cell: str
    term: str
    formalism: str
    frame: str
    meaning: str
    units: str
    symmetry: str
    structure: str
    nodes: int
    dimension: int
    rows: int
    columns: int
    scalar: str
    lanes: int
    program: Program

    @property
    def state_vectors(self) -> int:
        """How many nodal vectors are read besides the positions."""
        shapes = [a.shape for a in self.program.arrays if a.name == "state"]
        if not shapes:
            return 0
        return shapes[0][0] if len(shapes[0]) > 2 else 1

    @property
    def state_text(self) -> str:
        """Extents and units of the nodal displacements, in words."""
        shapes = [a.shape for a in self.program.arrays if a.name == "state"]
        if not shapes:
            return "not used"
        extents = "".join(f"[{extent}]" for extent in shapes[0])
        rates = "  m, m/s, m/s^2" if len(shapes[0]) > 2 else "  m"
        return f"{extents}{self.lane_suffix}{rates}"

    @property
    def parameters(self) -> tuple[ParameterInfo, ...]:
        """Scalar arguments in order."""
        return tuple(
            ParameterInfo(p, _UNITS.get(p, _UNITS.get(p.rstrip("0123456789"), "1")))
            for p in self.program.parameters
        )

    @property
    def parameter_text(self) -> str:
        """Scalar arguments in words."""
        return ", ".join(f"{p.name} [{p.units}]" for p in self.parameters) or "none"

    @property
    def lane_suffix(self) -> str:
        """Extent of the lanes, if there are several."""
        return f"[{self.lanes}]" if self.lanes > 1 else ""

    @cached_property
    def arranged(self) -> Program:
        """The program as it becomes text."""
        return side_by_side(self.program) if self.lanes == 1 else self.program

    @cached_property
    def pieces(self) -> Pieces:
        """The C text."""
        return emit(self.arranged, self.scalar, self.lanes)

    @cached_property
    def layout(self) -> Layout:
        """Where it keeps its lanes and its local arrays."""
        return lay_out(self.arranged, self.scalar, self.lanes)

    @property
    def workspace_text(self) -> str:
        """Bytes of the workspace, in words."""
        size = self.layout.workspace
        return f"{size} bytes" if size else "not used"

    @cached_property
    def count(self) -> Count:
        """What an element costs, however many are computed at once."""
        return count(self.program, SCALAR_BYTES[self.scalar])

    @cached_property
    def written(self) -> Count:
        """What the text does for an element; more than that in rows that are computed whole."""
        return count(self.arranged, SCALAR_BYTES[self.scalar])

    @cached_property
    def hash(self) -> str:
        """Hash of the text."""
        text = "\n".join((*self.pieces.tables, *self.pieces.locals, *self.pieces.statements))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def terms_of(element: AnyElement) -> tuple[str, ...]:
    """Return the names of the kernels an element has."""
    if isinstance(element, FieldElement):
        inertia = (*MATRICES[1:], *LOADS) if "mass" in element.fibres else ()
        stiffness = ("stiffness",) if "stiffness" in element.fibres else ()
        return (*stiffness, *inertia, *(("geometric",) if element.slopes else ()))
    if element.dimension < element.components and element.dimension > 0:
        return ("pressure",)
    equations = derive(element)
    # An action goes from point to point; means and amplitudes of the whole element it has not.
    actions = ACTIONS if element.pointwise else ("mass_action",)
    if element.revolved:  # rotation about the axis bends no path within the section
        terms = ["stiffness", "mass", "centrifugal", "scalar_mass", "lumped_mass"]
        return (*terms, *(load for load in LOADS if load != "euler_load"), "stress")
    names = [*MATRICES, "scalar_mass", "lumped_mass", *actions, *LOADS]
    if "geometric" in equations.terms:
        names += ["geometric", "stress"]
    return tuple(names)


def further_terms_of(element: AnyElement) -> tuple[str, ...]:
    """Return the names of kernels that are made where a model asks for them."""
    named = terms_of(element)
    if isinstance(element, FieldElement):
        return ("thermal_load", "thermal_geometric", *POINTS)
    if "stress" not in named:
        return ()
    return tuple(t for t in (*THERMAL, *POINTS) if t != "thermal_geometric" or "geometric" in named)


def compile_kernel(
    element: AnyElement,
    term: str,
    *,
    formalism: str = "lagrange",
    unrolled: bool = False,
    scalar: str = "double",
    lanes: int = 1,
    name: str | None = None,
    passes: dict[str, Callable[[Program], Program]] | None = None,
    dump: Callable[[str, Program], None] | None = None,
) -> Kernel:
    """Derive, lower and optimize one term of an element.

    Parameters
    ----------
    element : Element
        The declaration.
    term : str
        One of :func:`terms_of`.
    formalism : str
        Method of derivation.
    unrolled : bool
        Derive with all nodal coordinates written out, and find the generic pair of nodes in the
        result; slower, and the same kernel.
    scalar : str
        ``double`` or ``float``.
    lanes : int
        Elements a call: 1, or a power of two.
    name : str, optional
        Name of the C function; by default element and term.
    passes : dict, optional
        Passes to run instead of the usual ones.
    dump : callable, optional
        Called with ``lowered`` and the program before the passes, then with the name and the
        result of every pass.

    Returns
    -------
    Kernel

    Raises
    ------
    InputError
        For an unknown term, formalism, scalar type or number of lanes, or a name that is no C
        identifier.
    """
    known = terms_of(element)
    if term not in known and term not in further_terms_of(element):
        raise InputError(
            f"element '{element.name}': term '{term}' is unknown; expected one of "
            f"{', '.join(known)}{nearest(term, known)}"
        )
    if scalar not in ("double", "float"):
        raise InputError(f"scalar type '{scalar}' is unknown; expected double or float")
    if lanes < 1 or lanes & (lanes - 1) or lanes > 16:
        raise InputError(f"lanes: found {lanes}; expected 1, 2, 4, 8 or 16")
    name = name or f"{element.name}_{term}" + (f"_x{lanes}" if lanes > 1 else "")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise InputError(f"kernel name '{name}' is no C identifier")

    frame = frame_for(element.components, revolved=element.revolved)
    program, meaning, units, symmetry, structure = _lower(element, term, formalism, unrolled)
    if dump:
        dump("lowered", program)
    for pass_name, run in (PIPELINE if passes is None else passes).items():
        program = run(program)
        if dump:
            dump(pass_name, program)
    shape = next(a for a in program.arrays if a.kind == "output").shape
    half = len(shape) // 2
    rows, columns = _product(shape[:half]), _product(shape[half:])
    return Kernel(
        name, element.name, element.cell, term, formalism, frame.name, meaning, units, symmetry,
        structure, len(element.nodes), element.components, rows, columns, scalar, lanes, program,
    )  # fmt: skip


def _product(extents: tuple[int, ...]) -> int:
    result = 1
    for extent in extents:
        result *= extent
    return result


def _lower(
    element: AnyElement, term: str, formalism: str, unrolled: bool
) -> tuple[Program, str, str, str, str]:
    """Return the program of a term, what it means, its units, symmetry and structure."""
    if term == "pressure" and isinstance(element, Element):
        meaning = "- int N^T p n dA, n outward"
        return lower_pressure(element), meaning, "N", "general", "full"
    equations: ElementEquations = derive(element, formalism=formalism, unrolled=unrolled)
    if unrolled:
        equations = roll(equations)
    if isinstance(element, FieldElement):
        return _lower_field(element, term, equations)
    if term == "points":
        return lower_points(element), "positions of the points of stress", "m", "general", "full"
    if term == "thermal_load":
        return lower_thermal_load(element), "int (bN)^T H eps_0", "N", "general", "full"
    if term.endswith("stress"):
        program = lower_stress(
            element, equations.terms["stiffness"],
            thermal="thermal" in term, points="point" in term,
        )  # fmt: skip
        return program, _stresses(element, term), "Pa", "general", "full"
    if term == "lumped_mass":
        meaning = "m_aa M / sum_b m_bb"
        return lower_lumped_mass(element), meaning, "kg", "general", "full"
    if term in ACTIONS:
        parts, meaning = _action(equations, term)
        return lower_action(element, parts), meaning, "N", "general", "full"
    name = {"scalar_mass": "mass", "thermal_geometric": "geometric"}.get(term, term)
    found = equations.terms[name]
    words = found.meaning, found.units
    if term in LOADS:
        return lower_load(element, found), *words, "general", "full"
    structure = find_structure(found.density).name
    if term == "scalar_mass":
        return lower_matrix(element, found, scalar=True), *words, found.symmetry, structure
    if name == "geometric":
        program = lower_geometric(
            element, found, equations.terms["stiffness"], thermal=term != name
        )
        return program, *words, found.symmetry, structure
    return lower_matrix(element, found), *words, found.symmetry, "full"


def _stresses(element: Element, term: str) -> str:
    """Return what kernel of stresses it is, and their order, in words."""
    axes = stress_components(element.strain, element.components)
    order = " ".join("xyz"[i] + "xyz"[j] for i, j in axes)
    where = "stresses at points" if "point" in term else "nodal stresses"
    return f"{where} {order}" + (" of a temperature that is held" if "thermal" in term else "")


def _lower_field(
    element: FieldElement, term: str, equations: ElementEquations
) -> tuple[Program, str, str, str, str]:
    """Return the same for an element that writes out its field."""
    if term == "points":
        return lower_field_points(element), "positions of the stations", "m", "general", "full"
    if term.endswith("point_stress"):
        words = "generalized stresses at the stations"
        thermal = term.startswith("thermal")
        words += " of a temperature that is held" if thermal else ""
        program = lower_field_stress(element, thermal=thermal)
        return program, words, "of the law", "general", "full"
    if term == "thermal_load":
        program = lower_field_thermal_load(element)
        return program, "int (bN)^T H eps_0", "N", "general", "full"
    found = equations.terms[term.removeprefix("thermal_")]
    if term == "thermal_geometric":
        program = lower_field_geometric(element, found, thermal=True)
        return program, found.meaning, found.units, found.symmetry, "full"
    if term == "geometric" and "stiffness" not in element.fibres:
        program = lower_rigid_geometric(element, found, equations)
        words = "stiffness of the inertia forces on a turn"
        return program, words, found.units, "symmetric", "full"
    lower = {"geometric": lower_field_geometric} | dict.fromkeys(LOADS, lower_field_load)
    program = lower.get(term, lower_field_matrix)(element, found)
    return program, found.meaning, found.units, found.symmetry, "full"


def _action(equations: ElementEquations, term: str) -> tuple[list[Part], str]:
    """Return the matrices of an action, and what it means."""
    terms = equations.terms
    if term != "motion_action":
        name = term.removesuffix("_action")
        return [Part(terms[name])], f"{terms[name].symbol} d"
    parts = [Part(terms["mass"], 2), Part(terms["coriolis"], 1, 2)]
    parts += [Part(terms[name]) for name in ("stiffness", "euler", "centrifugal")]
    return parts, "m d'' + 2 c d' + (k + k_eps + k_omega) d"
