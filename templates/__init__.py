# SPDX-License-Identifier: BSD-3-Clause
"""Templates of the generated files: they loop and fill in, and decide nothing.

``kernel.c.jinja`` (the kernels of one element), ``kernels.h.jinja`` (their prototypes),
``kernels.hpp.jinja`` (functions of C++ around them),
``table.c.jinja`` (the table of a library), ``kernels.pyx.jinja`` (callable on NumPy arrays),
``README.md.jinja`` (the ABI for people), ``derivation.tex.jinja`` (a derivation as a document),
``formalism.md.jinja`` and ``formalisms.md.jinja`` (the pages of docs/formalisms),
``element.md.jinja`` and ``elements.md.jinja`` (those of docs/elements), ``export`` (solvers of
models), ``model`` (a model file to begin with), ``foreign`` (kernels behind the interfaces of other
programs), ``system`` (kernels of discrete systems), ``report`` (results as a page), ``notebook``
(tables and views in notebooks).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2


@cache
def environment() -> jinja2.Environment:
    """Return the one environment: undefined names are errors, blocks leave no blank lines."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=lambda name: name is not None and name.endswith(".html.jinja"),
    )


def render(name: str, /, **content: object) -> str:
    """Return a template filled in."""
    return environment().get_template(name).render(**content)
