# SPDX-License-Identifier: BSD-3-Clause
"""The whole model as data: the content of a validated model file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from flexforge.runtime.model.base import (
    Flag,
    Name,
    Table,
    Text,
    is_list,
    printable,
    problem,
    toml_type,
)
from flexforge.runtime.model.schema_analysis import AnalysisSpec, OutputSpec
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_cases import CombinationSpec
from flexforge.runtime.model.schema_couplings import CouplingSpec
from flexforge.runtime.model.schema_cyclic import CyclicSpec
from flexforge.runtime.model.schema_equations import EquationSpec
from flexforge.runtime.model.schema_forces import ForceSpec
from flexforge.runtime.model.schema_frame import FrameSpec
from flexforge.runtime.model.schema_loads import IncludeSpec, InitialSpec, LoadSpec, SupportSpec
from flexforge.runtime.model.schema_lumped import ConnectorSpec, MassSpec
from flexforge.runtime.model.schema_machine import MachineSpec
from flexforge.runtime.model.schema_material import MaterialSpec
from flexforge.runtime.model.schema_mechanism import (
    DriverSpec,
    GearSpec,
    JointSpec,
    LinkSpec,
)
from flexforge.runtime.model.schema_mesh import MeshSpec
from flexforge.runtime.model.schema_pretensions import PretensionSpec
from flexforge.runtime.model.schema_probe import ProbeSpec
from flexforge.runtime.model.schema_reduction import ReductionSpec
from flexforge.runtime.model.schema_shaft import ShaftSpec
from flexforge.runtime.model.schema_spin import SpinSpec
from flexforge.runtime.model.schema_steps import StepSpec
from flexforge.runtime.model.schema_table import TableSpec
from flexforge.runtime.model.schema_tied import TieSpec
from flexforge.runtime.model.schema_ties import ActuatorSpec, ConstraintSpec, ControllerSpec
from flexforge.runtime.model.units import UNITS_KEY, Units
from flexforge.runtime.unit_systems import DEFAULT, UnitSystem, system_of
from pydantic import Field, PrivateAttr, model_validator

#: Name of the folder of an envelope.
ENVELOPE = "envelope"
#: What the names of decks end with.
DECK = ".inp"
#: Lists of which entries may take part in some steps only.
STEPPED = ("supports", "equations", "couplings", "ties", "loads", "initial", "tables")


class ModelSpec(Table):
    """A validated model; read it with `load_model_file` or `model_from_dict`.

    Validation by pydantic alone does not cover conditions across tables (names that refer to
    others, duplicate names, motions that jump); the two functions check those as well.
    """

    title: Text = Field(default="", description="a text")
    units: Units = Field(default=DEFAULT, description=UNITS_KEY)
    mesh: MeshSpec = Field(
        default_factory=MeshSpec.model_construct,
        description="a table [mesh] with file, block or points",
    )
    planar: Flag = Field(
        default=False, description="true or false: links alone move in the plane x, y"
    )
    materials: dict[Name, MaterialSpec] = Field(
        default={}, description="a table [materials.NAME] for each material"
    )
    bodies: tuple[BodySpec, ...] = Field(default=(), description="a table [[bodies]] for each body")
    masses: tuple[MassSpec, ...] = Field(default=(), description="a table [[masses]] for each")
    shafts: tuple[ShaftSpec, ...] = Field(default=(), description="a table [[shafts]] for each")
    machines: tuple[MachineSpec, ...] = Field(
        default=(), description="a table [[machines]] for each"
    )
    connectors: tuple[ConnectorSpec, ...] = Field(
        default=(), description="a table [[connectors]] for each"
    )
    links: tuple[LinkSpec, ...] = Field(default=(), description="a table [[links]] for each link")
    joints: tuple[JointSpec, ...] = Field(default=(), description="a table [[joints]] for each")
    gears: tuple[GearSpec, ...] = Field(default=(), description="a table [[gears]] for each")
    drivers: tuple[DriverSpec, ...] = Field(default=(), description="a table [[drivers]] for each")
    actuators: tuple[ActuatorSpec, ...] = Field(
        default=(), description="a table [[actuators]] for each"
    )
    controllers: tuple[ControllerSpec, ...] = Field(
        default=(), description="a table [[controllers]] for each"
    )
    constraints: tuple[ConstraintSpec, ...] = Field(
        default=(), description="a table [[constraints]] for each"
    )
    forces: tuple[ForceSpec, ...] = Field(default=(), description="a table [[forces]] for each")
    supports: tuple[SupportSpec, ...] = Field(
        default=(), description="a table [[supports]] for each"
    )
    equations: tuple[EquationSpec, ...] = Field(
        default=(), description="a table [[equations]] for each"
    )
    couplings: tuple[CouplingSpec, ...] = Field(
        default=(), description="a table [[couplings]] for each"
    )
    ties: tuple[TieSpec, ...] = Field(default=(), description="a table [[ties]] for each")
    pretensions: tuple[PretensionSpec, ...] = Field(
        default=(), description="a table [[pretensions]] for each"
    )
    cyclic: CyclicSpec | None = Field(default=None, description="a table [cyclic]")
    loads: tuple[LoadSpec, ...] = Field(default=(), description="a table [[loads]] for each")
    initial: tuple[InitialSpec, ...] = Field(default=(), description="a table [[initial]] for each")
    include: IncludeSpec = Field(default_factory=IncludeSpec, description="a table [include]")
    reduction: ReductionSpec | None = Field(default=None, description="a table [reduction]")
    analysis: AnalysisSpec = Field(
        description='a table [analysis] with kind = "static", "transient", "modes", "harmonic", '
        '"periodic", "spectrum", "random", "buckling", "critical_speeds" '
        'or "kinematics"'
    )
    steps: tuple[StepSpec, ...] = Field(
        default=(), description="a table [[steps]] for each, instead of [analysis]"
    )
    combinations: tuple[CombinationSpec, ...] = Field(
        default=(), description="a table [[combinations]] for each"
    )
    probes: tuple[ProbeSpec, ...] = Field(default=(), description="a table [[probes]] for each")
    tables: tuple[TableSpec, ...] = Field(default=(), description="a table [[tables]] for each")
    output: OutputSpec = Field(default_factory=OutputSpec, description="a table [output]")

    #: Kinds of analyses whose values envelopes are of.
    ENVELOPED: ClassVar[tuple[str, ...]] = ("static", "transient", "spectrum")

    _source: Path | None = PrivateAttr(None)
    _pieces: Mapping[str, tuple[str, ...]] = PrivateAttr({})
    _seams: tuple[str, ...] = PrivateAttr(())
    _remarks: tuple[str, ...] = PrivateAttr(())

    @property
    def source(self) -> Path | None:
        """The model file, or None for a model built in Python."""
        return self._source

    @property
    def unit_system(self) -> UnitSystem:
        """The system of units in which all numbers of the model and its results are."""
        return system_of(self.units)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was left out of the deck that the model comes from, a line each."""
        return self._remarks

    @property
    def pieces(self) -> Mapping[str, tuple[str, ...]]:
        """Names of the bodies that a body was cut into, by its name in the model file."""
        return self._pieces

    @property
    def seams(self) -> tuple[str, ...]:
        """Names of the joints between pieces of links, which are in no model file."""
        return self._seams

    @property
    def name(self) -> str:
        """The file name without its suffix, or "model"."""
        return printable(self._source.stem) if self._source is not None else "model"

    @property
    def span(self) -> float:
        """The end time of the analysis, s: prescribed motion must cover the time from zero on."""
        analysis = self.analysis
        if analysis.kind == "transient" or analysis.kind == "kinematics":
            return analysis.duration
        if analysis.kind == "periodic":
            return analysis.period[1]
        return analysis.time

    @property
    def is_sweep(self) -> bool:
        """Whether the analysis is over the speed: a Campbell diagram, or steady vibrations."""
        return self.speeds is not None

    @property
    def speeds(self) -> tuple[float, ...] | None:
        """The speeds of such an analysis, rad/s."""
        analysis = self.analysis
        if analysis.kind == "modes" or analysis.kind == "harmonic":
            return analysis.speeds
        return None

    @property
    def is_mistuned(self) -> bool:
        """Whether the sectors of a wheel differ."""
        return self.cyclic is not None and self.cyclic.mistuning is not None

    @property
    def orders(self) -> tuple[int, ...]:
        """The orders of excitation whose crossings with modes are looked for.

        Of a wheel of N sectors by default those from 1 to N: of each wave one excites it.
        """
        analysis = self.analysis
        if analysis.kind != "modes":
            return ()
        if self.cyclic is not None and "orders" not in analysis.model_fields_set:
            return tuple(range(1, self.cyclic.sectors + 1))
        return analysis.orders

    def turning(self, spin: SpinSpec, at_rest: float = 0.0) -> FrameSpec:
        """Return the frame that turns with a body that spins: with a machine at its first speed.

        Parameters
        ----------
        spin : SpinSpec
            The spin of the body.
        at_rest : float
            Speed that a machine has here which begins at rest, rad/s.
        """
        frame = spin.as_frame
        machine = next((one for one in self.machines if one.name == spin.machine), None)
        if machine is None:
            return frame
        velocity = machine.velocity0 or at_rest
        moving = {"velocity": spin.ratio * velocity, "angle0": spin.ratio * machine.angle0}
        return frame.model_copy(update=moving)

    def single(self, number: int) -> ModelSpec:
        """Return the model of one step: its analysis, and what takes part in it.

        Parameters
        ----------
        number : int
            Of the step, from zero.
        """
        step = self.steps[number]
        bodies = tuple(
            body.model_copy(update={"frame": step.frames[body.name]})
            if body.name in step.frames
            else body
            for body in self.bodies
        )
        kept = {
            key: tuple(getattr(self, key)[i] for i in self.acting(key, number)) for key in STEPPED
        }
        return self.model_copy(
            update={
                "analysis": step.analysis,
                "include": step.include or self.include,
                "bodies": bodies,
                "steps": (),
                "combinations": (),
                "output": self.output.model_copy(update={"envelope": False}),
                **kept,
            }
        )

    @property
    def enveloped(self) -> tuple[str, ...]:
        """Names of the steps and combinations of which the envelope is; none without steps."""
        given = self.output.envelope
        if not isinstance(given, bool):
            return given
        steps = [one.name for one in self.steps if one.analysis.kind in self.ENVELOPED]
        return (*steps, *(one.name for one in self.combinations))

    def acting(self, key: str, number: int) -> list[int]:
        """Return which entries of a list take part in a step, by their places in the file."""
        name = self.steps[number].name
        return [i for i, one in enumerate(getattr(self, key)) if one.acts_in(name)]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of bodies, masses, connectors and rigid links: of everything that has nodes."""
        solids = (*self.bodies, *self.masses, *self.connectors, *self.rigid_links)
        return tuple(one.name for one in solids)

    @property
    def rigid_links(self) -> tuple[LinkSpec, ...]:
        """Links without bodies, whose displacements are computed."""
        if self.analysis.kind == "kinematics":
            return ()
        borne = [body.frame for body in self.bodies]
        return tuple(link for link in self.links if link.name not in borne)

    @model_validator(mode="before")
    @classmethod
    def _one_of_analyses(cls, data: Any) -> Any:
        """Take the analysis of the first step for that of the model, which every reader asks."""
        steps = data.get("steps") if toml_type(data) == "table" else None
        if not steps:
            return data
        if "analysis" in data:
            raise problem("found both analysis and steps; expected one of them", "steps")
        first = steps[0] if is_list(steps) and toml_type(steps[0]) == "table" else {}
        return {**data, "analysis": first.get("analysis")}

    @model_validator(mode="after")
    def _something(self) -> ModelSpec:
        parts = self.bodies or self.masses or not self.links
        if "mesh" not in self.model_fields_set and parts and not self.shafts:
            raise problem("missing; expected a table [mesh] with file, block or points", "mesh")
        if not (self.bodies or self.masses or self.links or self.connectors):
            found = "found an empty list" if "bodies" in self.model_fields_set else "missing"
            raise problem(
                f"{found}; expected a table [[bodies]] for each body, [[masses]], [[connectors]] "
                "or [[links]]",
                "bodies",
            )
        return self

    @property
    def is_planar(self) -> bool:
        """Whether every body has a plane element; without bodies, the key ``planar`` decides.

        Models of masses alone are spatial.
        """
        if not self.bodies:
            return self.planar and bool(self.links)
        return all(body.is_planar for body in self.bodies)
