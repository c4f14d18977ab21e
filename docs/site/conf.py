# SPDX-License-Identifier: BSD-3-Clause
"""Settings of Sphinx for the documentation site, which ``make docs`` builds in build/site.

The source folder is the root of the checkout, so that pages link to each other, to examples and to
pictures by the paths that they have there.
"""

import logging
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from flexforge import __version__

project = "flexforge"
author = "the flexforge authors"
copyright = author
version = release = __version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "command_reference",
    "mathml",
    "model_reference",
]
root_doc = "docs/index"
include_patterns = [
    "docs/**",
    "examples/**/README.md",
    "examples/notebooks/*.ipynb",
    "benchmarks/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
]
exclude_patterns = ["docs/site/**"]

# Markdown as GitHub reads it: fences of formulas, anchors of headings.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 4
# The site shows what the notebooks print now: a failing cell is an error.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_merge_streams = True
logging.getLogger("traitlets").setLevel(logging.WARNING)
nb_render_markdown_format = "myst"  # declarations of elements have formulas

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings have types, with shapes and units
napoleon_google_docstring = False
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"flexforge {version}"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["flexforge.css"]
html_extra_path = ["root"]
html_copy_source = False
html_show_sphinx = False
copybutton_prompt_text = "$ "
