# SPDX-License-Identifier: BSD-3-Clause
"""The committed counts of all formalisms; ``python tests/codegen/comparison.py`` writes them anew.

A change of the table is a change of the derivations or of the compiler and belongs into the message
of the commit that makes it.
"""

from __future__ import annotations

import json
from pathlib import Path

from flexforge.codegen.elements.library import standard_elements
from flexforge.codegen.study.comparison import compare_formalisms

TABLE = Path(__file__).with_name("comparison.json")

if __name__ == "__main__":
    found = {e.name: compare_formalisms(e).as_dict() for e in standard_elements()}
    TABLE.write_text(json.dumps(found, indent=1) + "\n")
