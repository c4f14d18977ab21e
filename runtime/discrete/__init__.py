# SPDX-License-Identifier: BSD-3-Clause
"""Discrete systems in motion: their kernels in memory, and runs.

The equations come from ``flexforge.codegen.systems``. Read ``compiled``, ``starts``, ``course``
(integration in time), then ``run``.
"""
