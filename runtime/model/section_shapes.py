# SPDX-License-Identifier: BSD-3-Clause
"""Properties of shapes of sections, of dimensions that are numbers or arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from flexforge.runtime.arrays import Floats
from numpy.typing import NDArray

#: Numbers of a section by name, or arrays of them.
Sizes: TypeAlias = Mapping[str, float | Floats]
#: Properties that may be given instead of following from a shape.
GIVEN = ("area", "inertia_y", "inertia_z", "torsion", "shear_y", "shear_z")


def properties_of(shape: str, sizes: Sizes, poisson: float) -> dict[str, float | Floats]:
    """Return area, moments and factors of a shape; arrays for arrays.

    Parameters
    ----------
    shape : str
        One of ``round``, ``tube``, ``rectangle``, ``ellipse`` and ``I``.
    sizes : mapping
        Its dimensions, m.
    poisson : float
        Poisson's ratio, on which the shear factors depend (Cowper, Journal of Applied Mechanics 33,
        1966).

    Examples
    --------
    >>> properties_of("rectangle", {"width": 0.2, "height": 0.3}, 0.0)["area"]
    0.06
    """
    shapes = {"round": _round, "tube": _tube, "rectangle": _rectangle, "ellipse": _ellipse,
              "I": _double_tee}  # fmt: skip
    return shapes[shape](sizes, poisson)


def faults(
    shape: str | None, sizes: Sizes, walls: Sequence[float] | None = None
) -> list[tuple[str, str, NDArray[np.bool_]]]:
    """Return what dimensions make no section: key, what was found, and where, as an array of bool.

    Parameters
    ----------
    shape : str, optional
        Its shape.
    sizes : mapping
        Its dimensions, numbers or arrays.
    walls : sequence of float, optional
        Thicknesses of a box on its four sides, m.
    """
    found: list[tuple[str, str, Any]] = []
    if shape == "tube":
        text = "found a wall thickness of half the diameter or more; expected less"
        found.append(("wall", text, 2 * sizes["wall"] >= sizes["diameter"]))
    if walls is not None:
        across = walls[0] + walls[2], walls[1] + walls[3]
        wrong = (across[0] >= sizes["width"]) | (across[1] >= sizes["height"])
        found.append(("walls", "found walls that overlap; expected thinner ones", wrong))
    if shape == "I":
        text = "found flanges or a web that overlap; expected thinner ones"
        wrong = (2 * sizes["flange"] >= sizes["height"]) | (sizes["web"] >= sizes["width"])
        found.append(("", text, wrong))
    return [(key, text, np.asarray(wrong)) for key, text, wrong in found if np.any(wrong)]


def _round(sizes: Sizes, poisson: float) -> dict[str, float | Floats]:
    radius = sizes["diameter"] / 2
    moment = math.pi * radius**4 / 4
    factor = 6 * (1 + poisson) / (7 + 6 * poisson)
    return _figures(math.pi * radius**2, moment, moment, 2 * moment, factor, factor)


def _tube(sizes: Sizes, poisson: float) -> dict[str, float | Floats]:
    outer = sizes["diameter"] / 2
    inner = outer - sizes["wall"]
    moment = math.pi * (outer**4 - inner**4) / 4
    m = (inner / outer) ** 2
    whole = (1 + m) ** 2
    factor = 6 * (1 + poisson) * whole / ((7 + 6 * poisson) * whole + (20 + 12 * poisson) * m)
    area = math.pi * (outer**2 - inner**2)
    return _figures(area, moment, moment, 2 * moment, factor, factor)


def _rectangle(sizes: Sizes, poisson: float) -> dict[str, float | Floats]:
    b, h = sizes["width"], sizes["height"]
    factor = 10 * (1 + poisson) / (12 + 11 * poisson)
    torsion = _torsion_of_rectangle(np.maximum(b, h), np.minimum(b, h))
    return _figures(b * h, b * h**3 / 12, h * b**3 / 12, torsion, factor, factor)


def _ellipse(sizes: Sizes, poisson: float) -> dict[str, float | Floats]:
    a, b = sizes["width"] / 2, sizes["height"] / 2
    area = math.pi * a * b
    torsion = math.pi * a**3 * b**3 / (a**2 + b**2)
    factors = [_shear_of_ellipse((one / other) ** 2, poisson) for one, other in ((a, b), (b, a))]
    return _figures(area, area * b**2 / 4, area * a**2 / 4, torsion, *factors)


def _shear_of_ellipse(square: float | Floats, poisson: float) -> float | Floats:
    """Return the factor along an axis, by the square of its ratio to the other axis."""
    above = 12 * (1 + poisson) * square * (3 * square + 1)
    below = (40 + 37 * poisson) * square**2 + (16 + 10 * poisson) * square + poisson
    return above / below


def _torsion_of_rectangle(long: float | Floats, short: float | Floats) -> float | Floats:
    """Return J by Saint-Venant's series (Timoshenko and Goodier, Theory of Elasticity, 109)."""
    series = sum(np.tanh(n * math.pi * long / (2 * short)) / n**5 for n in range(1, 40, 2))
    return long * short**3 * (1 - 192 / math.pi**5 * short / long * series) / 3


def _double_tee(sizes: Sizes, poisson: float) -> dict[str, float | Floats]:
    """Return the properties of an I: web along z, flanges along y; thin walls in shear, torsion."""
    b, h, f, w = (sizes[name] for name in ("width", "height", "flange", "web"))
    inner = h - 2 * f
    area = 2 * b * f + inner * w
    torsion = (2 * b * f**3 + (h - f) * w**3) / 3
    inertia_y = (b * h**3 - (b - w) * inner**3) / 12
    inertia_z = (2 * f * b**3 + inner * w**3) / 12
    # The web carries the shear along z, five sixths of the flanges that along y.
    return _figures(area, inertia_y, inertia_z, torsion, 5 / 6 * 2 * b * f / area, inner * w / area)


def _figures(*values: float | Floats) -> dict[str, float | Floats]:
    """Return the properties by name, in the order of :data:`GIVEN`."""
    return dict(zip(GIVEN, values, strict=True))
