# SPDX-License-Identifier: BSD-3-Clause
"""The analysis and the output."""

from __future__ import annotations

import itertools
import math
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from flexforge.codegen.spelling import spelled
from flexforge.runtime.model.angles import Speed
from flexforge.runtime.model.base import (
    MOST,
    Count,
    Flag,
    Name,
    NonNegative,
    Number,
    OutputPath,
    Positive,
    Table,
    is_list,
    is_number,
    problem,
    shown,
    toml_type,
)
from flexforge.runtime.model.ranges import (
    OR_ORDERS,
    OR_SPEEDS,
    listed_frequencies,
    listed_speeds,
)
from flexforge.runtime.model.schema_critical import CriticalSpeedsAnalysis
from flexforge.runtime.model.schema_cyclic import NODAL_DIAMETERS, NodalDiameters
from flexforge.runtime.model.schema_orders import MOST_ORDER, Order, Orders
from flexforge.runtime.model.schema_solving import MODAL_DAMPING, ModalDamping, Solving
from flexforge.runtime.model.schema_spectra import RandomAnalysis, SpectrumAnalysis
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    Strict,
    Tag,
    model_validator,
)

#: Treatments of joints and constraints; "Gibbs-Appell" is one too.
FORMALISMS = ("lagrange", "maggi", "kane", "gibbs_appell", "hamilton")
Formalism: TypeAlias = Annotated[
    Literal["lagrange", "maggi", "kane", "gibbs_appell", "hamilton"],
    BeforeValidator(lambda given: spelled(given, FORMALISMS)),
]
MOST_ACCURACY = 0.1
#: Hz; atoms in a crystal vibrate at 1e13, and the square stays well within double precision.
LARGEST_SHIFT = 1e15


class _Stepping(Table):
    duration: Positive = Field(description="the time covered, a number above 0 (s)")
    steps: Count | None = Field(
        default=None, description="the number of steps, a whole number >= 1"
    )
    step: Positive | None = Field(
        default=None, description="the length of a step, a number above 0 (s)"
    )

    @model_validator(mode="after")
    def _one_of_steps(self) -> Self:
        """Refuse both number and length of steps, and neither, and more steps than any run does."""
        if self.step is not None and self.duration / self.step > MOST:
            count = self.duration / self.step
            found = f"found {self.step:g}, {count:.3g} steps in all"
            raise problem(f"{found}; expected at most {MOST}", "step")
        if (self.steps is None) == (self.step is None):
            found = "neither steps nor step" if self.steps is None else "both steps and step"
            raise problem(f"found {found}; expected one of them")
        return self

    @property
    def number_of_steps(self) -> int:
        """Steps in the whole run; a given step length is shortened to divide the duration."""
        if self.steps is not None:
            return self.steps
        assert self.step is not None
        return max(1, math.ceil(self.duration / self.step - 1e-9))

    @property
    def step_size(self) -> float:
        """Length of a step, s."""
        return self.duration / self.number_of_steps


class _SolvingNodes(Solving):
    solver: Literal["auto", "scipy", "pardiso", "cholmod", "amg", "gamg", "matrix_free"] = Field(  # type: ignore[assignment]  # more than others
        default="auto",
        description='"auto", "scipy", "pardiso", "cholmod", "amg", "gamg" or "matrix_free"',
    )


class StaticAnalysis(_SolvingNodes):
    """``kind = "static"``: equilibrium in the moving frame at one time."""

    kind: Literal["static"] = Field(description='"static"')
    time: Number = Field(default=0.0, description="the time, a number (s)")
    load_steps: Count = Field(
        default=10,
        description="of bodies with an energy: the number of steps in which loads grow, a whole "
        "number >= 1",
    )
    path: Literal["loads", "arc_length"] = Field(
        default="loads",
        description='of bodies with an energy: "loads", which grow from none to all, or '
        '"arc_length", along the path of equilibria, on which loads may also fall',
    )
    points: Count = Field(
        default=200,
        description="the most points of a path by arc length, a whole number >= 1",
    )
    tolerance: Annotated[Number, Field(gt=0.0, lt=1.0)] = Field(
        default=1e-9,
        description="of bodies with an energy: the residual of an equilibrium, relative to the "
        "forces that balance, a number above 0 and below 1",
    )

    #: Keys that only bodies with an energy need.
    OF_PATHS: ClassVar[tuple[str, ...]] = ("load_steps", "path", "points", "tolerance")

    @model_validator(mode="after")
    def _points_of_arcs(self) -> Self:
        if "points" in self.model_fields_set and self.path != "arc_length":
            raise problem('found them with path "loads"; expected path = "arc_length"', "points")
        return self


