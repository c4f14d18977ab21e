# SPDX-License-Identifier: BSD-3-Clause
"""Small models on which the contract of ``flexforge.runtime.transient`` is tried."""
