# SPDX-License-Identifier: BSD-3-Clause
"""Report of a derivation as text and JSON: ``report`` combines the other modules."""
