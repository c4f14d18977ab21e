# SPDX-License-Identifier: BSD-3-Clause
"""Checks that every element must pass, run on any declaration: docs/physics.md section 4."""

from flexforge.codegen.study.verification.findings import Finding
from flexforge.codegen.study.verification.run import quadrature_notes, verify

__all__ = ["Finding", "quadrature_notes", "verify"]
