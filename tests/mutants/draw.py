# SPDX-License-Identifier: BSD-3-Clause
"""Draw mutants of files by lot and put them into the lists.

``draw.py [--each N] PATH...`` adds N mutants of every file, of as many kinds as there are. The lot
is drawn with the file's path as its seed: the same text gives the same mutants.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict

from c_mutations import c_mutations
from edits import Edit
from listed import LISTS, ROOT, Mutant, list_of, read_list, write_list
from python_mutations import python_mutations


def drawn(path: str, text: str, count: int) -> list[Mutant]:
    """Return so many mutants of a file, kind after kind, of different lines where it has them."""
    edits = c_mutations(text) if path.endswith(".h") else python_mutations(text)
    lot = random.Random(path)
    kinds: dict[str, list[Edit]] = defaultdict(list)
    for edit in lot.sample(edits, len(edits)):
        kinds[edit.kind].append(edit)
    order = lot.sample(sorted(kinds), len(kinds))
    found: dict[str, Mutant] = {}
    while order and len(found) < count:
        for kind in list(order):
            if not kinds[kind]:
                order.remove(kind)
            elif len(found) < count and (lines := kinds[kind].pop().in_lines(text)):
                found.setdefault(lines[0], Mutant(path, *lines))
    return list(found.values())


def main() -> None:
    """Read the command line and add to the lists."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=3)
    parser.add_argument("paths", nargs="+")
    given = parser.parse_args()
    lists = {name: read_list(name) for name in LISTS}
    for path in given.paths:
        there = lists[list_of(path)]
        known = {mutant.before for mutant in there if mutant.path == path}
        text = (ROOT / path).read_text(encoding="utf-8")
        new = [mutant for mutant in drawn(path, text, given.each) if mutant.before not in known]
        there += new
        print(f"{path}: {len(new)} more mutants, {len(known) + len(new)} in all")
    for name, mutants in lists.items():
        write_list(name, mutants)


if __name__ == "__main__":
    main()
