# SPDX-License-Identifier: BSD-3-Clause
"""Let the tests import what stands beside them; keep what they build out of the user's cache."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory):
    """Build into one folder a run, which its processes share."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLEXFORGE_CACHE", str(shared / "flexforge-cache"))
        yield
