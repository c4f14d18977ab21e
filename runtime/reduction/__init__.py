# SPDX-License-Identifier: BSD-3-Clause
"""Model order reduction: unknowns as combinations of a few mode shapes, ``q = Phi z``.

Every matrix and vector of the moving frame is reduced by the same shapes (``native``), so that
nothing is left out: Coriolis, Euler and centrifugal terms, prestress, loads. Craig and Bampton,
"Coupling of substructures for dynamic analyses", AIAA Journal 6 (1968).
"""
