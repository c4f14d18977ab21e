# SPDX-License-Identifier: BSD-3-Clause
"""Equilibrium: at rest, in a turning frame, and the stress that it leaves.

Reading order: ``pencil`` (stiffness and mass of a system) with ``precise``, ``rigid`` and
``refined``, ``held`` (what nothing holds), ``static``, ``prestress``, ``steady``.
"""
