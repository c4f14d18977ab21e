# SPDX-License-Identifier: BSD-3-Clause
"""Free vibrations: frequencies, shapes, Campbell diagrams and critical speeds.

Reading order: ``modes``, ``undamped``, ``conditioned`` and ``quadratic`` (the eigenvalue problems)
with ``krylov``, ``gyroscopic`` and ``massless``, ``steady_speeds`` (the same frames at other
speeds), ``campbell`` with ``tracking``, ``branches``, ``whirl`` and ``crossings``, ``critical``.
"""
