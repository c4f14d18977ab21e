# SPDX-License-Identifier: BSD-3-Clause
"""The linear systems of a step: matrices, their factors and refactorization.

Reading order: ``mass``, ``step_matrix``, ``tracked_product``, ``factors``; for joints
``directions``, ``carried_inertia``, ``joint_schur``, ``joint_schur_matrix``, ``masses`` and
``projected``.
"""
