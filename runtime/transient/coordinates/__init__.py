# SPDX-License-Identifier: BSD-3-Clause
"""What a linear step is solved in: all coordinates, multipliers beside them, what joints leave."""
