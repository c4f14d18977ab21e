# SPDX-License-Identifier: BSD-3-Clause
"""Materials: ``[materials.NAME]``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime import elasticity
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.angles import OR_DEGREES, Angle
from flexforge.runtime.model.base import (
    Flag,
    NonNegative,
    Number,
    Positive,
    Table,
    Vector,
    is_number,
    problem,
)
from pydantic import BeforeValidator, Field, model_validator


class Damping(Table):
    """``damping = {...}``: Rayleigh damping, ``alpha m + beta k``."""

    alpha: NonNegative = Field(
        default=0.0, description="the Rayleigh factor of the mass matrix, a number >= 0 (1/s)"
    )
    beta: NonNegative = Field(
        default=0.0, description="the Rayleigh factor of the stiffness matrix, >= 0 (s)"
    )


class Orthotropic(Table):
    """``orthotropic = {...}``: nine constants in the material's axes."""

    E1: Positive = Field(description="Young's modulus along axis 1, a number above 0 (Pa)")
    E2: Positive = Field(description="Young's modulus along axis 2, a number above 0 (Pa)")
    E3: Positive = Field(description="Young's modulus along axis 3, a number above 0 (Pa)")
    nu12: Number = Field(description="the contraction along 2 under stress along 1, a number")
    nu13: Number = Field(description="the contraction along 3 under stress along 1, a number")
    nu23: Number = Field(description="the contraction along 3 under stress along 2, a number")
    G12: Positive = Field(description="the shear modulus of axes 1 and 2, a number above 0 (Pa)")
    G13: Positive = Field(description="the shear modulus of axes 1 and 3, a number above 0 (Pa)")
    G23: Positive = Field(description="the shear modulus of axes 2 and 3, a number above 0 (Pa)")

    def stiffness(self) -> Floats:
        """Return the stiffness in the material's axes, (6, 6), Pa."""
        return elasticity.orthotropic(
            (self.E1, self.E2, self.E3),
            (self.nu12, self.nu13, self.nu23),
            (self.G12, self.G13, self.G23),
        )


class Transverse(Table):
    """``transverse = {...}``: isotropic in the plane perpendicular to axis 1, such as fibres."""

    E1: Positive = Field(description="Young's modulus along axis 1, a number above 0 (Pa)")
    E2: Positive = Field(description="Young's modulus across it, a number above 0 (Pa)")
    nu12: Number = Field(description="the contraction across under stress along 1, a number")
    nu23: Number = Field(description="Poisson's ratio across axis 1, a number")
    G12: Positive = Field(description="the shear modulus along axis 1, a number above 0 (Pa)")

    def stiffness(self) -> Floats:
        """Return the stiffness in the material's axes, (6, 6), Pa."""
        if self.nu23 <= -1:
            raise InputError(
                f"not positive definite: found nu23 = {self.nu23:g}; expected more than -1"
            )
        across = self.E2 / (2 * (1 + self.nu23))
        return elasticity.orthotropic(
            (self.E1, self.E2, self.E2),
            (self.nu12, self.nu12, self.nu23),
            (self.G12, self.G12, across),
        )


class Orientation(Table):
    """``orientation = {...}``: the material's axes in the body's frame."""

    axis1: Vector | None = Field(
        default=None, description="three numbers, a vector along the material's axis 1"
    )
    axis2: Vector | None = Field(
        default=None, description="three numbers, a vector in the plane of its axes 1 and 2"
    )
    axis: Vector | None = Field(
        default=None, description="three numbers, an axis about which the frame's axes are turned"
    )
    angle: Angle | None = Field(
        default=None, description=f"the angle of that turn, a number (rad), {OR_DEGREES}"
    )

    @model_validator(mode="after")
    def _one_form(self) -> Orientation:
        vectors = [value is not None for value in (self.axis1, self.axis2)]
        turn = [value is not None for value in (self.axis, self.angle)]
        if not (all(vectors) and not any(turn)) and not (all(turn) and not any(vectors)):
            given = [k for k in ("axis1", "axis2", "axis", "angle") if getattr(self, k) is not None]
            raise problem(
                f"found {' and '.join(given) or 'nothing'}; expected axis1 and axis2, or axis and "
                "angle"
            )
        try:
            self.axes()
        except InputError as error:
            raise problem(str(error)) from None
        return self

    def axes(self) -> Floats:
        """Return the material's axes, one per row, in components of the frame."""
        if self.axis1 is not None and self.axis2 is not None:
            return elasticity.axes_of_vectors(self.axis1, self.axis2)
        assert self.axis is not None and self.angle is not None
        return elasticity.axes_of_angle(self.axis, self.angle)


def _one_or_three(value: Any) -> Any:
    return (value, value, value) if is_number(value) else value


Expansion = Annotated[tuple[Number, Number, Number], BeforeValidator(_one_or_three)]
_KINDS = ("orthotropic", "transverse", "anisotropic")


