# SPDX-License-Identifier: BSD-3-Clause
"""What can be computed of a system.

Reading order: ``rigid`` (motions that nothing holds), ``prestress`` (geometric stiffness of the
centrifugal stresses), ``static``. Then vibrations: ``steady`` (the states they are about),
``modes``, the eigenvalues of ``quadratic`` on the space of ``krylov`` and in the pairs of
``gyroscopic``; over the speed (``speeds``, ``branches``) in ``campbell``, followed by ``tracking``
and ``whirl``, judged in ``critical``. Then time steps, which ``start`` chooses among: what they
share is in ``balance`` (the equations), ``mass``, ``stepmatrix``, ``factors`` and ``followed``
(their solution);
``scheme`` and ``transient`` take the second-order equations, ``pair``, ``gauss``, ``stages`` and
``hamilton`` the first-order ones, with the integral of ``jacobi``.
"""
