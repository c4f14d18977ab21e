# SPDX-License-Identifier: BSD-3-Clause
"""A model shared by several ranks (MPI): its parts, and what the first rank collects of them."""
