# SPDX-License-Identifier: BSD-3-Clause
"""Equilibrium at rest and in a rotating frame, and its prestress.

Reading order: ``pencil`` (stiffness and mass of a system) with ``precise``, ``rigid`` and
``refined``, ``held`` (unrestrained motions), ``conditioned`` (mean axes), ``static``,
``prestress``, ``steady``.
"""
