# SPDX-License-Identifier: BSD-3-Clause
"""Draw errors.png: a cone as tapered elements and as cylinders, beside closed forms."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import flexforge as ff
import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import iv, jv, kv, yv

LENGTH, WIDE, NARROW = 1.0, 0.001, 0.0004
YOUNG, POISSON, DENSITY = 2.1e11, 0.3, 7800.0
TAPERED, CYLINDERS = (1, 2, 3, 4, 6, 8), (2, 4, 8, 16, 32)


def diameter(x: float) -> float:
    """Return the diameter at a distance from the clamp, m."""
    return WIDE - (WIDE - NARROW) * x / LENGTH


def deflection() -> float:
    """Return the deflection of the tip under 1 N: of bending and of shear (Cowper's factor)."""
    rigidity = YOUNG / (2 * (1 + POISSON))
    factor = 6 * (1 + POISSON) / (7 + 6 * POISSON)

    def density(x: float) -> float:
        bending = (LENGTH - x) ** 2 / (YOUNG * np.pi / 64 * diameter(x) ** 4)
        return float(bending + 1 / (factor * rigidity * np.pi / 4 * diameter(x) ** 2))

    return float(quad(density, 0.0, LENGTH, epsabs=0.0, epsrel=1e-13)[0])


def frequency() -> float:
    """Return the first frequency of the cone as a thin beam, Hz, by Bessel functions.

    With x from the apex the deflection is (J_2, Y_2, I_2, K_2)(2 sqrt(k x)) / x, k^2 = 16 w^2 rho /
    (E t^2), t the diameter per length (Kirchhoff 1879; Cranch and Adler 1956).
    """
    slope = (WIDE - NARROW) / LENGTH
    places = NARROW / slope, WIDE / slope

    def determinant(k: float) -> float:
        tip, root = (2 * np.sqrt(k * x) for x in places)
        rows = [
            [jv(4, tip), yv(4, tip), iv(4, tip), kv(4, tip)],  # no moment: the second derivative
            [jv(3, tip), yv(3, tip), iv(3, tip), -kv(3, tip)],  # nor shear force
            [jv(2, root), yv(2, root), iv(2, root), kv(2, root)],
            [-jv(3, root), -yv(3, root), iv(3, root), -kv(3, root)],
        ]
        return float(np.linalg.det(rows))

    grid = np.linspace(0.5, 20.0, 400)
    values = [determinant(k) for k in grid]
    first = next(i for i in range(len(grid) - 1) if values[i] * values[i + 1] < 0)
    k = brentq(determinant, grid[first], grid[first + 1], xtol=1e-14)
    return float(k * slope / 4 * np.sqrt(YOUNG / DENSITY) / (2 * np.pi))


def found(count: int, *, cylinders: bool = False) -> tuple[float, float]:
    """Return deflection and frequency of a model with some elements."""
    places = np.linspace(0.0, LENGTH, count + 1)
    cells = np.column_stack([np.arange(count), np.arange(1, count + 1)])
    groups: dict[str, Any] = {"root": [0], "tip": [count]}
    groups |= {f"cell{i}": {"line2": np.arange(count) == i} for i in range(count)}
    section: Any = f"{WIDE} - {(WIDE - NARROW) / LENGTH}*x"
    if cylinders:
        section = {f"cell{i}": diameter((i + 0.5) / count * LENGTH) for i in range(count)}
    model: dict[str, Any] = {
        "mesh": ff.mesh_from_arrays(np.outer(places, [1, 0, 0]), {"line2": cells}, groups=groups),
        "materials": {"steel": {"young": YOUNG, "poisson": POISSON, "density": DENSITY}},
        "bodies": [
            {"name": "cone", "element": "timoshenko_beam", "material": "steel",
             "section": {"shape": "round", "diameter": section}}
        ],
        "supports": [{"group": "root"}],
    }  # fmt: skip
    force = {"kind": "force", "group": "tip", "total": [0.0, 1.0, 0.0]}
    probe = {"name": "tip", "group": "tip", "component": "y"}
    static = {"analysis": {"kind": "static"}, "loads": [force], "probes": [probe]}
    modes = {"analysis": {"kind": "modes", "count": 1}}
    bent = ff.load_model(model | static).run(output=None).probes["tip"].values[-1]
    return float(bent), ff.load_model(model | modes).run(output=None).figures["mode 1"][0]


def main() -> None:
    """Draw both pictures, and print the errors."""
    warnings.simplefilter("ignore")
    exact = deflection(), frequency()
    figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.8), layout="constrained", sharey=True)
    for counts, cylinders, name in (
        (TAPERED, False, "tapered elements"),
        (CYLINDERS, True, "cylinders"),
    ):
        each = np.array([found(count, cylinders=cylinders) for count in counts])
        errors = np.abs(each / exact - 1.0)
        print(name)
        for count, row in zip(counts, errors, strict=True):
            print(f"  {count:2d}: deflection {row[0]:.1e}, frequency {row[1]:.1e}")
        for axis, column in zip(axes, errors.T, strict=True):
            axis.loglog(counts, column, "o-", label=name)
    for axis, title in zip(axes, ("deflection of the tip", "first frequency"), strict=True):
        axis.set(xlabel="elements", title=title)
        axis.set_xticks([1, 2, 4, 8, 16, 32], ["1", "2", "4", "8", "16", "32"], minor=False)
        axis.minorticks_off()
        axis.grid(visible=True, alpha=0.3)
    axes[0].set_ylabel("error, relative")
    axes[0].legend()
    figure.savefig(Path(__file__).parent / "errors.png", dpi=110)


if __name__ == "__main__":
    main()
