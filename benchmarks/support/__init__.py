# SPDX-License-Identifier: BSD-3-Clause
"""What benchmarks share: contestants in processes of their own, machine limits, reports."""
