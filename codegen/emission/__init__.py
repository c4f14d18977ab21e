# SPDX-License-Identifier: BSD-3-Clause
"""Emission of C: from a program to the lines of its function.

Reading order: ``workspace`` (memory of lanes and local arrays), ``emit``.
"""