class TransientAnalysis(_Stepping, _SolvingNodes):
    """``kind = "transient"``: motion from t = 0."""

    kind: Literal["transient"] = Field(description='"transient"')
    method: Literal[
        "generalized_alpha", "newmark", "hht", "central_difference", "midpoint", "gauss4", "modal"
    ] = Field(
        default="generalized_alpha",
        description='"generalized_alpha", "newmark", "hht", "central_difference", "midpoint", '
        '"gauss4" or "modal"',
    )
    rho_infinity: Annotated[Number, Field(ge=0.0, le=1.0)] | None = Field(
        default=None, description="the spectral radius at high frequency, a number from 0 to 1"
    )
    beta: Annotated[Number, Field(ge=0.0, le=1.0)] | None = Field(
        default=None, description="Newmark's beta, a number from 0 to 1"
    )
    gamma: Annotated[Number, Field(ge=0.5, le=1.0)] | None = Field(
        default=None,
        description="Newmark's gamma, a number from 0.5, below which every step feeds vibrations, "
        "to 1",
    )
    alpha: Annotated[Number, Field(ge=-1.0 / 3.0, le=0.0)] | None = Field(
        default=None,
        description="alpha of Hilber, Hughes and Taylor, a number from -1/3 to 0, which damps "
        "nothing",
    )
    modes: Count | None = Field(
        default=None, description="of method modal: the number of modes, a whole number >= 1"
    )
    modal_damping: ModalDamping | None = Field(
        default=None, description=f"of method modal: {MODAL_DAMPING}"
    )
    nodal_diameters: NodalDiameters | None = Field(
        default=None,
        description=f"of method modal, where loads act on some sectors: {NODAL_DIAMETERS}",
    )
    mass: Literal["consistent", "lumped"] = Field(
        default="consistent", description='"consistent" or "lumped"'
    )
    tolerance: Annotated[Number, Field(gt=0.0, lt=1.0)] = Field(
        default=1e-8, description="the relative residual of a step, a number above 0 and below 1"
    )
    start: Literal["initial", "equilibrium"] = Field(
        default="initial",
        description='the displacement at t = 0: "initial", undeformed but for [[initial]], or '
        '"equilibrium", that of the loads at t = 0',
    )
    accuracy: Annotated[Number, Field(gt=0.0, le=MOST_ACCURACY)] | None = Field(
        default=None,
        description="of implicit methods: the local error that "
        "steps adapt to, relative to large displacements, a number above 0 and at most "
        f"{MOST_ACCURACY:g}",
    )
    stable_fraction: Annotated[Number, Field(gt=0.0, lt=1.0)] | None = Field(
        default=None,
        description="of central_difference: the part of the longest stable step that is taken, "
        "which follows the state, a number above 0 and below 1",
    )
    formalism: Formalism | None = Field(
        default=None,
        description='treatment of joints and constraints: "lagrange" (multipliers), "maggi", '
        '"kane" or "gibbs_appell" (generalized speeds), or "hamilton" (momenta)',
    )

    #: Methods whose local errors are known.
    steady: Annotated[Number, Field(gt=0.0, lt=1.0)] | None = Field(
        default=None,
        description='of "modal": the motion ends where no displacement changes by more than this '
        "share of the largest one in a step, a number above 0 and below 1",
    )

    ADAPTING: ClassVar[tuple[str, ...]] = (
        "generalized_alpha", "newmark", "hht", "midpoint", "gauss4",
    )  # fmt: skip
    OF_METHOD: ClassVar[dict[str, dict[str, float]]] = {
        "generalized_alpha": {"rho_infinity": 0.8},
        "newmark": {"beta": 0.25, "gamma": 0.5},
        "hht": {"alpha": -0.05},
        "central_difference": {},
        "midpoint": {},
        "gauss4": {},
        "modal": {},
    }

    @property
    def is_conditional(self) -> bool:
        """Whether Newmark's method is asked for as it is stable up to some step only."""
        if self.beta is None or self.gamma is None:
            return False
        return self.beta < 0.5 * self.gamma

    @model_validator(mode="before")
    @classmethod
    def _method_defaults(cls, data: Any) -> Any:
        if toml_type(data) == "table":
            return {**cls.OF_METHOD.get(str(data.get("method", "generalized_alpha")), {}), **data}
        return data

    @model_validator(mode="after")
    def _consistent(self) -> TransientAnalysis:
        for method, parameters in self.OF_METHOD.items():
            for key in parameters:
                if method != self.method and getattr(self, key) is not None:
                    raise problem(
                        f"found with method {self.method}; expected only with {method}", key
                    )
        if self.mass == "lumped" and self.method != "central_difference":
            raise problem(
                f"found lumped with method {self.method}; expected it only with central_difference",
                "mass",
            )
        for key in ("modes", "modal_damping", "nodal_diameters", "steady"):
            if self.method != "modal" and getattr(self, key) is not None:
                raise problem(f"found with method {self.method}; expected only with modal", key)
        if self.method == "modal" and self.modes is None:
            raise problem("missing with method modal; expected the number of modes", "modes")
        if self.stable_fraction is not None and self.method != "central_difference":
            raise problem(
                f"found with method {self.method}; expected it only with central_difference",
                "stable_fraction",
            )
        if self.accuracy is not None:
            self._adapting()
        return self

    def _adapting(self) -> None:
        """Refuse methods whose local errors are not known."""
        if self.method not in self.ADAPTING:
            wanted = ", ".join(self.ADAPTING)
            raise problem(f"found with method {self.method}; expected {wanted}", "accuracy")
        if self.method == "newmark" and self.gamma != 0.5:
            text = f"found {self.gamma:g} with accuracy, of steps of first order; expected 0.5"
            raise problem(text, "gamma")
        if self.is_conditional:
            text = f"found {self.beta:g} with accuracy, of steps that are not stable at any "
            raise problem(f"{text}length; expected at least 0.25", "beta")
        if self.formalism == "hamilton":
            wanted = "lagrange, maggi, kane or gibbs_appell"
            raise problem(f"found with formalism hamilton; expected {wanted}", "accuracy")


