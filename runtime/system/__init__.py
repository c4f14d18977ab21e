# SPDX-License-Identifier: BSD-3-Clause
"""The bodies of a model as one system: numbers, matrices by body, supports, loads.

Reading order: ``numbering``, ``inertia`` (blocks that follow the frame), ``body`` with
``field_body`` and ``lumped_body``, ``system`` (all of them as operators), ``frames`` (motions over
many times), ``shapes``, ``elements``, ``bodies``, ``lumps`` and ``construct`` (from the model file
to these), ``name_table`` (names of the model file), ``supports``, ``loads``, ``pressures``,
``machines`` (spins that a torque decides), ``initial``, ``stresses``, ``deformation``, ``corners``
(for multigrid); ``plausible``, ``strips``, ``own_energies`` and ``digits`` doubt what was built.
"""
