# SPDX-License-Identifier: BSD-3-Clause
"""Equilibria of bodies with an energy: large displacements and strains.

``statics.balance`` has their equations as functions of displacements and of the load factor,
``newton`` solves it at a given factor, ``load_steps`` and ``arc_length`` follow it.
"""
