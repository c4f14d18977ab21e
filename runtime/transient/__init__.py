# SPDX-License-Identifier: BSD-3-Clause
"""Motion in time: one contract between models and steppers, and one loop (docs/architecture.md).

Read in this order: `state` (what a motion is at one time, and its bytes), `rotation` and `manifold`
(where positions live), `space` (products and norms, the only place that knows of ranks), `operator`
(matrices as a stepper sees them), `model` (the protocol every model satisfies), `unknowns` and
`restrained` (``q = T y + g(t)``), `linear` (solvers), `newton` (the equations of a step),
`steppers`, `consistent` (where a motion starts), `loop`.
"""
