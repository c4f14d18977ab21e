# SPDX-License-Identifier: BSD-3-Clause
"""A model as the constants of a native solver."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.build import build_ties
from flexforge.runtime.equilibrium import starting_state
from flexforge.runtime.export.constants import AnyConstants, solver_constants
from flexforge.runtime.export.element_text import element_files
from flexforge.runtime.export.fingerprint import fingerprint
from flexforge.runtime.export.found_constants import FoundConstants
from flexforge.runtime.export.identifiers import identifier, identifiers
from flexforge.runtime.export.kinks import merged
from flexforge.runtime.export.mesh_constants import MeshConstants
from flexforge.runtime.export.motion_outputs import Output
from flexforge.runtime.export.nominals import found_nominals, nominals
from flexforge.runtime.export.outputs import outputs
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import TransientAnalysis
from flexforge.runtime.motion.profiles import Kink
from flexforge.runtime.native.build import build_model, moving
from flexforge.runtime.native.constants import Constants
from flexforge.runtime.native.inputs import Functions, Input
from flexforge.runtime.observe.probes import build_probes
from flexforge.runtime.observe.provenance import provenance
from flexforge.runtime.observe.theories import theories
from flexforge.runtime.statics.stress_state import Theory, is_stressed, theory_of
from flexforge.runtime.substructures.build import in_pieces
from flexforge.runtime.system.bearing import bearings_of
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.initial import initial_state, lost_at_start
from flexforge.runtime.system.large import require_linear
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.tables import structs
from flexforge.runtime.tables.layout import Elsewhere
from flexforge.runtime.tables.text import Text
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.stability import require_stable_steps
from flexforge.runtime.transient.system_model import stiffened_bodies
from flexforge.runtime.unit_systems import SI, UnitSystem, messages_in


@dataclass(frozen=True)
class Solver:
    """All data from which the files of a solver are written.

    Attributes
    ----------
    name : str
        C identifier, the prefix of all names of the solver.
    title : str
        Title of the model.
    constants : Constants, MeshConstants or FoundConstants
        Matrices and loads; elements and loads of a large system; links whose motion is found.
    scheme : Scheme
        Method of integration.
    model : Model
        The tables that its instances share.
    duration : float
        Duration of the analysis, s.
    inputs : list of Input
        Its inputs.
    outputs : list of Output
        Its outputs.
    events : list of Kink
        Times at which any function of time is not smooth, ascending.
    warnings : list of str
        Warnings for the user who exports it.
    provenance : dict
        Program, model, method and prestress theory.
    units : UnitSystem
        The units of all numbers; labels of inputs and outputs are in SI.
    """

    name: str
    title: str
    constants: AnyConstants
    scheme: Scheme
    model: structs.Model
    duration: float
    inputs: list[Input]
    outputs: list[Output]
    events: list[Kink] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    provenance: dict[str, str] = field(default_factory=dict)
    units: UnitSystem = SI

    @property
    def labels(self) -> list[str]:
        """Units of the outputs."""
        return [self.units.label(one.unit) for one in self.outputs]

    @property
    def size(self) -> int:
        """Number of coordinates: of links whose motion is found their poses as well."""
        found = self.model.found
        return self.constants.size if found is None else len(self.initial) - len(found.numbers)

    @property
    def speeds(self) -> int:
        """Number of speeds."""
        found = self.model.found
        return self.constants.size if found is None else len(found.numbers)

    @property
    def exchanges(self) -> bool:
        """Whether its states can be those of model exchange: a large mesh has too many."""
        return self.mesh is None

    @property
    def step(self) -> float:
        """Step of the analysis, s."""
        return self.model.step

    @property
    def initial(self) -> Floats:
        """Coordinates and velocities at the start, (2, r), or one after the other."""
        return self.model.initial

    @property
    def mesh(self) -> MeshConstants | None:
        """The mesh constants, where there are no matrices."""
        return self.constants.mesh

    @property
    def matrices(self) -> Constants:
        """The matrix constants, where there are any."""
        assert isinstance(self.constants, Constants)
        return self.constants

    @cached_property
    def text(self) -> Text:
        """The tables as C."""
        return Text(self.model, "ff_my_model")

    @cached_property
    def elements(self) -> dict[str, str]:
        """C text of the elements with an energy, by name of the file, and what it includes."""
        return element_files(self.text.kernels)

    @cached_property
    def input_names(self) -> list[str]:
        """C identifiers of the inputs."""
        return identifiers(one.name for one in self.inputs)

    @cached_property
    def output_names(self) -> list[str]:
        """C identifiers of the outputs."""
        return identifiers(one.name for one in self.outputs)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of what the solver computes, as 32 hexadecimal digits."""
        named = [(one.name, label) for one, label in zip(self.outputs, self.labels, strict=True)]
        if (mesh := self.mesh) is not None:
            elements = [one.element for one in mesh.cells]
            computed: object = [[*mesh.arrays()], elements, mesh.kernels]
        else:
            computed = self.nominals
        if self.elements:
            computed = [computed, self.elements]
        return fingerprint(self.name, str(self.text), named, self.inputs, self.events, computed)

    @property
    def switches(self) -> list[tuple[str, str]]:
        """The force and the name of every event, which is where its formula changes its sign."""
        found = self.model.found
        if not isinstance(self.constants, FoundConstants) or found is None or found.canonical:
            return []
        return self.constants.links.model.formulas.events

    @cached_property
    def nominals(self) -> Floats:
        """Nominal values of coordinates and of speeds, one after the other."""
        if isinstance(self.constants, FoundConstants):
            return found_nominals(self.constants.links.model, self.step)
        return nominals(self.matrices, self.step)


