# SPDX-License-Identifier: BSD-3-Clause
"""What is recorded: for every part its items, and how each is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from frozen.compiler import audit, claims, derivations, kernels
from frozen.models import exports, figures, modes
from frozen.surface import commands, messages, names

PARTS: dict[str, Callable[[], Iterator[tuple[str, Callable[[], Any]]]]] = {
    "names": names,
    "commands": commands,
    "messages": messages,
    "kernels": kernels,
    "derivations": derivations,
    "audit": audit,
    "claims": claims,
    "figures": figures,
    "modes": modes,
    "exports": exports,
}
