# SPDX-License-Identifier: BSD-3-Clause
"""Forces between two links by how they move relative to each other: declared, then compiled.

Read ``declaration`` (what a law is), ``contacts`` (laws of a shape, a normal law and friction),
``switching`` (laws that change at events), ``formulas`` (text to SymPy), then ``lower`` (forces
and their derivatives as kernels).
"""
