# SPDX-License-Identifier: BSD-3-Clause
"""Mechanisms: rigid links, joints between them, and drivers given as functions of time.

Read in this order: ``joints`` (a joint with its compiled equations), ``build`` (from the model file
to joints and equations), ``assemble`` (from a rough guess to closed joints), ``diagnose`` (what is
redundant, missing or locked, by name) with ``freer_joints``, ``mechanism`` (positions, velocities
and accelerations at any time), ``motion`` (a link as the frame of a body), ``probes`` (points of
links, coordinates of joints).
"""
