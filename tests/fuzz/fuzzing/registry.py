# SPDX-License-Identifier: BSD-3-Clause
"""All targets."""

from __future__ import annotations

from fuzzing import formulas, meshes, models, runs, stored

TARGETS = (
    *formulas.TARGETS,
    *meshes.TARGETS,
    *models.TARGETS,
    *stored.TARGETS,
    *runs.TARGETS,
)