class KinematicsAnalysis(_Stepping):
    """``kind = "kinematics"``: the motion of links that joints and drivers determine."""

    kind: Literal["kinematics"] = Field(description='"kinematics"')
    tolerance: Annotated[Number, Field(gt=0.0, lt=1e-3)] = Field(
        default=1e-13,
        description="largest gap of a joint relative to the size of the mechanism, a number "
        "above 0 and below 1e-3",
    )

    @property
    def threads(self) -> None:
        """None."""

    @property
    def solver(self) -> Literal["auto"]:
        """None: kinematics has no choice of solver."""
        return "auto"


def _rising(frequencies: tuple[float, ...]) -> tuple[float, ...]:
    if not frequencies:
        raise problem("found an empty list; expected ascending frequencies (Hz)")
    for one, following in itertools.pairwise(frequencies):
        if not one < following:
            text = f"found {one:g} before {following:g}; expected ascending frequencies (Hz)"
            raise problem(text)
    return frequencies


def _ascending(speeds: tuple[float, ...]) -> tuple[float, ...]:
    if not speeds:
        raise problem("found an empty list; expected ascending speeds (rad/s)")
    for one, following in itertools.pairwise(speeds):
        if not one < following:
            raise problem(f"found {one:g} before {following:g}; expected ascending speeds (rad/s)")
    return speeds


