# SPDX-License-Identifier: BSD-3-Clause
"""The structs that describe a model in C, field by field; the headers document their meaning.

``ff_model.h`` has most of them; those of mechanisms are in ``ff_linkage.h`` and ``ff_ties.h``,
those of functions of time in ``ff_coordinate.h``, those of steps in ``ff_step.h``, ``ff_frame.h``
and ``ff_tied.h``. A test compares the two, name by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar, dataclass_transform

from flexforge.runtime._functions import Function
from flexforge.runtime.tables.layout import (
    Code,
    Doubles,
    Elsewhere,
    Ints,
    Kernel,
    Triple,
    count_of,
    no_doubles,
    no_ints,
)

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(count_of,))
def struct(name: str) -> Callable[[type[T]], type[T]]:
    """Return a decorator that makes a class the table of a struct."""

    def made(table: type[T]) -> type[T]:
        found = dataclass(frozen=True)(table)
        found.struct = name  # type: ignore[attr-defined]
        return found

    return made


class Table:
    """A struct of C as data."""

    struct: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Any]]


@struct("ff_fill")
class Fill(Table):
    """Pattern of the factors of a sparse matrix, and where they have its entries."""

    n: int
    entries: Ints = no_ints()
    pointers: Ints = no_ints()
    rows: Ints = no_ints()
    row_pointers: Ints = no_ints()
    row_columns: Ints = no_ints()
    row_entries: Ints = no_ints()


@struct("ff_matrices")
class Matrices(Table):
    """Constant matrices on one pattern."""

    n: int
    bases: int = 0
    band: int = 0
    pointers: Ints = no_ints()
    columns: Ints = no_ints()
    place: Ints = no_ints()
    fill: Fill | None = None
    mass: Doubles = no_doubles()
    base: Doubles = no_doubles()
    skew: Ints = no_ints()


@struct("ff_scheme")
class Scheme(Table):
    """A method of integration."""

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float
    explicit_steps: bool


@struct("ff_include")
class Include(Table):
    """Inertia terms that are included."""

    coriolis: float
    euler: float
    centrifugal_stiffness: float
    euler_load: float
    centrifugal_load: float
    origin_load: float


@struct("ff_base")
class Base(Table):
    """Kind and owner of a constant matrix."""

    body: int
    kind: Code
    index: int = 0


@struct("ff_vector")
class Vector(Table):
    """Kind and owner of a constant load."""

    kind: Code
    owner: int
    index: int = 0
    i: int = 0
    j: int = 0


@struct("ff_coordinate")
class Coordinate(Table):
    """A coordinate prescribed in time."""

    function: Function | None = None
    given: int = 0
    knot: int = -1
    position: float = 0.0
    velocity: float = 0.0
    chunk: float = 0.0
    kinks: int = count_of("kink")
    kink: Doubles = no_doubles()


@struct("ff_motion")
class Motion(Table):
    """The motion of a frame."""

    fixed_axis: bool
    axis: Triple
    turn: tuple[Coordinate, Coordinate, Coordinate]
    origin: tuple[Coordinate, Coordinate, Coordinate]
    origin_moves: bool
    beside: bool
    arm: Triple


@struct("ff_body")
class Body(Table):
    """A body in its frame."""

    motion: int
    alpha: float
    beta: float
    patterns: int
    pattern: Doubles
    link: int


@struct("ff_mass_load")
class MassLoad(Table):
    """An acceleration that acts on masses."""

    body: int
    turning: bool
    amplitude: Function
    acceleration: Triple


@struct("ff_nodal_load")
class NodalLoad(Table):
    """Forces at nodes."""

    body: int
    turning: bool
    amplitude: Function


@struct("ff_output")
class Output(Table):
    """An output of the state."""

    kind: Code
    index: int = 0
    order: int = 0
    component: int = 0
    viscosity: float = 0.0
    places: int = 0
    width: int = 0
    mean: bool = False
    rows: Doubles = no_doubles()
    loads: Doubles = no_doubles()
    given: Doubles = no_doubles()
    points: Doubles = no_doubles()
    starts: Ints = no_ints()
    columns: Ints = no_ints()


@struct("ff_share")
class Share(Table):
    """Contribution of one end of a joint to entries of a constraint."""

    row: int
    side: int
    count: int = count_of("entry")
    matrix: Doubles = no_doubles()
    entry: Ints = no_ints()


@struct("ff_held")
class Held(Table):
    """A row of a joint that is a constraint equation."""

    joint: int
    row: int
    constraint: int


@struct("ff_cluster")
class Cluster(Table):
    """Constraints that share coordinates."""

    rows: int = count_of("row")
    columns: int = count_of("column")
    first: int = 0
    choice: int = 0
    row: Ints = no_ints()
    column: Ints = no_ints()
    entry: Ints = no_ints()


@struct("ff_ties")
class Ties(Table):
    """All constraints of a system, and the pattern of A."""

    n: int
    speeds: int
    entries: int
    clusters: int = count_of("cluster")
    alone: int = count_of("lone")
    choices: int = 0
    independent: bool = False
    multipliers: int = 0
    canonical: bool = False
    cluster: tuple[Cluster, ...] = ()
    lone: Ints = no_ints()
    pointers: Ints = no_ints()
    columns: Ints = no_ints()


@struct("ff_stiffened")
class Stiffened(Table):
    """The geometric stiffness for a state."""

    pointers: Ints = no_ints()
    columns: Ints = no_ints()
    values: Doubles = no_doubles()


@struct("ff_ties_model")
class TiesModel(Table):
    """Constraints between the bodies on the links of a mechanism."""

    ties: Ties
    stiffened: Stiffened
    joint: tuple[Kernel, ...]
    shares: int = count_of("share")
    held: int = count_of("hold")
    constraints: int = 0
    share: tuple[Share, ...] = ()
    hold: tuple[Held, ...] = ()
    kept: Doubles = no_doubles()


@struct("ff_linkage")
class Linkage(Table):
    """The equations of a mechanism of rigid links."""

    links: int
    planar: bool
    joints: int = count_of("joint")
    gears: int = count_of("ratios")
    drivers: int = count_of("driver_of")
    equations: int = count_of("scales")
    coordinates: int = 0
    rows: int = count_of("equation_of")
    joint: tuple[Kernel, ...] = ()
    ends: Ints = no_ints()
    markers: Doubles = no_doubles()
    radii: Doubles = no_doubles()
    starts: Ints = no_ints()
    equation_of: Ints = no_ints()
    coordinate_of: Ints = no_ints()
    gear_of: Ints = no_ints()
    ratios: Doubles = no_doubles()
    driver_of: Ints = no_ints()
    scales: Doubles = no_doubles()
    touched: Ints = no_ints()
    offsets: Doubles = no_doubles()
    size: float = 1.0
    tolerance: float = 0.0


@struct("ff_stressing")
class Stressing(Table):
    """Stiffness by heat or by inertia forces on sections."""

    link: int
    amplitude: int
    unit: int
    values: Doubles


@struct("ff_stress")
class Stress(Table):
    """Geometric stiffness of links by their stresses."""

    stressings: int = count_of("stressing")
    first: Ints = no_ints()
    entry: Ints = no_ints()
    pointers: Ints = no_ints()
    columns: Ints = no_ints()
    values: Doubles = no_doubles()
    stressing: tuple[Stressing, ...] = ()


@struct("ff_energy")
class Energy(Table):
    """A body with an energy on a link."""

    link: int
    nodes: int
    components: int
    elements: int
    points: int
    cell: Ints = no_ints()
    point: Doubles = no_doubles()
    pointers: Ints = no_ints()
    columns: Ints = no_ints()
    values: Doubles = no_doubles()
    kernel: tuple[Kernel, ...] = ()
    parameters_of: Ints = no_ints()
    parameters: Doubles = no_doubles()
    workspace: int = 0
    determinants: int = 0


@struct("ff_formula")
class Formula(Table):
    """A formula of what moves."""

    value: Function | None
    count: int = count_of("variable")
    at: int = 0
    variable: Ints = no_ints()


@struct("ff_force")
class Force(Table):
    """A law of force between two links, which sets the numbers of formulas."""

    kernels: int = count_of("kernel")
    kernel: tuple[Kernel, ...] = ()
    parameters: int = count_of("parameter")
    parameter: Doubles = no_doubles()
    formulas: int = count_of("formula")
    formula: Ints = no_ints()
    efforts: int = -1
    gap: int = -1
    switches: int = -1
    hold: int = -1
    kept: int = 0
    first_kept: int = 0
    events: int = 0
    first_event: int = 0
    event: Ints = no_ints()
    gate: int = -1
    holds: int = 0
    first_hold: int = 0
    held: Ints = no_ints()
    grip: int = -1


@struct("ff_multibody")
class Multibody(Table):
    """Bodies on links whose motion is found."""

    linkage: Linkage | None
    elastic: int = 0
    pushes: int = count_of("push")
    actuators: int = count_of("actuator_of")
    formulas: int = count_of("formula")
    laws: int = count_of("law_of")
    controllers: int = 0
    most: int = 0
    first: Ints = no_ints()
    squares: Ints = no_ints()
    mass: Doubles = no_doubles()
    moment: Doubles = no_doubles()
    second: Doubles = no_doubles()
    translation: Doubles = no_doubles()
    position: Doubles = no_doubles()
    masses: Doubles = no_doubles()
    stiffness: Doubles = no_doubles()
    damping: Doubles = no_doubles()
    shape_of: Ints = no_ints()
    shapes: Doubles = no_doubles()
    entries: Ints = no_ints()
    row_of: Ints = no_ints()
    held_of: Ints = no_ints()
    joint_of: Ints = no_ints()
    tangent: tuple[Kernel, ...] = ()
    free_of: Ints = no_ints()
    push_first: Ints = no_ints()
    push_of: Ints = no_ints()
    push_at: Ints = no_ints()
    push: Doubles = no_doubles()
    push_elastic: Doubles = no_doubles()
    acting_first: Ints = no_ints()
    actuator_of: Ints = no_ints()
    springs: Doubles = no_doubles()
    law_of: Ints = no_ints()
    formula: tuple[Formula, ...] = ()
    forces: int = count_of("force")
    force: tuple[Force, ...] = ()
    kept: int = 0
    events: int = 0
    holds: int = count_of("hold_of")
    hold_of: Ints = no_ints()
    stress: Stress | None = None
    energies: int = count_of("energy")
    energy: tuple[Energy, ...] = ()


@struct("ff_order")
class Order(Table):
    """Blocks of a matrix in their order of elimination."""

    blocks: int
    start: Ints = no_ints()
    first: Ints = no_ints()
    later: Ints = no_ints()
    square: Ints = no_ints()
    side: Ints = no_ints()


@struct("ff_amplitude")
class Amplitude(Table):
    """A function of time."""

    value: Function


@struct("ff_tree")
class Tree(Table):
    """Links that hang on each other by joints: independent speeds, and what multipliers hold."""

    speeds: int
    rigid: int
    closings: int = count_of("closing")
    watched: int = count_of("watch")
    borders: int = count_of("bordering")
    multiplied: int = 0
    order: Ints = no_ints()
    base: Ints = no_ints()
    joint: Ints = no_ints()
    side: Ints = no_ints()
    first: Ints = no_ints()
    first_tip: Ints = no_ints()
    screws: Doubles = no_doubles()
    dual: Doubles = no_doubles()
    counted: Ints = no_ints()
    hung_by: Ints = no_ints()
    watch: Ints = no_ints()
    is_watched: Ints = no_ints()
    closing: Ints = no_ints()
    bordering: Ints = no_ints()


@struct("ff_found")
class Found(Table):
    """Links whose motion is found: speeds, equations, and what is given in time."""

    links: Multibody | None
    speeds: int = count_of("numbers")
    rigid: int = 0
    equations: int = count_of("independent")
    amplitudes: int = count_of("amplitude")
    numbers: Ints = no_ints()
    place: Ints = no_ints()
    independent: Ints = no_ints()
    block_of_link: Ints = no_ints()
    block_of_state: Ints = no_ints()
    block_of: Ints = no_ints()
    unknown: Ints = no_ints()
    order: Order = Order(0)
    scale: float = 1.0
    tolerance: float = 0.0
    amplitude: tuple[Amplitude, ...] = ()
    given: tuple[Amplitude, ...] = ()
    near: Doubles = no_doubles()
    tree: Tree | None = None
    canonical: bool = False
    accuracy: float = 0.0
    longest: float = 0.0
    kinks: int = count_of("kink")
    kink: Doubles = no_doubles()


@struct("ff_model")
class Model(Table):
    """A model as constants."""

    matrices: Matrices
    scheme: Scheme
    include: Include
    dimension: int
    step: float
    bodies: int = count_of("body")
    motions: int = count_of("motion")
    vectors: int = count_of("vector")
    mass_loads: int = count_of("mass_load")
    nodal_loads: int = count_of("nodal_load")
    inputs: int = count_of("input_start")
    knots: int = 0
    outputs: int = count_of("output")
    givens: int = count_of("given")
    body: tuple[Body, ...] = ()
    motion: tuple[Motion, ...] = ()
    base: tuple[Base, ...] = ()
    vector: tuple[Vector, ...] = ()
    load: Doubles = no_doubles()
    mass_load: tuple[MassLoad, ...] = ()
    nodal_load: tuple[NodalLoad, ...] = ()
    input_start: Doubles = no_doubles()
    initial: Doubles = no_doubles()
    output: tuple[Output, ...] = ()
    linkage: Linkage | None = None
    driver: tuple[Coordinate, ...] = ()
    assembled: Doubles = no_doubles()
    mesh: Elsewhere = Elsewhere("")
    tied: TiesModel | None = None
    found: Found | None = None
    given: tuple[Coordinate, ...] = ()
    given_force: Doubles = no_doubles()
