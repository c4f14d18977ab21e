# SPDX-License-Identifier: BSD-3-Clause
"""What can be computed of a system.

Reading order: ``rigid`` (motions that nothing holds), ``prestress`` (geometric stiffness of the
centrifugal stresses), ``static``, ``scheme`` and ``transient`` (time steps), ``modes``.
"""
