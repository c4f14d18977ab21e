# SPDX-License-Identifier: BSD-3-Clause
"""Names of the kernels of a law of force."""

GAP, EFFORTS = "gap", "efforts"
