# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of tests that are left to `make test-all`."""

import pytest


def slow(*values: object):
    """Return values of the parameters of one test that takes long, or shows what others show."""
    return pytest.param(*values, marks=pytest.mark.slow)
