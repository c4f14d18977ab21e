# SPDX-License-Identifier: BSD-3-Clause
"""Time integration methods; ``stepper`` defines their interface.

Of the bodies of a system: ``linear`` and ``hamilton``; small systems are stepped in C, see
``native``. ``paced`` lets them adapt, with ``lengths``, which keeps factors of several. Of any
model: ``implicit`` and ``gauss``. Generalized-alpha, Newmark and central differences are one
method, whose coefficients are a ``Scheme``. A stepper is a function of a state and the end of a
step; what it keeps (factors) is for speed.
"""
