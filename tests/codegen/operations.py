# SPDX-License-Identifier: BSD-3-Clause
"""The committed table of operation counts; ``python tests/codegen/operations.py`` writes it anew.

One number a kernel: additions, products, quotients and roots an element. A change of the table is a
change of the compiler and belongs into the message of the commit that makes it.
"""

from __future__ import annotations

import json
from pathlib import Path

from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.library import FACETS, facet, standard_elements
from flexforge.codegen.elements.terms import terms_of

TABLE = Path(__file__).with_name("operations.json")


def counted() -> dict[str, dict[str, int]]:
    """Return the operations of every term of every standard element and facet."""
    subjects = {e.name: e for e in standard_elements()}
    for size, cells in FACETS.items():
        subjects |= {f"{facet(c, size).name}_{size}d": facet(c, size) for c in cells}
    return {
        name: {t: compile_kernel(subject, t).count.operations for t in terms_of(subject)}
        for name, subject in subjects.items()
    }


if __name__ == "__main__":
    TABLE.write_text(json.dumps(counted(), indent=1) + "\n")
