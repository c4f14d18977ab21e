# SPDX-License-Identifier: BSD-3-Clause
"""``mpirun python -m flexforge.runtime.study.support.together FILE``: runs a model, prints figures.

The file contains the tables of the model, pickled. The first process prints JSON: the figures, or
why the model is refused.
"""

from __future__ import annotations

import json
import pickle
import sys
import tempfile
from pathlib import Path

from flexforge.codegen.errors import FlexforgeError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.machine.launcher import fail_together
from flexforge.runtime.ranks.mpi import ranks_here
from flexforge.runtime.run import run_model


def main(path: Path) -> None:
    """Run the model of a file."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            outcome = run_model(
                model_from_dict(pickle.loads(path.read_bytes())), output=Path(folder) / "results"
            )
        except FlexforgeError as error:
            said = json.dumps({"refused": str(error)})
            fail_together(1, lambda: print(said, flush=True))
            return
    if ranks_here().is_first:
        print(json.dumps({"figures": outcome.figures}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
