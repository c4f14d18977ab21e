# SPDX-License-Identifier: BSD-3-Clause
"""Equations between displacements that are not linear: nodes that follow points that turn."""

from __future__ import annotations
