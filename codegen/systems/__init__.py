# SPDX-License-Identifier: BSD-3-Clause
"""Discrete systems: bodies, points and forces in a few coordinates, by the same formalisms.

Read ``declaration`` (what a system consists of), ``reading`` (TOML), ``kinematics`` (what a
formalism asks for), ``derivation``, then ``lower`` (its kernels).
"""
