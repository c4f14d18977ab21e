# SPDX-License-Identifier: BSD-3-Clause
"""The parts: ``[[bodies]]``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from flexforge.codegen.elements.energy_laws import LAWS
from flexforge.codegen.elements.facts import LARGE_IN_MODELS, REVOLVED, TORSION
from flexforge.codegen.elements.naming import FULL, nearest_element
from flexforge.runtime.model.base import (
    Flag,
    GroupName,
    Name,
    Number,
    PlaceFormula,
    Positive,
    Table,
    Text,
    Vector,
    problem,
    text_or,
    toml_type,
)
from flexforge.runtime.model.schema_frame import FRAME, Frame, FrameSpec
from flexforge.runtime.model.schema_mesh import (
    ELEMENTS,
    HYPOTHESES,
    LAMINATED_BEAMS,
    LARGE,
    NAMED_ELEMENTS,
    PLANAR_ELEMENTS,
    RODS,
    SHELLS,
    SPATIAL_ELEMENTS,
    TAPERED_BEAMS,
)
from flexforge.runtime.model.schema_normal import NormalSpec
from flexforge.runtime.model.schema_ply import PlySpec
from flexforge.runtime.model.schema_section import SectionSpec
from flexforge.runtime.model.schema_spin import SpinSpec
from pydantic import AfterValidator, Field, PrivateAttr, Tag, ValidationInfo, model_validator

#: A number, or a formula of the place.
_ParameterSpec: TypeAlias = Annotated[
    Annotated[Number, Tag("<number>")] | Annotated[PlaceFormula, Tag("<formula>")],
    text_or("<formula>", "<number>"),
]


def _known_element(name: str, info: ValidationInfo) -> str:
    folder = (info.context or {}).get("folder")
    if name.endswith(".toml"):
        return str(Path(folder) / name) if folder is not None else name
    if name not in ELEMENTS:
        raise problem(
            f"found the unknown element '{name}'; expected a file (.toml) or one of "
            f"{NAMED_ELEMENTS}{_nearest_of_models(name, folder)}"
        )
    return name


def _nearest_of_models(name: str, folder: Path | str | None) -> str:
    """Return a hint; the hypothesis of a plane element is a key of its own."""
    hint = nearest_element(name, (*ELEMENTS, *FULL), folder or "")
    for full, (plain, hypothesis) in FULL.items():
        hint = hint.replace(f"'{full}'", f"element = '{plain}' with hypothesis = '{hypothesis}'")
    return hint


#: Solids that cells of shells and beams can become.
EXPANDED = ("hex8", "hex8i", "hex8s", "hex20", "hex20r", "hex20rm", "wedge6", "wedge15")
#: Shapes of sections with which lines become solids.
SOLID_SECTIONS = ("rectangle", "round", "ellipse", "tube", "box")
#: The element of solids with points in walls of their sections, or in plies, alone.
HOLLOW_ELEMENT = "hex20rm"
#: Hypotheses of plane elements that can have an energy.
LARGE_HYPOTHESES = ("plane_strain", "axisymmetric")


class BodySpec(Table):
    """``[[bodies]]``: cells of the mesh with an element, a material and a frame."""

    name: Name = Field(description="a name of letters, digits, spaces and _ . + -")
    cells: GroupName | None = Field(
        default=None, description="the name of a group of cells of the mesh (by default every cell)"
    )
    element: Annotated[Text, AfterValidator(_known_element)] = Field(
        description=f"an element, one of {NAMED_ELEMENTS}, or a path of a user's element file"
    )
    material: Text | None = Field(default=None, description="the name of a material of this file")
    hypothesis: (
        Literal["plane_stress", "plane_strain", "axisymmetric", "axisymmetric_torsion"] | None
    ) = Field(
        default=None,
        description='"plane_stress", "plane_strain", "axisymmetric" or "axisymmetric_torsion", for '
        "plane elements",
    )
    thickness: Positive | None = Field(
        default=None,
        description="the thickness of a plane element or a shell, a number above 0 (m)",
    )
    plies: Annotated[tuple[PlySpec, ...], Field(min_length=1)] | None = Field(
        default=None,
        description="a list of tables {material, thickness, angle}, at least one, the plies of a "
        "shell or beam from its lower side to its upper one",
    )
    orientation: Vector | None = Field(
        default=None,
        description="three numbers, a vector whose projection on the shell is the axis from which "
        "the angles of plies count",
    )
    section: SectionSpec | None = Field(
        default=None, description="a table with the cross section of bars and beams"
    )
    expanded: Flag = Field(
        default=False,
        description="true or false: whether the cells, of a shell or a beam, become a layer of "
        "solids of the element",
    )
    offset: Number = Field(
        default=0.0,
        description="where the middle of an expanded shell is from its nodes, along the normal, "
        "a number in thicknesses",
    )
    thicknesses: dict[GroupName, Positive] = Field(
        default={},
        description="a table of thicknesses (m) of an expanded shell at the nodes of groups",
    )
    normals: tuple[NormalSpec, ...] = Field(
        default=(), description="a list of tables {group, cell, direction} of an expanded shell"
    )
    energy: Text | None = Field(
        default=None,
        description="an energy for large displacements of a solid, of plane strain or of a body of "
        "revolution: "
        f"{', '.join(LAWS)}, or a formula of invariants and parameters",
    )
    large_rotations: Flag = Field(
        default=False,
        description="true or false: whether the elements of a shell turn by any angle",
    )
    rotary_inertia: Flag = Field(
        default=True,
        description="true or false: whether the sections of a beam resist turning by their mass",
    )
    parameters: dict[Name, _ParameterSpec] = Field(
        default={},
        description="a table of numbers, the parameters of a user's element or of an energy, whose "
        "may be formulas of x, y, z",
    )
    frame: Frame = Field(default_factory=FrameSpec, description=FRAME)
    spin: SpinSpec | None = Field(
        default=None,
        description="a table with the rotation of a body of revolution about its axis, in axes "
        "that do not turn",
    )
    _layer: tuple[float, float] | None = PrivateAttr(default=None)
    _in_rows: bool = PrivateAttr(default=False)

    def as_solid(self, cells: str) -> BodySpec:
        """Return the same body without what makes solids of shells and beams, of other cells.

        A hollow section stays: it says where the points of the solids are.
        """
        plain = {"expanded": False, "offset": 0.0, "thicknesses": {}, "normals": ()}
        none = {"thickness": None, "section": self.hollow}
        found = self.model_copy(update={"cells": cells, **plain, **none})
        found._in_rows = self.section is not None and self.element == HOLLOW_ELEMENT
        return found

    def as_plies(self) -> tuple[BodySpec, ...]:
        """Return the plies of a body of solids, one for each; the first has its name."""
        if self.plies is None:
            return (self,)
        found, begin, total = [], 0.0, sum(ply.thickness for ply in self.plies)
        for number, ply in enumerate(self.plies, 1):
            name = self.name if number == 1 else f"{self.name}:ply {number}"
            one = self.model_copy(update={"name": name, "plies": None, "material": ply.material})
            one._layer = begin, begin + ply.thickness / total
            found.append(one)
            begin = one._layer[1]
        return tuple(found)

    @property
    def in_rows(self) -> bool:
        """Whether it is a beam of solids by reduced integration, in rows one cell wide."""
        return self._in_rows

    @property
    def layer(self) -> tuple[float, float] | None:
        """Where a ply of solids begins and ends, in shares of the thickness; of others None."""
        return self._layer

    @property
    def hollow(self) -> SectionSpec | None:
        """The section of a body of solids that are in its walls alone; of others None."""
        walled = self.section is not None and self.section.is_hollow
        return self.section if walled and self.element in EXPANDED else None

    @property
    def is_user_element(self) -> bool:
        """Whether the element is declared in a user's file."""
        return self.element.endswith(".toml")

    @property
    def has_own_law(self) -> bool:
        """Whether its law is not that of a material: a user's, or an energy."""
        return self.is_user_element or self.energy is not None

    @property
    def materials(self) -> tuple[str, ...]:
        """Names of its materials, one per ply for a laminate."""
        if self.plies is not None:
            return tuple(ply.material for ply in self.plies)
        return () if self.material is None else (self.material,)

    @property
    def is_planar(self) -> bool:
        """Whether the element moves in its plane alone (unknown here for a user's element)."""
        within = self.element in PLANAR_ELEMENTS and not self.has_torsion
        return within or self.element.endswith("_plane")

    @property
    def is_revolved(self) -> bool:
        """Whether its cells are the section of a body of revolution."""
        return self.hypothesis in REVOLVED

    @property
    def has_torsion(self) -> bool:
        """Whether it is such a section whose points move along their circles too."""
        return self.hypothesis == TORSION

    @model_validator(mode="before")
    @classmethod
    def _default_hypothesis(cls, data: Any) -> Any:
        if toml_type(data) == "table" and data.get("element") in PLANAR_ELEMENTS:
            usual = HYPOTHESES[data["element"]][0] if data.get("energy") is None else "plane_strain"
            return {"hypothesis": usual, **data}
        return data

    @model_validator(mode="after")
    def _law_of_energy(self) -> BodySpec:
        if self.energy is None:
            return self
        plane = self.element in PLANAR_ELEMENTS and self.hypothesis in LARGE_HYPOTHESES
        if self.is_user_element:
            raise problem(
                "found one beside an element file; expected it in that file, or an element of the "
                "library",
                "energy",
            )
        if self.element not in SPATIAL_ELEMENTS and not plane:
            raise problem(
                f"found one for element {self.element}"
                + (f' with hypothesis "{self.hypothesis}"' if self.hypothesis else "")
                + f"; expected {', '.join(SPATIAL_ELEMENTS)}, or a plane element with hypothesis "
                '"plane_strain"',
                "energy",
            )
        return self

    @model_validator(mode="after")
    def _laminate(self) -> BodySpec:
        if self.plies is None:
            if self.orientation is not None:
                raise problem("found one for a body without plies; expected none", "orientation")
            return self
        if self.expanded:
            return self._solid_laminate(self.plies)
        if self.element not in (*SHELLS, *LAMINATED_BEAMS):
            raise problem(
                f"found them with element {self.element}; expected them only with the shells "
                f"{', '.join(SHELLS)} and the beams {', '.join(LAMINATED_BEAMS)}",
                "plies",
            )
        for key in ("thickness", "material"):
            if getattr(self, key) is not None:
                raise problem("found one beside plies, which have their own; expected none", key)
        if self.element in LAMINATED_BEAMS:
            if self.orientation is not None:
                raise problem(
                    "found one for a beam; expected section.orientation, which sets axis y",
                    "orientation",
                )
            return self
        if self.orientation is None or not any(self.orientation):
            found = "missing" if self.orientation is None else "found a vector of length 0"
            raise problem(
                f"{found}; expected a vector whose projection on the shell is the axis from which "
                "the angles of plies count",
                "orientation",
            )
        return self

    def _solid_laminate(self, plies: tuple[PlySpec, ...]) -> BodySpec:
        """Refuse what plies of solids have not."""
        if self.element != HOLLOW_ELEMENT or self.section is not None:
            raise problem(
                f"found them expanded with element {self.element}; expected {HOLLOW_ELEMENT} of "
                "the cells of a shell",
                "plies",
            )
        own = ("thickness", "material", "energy", "orientation")
        for key in (*own, "thicknesses"):
            if getattr(self, key):
                raise problem("found one beside plies of solids; expected none", key)
        for number, ply in enumerate(plies):
            if ply.angle:
                raise problem(
                    "found one of solids, whose materials are isotropic; expected none",
                    "plies",
                    number,
                    "angle",
                )
        return self

    @property
    def depth(self) -> tuple[str, float] | None:
        """Key and largest dimension, m, of the section of rods or the thickness of shells."""
        if self.section is not None:
            width = self.section.width_of_all
            return None if width is None else ("section", width)
        if self.element not in SHELLS:
            return None
        if self.plies is not None:
            return "plies", sum(one.thickness for one in self.plies)
        return None if self.thickness is None else ("thickness", self.thickness)

    @model_validator(mode="after")
    def _turning_sections(self) -> BodySpec:
        kind = self.element.removesuffix("_plane")
        beams = (*LAMINATED_BEAMS, *(one for one in LARGE_IN_MODELS if "beam" in one))
        if "rotary_inertia" in self.model_fields_set and kind not in beams:
            raise problem(
                f"found one for element {self.element}; expected it with the beams "
                f"{', '.join(beams)}",
                "rotary_inertia",
            )
        if not self.rotary_inertia and kind == "timoshenko_beam":
            raise problem(
                f"found false for element {self.element}, whose theory always includes it; "
                "expected true, or euler_beam",
                "rotary_inertia",
            )
        return self

    @model_validator(mode="after")
    def _rotations_of_shells(self) -> BodySpec:
        if self.large_rotations and self.element not in SHELLS:
            raise problem(
                f"found true for element {self.element}; expected it with the shells "
                f"{', '.join(SHELLS)}, or beams and cables of large rotations "
                f"({', '.join(LARGE_IN_MODELS)})",
                "large_rotations",
            )
        return self

    @model_validator(mode="after")
    def _expansion(self) -> BodySpec:
        own = {"offset": self.offset, "thicknesses": self.thicknesses, "normals": self.normals}
        if not self.expanded:
            for key, value in own.items():
                if value:
                    raise problem("found one without expanded; expected it with expanded", key)
            return self
        if self.element not in EXPANDED:
            raise problem(
                f"found true for element {self.element}; expected one of {', '.join(EXPANDED)}, "
                "the solids that cells become",
                "expanded",
            )
        if (self.thickness is None and self.plies is None) == (self.section is None):
            found = "neither thickness nor section" if self.section is None else "both"
            raise problem(
                f"found {found}; expected a thickness for a shell, or a section for a beam",
                "thickness",
            )
        if self.section is not None:
            for key, value in own.items():
                if value:
                    raise problem("found one for a beam; expected it for a shell", key)
            if self.section.shape not in SOLID_SECTIONS:
                raise problem(
                    f"found {self.section.shape or 'properties'} with expanded; expected "
                    f"{', '.join(SOLID_SECTIONS)}",
                    "section",
                    "shape",
                )
            if self.section.is_hollow and self.element != HOLLOW_ELEMENT:
                raise problem(
                    f"found {self.section.shape} with element {self.element}; expected element "
                    f"{HOLLOW_ELEMENT}, with two points along each cell",
                    "section",
                    "shape",
                )
        return self

    @model_validator(mode="after")
    def _varying_section(self) -> BodySpec:
        if self.section is None or not self.section.varies or self.is_user_element:
            return self
        beams = self.element in TAPERED_BEAMS and self.plies is None
        if not beams or self.expanded:
            given = "plies" if beams or self.plies is not None else f"element {self.element}"
            raise problem(
                f"found one that varies with {'expanded' if self.expanded else given}; expected a "
                f"number, or one of the beams {', '.join(TAPERED_BEAMS)} of one material",
                "section",
                self.section.varying[0],
            )
        return self

    @model_validator(mode="after")
    def _section(self) -> BodySpec:
        if self.expanded:
            return self._material()
        if self.is_revolved and self.thickness is not None:
            raise problem("found one for a body of revolution; expected none", "thickness")
        is_rod = self.element in RODS or self.element in LARGE
        if is_rod and self.section is None:
            raise problem(f"missing; expected a table for element {self.element}", "section")
        if not (is_rod or self.is_user_element) and self.section is not None:
            raise problem(f"found one for element {self.element}; expected none", "section")
        if self.section is not None and (self.section.shape == "plies") != (self.plies is not None):
            found = "plies" if self.plies is not None else "none"
            raise problem(
                f'found {found} in the body; expected shape "plies" with plies, and another '
                "without",
                "section",
                "shape",
            )
        if self.section is not None and self.section.shape == "box":
            raise problem(
                "found a box without expanded; expected expanded = true, or its properties (area, "
                "inertia_y, ...)",
                "section",
                "shape",
            )
        if self.section is not None and any(self.section.offset):
            if self.element in LARGE:
                raise problem(
                    f"found one for element {self.element}, whose mass is on the line of its "
                    "nodes; expected none",
                    "section",
                    "offset",
                )
            if "beam" not in self.element and not self.is_user_element:
                raise problem(
                    f"found one for element {self.element}, whose nodes have no rotations; "
                    "expected none",
                    "section",
                    "offset",
                )
            if self.is_planar and self.section.offset[1]:
                raise problem("found a z component in the plane; expected 0", "section", "offset")
        flat = self.element in PLANAR_ELEMENTS and not self.is_revolved
        if (flat or self.element in SHELLS) and self.thickness is None and self.plies is None:
            raise problem(
                f"found none for {'the plane element' if flat else 'shell'} {self.element}; "
                f"expected a number above 0 (m){'' if flat else ', or plies'}",
                "thickness",
            )
        allowed = HYPOTHESES.get(self.element)
        if allowed and self.hypothesis not in allowed:
            raise problem(
                f'found "{self.hypothesis}" for element {self.element}; expected '
                + " or ".join(f'"{one}"' for one in allowed),
                "hypothesis",
            )
        what = "solid element" if self.element in SPATIAL_ELEMENTS else "element"
        without = {"hypothesis": (*SPATIAL_ELEMENTS, *RODS, *LARGE, *SHELLS),
                   "thickness": (*SPATIAL_ELEMENTS, *RODS, *LARGE)}  # fmt: skip
        for key, elements in without.items():
            if self.element in elements and getattr(self, key) is not None:
                raise problem(f"found one for {what} {self.element}; expected none", key)
        return self._material()

    @property
    def numbers(self) -> dict[str, float]:
        """The parameters that are the same everywhere."""
        found = self.parameters.items()
        return {name: one for name, one in found if not isinstance(one, str)}

    @property
    def fields(self) -> dict[str, str]:
        """The parameters that are formulas of the place."""
        return {name: one for name, one in self.parameters.items() if isinstance(one, str)}

    def _material(self) -> BodySpec:
        """Refuse a body without the law of a material, or with parameters beside one."""
        if self.has_own_law:
            return self
        if self.parameters:
            raise problem(
                f"found them with element {self.element}; expected them only with an energy or a "
                "user's element file",
                "parameters",
            )
        if self.material is None and self.plies is None:
            raise problem("missing; expected the name of a material of this file", "material")
        return self
