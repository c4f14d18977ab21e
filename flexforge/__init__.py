# SPDX-License-Identifier: BSD-3-Clause
"""flexforge: from analytical mechanics to native C."""

from flexforge.codegen.version import VERSION as __version__

__all__ = ["__version__"]
