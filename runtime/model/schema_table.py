# SPDX-License-Identifier: BSD-3-Clause
"""Tables of values at nodes or points of cells: ``[[tables]]``."""

from __future__ import annotations

from typing import Literal

from flexforge.runtime.model.base import GroupName, Name, problem
from flexforge.runtime.model.schema_stepped import Stepped
from pydantic import Field, model_validator

#: Quantities at nodes, and at the points of cells where stresses are most accurate.
AT_NODES = ("displacement", "velocity", "acceleration", "reaction_force", "nodal_force")
AT_POINTS = ("stress", "strain", "energy_density")
#: Quantities of whole cells.
OF_CELLS = ("strain_energy", "kinetic_energy", "volume")


class TableSpec(Stepped):
    """``[[tables]]``: the values of a quantity at every node, or every cell, of a group."""

    group: GroupName = Field(
        description="the name of a group of the mesh; of cells for stresses, strains and energies"
    )
    quantity: Literal[
        "displacement",
        "velocity",
        "acceleration",
        "reaction_force",
        "nodal_force",
        "stress",
        "strain",
        "energy_density",
        "strain_energy",
        "kinetic_energy",
        "volume",
    ] = Field(description=f"one of {', '.join((*AT_NODES, *AT_POINTS, *OF_CELLS))}")
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
        if self.total != "no" and not self.quantity.endswith(("_force", *OF_CELLS)):
            raise problem(
                f"found with {self.quantity}; expected with forces, energies or volumes alone",
                "total",
            )
        return self

    @property
    def title(self) -> str:
        """Its name, or one of its quantity and group, as names of files may be."""
        plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in self.group)[:40]
        return self.name or f"{self.quantity} {plain}"
