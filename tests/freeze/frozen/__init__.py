# SPDX-License-Identifier: BSD-3-Clause
"""What a recording is made of; read ``parts`` first."""
