# SPDX-License-Identifier: BSD-3-Clause
"""Time integration: one loop, steppers, models (docs/architecture.md).

``state`` (what a motion is at one time, and its bytes), ``loop`` (the one loop), ``steppers``
(methods of integration) and ``motion`` (what looks at a run sees) are for all. Bodies of a system
are linear at every time: ``scheme``, ``equations``, ``system_model`` and ``step_end`` say what a
step knows at its end, ``coordinates`` what it is solved in, ``linear`` how. ``machine_model``,
``machine_energy`` and ``machine_motion`` have angles of spins as unknowns. ``tied_motion`` and
``residuals`` are for bodies with joints; ``pair``, ``gauss``, ``stages``, ``jacobi`` and
``hamilton`` for Hamilton's pair; ``stability`` finds the largest step.

Any other model, nonlinear ones too, has the protocol of ``model``: ``rotation`` and ``manifold``
(where positions live), ``space`` (products and norms, the only place that knows of ranks),
``operator`` and ``linear_form`` (matrices as a stepper sees them), ``unknowns`` and ``restrained``
(``q = T y + g(t)``), ``linear_solver``, ``newton`` (the equations of a step) and ``consistent``
(where a motion starts). tests/contract runs it on small models.
"""
