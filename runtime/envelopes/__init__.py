# SPDX-License-Identifier: BSD-3-Clause
"""Combinations of load cases, and envelopes over cases and times, from results alone.

Nothing is solved: what steps wrote is read, combined, and written as results again. Read in this
order: ``shown`` (a frame of results), ``extremes`` (the largest and least of many), ``linear`` (the
sum of several), ``write`` (folders of results), then ``run``.
"""
