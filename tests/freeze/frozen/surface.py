# SPDX-License-Identifier: BSD-3-Clause
"""What users see before anything is computed: names, commands, keys of the model file, messages."""

from __future__ import annotations

import inspect
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import flexforge

from frozen.asking import ROOT, ask, clean

Items = Iterator[tuple[str, Callable[[], Any]]]

#: A model that is right, of which each of the wrong ones below changes one line.
_MODEL = """
[mesh.block]
cell = "quad4"
corners = [[0, 0], [1, 0], [1, 0.1], [0, 0.1]]
divisions = [4, 1]
[materials.steel]
density = 7800.0
young = 2.1e11
poisson = 0.3
[[bodies]]
name = "bar"
element = "quad4"
material = "steel"
thickness = 0.01
frame = { velocity = "10.0" }
[[supports]]
group = "xmin"
[[loads]]
kind = "force"
group = "xmax"
total = [0.0, -1.0, 0.0]
amplitude = "sin(3*t)"
[[probes]]
name = "tip"
group = "xmax"
quantity = "displacement"
component = "y"
[analysis]
kind = "transient"
duration = 0.1
step = 0.001
"""
_WRONG = (
    ("density = 7800.0", "density = -1.0"),
    ('element = "quad4"', 'element = "quad9"'),
    ('element = "quad4"', 'element = "quad44"'),
    ("density = 7800.0", "density = nan"),
    ("density = 7800.0", "densty = 7800.0"),
    ("poisson = 0.3", "poisson = 0.5"),
    ("young = 2.1e11", 'young = "hard"'),
    ("young = 2.1e11", ""),
    ('cell = "quad4"', 'cell = "quad5"'),
    ("divisions = [4, 1]", "divisions = [0, 1]"),
    ("divisions = [4, 1]", "divisions = [400000, 400000]"),
    ("[1, 0.1], [0, 0.1]", "[0, 0.1], [1, 0.1]"),
    ('material = "steel"', 'material = "steal"'),
    ("thickness = 0.01", "thickness = 0.0"),
    ('velocity = "10.0"', 'velocity = "10.0*tt"'),
    ('velocity = "10.0"', 'velocity = "__import__(1)"'),
    ('velocity = "10.0"', 'velocity = "1/(t-0.05)"'),
    ('velocity = "10.0"', 'angel = "10.0"'),
    ('group = "xmin"', 'group = "xmim"'),
    ('kind = "force"', 'kind = "farce"'),
    ("total = [0.0, -1.0, 0.0]", "total = [0.0]"),
    ("total = [0.0, -1.0, 0.0]", "total = [0.0, -1.0, 1.0]"),
    ('amplitude = "sin(3*t)"', 'amplitude = "sin(3*t"'),
    ('amplitude = "sin(3*t)"', 'amplitude = "sqrt(-t)"'),
    ('quantity = "displacement"', 'quantity = "displacements"'),
    ('component = "y"', 'component = "w"'),
    ('kind = "transient"', 'kind = "dynamic"'),
    ("duration = 0.1", "duration = -0.1"),
    ("step = 0.001", "step = 0.3"),
    ("step = 0.001", "step = 0.001\nmethod = 'euler'"),
    ("[analysis]", "[analysis"),
    ("[[supports]]", "[supports]"),
)


def names() -> Items:
    """Yield the public Python names."""
    yield "python", _names
    yield "model-file", _schema


def _schema() -> Any:
    """Return the keys of the model file; what their types are called in Python is no promise."""
    spec = flexforge.load_model(ROOT / "examples" / "motor" / "arm.toml").spec
    return _untitled(type(spec).model_json_schema()), {}, {}


def _untitled(value: Any) -> Any:
    if isinstance(value, dict):
        titled = isinstance(value.get("title"), str)
        return {k: _untitled(v) for k, v in value.items() if not (titled and k == "title")}
    return [_untitled(item) for item in value] if isinstance(value, list) else value


def _names() -> Any:
    found = {}
    for name in sorted(flexforge.__all__):
        value = getattr(flexforge, name)
        found[name] = _described(value)
        if inspect.isclass(value):
            members = [key for key in dir(value) if not key.startswith("_")]
            found |= {f"{name}.{key}": _described(getattr(value, key)) for key in members}
    return found, {}, {}


def _described(value: Any) -> dict[str, str]:
    try:
        signature = str(inspect.signature(value))
    except (TypeError, ValueError):
        signature = type(value).__name__
    # Where a type lives is no promise; what it is called is.
    signature = re.sub(r"(?:\w+\.)+(\w+)", r"\1", signature)
    return {"signature": signature, "says": (inspect.getdoc(value) or "").split("\n")[0]}


def commands() -> Items:
    """Yield the help of the command line."""
    yield "help", _help


def _help() -> Any:
    first = ask("--help").stdout
    found = re.findall(r"^    (\S+)", first, re.MULTILINE)
    assert len(found) >= 15, first
    texts = {name: ask(name, "--help").stdout for name in found}
    return {name: sorted(re.findall(r"--[\w-]+", text)) for name, text in texts.items()}, texts, {}


def messages() -> Items:
    """Yield what is said of models that are wrong, and of ones that are right."""
    yield "check", _messages


def _messages() -> Any:
    said: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for before, after in (("", ""), *_WRONG):
            assert before in _MODEL
            path = Path(folder) / "model.toml"
            path.write_text(_MODEL.replace(before, after, 1))
            done = ask("check", "model.toml", cwd=Path(folder))
            text = clean((done.stdout + done.stderr).replace(folder, "FOLDER"))
            said[f"{before} -> {after}"] = [done.returncode, _without_memory(text)]
            assert before or done.returncode == 0, text
    for path in sorted(ROOT.glob("examples/**/*.toml")):
        if "[analysis]" in path.read_text():
            name = str(path.relative_to(ROOT))
            done = ask("check", name)
            said[name] = [done.returncode, _without_memory(clean(done.stdout + done.stderr))]
    return json.loads(json.dumps(said)), {}, {}


def _without_memory(text: str) -> str:
    return re.sub(r"the [\d.]+ \wB that are free", "the MEMORY that is free", text)
