# SPDX-License-Identifier: BSD-3-Clause
"""Tables of values at nodes or points of cells: ``[[tables]]``."""

from __future__ import annotations

from typing import Literal

from flexforge.runtime.model.base import GroupName, Name, problem
from flexforge.runtime.model.schema_stepped import Stepped
from pydantic import Field, model_validator

#: Quantities at nodes, and at the points of cells where stresses are most accurate.
AT_NODES = (
    "displacement", "rotation", "velocity", "acceleration", "reaction_force", "reaction_moment",
    "nodal_force", "nodal_moment",
)  # fmt: skip
AT_POINTS = ("stress", "strain", "energy_density")
SECTION = "section_force"
#: Quantities of whole cells.
OF_CELLS = ("strain_energy", "kinetic_energy", "volume")


class TableSpec(Stepped):
    """``[[tables]]``: the values of a quantity at every node, or every cell, of a group."""

    group: GroupName = Field(
        description="the name of a group of the mesh; of cells for stresses, strains, energies and "
        "forces of sections"
    )
    quantity: Literal[
        "displacement",
        "rotation",
        "velocity",
        "acceleration",
        "reaction_force",
        "reaction_moment",
        "nodal_force",
        "nodal_moment",
        "stress",
        "strain",
        "energy_density",
        "strain_energy",
        "kinetic_energy",
        "volume",
        "section_force",
    ] = Field(description=f"one of {', '.join((*AT_NODES, *AT_POINTS, *OF_CELLS, SECTION))}")
    at: Literal["points", "nodes"] = Field(
        default="points",
        description='of section forces: "points", the stations of cells, or "nodes", their ends',
    )
    total: Literal["no", "also", "only"] = Field(
        default="no",
        description='the sum of forces, energies or volumes: "no", "also" or "only" that',
    )
    name: Name | None = Field(
        default=None,
        description="a name of letters, digits, spaces and _ . + - (by default quantity and group)",
    )

    @model_validator(mode="after")
    def _total_of_forces(self) -> TableSpec:
        forces = self.quantity.endswith(("_force", "_moment")) and self.quantity != SECTION
        if self.total != "no" and not (forces or self.quantity in OF_CELLS):
            raise problem(
                f"found with {self.quantity}; expected with forces at nodes, energies or volumes",
                "total",
            )
        if self.at != "points" and self.quantity != SECTION:
            raise problem(f"found with {self.quantity}; expected with section_force alone", "at")
        return self

    @property
    def title(self) -> str:
        """Its name, or one of its quantity and group, as names of files may be."""
        plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in self.group)[:40]
        return self.name or f"{self.quantity} {plain}"