def build_solver(spec: ModelSpec, name: str | None = None) -> Solver:
    """Return the solver of a model.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    name : str, optional
        Prefix of its names; by default the name of the model.

    Raises
    ------
    InputError
        With the reason why the model cannot be exported.
    AnalysisError
        When the model cannot be reduced, or its prestress cannot be computed.
    """
    with messages_in(spec.unit_system):
        return _built(spec, name)


def _built(spec: ModelSpec, name: str | None) -> Solver:
    analysis = _transient(spec)
    spec, mesh = in_pieces(spec, build_mesh(spec))
    places = build_system(spec, mesh)
    if places.mechanism is None or not places.mechanism.is_found:
        require_linear(places.system, "in an exported model, unless the body is on a link")
    _require_exportable(spec, analysis, places)
    loads = Loads(spec, places)
    probes = build_probes(spec, places, loads)
    state = initial_state(spec, places)
    constants = solver_constants(spec, analysis, places, loads, probes, state)
    told, functions = outputs(probes, constants), Functions()
    tables = tuple(table for _, table in told)
    warnings: list[str] = []
    if isinstance(constants, FoundConstants):
        model = constants.model(functions, tables)
    else:
        ties = build_ties(spec, places) if analysis.start == "equilibrium" else None
        state = starting_state(analysis, constants.system, loads, state, ties)
        model = _in_frames(analysis, constants, functions, tables, state)
        if constants.shapes is not None:
            warnings = lost_at_start(constants.shapes, constants.system, state)
    return Solver(
        name=identifier(name or spec.name),
        title=spec.title or spec.name,
        constants=constants,
        scheme=Scheme.of(analysis),
        model=model,
        duration=analysis.duration,
        inputs=list(functions.told()),
        outputs=[one for one, _ in told],
        events=merged(functions.kinks),
        warnings=[spec.unit_system.message(text) for text in warnings],
        provenance=provenance(spec, mesh) | _stepped(constants),
        units=spec.unit_system,
    )


def _in_frames(
    analysis: TransientAnalysis,
    constants: Constants | MeshConstants,
    functions: Functions,
    outputs: tuple[structs.Output, ...],
    state: tuple[Floats, Floats],
) -> structs.Model:
    """Return the tables of bodies in frames whose motion is known; refuse unstable steps."""
    if analysis.accuracy is not None:
        raise InputError(
            f"analysis.accuracy: found {analysis.accuracy:g}; expected none: exported solvers of "
            "bodies in prescribed frames take equal steps"
        )
    system, scheme, step = constants.system, Scheme.of(analysis), analysis.step_size
    if constants.mesh is not None:
        model = moving(system, constants.loads, scheme, step, functions)
        model = replace(model, output=outputs, mesh=Elsewhere("&ff_my_mesh"))
    else:
        model = build_model(constants, scheme, step, functions, outputs)
    if constants.joints is None:
        require_stable_steps(
            scheme, step, analysis.duration, system, analysis.solver, constants.shapes
        )
    initial = [constants.coordinates(system.map.sample(one)) for one in state]
    return replace(model, initial=np.array(initial))


def _stepped(constants: AnyConstants) -> dict[str, str]:
    """Return the method that solves the equations of a step, and the theory of the prestress."""
    system = constants.system
    theory: Theory | None = None
    if isinstance(constants, FoundConstants) or constants.joints is not None:
        theory = "own_state" if stiffened_bodies(system, constants.loads) else None
    elif is_stressed(system):
        theory = theory_of(system.include, "transient")
    if isinstance(constants, FoundConstants):
        solver = constants.steps.solver_name
    elif constants.mesh is not None:
        solver = "element by element"
    else:
        solver = f"native, {constants.order.name}"
    return {"solver": solver, "prestress": theories(system, theory).get("prestress", "none")}


def _transient(spec: ModelSpec) -> TransientAnalysis:
    """Return the analysis of a model, which must have steps that solvers take."""
    analysis = spec.analysis
    if analysis.kind != "transient":
        raise InputError(f"analysis.kind: found {analysis.kind}; expected transient to export it")
    if analysis.method in ("midpoint", "gauss4"):
        raise InputError(
            f"analysis.method: found {analysis.method}; expected generalized_alpha, newmark or "
            "central_difference to export it"
        )
    if analysis.stable_fraction is not None:
        raise InputError(
            f"analysis.stable_fraction: found {analysis.stable_fraction:g}; expected none: "
            "exported solvers take equal explicit steps"
        )
    return analysis


def _require_exportable(spec: ModelSpec, analysis: TransientAnalysis, places: NameTable) -> None:
    """Refuse what solvers of bodies in frames whose motion is known do not have."""
    if places.mechanism is not None and places.mechanism.is_found:
        return
    for key in ("constraints", "actuators", "machines"):
        if getattr(spec, key):
            raise InputError(f"{key}: found [[{key}]]; expected none to export the model")
    for body in bearings_of(places.system):
        if body.varies:
            what = ": found coefficients that vary with the angle; expected kxx = kyy, kxy = -kyx"
            if not body.swings:
                what = ": table: found coefficients that vary in time with the speed; expected "
                what += "constant ones, or a constant speed"
            raise InputError(f"connector '{body.name}'{what}, to export the model")
