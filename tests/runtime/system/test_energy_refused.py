# SPDX-License-Identifier: BSD-3-Clause
"""Elements with an energy in models: refused, never taken for linear ones in silence."""

from __future__ import annotations

import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model


def test_a_model_refuses_an_element_with_an_energy(tmp_path):
    """Its stiffness is that at rest, which is not what its file asks for."""
    path = tmp_path / "rubber.toml"
    path.write_text(
        'name = "rubber"\nextends = ["hex8"]\nenergy = "c/2*(I1 - 3) - c*log(J)"\n'
        'parameters = ["c"]\n'
    )
    cube = [[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    model = {
        "mesh": {"block": {"cell": "hex8", "corners": cube, "divisions": [1, 1, 1]}},
        "materials": {"m": {"density": 1000.0}},
        "bodies": [{"name": "block", "element": str(path), "material": "m",
                    "parameters": {"c": 1e6}}],
        "supports": [{"group": "xmin"}], "analysis": {"kind": "static"},
    }  # fmt: skip
    with pytest.raises(InputError, match="body 'block': found element 'rubber' with an energy"):
        run_model(model_from_dict(model), output=tmp_path / "results")
