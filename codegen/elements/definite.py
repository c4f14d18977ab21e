# SPDX-License-Identifier: BSD-3-Clause
"""Whether a law costs energy for every strain: the eigenvalues of its matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import sympy
from flexforge.codegen.elements.declaration import Element

if TYPE_CHECKING:
    from flexforge.codegen.elements.field import AnyElement, FieldElement
    from numpy.typing import NDArray

#: Smallest eigenvalue of a definite law, relative to its largest.
_NONE = 1e-10


@dataclass(frozen=True, slots=True)
class LawEnergies:
    """The law of an element for values of its parameters.

    Attributes
    ----------
    least, most : float
        Smallest and largest eigenvalue.
    values : mapping
        The parameters of the law.
    """

    least: float
    most: float
    values: Mapping[str, float]

    @property
    def definite(self) -> bool:
        """Whether every strain stores energy."""
        return self.least > _NONE * self.most

    @property
    def text(self) -> str:
        """The eigenvalues and the values of the parameters.

        Examples
        --------
        >>> LawEnergies(-1.0, 2.5, {"E": 1.5}).text
        'eigenvalues -1 to 2.5 with E = 1.5'
        """
        given = ", ".join(f"{name} = {value:.6g}" for name, value in self.values.items())
        return f"eigenvalues {self.least:.2g} to {self.most:.2g} with {given}"


def law_of(element: AnyElement) -> sympy.Matrix | None:
    """Return the law of a solid or plane element as a function of its parameters.

    None for other elements, whose strains have several units, and for selective integration, where
    a part of the law acts on the mean strain of the element.

    Parameters
    ----------
    element : Element or FieldElement
        Its declaration.

    Examples
    --------
    >>> from flexforge.codegen.elements.library import element
    >>> law_of(element("quad4"))[2, 2]
    young/(2*poisson + 2)
    """
    law = element.constitutive
    if not isinstance(element, Element) or element.strain == "selective":
        return None
    found = law.matrix
    for symbol, value in reversed(law.definitions):
        found = found.subs(symbol, value)
    return found


def section_law_of(element: FieldElement) -> sympy.Matrix | None:
    """Return the law of a beam or shell as a function of its parameters.

    None where it depends on the geometry of the element.

    Parameters
    ----------
    element : FieldElement
        Its declaration.

    Examples
    --------
    >>> from flexforge.codegen.elements.catalogue import find
    >>> section_law_of(find("bar2"))
    Matrix([[young]])
    """
    found = element.constitutive.matrix
    for symbol, value in reversed((*element.definitions, *element.constitutive.definitions)):
        found = found.subs(symbol, value)
    known = {*element.parameters, *element.constitutive.parameters}
    return found if {str(symbol) for symbol in found.free_symbols} <= known else None


def law_energies(
    law: sympy.Matrix, values: Mapping[str, float], *, scaled: bool = False
) -> LawEnergies:
    """Return the eigenvalues of a law for values of its parameters.

    Parameters
    ----------
    law : sympy.Matrix
        From :func:`law_of`.
    values : mapping
        The parameters of the law by name; others are left out of the result.
    scaled : bool
        Whether the strains have several units: rows and columns are divided by the roots of the
        magnitudes on the diagonal, which leaves the signs of the eigenvalues.

    Examples
    --------
    >>> from flexforge.codegen.elements.library import element
    >>> found = law_energies(law_of(element("quad4")), {"young": 1.0, "poisson": 0.6})
    >>> found.definite, law_energies(law_of(element("tet4")), found.values).definite
    (True, False)
    """
    symbols = {str(symbol): symbol for symbol in law.free_symbols}
    own = {name: value for name, value in values.items() if name in symbols}
    numbers = law.subs({symbols[name]: value for name, value in own.items()})
    try:
        matrix: NDArray[np.float64] = np.array(numbers.tolist(), dtype=float)
        if scaled:
            size = np.sqrt(np.abs(matrix.diagonal()))
            size[size == 0.0] = 1.0
            matrix = matrix / np.outer(size, size)
        energies = np.linalg.eigvalsh(matrix)
    except (TypeError, np.linalg.LinAlgError):  # the law divides by zero: zoo, or NaN
        return LawEnergies(float("nan"), float("nan"), own)
    return LawEnergies(float(energies[0]), float(energies[-1]), own)
