# SPDX-License-Identifier: BSD-3-Clause
"""The order of elimination: pivots within blocks give what pivots anywhere give."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.multibody import native
from swinging import DOWN, begin, pin, rod, spatial, transient


def ladder(cells=3):
    """Two arms of a parallelogram with as many rungs: loops, some of them redundant."""
    links = [
        rod("a", placement={"angle": -0.4}),
        rod("b", placement={"position": [1, 0, 0], "angle": -0.4}),
    ]
    joints = [pin("A", "ground", "a", [0, 0, 0]), pin("B", "ground", "b", [[1, 0, 0], [0, 0, 0]])]
    for k in range(cells):
        along = (k + 1) / cells
        place = [along * np.cos(0.4), -along * np.sin(0.4), 0.0]
        links.append(rod(f"r{k}", placement={"position": place}))
        joints += [pin(f"l{k}", "a", f"r{k}", [[along, 0, 0], [0, 0, 0]]),
                   pin(f"m{k}", "b", f"r{k}", [[along, 0, 0], [1, 0, 0]])]  # fmt: skip
    return {"planar": True, "links": links, "joints": joints}


def ring(count=5):
    """Bars in space in a ring of ball joints, and one across: nothing holds them."""
    turn = 2.0 * np.pi / count
    corners = [[np.cos(k * turn), np.sin(k * turn), 0.1 * (-1) ** k] for k in range(count)]
    links, joints = [], []
    for k in range(count):
        links.append(spatial(rod(f"b{k}", placement={"position": corners[k]})))
        far = (np.array(corners[(k + 1) % count]) - corners[k]).tolist()
        pair = [f"b{k}", f"b{(k + 1) % count}"]
        ball = {"name": f"j{k}", "kind": "spherical", "links": pair, "at": [far, [0, 0, 0]]}
        joints.append(ball)
    links.append(spatial(rod("across", placement={"position": corners[0]})))
    far = (np.array(corners[2]) - corners[0]).tolist()
    joints += [
        {"name": "one", "kind": "spherical", "links": ["b0", "across"], "at": [[0, 0, 0]] * 2},
        {"name": "two", "kind": "spherical", "links": ["b2", "across"], "at": [[0, 0, 0], far]},
    ]
    links[1]["angular_velocity"] = [0.0, 1.0, 2.0]
    return {"links": links, "joints": joints}


def geared(count=4):
    """A chain of hinges, each of which a gear makes turn as the one before it."""
    links = [spatial(rod(f"l{k}", placement={"position": [k, 0, 0]})) for k in range(count)]
    joints = [
        pin(f"j{k}", f"l{k - 1}" if k else "ground", f"l{k}", [[1 if k else 0, 0, 0], [0, 0, 0]])
        for k in range(count)
    ]
    gears = [
        {"name": f"g{k}", "joints": [f"j{k}", f"j{k - 1}"], "ratio": 0.5} for k in range(1, count)
    ]
    return {"links": links, "joints": joints, "gears": gears}


@pytest.mark.filterwarnings("ignore:.*redundant")
@pytest.mark.parametrize("model", [ladder, ring, geared])
def test_blocks_give_what_one_block_gives(model, monkeypatch):
    """Loops, gears and redundant joints: the same motion from both orders of elimination."""
    found = []
    for has_inertia in (native._has_inertia, lambda *_: False):
        monkeypatch.setattr(native, "_has_inertia", has_inertia)
        motion = begin(model() | {"loads": DOWN, "analysis": transient(0.5, 100)})
        order = motion.stepper.table().found.order
        assert (order.blocks == 1) == (len(found) == 1)
        for _ in range(100):
            motion.advance()
        found.append(np.concatenate([motion.state.q, motion.state.z]))
        moved = np.abs(motion.state.z).max()
    assert moved > 0.1
    assert np.allclose(*found, rtol=0.0, atol=1e-8 * np.abs(found[0]).max())
