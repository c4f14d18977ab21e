# SPDX-License-Identifier: BSD-3-Clause
"""Stiffness, density and thickness of materials and sections.

Reading order: ``values`` (materials of the model file), ``laminate`` (plies), ``beam_sections`` and
``shell_sections``.
"""