Speeds: TypeAlias = Annotated[
    tuple[Speed, ...], BeforeValidator(listed_speeds), AfterValidator(_ascending)
]


class ModesAnalysis(Solving):
    """``kind = "modes"``: natural frequencies and shapes, with the frame's state at one time."""

    kind: Literal["modes"] = Field(description='"modes"')
    count: Count = Field(default=10, description="the number of modes, a whole number >= 1")
    shift: Annotated[Number, Field(ge=-LARGEST_SHIFT, le=LARGEST_SHIFT)] | None = Field(
        default=None,
        description="the frequency near which modes are sought, a number of magnitude at most "
        f"{LARGEST_SHIFT:g} (Hz)",
    )
    time: Number = Field(
        default=0.0, description="the time at which the frame is taken, a number (s)"
    )
    speeds: Speeds | None = Field(
        default=None,
        description="a list of ascending speeds of the frames that turn: numbers (rad/s), or texts "
        f'such as "3000 rpm"; {OR_SPEEDS}',
    )
    orders: Orders = Field(
        default=(0, 1, 2),
        description="the orders of excitation whose crossings with speeds are looked for: a list "
        f"of whole numbers from 0 to {MOST_ORDER}, {OR_ORDERS}",
    )

    nodal_diameters: NodalDiameters | None = Field(
        default=None, description=f"of a sector of a wheel, [cyclic]: {NODAL_DIAMETERS}"
    )
    margin: Annotated[Number, Field(gt=0.0, lt=1.0)] = Field(
        default=0.05,
        description="of a sector of a wheel, [cyclic]: how far the frequency of a mode may be from "
        "that of an engine order to be listed, relative to the latter, a number above 0 and below "
        "1",
    )
    operating: Speed | None = Field(
        default=None,
        description="of a sector of a wheel, [cyclic], with speeds: the one of its SAFE diagram, a "
        'number (rad/s) or a text such as "3000 rpm", by default the last of them',
    )
    damped: Flag = Field(
        default=True, description="true or false: whether damping is in the equations"
    )
    start: Literal["equilibrium", "initial"] = Field(
        default="equilibrium",
        description='where links are linearised: "equilibrium", the position or steady motion '
        'that is found, or "initial", their placements',
    )

    _remarks: tuple[str, ...] = PrivateAttr(default=())

    @property
    def remarks(self) -> tuple[str, ...]:
        """What looks like a slip in the tables that the analysis was read from."""
        return self._remarks

    @model_validator(mode="wrap")
    @classmethod
    def _one_unit(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Remark numbers without a unit among speeds with one."""
        made = handler(data)
        given: Any = data.get("speeds") if toml_type(data) == "table" else None
        if is_list(given):
            bare = [one for one in given if is_number(one) and one]
            if bare and any(toml_type(one) == "text" for one in given):
                made._remarks = (
                    f"analysis.speeds: found {', '.join(map(shown, bare))} without a unit among "
                    "speeds with one: numbers without a unit are in rad/s",
                )
        return made

    @model_validator(mode="after")
    def _operating_among_speeds(self) -> Self:
        """Refuse a speed outside of those that there are."""
        if self.operating is None:
            return self
        if self.speeds is None:
            raise problem("found without speeds; expected speeds too", "operating")
        low, high = self.speeds[0], self.speeds[-1]
        if not low <= self.operating <= high or not self.operating:
            raise problem(
                f"found {self.operating:g}; expected a speed above 0 from {low:g} to {high:g} "
                "rad/s, the range of speeds",
                "operating",
            )
        return self


class _Swept(Solving):
    """Frequencies of steady vibrations: listed, or a sweep that gathers at resonances."""

    frequencies: (
        Annotated[
            tuple[NonNegative, ...], BeforeValidator(listed_frequencies), AfterValidator(_rising)
        ]
        | None
    ) = Field(
        default=None,
        description='a list of ascending frequencies (Hz), or a text such as "10:200:20", 20 of '
        "them from 10 to 200 Hz",
    )
    between: tuple[NonNegative, NonNegative] | None = Field(
        default=None,
        description="two frequencies [from, to] (Hz): a sweep whose points gather at resonances",
    )
    points: Annotated[Count, Field(ge=2)] = Field(
        default=20,
        description="points from one resonance to the next, of a sweep, a whole number >= 2",
    )
    bias: Annotated[Number, Field(ge=1.0)] = Field(
        default=3.0, description="how closely they gather at resonances, a number >= 1"
    )
    modal_damping: ModalDamping | None = Field(default=None, description=MODAL_DAMPING)

    @property
    def _follows(self) -> bool:
        """Whether the frequency is that of the speed."""
        return False

    @model_validator(mode="after")
    def _one_of_ranges(self) -> Self:
        if self._follows:
            for key in ("frequencies", "between", "modal_damping"):
                if getattr(self, key) is not None:
                    raise problem("found with speeds; expected one of them", key)
            return self
        if (self.frequencies is None) == (self.between is None):
            found = "neither" if self.between is None else "both"
            raise problem(f"found {found} of frequencies and between; expected one of them")
        if self.between is not None and not self.between[0] < self.between[1]:
            raise problem("found no range; expected [from, to] with to above from", "between")
        for key in ("points", "bias"):
            if key in self.model_fields_set and self.between is None:
                raise problem("found without between; expected [from, to] with it", key)
        return self


class HarmonicAnalysis(_Swept):
    """``kind = "harmonic"``: steady vibration under loads that vary as ``cos(omega t)``."""

    kind: Literal["harmonic"] = Field(description='"harmonic"')
    modes: Count | None = Field(
        default=None,
        description="the number of modes whose motions add up, a whole number >= 1; by default "
        "the equations are solved at every frequency",
    )
    nodal_diameters: NodalDiameters | None = Field(
        default=None,
        description=f"of modes, where loads act on some sectors: {NODAL_DIAMETERS}",
    )
    speeds: Speeds | None = Field(
        default=None,
        description="a list of ascending speeds of the frames and bodies that turn, in place of "
        f'frequencies: numbers (rad/s), or texts such as "3000 rpm"; {OR_SPEEDS}',
    )
    order: Order = Field(
        default=1,
        description="with speeds: the frequency of the loads is this whole number times the speed; "
        "0 of loads that turn with the frames",
    )
    operating: tuple[Speed, Speed] | None = Field(
        default=None,
        description="with speeds: the range [from, to] in which the machine runs, numbers (rad/s) "
        'or texts such as "3000 rpm", from which peaks are to be away',
    )
    nodal_diameter: Annotated[int, Strict(), Field(ge=-MOST, le=MOST)] | None = Field(
        default=None,
        description="of a sector of a wheel, [cyclic]: the number of nodal diameters of all loads, "
        "a whole number, by which times the angle of a sector they are ahead in the next one; by "
        "default 0, and with speeds that of loads that rest in space",
    )
    time: Number = Field(
        default=0.0, description="the time at which loads and frames are taken, a number (s)"
    )

    @property
    def _follows(self) -> bool:
        """Whether the frequency is that of the speed."""
        return self.speeds is not None

    @model_validator(mode="after")
    def _keys_of_speeds(self) -> HarmonicAnalysis:
        if self.speeds is None:
            for key in ("order", "operating"):
                if key in self.model_fields_set:
                    raise problem("found without speeds; expected speeds too", key)
            return self
        if self.operating is not None and not 0.0 < self.operating[0] <= self.operating[1]:
            raise problem("found no range; expected [from, to] with from above 0", "operating")
        if self.modes is not None:
            raise problem("found with speeds; expected none, as modes change with them", "modes")
        return self

    @model_validator(mode="after")
    def _keys_of_modes(self) -> HarmonicAnalysis:
        if self.between is not None and self.modes is None:
            raise problem("missing with between; expected the number of modes", "modes")
        for key in ("modal_damping", "nodal_diameters"):
            if getattr(self, key) is not None and self.modes is None:
                raise problem("found without modes; expected the number of modes", key)
        return self


class PeriodicAnalysis(_Swept):
    """``kind = "periodic"``: steady vibration under loads that repeat themselves."""

    kind: Literal["periodic"] = Field(description='"periodic"')
    period: tuple[Number, Number] = Field(
        description="two times [from, to] (s): what loads and supports do between them is repeated"
    )
    modes: Count = Field(
        description="the number of modes whose motions add up, a whole number >= 1"
    )
    terms: Count = Field(
        default=20, description="multiples of the frequency that are taken, a whole number >= 1"
    )
    instants: Annotated[Count, Field(ge=2)] = Field(
        default=20, description="instants of a period that are written, a whole number >= 2"
    )
    nodal_diameters: NodalDiameters | None = Field(
        default=None, description=f"where loads act on some sectors: {NODAL_DIAMETERS}"
    )

    @property
    def time(self) -> float:
        """Time at which frames are taken, s."""
        return self.period[0]

    @model_validator(mode="after")
    def _some_period(self) -> PeriodicAnalysis:
        if not self.period[0] < self.period[1]:
            raise problem("found no time; expected [from, to] with to after from", "period")
        lowest = min(self.frequencies or self.between or (1.0,))
        if not lowest > 0.0:
            key = "frequencies" if self.between is None else "between"
            raise problem("found a frequency of 0 Hz; expected some above it", key)
        return self


class BucklingAnalysis(Solving):
    """``kind = "buckling"``: factors of all loads at which the bodies lose their stiffness."""

    kind: Literal["buckling"] = Field(description='"buckling"')
    count: Count = Field(default=5, description="the number of factors, a whole number >= 1")
    time: Number = Field(
        default=0.0, description="the time at which loads and frames are taken, a number (s)"
    )


AnalysisSpec: TypeAlias = Annotated[
    StaticAnalysis
    | TransientAnalysis
    | ModesAnalysis
    | HarmonicAnalysis
    | PeriodicAnalysis
    | SpectrumAnalysis
    | RandomAnalysis
    | BucklingAnalysis
    | CriticalSpeedsAnalysis
    | KinematicsAnalysis,
    Field(discriminator="kind"),
]


def _distinct(formats: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(formats)) != len(formats):
        raise problem(f"found {list(formats)}; expected each format once")
    return formats


Format: TypeAlias = Literal["vtu", "hdf5", "csv", "report", "dat", "frd"]


class OutputSpec(Table):
    """``[output]``: folder, frequency and formats of the results."""

    folder: OutputPath | None = Field(
        default=None, description="the path of a folder, relative to where the command runs"
    )
    every: Count = Field(default=1, description="write every nth step, a whole number >= 1")
    checkpoint: Positive = Field(
        default=300.0,
        description="the time of computing between two checkpoints of a transient analysis or a "
        "Campbell diagram, from which --resume goes on, a number above 0 (s)",
    )
    by_process: Flag = Field(
        default=False,
        description="true or false: under mpirun, every process writes its part of frames and "
        "modes",
    )
    point_stress: Flag = Field(
        default=False,
        description="true or false: stresses at the quadrature points of solids and plane elements",
    )
    envelope: Annotated[
        Annotated[Flag, Tag("<flag>")]
        | Annotated[tuple[Name, ...], Field(min_length=1), Tag("<names>")],
        Discriminator(lambda given: "<names>" if is_list(given) else "<flag>"),
    ] = Field(
        default=False,
        description="true or false: the largest and least values over all steps and combinations, "
        "or over the times of one analysis; or a list of names of steps and combinations",
    )
    formats: Annotated[tuple[Format, ...], AfterValidator(_distinct)] = Field(
        default=("vtu", "hdf5", "csv", "report"),
        description='a list of "vtu", "hdf5", "csv", "report", "dat", "frd"',
    )

    @model_validator(mode="after")
    def _whole(self) -> OutputSpec:
        if self.by_process and "frd" in self.formats:
            raise problem('found "frd" with by_process; expected one of them', "formats")
        return self
