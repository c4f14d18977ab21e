# SPDX-License-Identifier: BSD-3-Clause
"""A model as the constants of a native solver."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.constants import AnyConstants, solver_constants
from flexforge.runtime.export.fingerprint import fingerprint
from flexforge.runtime.export.functions import Functions, Input
from flexforge.runtime.export.identifiers import c_number, identifier, identifiers
from flexforge.runtime.export.kinks import merged
from flexforge.runtime.export.linkage import Linkage, build_linkage
from flexforge.runtime.export.mesh_constants import MeshConstants
from flexforge.runtime.export.motions import Motions
from flexforge.runtime.export.nominals import nominals
from flexforge.runtime.export.outputs import Output, outputs
from flexforge.runtime.export.tied import tied_text
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import TransientAnalysis
from flexforge.runtime.motion.frame import FrameMotion
from flexforge.runtime.motion.profiles import Kink
from flexforge.runtime.native.constants import TiedConstants
from flexforge.runtime.native.free import Constants
from flexforge.runtime.observe.probes import build_probes
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.initial import initial_state, lost_at_start
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.scheme import Scheme
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Solver:
    """All that the files of a solver are made of.

    Attributes
    ----------
    name : str
        C identifier: what names of the solver begin with.
    title : str
        Of the model.
    constants : Constants or MeshConstants
        Matrices and loads; elements and loads of a large system.
    scheme : Scheme
        Method of integration.
    step, duration : float
        Of the analysis, s.
    initial : ndarray, (2, r)
        Coordinates and velocities at the start.
    inputs : list of Input
        What it is told.
    outputs : list of Output
        What it tells.
    functions : list of str
        C functions of time.
    motions : list of str
        Initializers of motions of frames.
    kinks : list of tuple of float
        Times at which they are not smooth.
    knots : int
        Integrals over time.
    bodies, mass_loads, nodal_loads : list of str
        Initializers.
    linkage : Linkage, optional
        The mechanism whose links move bodies.
    ties : str
        Definition of what ties these.
    events : list of Kink
        Times at which any function of time is not smooth, ascending.
    warnings : list of str
        What whoever exports it should know.
    """

    name: str
    title: str
    constants: AnyConstants
    scheme: Scheme
    step: float
    duration: float
    initial: Floats
    inputs: list[Input]
    outputs: list[Output]
    functions: list[str]
    motions: list[str]
    kinks: list[tuple[float, ...]]
    knots: int
    bodies: list[str]
    patterns: list[Floats]
    mass_loads: list[str] = field(default_factory=list)
    nodal_loads: list[str] = field(default_factory=list)
    linkage: Linkage | None = None
    ties: str = ""
    events: list[Kink] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Number of coordinates."""
        mesh = self.mesh
        return self.matrices.matrices.size if mesh is None else mesh.size

    @property
    def mesh(self) -> MeshConstants | None:
        """Elements, where there are no matrices."""
        return self.constants if isinstance(self.constants, MeshConstants) else None

    @property
    def matrices(self) -> Constants | TiedConstants:
        """Matrices, where there are any."""
        assert not isinstance(self.constants, MeshConstants)
        return self.constants

    @cached_property
    def input_names(self) -> list[str]:
        """C identifiers of the inputs."""
        return identifiers(one.name for one in self.inputs)

    @cached_property
    def output_names(self) -> list[str]:
        """C identifiers of the outputs."""
        return identifiers(one.name for one in self.outputs)

    @cached_property
    def loads(self) -> list[int]:
        """Numbers of the constant loads that do anything."""
        acting = self.matrices.forces.vectors.any(axis=1)
        for one in self.outputs:
            if one.loads.size:
                acting |= one.loads.any(axis=0)
        return [int(k) for k in np.flatnonzero(acting)]

    @cached_property
    def fingerprint(self) -> str:
        """Hash of what it computes, as 32 hexadecimal digits."""
        system = self.constants.system
        computed: tuple[object, ...]
        if isinstance(self.constants, MeshConstants):
            elements = [one.element for one in self.constants.cells]
            computed = [*self.constants.arrays()], (elements, self.constants.kernels)
        else:
            matrices, forces = self.constants.matrices, self.constants.forces
            computed = (
                [matrices.pointers, matrices.columns, self.constants.place, matrices.mass,
                 matrices.bases, forces.vectors, self.nominals],
                (matrices.meaning, forces.meaning),
            )  # fmt: skip
        return fingerprint(
            self.name, system.dimension, system.include, computed, self.scheme, self.step,
            self.initial, self.inputs, self.outputs, self.functions, self.motions, self.kinks,
            self.knots, self.bodies, self.patterns, self.mass_loads, self.nodal_loads,
            self.linkage.text if self.linkage else "", self.ties, self.events,
        )  # fmt: skip

    @cached_property
    def nominals(self) -> Floats:
        """Sizes that coordinates and velocities are expected to have, (2, r)."""
        return nominals(self.matrices, self.step)