class MaterialSpec(Table):
    """``[materials.NAME]``: linear elastic; isotropic, or with material axes."""

    young: Positive | None = Field(
        default=None, description="Young's modulus, a number above 0 (Pa)"
    )
    poisson: Annotated[Number, Field(gt=-1.0, lt=0.5)] | None = Field(
        default=None, description="Poisson's ratio, a number above -1 and below 0.5"
    )
    orthotropic: Orthotropic | None = Field(
        default=None, description="a table {E1, E2, E3, nu12, nu13, nu23, G12, G13, G23}"
    )
    transverse: Transverse | None = Field(
        default=None, description="a table {E1, E2, nu12, nu23, G12}"
    )
    anisotropic: Annotated[tuple[Number, ...], Field(min_length=21, max_length=21)] | None = Field(
        default=None,
        description="a list of the 21 numbers C11, C12, .. C16, C22, .. C66 (Pa), in the order "
        "xx, yy, zz, yz, xz, xy",
    )
    semidefinite: Flag = Field(
        default=False,
        description="true or false: whether some strains of an anisotropic material store no "
        "energy, as the shear of a fluid",
    )
    orientation: Orientation | None = Field(
        default=None, description="a table {axis1, axis2} or {axis, angle}"
    )
    density: Positive | None = Field(
        default=None, description="the density, a number above 0 (kg/m^3)"
    )
    damping: Damping = Field(default_factory=Damping, description="a table {alpha, beta}")
    viscosity: NonNegative = Field(
        default=0.0, description="the time tau of the stress H (eps + tau eps'), >= 0 (s)"
    )
    expansion: Expansion | None = Field(
        default=None,
        description="the thermal expansion, a number, or three along the material's axes (1/K)",
    )

    @property
    def mass_density(self) -> float:
        """The density, kg/m^3; zero where statics at rest needs none."""
        return self.density or 0.0

    @property
    def softest_modulus(self) -> float | None:
        """The least of Young's moduli, Pa; None where the law has none."""
        axes = self.orthotropic or self.transverse
        if axes is None:
            return self.young
        return min(float(value) for key, value in axes if key.startswith("E"))

    @property
    def is_isotropic(self) -> bool:
        """Whether it has no material axes."""
        return all(getattr(self, kind) is None for kind in _KINDS)

    @property
    def has_law(self) -> bool:
        """Whether it has elastic constants; an element with a law of its own needs none."""
        return self.young is not None or not self.is_isotropic

    def missing_constants(self) -> Iterator[tuple[str, str]]:
        """Yield the constants that an isotropic material lacks: the key, and a message."""
        for key in ("young", "poisson") if self.is_isotropic else ():
            if getattr(self, key) is None:
                yield key, f"missing; expected {type(self).model_fields[key].description}"

    @model_validator(mode="after")
    def _one_law(self) -> MaterialSpec:
        found = [k for k in ("young", "poisson", *_KINDS) if getattr(self, k) is not None]
        kinds = [key for key in found if key in _KINDS]
        if len(kinds) > 1 or (kinds and len(found) > 1):
            raise problem(
                f"found {' and '.join(found)}; expected young and poisson, or one of "
                f"{', '.join(_KINDS)}"
            )
        if self.semidefinite and kinds != ["anisotropic"]:
            raise problem("found true; expected it with anisotropic alone", "semidefinite")
        if not kinds:
            if found:
                for key, text in self.missing_constants():
                    raise problem(text, key)
            if self.orientation is not None:
                raise problem("found one of an isotropic material; expected none", "orientation")
            if self.expansion is not None and len(set(self.expansion)) > 1:
                raise problem(
                    f"found {list(self.expansion)} of an isotropic material; expected one number",
                    "expansion",
                )
            return self
        try:
            self.stiffness()
        except InputError as error:
            raise problem(str(error), kinds[0]) from None
        return self

    @property
    def axes(self) -> Floats:
        """The material's axes, one per row, in components of the frame."""
        return np.eye(3) if self.orientation is None else self.orientation.axes()

    def thermal_strain(self) -> Floats:
        """Return the strain for a temperature change of 1 K, in axes of the frame, (6,), 1/K."""
        return elasticity.expansion_strain(self.expansion or (0.0, 0.0, 0.0), self.axes)

    def own_stiffness(self) -> Floats:
        """Return the stiffness in the material's axes, (6, 6), Pa: xx, yy, zz, yz, xz, xy."""
        given = self.orthotropic or self.transverse
        if given is not None:
            return given.stiffness()
        if self.anisotropic is not None:
            return elasticity.anisotropic(self.anisotropic, semidefinite=self.semidefinite)
        assert self.young is not None and self.poisson is not None
        return elasticity.isotropic(self.young, self.poisson)

    def stiffness(self) -> Floats:
        """Return the stiffness in axes of the frame, (6, 6), Pa."""
        own = self.own_stiffness()
        return own if self.orientation is None else elasticity.rotate(own, self.axes)
