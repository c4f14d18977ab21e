# SPDX-License-Identifier: BSD-3-Clause
"""What the compiler writes: kernels, derivations, the audit of the papers and their claims."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from frozen.asking import ask, clean, told

Items = Iterator[tuple[str, Callable[[], Any]]]

#: One element of each kind; the exact counts of all of them are tests of their own.
_ELEMENTS = (
    "tri3_plane_stress",
    "quad4_axisymmetric",
    "tet10",
    "hex8i",
    "bar2",
    "euler_beam",
    "dkt3",
    "mitc4",
    "rigid_inertia",
    "bushing",
)
_FORMALISMS = ("lagrange", "gibbs_appell", "hamilton", "maggi", "kane", "virtual_power")


def kernels() -> Items:
    """Yield the list of elements, the C of one of each kind, and of one by every formalism."""
    yield "elements", lambda: (told("elements"), {}, {})
    for element in _ELEMENTS:
        yield element, partial(_generated, element)
    for formalism in _FORMALISMS:
        yield f"tri3-{formalism}", partial(_generated, "tri3", "--formalism", formalism)


def _generated(element: str, *arguments: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "kernels"
        found = told(
            "generate", element, "-o", str(place), "--lanes", "1,8", "--terms", "all", *arguments
        )
        files = [path for path in place.rglob("*") if path.suffix in (".c", ".h", ".pyx", ".md")]
        texts = {str(path.relative_to(place)): clean(path.read_text()) for path in files}
    assert texts
    found = {key: value for key, value in found.items() if key != "files"}
    return _without(found, folder), texts, {}


def _without(value: Any, folder: str) -> Any:
    if isinstance(value, dict):
        return {key: _without(item, folder) for key, item in value.items()}
    if isinstance(value, list):
        return [_without(item, folder) for item in value]
    return value.replace(folder, "FOLDER") if isinstance(value, str) else value


def derivations() -> Items:
    """Yield what derivations print."""
    for element in ("tri3_plane_stress", "hex8", "bar2"):
        yield element, lambda e=element: (told("derive", e, "--formalism", "all"), {}, {})
    yield "latex", lambda: (0, {"derivation.tex": ask("derive", "tet4", "--latex").stdout}, {})


def audit() -> Items:
    """Yield the verdicts on the equations of the papers."""
    yield "all", lambda: (told("audit"), {}, {})


def claims() -> Items:
    """Yield the verdicts on the claims of the papers."""
    yield "all", lambda: (told("claims"), {}, {})
