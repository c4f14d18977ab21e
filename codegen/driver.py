# SPDX-License-Identifier: BSD-3-Clause
"""The compiler's driver: from an element and the name of a term to the text of a kernel.

The stages, each with its input and output:

1. ``elements``: a name or a file -> ``Element``, which knows its terms without deriving them.
2. ``mechanics``: element, frame and formalism -> ``ElementEquations``: all terms as densities at a
   material point, in SymPy. The frame is the one that fits the element.
3. ``lowering``: one of these terms -> ``Lowered``: a ``Program`` over nodes and quadrature points,
   with its meaning, units, symmetry and structure. SymPy ends here. Terms that depend on shape
   functions alone skip stage 2.
4. ``passes``: program -> equivalent program with fewer operations, in the order of
   ``PIPELINE``.
5. ``emission``: program -> C text, when it is first read from the ``Kernel``.

``output`` writes files of kernels, ``jit`` compiles and loads them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from pathlib import Path

from flexforge.codegen.arguments import element as is_element
from flexforge.codegen.arguments import text, typed, whole
from flexforge.codegen.elements.catalogue import declaration
from flexforge.codegen.elements.energy import EXPANSION
from flexforge.codegen.elements.facts import GEOMETRY, ambient_dimension
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.elements.parameters import ParameterInfo, units_of
from flexforge.codegen.elements.terms import further_terms_of, terms_of
from flexforge.codegen.emission.emit import Pieces, emit
from flexforge.codegen.emission.workspace import SCALAR_BYTES, Layout, lay_out
from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.ir.count import Count, count
from flexforge.codegen.ir.program import Program
from flexforge.codegen.lowering.jacobian import good_geometry, judged_nodes
from flexforge.codegen.lowering.lower import lower
from flexforge.codegen.mechanics.formalisms import formalism_named
from flexforge.codegen.mechanics.frames import frame_for
from flexforge.codegen.passes import PIPELINE
from flexforge.codegen.passes.rows import side_by_side
from flexforge.codegen.passes.sines import gather_sines

#: Nodal vectors of terms of bodies that temperatures expand, where they are not ``d, T``.
_WARM = {"tangent_action": ("d", "x", "T"), "thermal_load": ("d", "T", "T'")}


@dataclass(frozen=True)
class Kernel:
    """A compiled term: its program and the data of its descriptor.

    Attributes
    ----------
    name : str
        Name of the C function.
    element, cell, term, formalism, frame : str
        What the kernel computes, and how it was derived.
    meaning, units, symmetry, structure : str
        Meaning and units of an entry, symmetry and structure of the matrix.
    nodes, dimension, rows, columns : int
        Sizes.
    scalar : str
        ``double`` or ``float``.
    lanes : int
        Elements per call.
    program : Program
        The program after the passes.
    declared_units : mapping
        Units of parameters that the declaration of the element states.
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
    declared_units: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        lanes = f", {self.lanes} elements per call" if self.lanes > 1 else ""
        return (
            f"{self.name}: {self.term} of {self.element} by {self.formalism}, {self.rows} x "
            f"{self.columns} [{self.units}], {self.count.operations} operations per element{lanes}"
        )

    @property
    def state_vectors(self) -> int:
        """Number of nodal vectors that are read besides the positions."""
        shapes = [a.shape for a in self.program.arrays if a.name == "state"]
        if not shapes:
            return 0
        return shapes[0][0] if len(shapes[0]) > 2 else 1

    @property
    def state_names(self) -> tuple[str, ...]:
        """Names of the nodal vectors: displacements, a vector or their rates, temperatures."""
        if EXPANSION in self.program.parameters and self.state_vectors > 1:
            return _WARM.get(self.term, ("d", "T"))
        return {0: (), 1: ("d",), 2: ("d", "x"), 3: ("d", "d'", "d''")}[self.state_vectors]

    @property
    def state_text(self) -> str:
        """Extents and units of the nodal vectors, in words."""
        shapes = [a.shape for a in self.program.arrays if a.name == "state"]
        if not shapes:
            return "not used"
        extents = "".join(f"[{extent}]" for extent in shapes[0])
        units = {1: "  m", 2: "  d, m, and x", 3: "  m, m/s, m/s^2"}[self.state_vectors]
        if "T" in self.state_names:
            units = f"  {', '.join(self.state_names)}; m, and K in first components"
        return f"{extents}{self.lane_suffix}{units}"

    @property
    def parameters(self) -> tuple[ParameterInfo, ...]:
        """Scalar arguments in order."""
        return tuple(
            ParameterInfo(p, self.declared_units.get(p, units_of(p)))
            for p in self.program.parameters
        )

    @property
    def parameter_text(self) -> str:
        """Scalar arguments in words."""
        return ", ".join(p.text for p in self.parameters) or "none"

    @property
    def check_name(self) -> str:
        """Prefix of the functions that check geometry; only a ``jacobian`` of one lane has them."""
        if self.term != GEOMETRY or self.lanes > 1:
            return ""
        return f"{self.name.removesuffix(GEOMETRY)}check"

    @property
    def ambient(self) -> int:
        """Dimension of the space of its positions."""
        return ambient_dimension(self.dimension, self.frame)

    @property
    def judged_nodes(self) -> int:
        """Number of points of a kernel ``jacobian`` that are nodes."""
        return judged_nodes(self.cell, self.ambient, self.nodes, self.rows)

    @property
    def good_geometry(self) -> tuple[str, str]:
        """Output of a kernel ``jacobian`` and its expected value, in words."""
        return good_geometry(self.cell, self.ambient)

    @property
    def lane_suffix(self) -> str:
        """Extent of the lanes in a declaration, if there are several."""
        return f"[{self.lanes}]" if self.lanes > 1 else ""

    @cached_property
    def arranged(self) -> Program:
        """The program as it is printed."""
        if self.lanes > 1:
            return self.program
        program = side_by_side(self.program)
        return gather_sines(program) if self.scalar == "double" else program

    @cached_property
    def pieces(self) -> Pieces:
        """The C text."""
        return emit(self.arranged, self.scalar, self.lanes)

    @cached_property
    def layout(self) -> Layout:
        """Memory layout of its lanes and local arrays."""
        return lay_out(self.arranged, self.scalar, self.lanes)

    @property
    def workspace_text(self) -> str:
        """Bytes of the workspace, in words."""
        size = self.layout.workspace
        return f"{size} bytes" if size else "not used"

    @cached_property
    def count(self) -> Count:
        """Cost per element, independent of the number of lanes."""
        return count(self.program, SCALAR_BYTES[self.scalar])

    @cached_property
    def written(self) -> Count:
        """Cost per element of the C text, which is higher where whole rows are computed."""
        return count(self.arranged, SCALAR_BYTES[self.scalar])

    @cached_property
    def hash(self) -> str:
        """Hash of the text."""
        text = "\n".join((*self.pieces.tables, *self.pieces.locals, *self.pieces.statements))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def widened(kernel: Kernel, lanes: int) -> Kernel:
    """Return a kernel of one lane as a kernel of several lanes, with the same program.

    Parameters
    ----------
    kernel : Kernel
        A kernel of one lane.
    lanes : int
        Elements per call.
    """
    return replace(kernel, lanes=lanes, name=f"{kernel.name}_x{lanes}") if lanes > 1 else kernel


