# SPDX-License-Identifier: BSD-3-Clause
"""Requirements on summary.json: types, and lengths in a Campbell diagram."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from flexforge.runtime.model.base import is_list, toml_type
from flexforge.runtime.model.schema_section import SectionSpec
from flexforge.runtime.unit_systems import DEFAULT, SYSTEMS
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveInt,
    ValidationError,
    model_validator,
)

_DEEPEST = 12  # nesting of tables


def _known(name: str) -> str:
    if name not in SYSTEMS:
        raise ValueError(f"found '{name}'; expected one of {', '.join(SYSTEMS)}")
    return name


_Units = Annotated[str, AfterValidator(_known)]


class _Table(BaseModel):
    """A table that may contain more keys than are read; numbers are finite."""

    model_config = ConfigDict(allow_inf_nan=False, extra="allow", strict=True)


class _Body(_Table):
    cell: str
    nodes: NonNegativeInt
    cells: NonNegativeInt


class _Mode(_Table):
    mode: PositiveInt
    frequency_Hz: float | None  # noqa: N815 - the names of the file


class _Followed(_Table):
    """A mode over the speeds; null where it was not tracked."""

    mode: PositiveInt
    frequency_Hz: list[float | None]  # noqa: N815
    signed_frequency_Hz: list[float | None]  # noqa: N815
    inertial_frequency_Hz: list[float | None]  # noqa: N815
    growth_1_s: list[float | None]
    whirl: list[Literal["forward", "backward", "standing", ""]]

    def fits(self, count: int) -> bool:
        """Whether there is one entry per speed, and a growth wherever there is a frequency."""
        lists = (self.frequency_Hz, self.signed_frequency_Hz, self.inertial_frequency_Hz,
                 self.growth_1_s, self.whirl)  # fmt: skip
        if any(len(one) != count for one in lists):
            return False
        known = zip(self.frequency_Hz, self.signed_frequency_Hz, self.growth_1_s, strict=True)
        return all((a is None) == (b is None) and (a is None or g is not None) for a, b, g in known)


class _Critical(_Table):
    order: NonNegativeInt
    speed_rad_s: float
    mode: PositiveInt
    frequency_Hz: float  # noqa: N815


class _Instability(_Table):
    mode: PositiveInt
    kind: str
    onset_rad_s: float | None
    end_rad_s: float | None
    growth_1_s: float


class _Campbell(_Table):
    units: _Units = DEFAULT  # of results that do not say
    speeds_rad_s: Annotated[list[NonNegativeFloat], Field(min_length=1)]
    modes: list[_Followed]
    orders: list[NonNegativeInt] = [0, 1, 2]  # of results that do not say
    critical_speeds: list[_Critical]
    instabilities: list[_Instability]
    stands: bool = False  # of results that do not say

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        if not all(mode.fits(len(self.speeds_rad_s)) for mode in self.modes):
            raise ValueError("expected an entry for each speed")
        return self


class _Progress(_Table):
    done: NonNegativeInt
    total: NonNegativeInt
    what: str
    time: float | None


class _ModelBody(_Table):
    name: str
    section: SectionSpec | None = None


class _Model(_Table):
    bodies: list[_ModelBody] = []


class _JointPoint(_Table):
    name: str
    kind: str
    body: str
    point: Annotated[list[float], Field(min_length=3, max_length=3)]
    ground: bool


class _Symbol(_Table):
    kind: Literal["support", "load"]
    name: str
    body: str
    nodes: list[NonNegativeInt]
    direction: Annotated[list[float], Field(max_length=3)]
    fixed: bool

    @model_validator(mode="after")
    def _in_space(self) -> Self:
        if len(self.direction) not in (0, 3):
            raise ValueError("a direction with three components")
        return self


class _Settings(_Table):
    analysis: dict[str, Any] = {}


class _Summary(_Table):
    title: str = ""
    units: _Units = DEFAULT
    status: str = ""
    begun: str = ""
    reason: str = ""
    frames: NonNegativeInt = 0
    progress: _Progress | None = None
    warnings: list[str] = []
    settings: _Settings = _Settings()
    versions: dict[str, str] = {}
    format_version: Any = 1  # judged by the reader
    provenance: dict[str, Any] = {}
    bodies: dict[str, _Body] = {}
    figures: dict[str, Any] = {}
    timings: dict[str, float | None] = {}
    modes: list[_Mode] = []
    campbell: _Campbell | None = None
    model: _Model = _Model()
    joint_points: list[_JointPoint] = []
    symbols: list[_Symbol] = []


def fault_of(data: Any) -> str:
    """Return the fault of a summary, or an empty text.

    Parameters
    ----------
    data : Any
        Content of a JSON file.
    """
    if _depth(data) > _DEEPEST:
        return "tables nested too deeply"
    try:
        _Summary.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        message = f"{first['msg'][:1].lower()}{first['msg'][1:]}"
        return f"{key}: {message}" if key else message
    return ""


def _depth(data: Any) -> int:
    """Return the nesting depth of tables and lists, up to the limit."""
    level, depth = [data], 0
    while level and depth <= _DEEPEST:
        lists = [one for one in level if is_list(one)]
        lists += [one.values() for one in level if toml_type(one) == "table"]
        level, depth = [entry for one in lists for entry in one], depth + 1
    return depth
