# SPDX-License-Identifier: BSD-3-Clause
"""Derivations of discrete systems looked at: report, document, ledgers."""
