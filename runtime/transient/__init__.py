# SPDX-License-Identifier: BSD-3-Clause
"""Motion in time.

First what runs: ``scheme`` and ``transient`` (implicit steps of the second-order equations),
``explicit`` with ``stability`` (its largest step), ``pair``, ``gauss``, ``stages`` and ``hamilton``
(the first-order equations) with the integral of ``jacobi``; with joints ``equations``,
``step_end``, ``residuals``, ``constrained`` and ``canonical``, in the coordinates of
``coordinates``. The systems of a step are solved in ``linear``.

Then one contract between models and steppers, and one loop, which takes the place of these
(docs/architecture.md; tests/contract runs it on small models): ``state`` (what a motion is at one
time, and its bytes), ``rotation`` and ``manifold`` (where positions live), ``space`` (products and
norms, the only place that knows of ranks), ``operator`` (matrices as a stepper sees them),
``model`` (the protocol of every model), ``unknowns`` and ``restrained`` (``q = T y + g(t)``),
``linear_solver``, ``newton`` (the equations of a step), ``steppers``, ``consistent`` (where a
motion starts), ``loop``.
"""
