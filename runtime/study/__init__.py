# SPDX-License-Identifier: BSD-3-Clause
"""What examines the runtime, for pages of the documentation: nothing in the runtime imports it.

``support`` finds out by tiny runs which elements and joints work in which analysis;
``verification`` collects the figures of the reference cases beside their sources.
"""
