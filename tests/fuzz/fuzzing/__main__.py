# SPDX-License-Identifier: BSD-3-Clause
"""``python -m fuzzing``: try inputs for a time or by count, or replay files."""

from __future__ import annotations

import os

# Before NumPy is there: threads of BLAS do not survive a fork, and take addresses.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MPLBACKEND="agg")

import argparse
import json
import sys
from pathlib import Path

from fuzzing.campaign import REGRESSIONS, Campaign
from fuzzing.registry import TARGETS


def main() -> int:
    """Return 0, or 1 where something was found."""
    parser = argparse.ArgumentParser(prog="fuzzing", description=__doc__)
    parser.add_argument("--seconds", type=float, help="how long")
    parser.add_argument("--count", type=int, help="how many inputs of every target")
    parser.add_argument("--short", action="store_true", help="as many as make test-all tries")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", action="append", default=[], metavar="NAME", help="only these")
    parser.add_argument("--folder", type=Path, help="where findings and counts are kept")
    parser.add_argument(
        "--replay",
        nargs="*",
        type=Path,
        metavar="FILE",
        help="try these files (with one --target), or all regressions",
    )
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    unknown = set(given.target) - {target.name for target in TARGETS}
    if unknown:
        parser.error(f"no target {', '.join(unknown)}; known: {', '.join(t.name for t in TARGETS)}")
    if given.replay is None and not (given.seconds or given.count or given.short):
        parser.error("expected --seconds, --count, --short or --replay")
    chosen = [target for target in TARGETS if target.name in given.target or not given.target]
    campaign = Campaign(chosen, given.seed, given.folder and given.folder.absolute())
    failed = []
    try:
        if given.replay is not None:
            for target in chosen:
                paths = given.replay or sorted(REGRESSIONS.glob(f"{target.name}/*"))
                for path, finding in campaign.replay(target, [path.absolute() for path in paths]):
                    failed.append(
                        f"{target.name} {path}: {finding.kind} {finding.key}\n{finding.text}"
                    )
        if given.seconds is not None:
            campaign.by_time(given.seconds, lambda line: print(line, file=sys.stderr, flush=True))
        if given.count is not None:
            campaign.by_count(given.count)
        if given.short:
            campaign.briefly()
    finally:
        campaign.close()
    failed += campaign.new
    if given.json:
        counts = {
            name: {
                "inputs": one.inputs,
                "accepted": one.accepted,
                "seconds": one.seconds,
                "findings": one.findings,
            }
            for name, one in campaign.counts.items()
        }
        print(json.dumps({"seed": given.seed, "targets": counts, "found": failed}, indent=1))
    else:
        print(*(count.line(name) for name, count in campaign.counts.items()), sep="\n")
        print(*failed, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
