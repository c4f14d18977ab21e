# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
from flexforge.runtime.model.schema_loads import IncludeSpec
from numpy.typing import NDArray

Floats = NDArray[np.float64]

def combined(factors: Floats, constants: Floats) -> Floats: ...
def turning_blocks(w: Floats, e: Floats, terms: IncludeSpec) -> Floats: ...
def block_units(blocks: Floats, dimension: int) -> Floats: ...
