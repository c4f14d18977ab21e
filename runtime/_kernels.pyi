# SPDX-License-Identifier: BSD-3-Clause
from typing import Any

from numpy.typing import NDArray

def abi_version() -> int: ...
def most_lanes() -> int: ...
def read_table(address: int) -> list[dict[str, Any]]: ...
def evaluate(
    descriptor: int,
    coordinates: NDArray[Any],
    parameters: NDArray[Any],
    state: NDArray[Any],
    out: NDArray[Any],
    threads: int,
) -> None: ...
def check(descriptor: int, coordinates: NDArray[Any]) -> tuple[int, int, int, float, int]: ...