def build_solver(spec: ModelSpec, name: str | None = None) -> Solver:
    """Return the solver of a model.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    name : str, optional
        What its names begin with; by default the name of the model.

    Raises
    ------
    InputError
        Saying what stands in the way of exporting the model.
    AnalysisError
        When the model cannot be reduced, or stressed.
    """
    analysis = _checked(spec)
    places = build_system(spec, build_mesh(spec))
    loads = Loads(spec, places)
    probes = build_probes(spec, places, loads)
    state = initial_state(spec, places)
    constants = solver_constants(spec, analysis, places, loads, probes)
    system = constants.system
    functions = Functions()
    motions = Motions(functions, spec.span, [], [])
    bodies, patterns = [], []
    for number, body in enumerate(system.bodies):
        motion, link = -1, -1
        if isinstance(body.motion, FrameMotion):
            turned = any(load.turning for load in loads.nodal if load.body == number)
            turned = turned or any(load.turning for load in loads.mass if load.body == number)
            motion = motions.add(body.motion, body.name, turned=turned)
        else:
            link = body.motion.link
        patterns.append(body.unpatterned)
        table = f"ff_my_pattern_{number}" if len(body.patterns) else "0"
        numbers = f"{c_number(body.alpha)}, {c_number(body.beta)}, {len(body.patterns)}, {table}"
        bodies.append(f"{{{motion}, {numbers}, {link}}}")
    mass_loads = [
        f"{{{one.body}, {int(one.turning)}, {functions.add(one.amplitude)}, "
        f"{{{', '.join(map(c_number, _in_space(one.acceleration)))}}}}}"
        for one in loads.mass
    ]
    nodal_loads = [
        f"{{{one.body}, {int(one.turning)}, {functions.add(one.amplitude)}}}" for one in loads.nodal
    ]
    linkage, ties = None, ""
    if isinstance(constants, TiedConstants):
        linkage = build_linkage(constants.joints.mechanism, motions, elastic=True)
        ties = tied_text(constants)
    initial = np.array([constants.coordinates(system.restrict(one)) for one in state])
    shapes = None if isinstance(constants, MeshConstants) else constants.shapes
    scheme = Scheme.of(analysis)
    if not isinstance(constants, TiedConstants):
        constants.require_stable(scheme, analysis.step_size, analysis.duration)
    return Solver(
        name=identifier(name or spec.name), title=spec.title or spec.name, constants=constants,
        scheme=scheme, step=analysis.step_size, duration=analysis.duration,
        initial=initial, inputs=list(functions.inputs.values()),
        outputs=outputs(probes, constants), functions=functions.texts, motions=motions.texts,
        kinks=motions.kinks, knots=motions.knots, bodies=bodies, patterns=patterns,
        mass_loads=mass_loads, nodal_loads=nodal_loads, linkage=linkage, ties=ties,
        events=merged(functions.kinks),
        warnings=[] if shapes is None else lost_at_start(shapes, system, state),
    )  # fmt: skip


def _checked(spec: ModelSpec) -> TransientAnalysis:
    """Return the analysis of a model that can be exported, as far as its tables tell."""
    for key in ("constraints", "actuators"):
        if getattr(spec, key):
            raise InputError(f"{key}: found [[{key}]]; expected none to export the model")
    for i, support in enumerate(spec.supports):
        if support.displacement:
            raise InputError(
                f"supports[{i}].displacement: found a support that moves; expected none to export "
                "the model"
            )
    analysis = spec.analysis
    if not isinstance(analysis, TransientAnalysis):
        raise InputError(f"analysis.kind: found {analysis.kind}; expected transient to export it")
    if analysis.formalism in ("lagrange", "hamilton"):
        raise InputError(
            f"analysis.formalism: found {analysis.formalism}; expected maggi, kane or gibbs_appell "
            "to export it"
        )
    if analysis.method in ("midpoint", "gauss4"):
        raise InputError(
            f"analysis.method: found {analysis.method}; expected generalized_alpha, newmark or "
            "central_difference to export it"
        )
    return analysis


def _in_space(vector: Floats) -> Floats:
    found = np.zeros(3)
    found[: len(vector)] = vector
    return found