@typed(element=is_element, term=text, formalism=text, lanes=whole)
def compile_kernel(
    element: AnyElement | str | Path,
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
    element : Element, str or Path
        A declaration, or the name or file of one.
    term : str
        One of :func:`terms_of`.
    formalism : str
        Method of derivation.
    unrolled : bool
        Derive with all nodal coordinates written out, and find the generic pair of nodes in the
        result; this is slower and gives the same kernel.
    scalar : str
        ``double`` or ``float``.
    lanes : int
        Elements per call: 1, 2, 4, 8 or 16.
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
        For an unknown term, formalism, scalar type or number of lanes, or a name that is not a
        valid C identifier.

    Examples
    --------
    The consistent mass of a triangle has three nodes with two coordinates each:

    >>> import flexforge as ff
    >>> mass = ff.compile(ff.element("tri3"), "mass")
    >>> mass.rows, mass.columns, mass.units, mass.symmetry
    (6, 6, 'kg', 'symmetric')
    >>> [(parameter.name, parameter.units) for parameter in mass.parameters]
    [('density', 'kg/m^3'), ('thickness', 'm')]
    """
    # 1: the element is declared; the request must fit it.
    element = declaration(element)
    known = terms_of(element)
    if term not in known and term not in further_terms_of(element):
        raise InputError(
            f"element '{element.name}' has no term '{term}'; expected one of "
            f"{', '.join(known)}{nearest(term, known)}"
        )
    if scalar not in ("double", "float"):
        raise InputError(f"scalar type '{scalar}' is unknown; expected double or float")
    if lanes < 1 or lanes & (lanes - 1) or lanes > 16:
        raise InputError(f"lanes: found {lanes}; expected 1, 2, 4, 8 or 16")
    formalism = formalism_named(formalism)
    name = name or f"{element.name}_{term}" + (f"_x{lanes}" if lanes > 1 else "")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise InputError(f"kernel name '{name}' is not a valid C identifier")

    # 2 and 3: the result is the program of one term.
    lowered = lower(element, term, formalism, unrolled)
    program = lowered.program
    if dump:
        dump("lowered", program)
    # 4
    for pass_name, run in (PIPELINE if passes is None else passes).items():
        program = run(program)
        if dump:
            dump(pass_name, program)
    # 5: the kernel makes its text when it is first read.
    shape = next(a for a in program.arrays if a.kind == "output").shape
    half = len(shape) // 2
    return Kernel(
        name=name,
        element=element.name,
        cell=element.cell,
        term=term,
        formalism=formalism,
        frame=frame_for(element.components, revolved=element.revolved).name,
        meaning=lowered.meaning,
        units=lowered.units,
        symmetry=lowered.symmetry,
        structure=lowered.structure,
        nodes=len(element.nodes),
        dimension=element.components,
        rows=prod(shape[:half]),
        columns=prod(shape[half:]),
        scalar=scalar,
        lanes=lanes,
        program=program,
        declared_units=element.units,
    )
