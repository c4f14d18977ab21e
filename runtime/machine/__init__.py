# SPDX-License-Identifier: BSD-3-Clause
"""The machine: memory, threads, child processes, time by phase."""
