# SPDX-License-Identifier: BSD-3-Clause
"""Let the tests import what stands beside them; keep what they build out of the user's cache."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))


@pytest.fixture(scope="module", autouse=True)
def _own_cache():
    """Build into a folder of this checkout, where the next run finds it; others have the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLEXFORGE_CACHE", str(HERE.parents[1] / "build" / "tests" / "cache"))
        yield
