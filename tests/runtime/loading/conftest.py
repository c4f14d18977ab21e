# SPDX-License-Identifier: BSD-3-Clause
"""A complete model file, for tests to change and load."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import load_model_file

GOOD = """\
title = "A rotating blade"

[mesh]
file = "blade.msh"
scale = 1e-3

[materials.steel]
young = 2.1e11
poisson = 0.3
density = 7850
damping = { alpha = 0.5 }

[[bodies]]
name = "blade"
cells = "solid"
element = "tet10"
material = "steel"
[bodies.frame]
axis = [0, 0, 1]
velocity = { ramp = { to = 100, duration = 0.5 } }
origin = { position = [0, "0.1*sin(t)", 0] }

[[supports]]
group = "root"

[[loads]]
kind = "force"
group = "tip"
total = [0, 100, 0]
frame = "global"
amplitude = { table = "force.csv", column = "factor", outside = "hold" }

[[loads]]
kind = "pressure"
group = "skin"
value = "1e5*sin(10*t)**2"

[[loads]]
kind = "gravity"
acceleration = [0, 0, -9.81]

[[loads]]
kind = "body_force"
acceleration = [1, 0, 0]

[[initial]]
displacement = ["1e-3*x", 0, 0]

[include]
geometric = false

[analysis]
kind = "transient"
duration = 1.0
step = 0.3

[[probes]]
name = "tip"
point = [0.1, 0, 0]
component = "magnitude"

[output]
every = 10
formats = ["vtu", "csv"]
"""

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write the model above, with some text replaced, and the files it needs."""

    def write_model(*replacements: tuple[str, str]) -> Path:
        text = GOOD
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new, 1)
        (tmp_path / "blade.msh").touch()
        (tmp_path / "force.csv").write_text("time,factor\n0,0\n0.5,1\n0.7,2\n")
        path = tmp_path / "model.toml"
        path.write_text(text)
        return path

    return write_model


@pytest.fixture
def error_of() -> Callable[[Path], str]:
    """Load a file that is wrong; return the message, which is one short line."""

    def load(path: Path) -> str:
        with pytest.raises(InputError) as caught:
            load_model_file(path)
        message = str(caught.value)
        assert "\n" not in message
        assert len(message) < 500
        return message

    return load
