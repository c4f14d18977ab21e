# SPDX-License-Identifier: BSD-3-Clause
"""Claims of the papers, turned into numbers.

Read ``claim`` (a claim and its evidence), then the files in the order of the claims:
``terms`` (C1), ``differentiations`` (C2), ``energies`` (C3), ``chains`` (C4), ``hamilton`` (C5),
``unknowns`` (C6), ``nonholonomic`` (C7), ``agreement`` (C8, C9), ``free`` (C10),
``standing`` (C11); ``library`` puts them in order and ``markdown`` writes the page. A verdict is
computed from the figures beside it.
"""
