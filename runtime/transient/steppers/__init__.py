# SPDX-License-Identifier: BSD-3-Clause
"""Methods of integration: generalized-alpha (`implicit`), central differences, Gauss.

A stepper is a pure function of a state and the end of a step; what it keeps (factors) can be made
again from the state's history.
"""
