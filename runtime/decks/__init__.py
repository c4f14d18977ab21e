# SPDX-License-Identifier: BSD-3-Clause
"""Decks of CalculiX and Abaqus as models: what they say in the tables of a model file."""
