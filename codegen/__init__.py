# SPDX-License-Identifier: BSD-3-Clause
"""The compiler: from the declaration of an element to the text of its kernels.

Reading order: ``elements`` (declarations), ``frames``, ``kinematics``, ``formalisms``,
``equations`` and ``derivation`` (SymPy), ``terms``, ``ir``, ``lowering`` and ``lower`` (numbers
take over from symbols), ``passes``, ``count``, ``workspace``, ``emit``, ``kernel`` (the driver
through all of them), ``verification`` (what every element must satisfy),
``joints`` (joints of mechanisms, from their equations to kernels), ``sources``, ``cache``,
``build`` and ``derived`` (files, shared objects, and what is kept of them), ``files``, ``folder``,
``manifest`` and ``generate`` (a folder for somebody else's program, and whose files it replaces),
``report`` with its ``report_terms``, ``report_kinematics``, ``report_field`` and ``report_steps``,
``latex`` and ``pages`` (a derivation for people).
``natural`` and ``comparison`` count what the formalisms cost, ``claims`` and ``audit`` hold the
papers against that. Nothing here knows meshes or analyses.
"""
