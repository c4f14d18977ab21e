# SPDX-License-Identifier: BSD-3-Clause
"""Files of declarations, and the files that they extend.

``extends = ["plate", "mine/base.toml"]`` inherits the keys of other files, of which later ones take
precedence. A name is an element of the library, or a file of it; a path is relative to the file
that contains it. A key that is given again replaces the inherited one; tables are merged name by
name. A rule of a quadrature replaces an inherited degree, and shape functions replace monomials,
and the other way round.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flexforge.codegen.elements.facts import HYPOTHESES, named
from flexforge.codegen.elements.user_values import brief
from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.files.lines import line_of
from flexforge.codegen.files.reading import read_text

LARGEST = 2**20  # bytes; a declaration of 64 nodes takes a few thousand
#: Element files of the library, and files that several of them extend.
LIBRARY = Path(__file__).parent / "declared"
_MOST = 8
#: Tables that are replaced as a whole: the function of a space is one value.
_WHOLE = {"basis", "conditions"}
#: Keys of which a declaration has one: for each name of theirs where they are tables.
_EITHER = (("degree", "quadrature"), ("monomials", "shape"))
#: Pattern of a key at the beginning of a message, and of its parts.
_KEY = re.compile(r"[\w-]+(\.[\w-]+|\[\d+\])*(?=[:,])")
_PART = re.compile(r"([\w-]+)|\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Source:
    """A file of a declaration: its path, its text, and its own keys."""

    path: Path
    text: str
    data: Mapping[str, Any]

    def says(self, key: tuple[str | int, ...]) -> bool:
        """Whether a key is in this file."""
        found: Any = self.data
        for part in key:
            within = isinstance(found, dict) and part in found
            if not within and not (
                isinstance(found, list) and isinstance(part, int) and part < len(found)
            ):
                return False
            found = found[part]
        return True


def read_declaration(
    path: Path, above: tuple[Path, ...] = ()
) -> tuple[dict[str, Any], list[Source]]:
    """Return the content of a file with all inherited keys, and the files, itself first.

    Parameters
    ----------
    path : Path
        A TOML file.
    above : tuple of Path
        The files that extend this one.

    Raises
    ------
    InputError
        For a file that cannot be read, or that extends itself.
    """
    content = read_text(path, "the declaration of an element in TOML", LARGEST)
    try:
        data = tomllib.loads(content)
    except RecursionError:
        raise InputError(f"{path}: found values nested too deeply; expected a TOML file") from None
    except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits
        raise InputError(f"{path}: not a TOML file ({error})") from error
    sources = [Source(path, content.replace("\r\n", "\n"), data)]
    bases = data.get("extends", [])
    if not isinstance(bases, list) or not all(isinstance(base, str) for base in bases):
        raise located(f"extends: found {brief(bases)}; expected a list of names or paths", sources)
    merged: dict[str, Any] = {}
    for k, base in enumerate(bases):
        is_name = re.fullmatch(r"\w+", base)
        other = LIBRARY / f"{base}.toml" if is_name else path.parent / base
        if not other.is_file():
            try:
                merged = _merged(merged, _solid(base))
            except InputError as error:
                raise located(f"extends[{k}]: {error}", sources) from None
            continue
        if len(above) == _MOST or any(other.samefile(one) for one in (*above, path)):
            raise located(
                f"extends[{k}]: found '{base}', which extends this file, or is in a chain of more "
                f"than {_MOST} files; expected another",
                sources,
            )
        taken, files = read_declaration(other, (*above, path))
        merged, sources = _merged(merged, taken), sources + files
    own = {key: value for key, value in data.items() if key != "extends"}
    return _merged(merged, own), sources


def _solid(name: str) -> dict[str, Any]:
    """Return the keys of a solid or plane element of the library."""
    from flexforge.codegen.elements.as_data import declaration_data
    from flexforge.codegen.elements.library import element

    plain = next((name.removesuffix(f"_{h}") for h in HYPOTHESES if name.endswith(h)), name)
    solids = named("plane", "solid")
    if plain.removesuffix("_anisotropic") not in solids:
        known = sorted((*solids, *(file.stem for file in LIBRARY.glob("*.toml"))))
        raise InputError(
            f"found '{name}', which is not a file; expected a path, or one of "
            f"{', '.join(known)}{nearest(name, known)}"
        )
    return declaration_data(element(name))


def _merged(taken: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return both merged, in the order of the first: names stay defined before their use."""
    found = _without_replaced(taken, own)
    for key, value in own.items():
        tables = isinstance(value, dict) and isinstance(found.get(key), dict)
        whole = not tables or _WHOLE & value.keys()
        found[key] = value if whole else _merged(found[key], value)
    return found


def _without_replaced(taken: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is taken over, without the other forms of what is given again."""
    found = dict(taken)
    for pair in _EITHER:
        for given, other in (pair, pair[::-1]):
            if given not in own or other not in found:
                continue
            if isinstance(own[given], dict) and isinstance(found[other], dict):
                found[other] = {k: v for k, v in found[other].items() if k not in own[given]}
            elif not isinstance(own[given], dict):
                del found[other]
    return found


def located(message: object, sources: list[Source]) -> InputError:
    """Return the error of a message that begins with a key, adding file and line of the key."""
    key = _KEY.match(str(message))
    parts = _PART.findall(key[0]) if key else []
    path = tuple(int(index) if index else name for name, index in parts)
    source = next((s for s in sources if s.says(path)), sources[0])
    line = line_of(source.text, path)
    place = f"{source.path}:{line}" if line is not None else f"{source.path}"
    return InputError(f"{place}: {message}")
