# SPDX-License-Identifier: BSD-3-Clause
LEVELS: dict[int, str]
COMPILER: str
FLAGS: dict[int, str]

def level() -> int: ...
def table_address(chosen: int) -> int: ...
