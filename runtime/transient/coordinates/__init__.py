# SPDX-License-Identifier: BSD-3-Clause
"""Coordinates of a linear step: all, all with multipliers, or the independent ones."""
