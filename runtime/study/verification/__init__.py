# SPDX-License-Identifier: BSD-3-Clause
"""The verification manual: figures of the reference cases beside their sources, and rates.

Reading order: ``cases`` (what a folder of cases expects, and what runs give), ``page`` (Markdown).
``python -m flexforge.runtime.study.verification CASES RATES FOLDER`` writes the page and its data.
"""
