# SPDX-License-Identifier: BSD-3-Clause
"""The coordinates in which constrained systems take a step: multipliers, or independent speeds."""
