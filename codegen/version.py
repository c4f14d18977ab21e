# SPDX-License-Identifier: BSD-3-Clause
"""The version of flexforge, in one place."""

VERSION = "0.1.0"
