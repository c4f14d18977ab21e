# SPDX-License-Identifier: BSD-3-Clause
"""Hyperelastic laws by name, as text: a model file can be checked without SymPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class NamedLaw:
    """A law.

    Attributes
    ----------
    formula : str
        Energy per undeformed volume.
    units : mapping
        Its parameters with their units.
    """

    formula: str
    units: Mapping[str, str]


#: Laws that every solid may have, with their usual constants.
LAWS: Mapping[str, NamedLaw] = MappingProxyType({
    "st_venant_kirchhoff": NamedLaw("lame/2*trE^2 + mu*trE2", {"lame": "Pa", "mu": "Pa"}),
    "neo_hookean": NamedLaw(
        "mu/2*(I1 - 3) - mu*log(J) + lame/2*log(J)^2", {"lame": "Pa", "mu": "Pa"}
    ),
    "neo_hookean_isochoric": NamedLaw(
        "mu/2*(I1_bar - 3) + kappa/2*(J - 1)^2", {"mu": "Pa", "kappa": "Pa"}
    ),
    "mooney_rivlin": NamedLaw(
        "c10*(I1_bar - 3) + c01*(I2_bar - 3) + kappa/2*(J - 1)^2",
        {"c10": "Pa", "c01": "Pa", "kappa": "Pa"},
    ),
    "gent": NamedLaw(
        "-mu*limit/2*log(1 - (I1_bar - 3)/limit) + kappa/2*((J^2 - 1)/2 - log(J))",
        {"mu": "Pa", "limit": "1", "kappa": "Pa"},
    ),
    "holzapfel_gasser_ogden": NamedLaw(
        "mu/2*(I1_bar - 3) + kappa/2*(J - 1)^2"
        + "".join(
            f" + k1/(2*k2)*(exp(k2*positive(dispersion*(I1_bar - 3) + (1 - 3*dispersion)*(I{n}_bar "
            "- 1))^2) - 1)"
            for n in (4, 6)
        ),
        {"mu": "Pa", "k1": "Pa", "k2": "1", "dispersion": "1", "kappa": "Pa",
         **{f"fibre{n}_{axis}": "1" for n in (1, 2) for axis in "xyz"}},
    ),
    "ogden": NamedLaw(
        " + ".join(
            f"mu{n}/alpha{n}*({' + '.join(f'stretch{k}_bar^alpha{n}' for k in (1, 2, 3))} - 3)"
            for n in (1, 2, 3)
        )
        + " + kappa/2*(J - 1)^2",
        {"mu1": "Pa", "alpha1": "1", "mu2": "Pa", "alpha2": "1", "mu3": "Pa", "alpha3": "1",
         "kappa": "Pa"},
    ),
})  # fmt: skip
