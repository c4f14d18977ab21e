# SPDX-License-Identifier: BSD-3-Clause
"""Marks of tests: what is left to `make test-all`, and what `make sanitize` cannot show."""

import os

import pytest

_SANITIZED = "ASAN_OPTIONS" in os.environ
#: Of tests that compare the bits of kernels compiled here with those of the installation.
same_flags = pytest.mark.skipif(
    _SANITIZED, reason="kernels compiled with sanitizers have other bits than the standard ones"
)
#: Of tests that limit the addresses of a process.
limited_memory = pytest.mark.skipif(
    _SANITIZED, reason="the sanitizer takes more addresses than any limit"
)


def slow(*values: object):
    """Return values of the parameters of one test that takes long, or shows what others show."""
    return pytest.param(*values, marks=pytest.mark.slow)
