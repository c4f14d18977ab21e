# SPDX-License-Identifier: BSD-3-Clause
"""The text of C: from a program to the lines of its function.

Reading order: ``workspace`` (which temporaries share a place in memory), ``emit``.
"""
