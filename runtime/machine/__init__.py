# SPDX-License-Identifier: BSD-3-Clause
"""What the machine has and does: memory, threads, child processes, time by phase."""
