# SPDX-License-Identifier: BSD-3-Clause
"""Scripts and data inside pages: the JavaScript of Plotly, and JSON."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from flexforge.codegen.errors import InputError


def plotly_script() -> str:
    """Return the JavaScript of Plotly, from its package, which is not imported."""
    found = find_spec("plotly")
    script = Path(found.origin or "").parent / "package_data" / "plotly.min.js" if found else None
    if script is None or not script.is_file():
        raise InputError("the report needs the library plotly, which is not installed")
    return script.read_text("utf-8")


@cache
def packed_plotly_script() -> str:
    """Return that JavaScript compressed, as base64 of gzip: 1.9 MB instead of 4.7."""
    return base64.b64encode(gzip.compress(plotly_script().encode(), mtime=0)).decode()


def safe_json(drawn: Mapping[str, Any]) -> str:
    """Return data as JSON that cannot end the element of the page that contains it."""
    return json.dumps(drawn, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
