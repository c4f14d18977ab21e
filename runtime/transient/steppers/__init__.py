# SPDX-License-Identifier: BSD-3-Clause
"""Methods of integration, by what ``stepper`` asks of them.

Of the bodies of a system: ``linear`` (generalized-alpha), ``central_differences`` and ``hamilton``;
small systems are stepped in C, see ``native``. Of any model: ``implicit`` (generalized-alpha),
``explicit`` and ``gauss``. A stepper is a function of a state and the end of a step; what it keeps
(factors) is for speed.
"""
