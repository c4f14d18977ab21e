# SPDX-License-Identifier: BSD-3-Clause
"""The order in which the matrix of a step of links is eliminated, block by block.

A block has the speeds of a link, the independent equations of a joint or a gear, an equation of
speeds, or the state of a controller. Links and the joints that hang each of them on the next are
eliminated from the ends of chains inwards, so that work and memory grow with the number of links. A
joint comes after the link that hangs on it: its equations are then independent of all that is
eliminated. Joints that close loops, gears and equations of speeds come last. Where links have no
mass of their own, pivots must be looked for everywhere: one block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from flexforge.runtime.arrays import Ints
from flexforge.runtime.mechanism.joints import GROUND
from flexforge.runtime.tables import structs
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Elimination:
    """Blocks in their order, and where speeds and equations are in them.

    Attributes
    ----------
    order : Order
        The table of the blocks.
    place : ndarray of int
        Of all speeds, in the block of its link; -1 of none.
    block_of_link : ndarray of int, (L,)
        Block of every link.
    block_of_state : ndarray of int, (S,)
        Block of every state.
    block_of : ndarray of int, (E, 2)
        Block of every equation and its place there; -1 of dependent ones.
    unknown : ndarray of int
        The speed, or the number of speeds plus that of the independent equation, in order.
    """

    order: structs.Order
    place: Ints
    block_of_link: Ints
    block_of_state: Ints
    block_of: Ints
    unknown: Ints


@dataclass(frozen=True, slots=True)
class Tie:
    """What the derivatives of a formula tie together.

    Attributes
    ----------
    links, states : set of int
        Links, the ground among them, and states of controllers.
    holds : bool
        Whether it is an equation of speeds.
    """

    links: set[int]
    states: set[int]
    holds: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Equations that are eliminated together, and the links that they tie.

    Attributes
    ----------
    equations : tuple of int
        Their places among the independent equations.
    links : tuple of int
        Without the ground.
    hangs : int
        The link that hangs on them; -1 where they close a loop.
    """

    equations: tuple[int, ...]
    links: tuple[int, ...]
    hangs: int = -1


def eliminate(
    linkage: structs.Linkage,
    speeds: Sequence[Ints],
    all_speeds: int,
    independent: NDArray[np.int64],
    ties: Sequence[Tie] = (),
    states: int = 0,
    *,
    whole: bool,
) -> Elimination:
    """Return the order of elimination of links.

    Parameters
    ----------
    linkage : Linkage
        The equations.
    speeds : sequence of ndarray of int
        Speeds of every link: number in the model, number among all, a row each.
    all_speeds : int
        Number of all speeds.
    independent : ndarray of int
        Equations that do not depend on others.
    ties : sequence of Tie
        Of all formulas.
    states : int
        Number of states of controllers, whose speeds are the last.
    whole : bool
        Whether everything is one block.
    """
    ends = np.reshape(linkage.ends, (-1, 2)).tolist()
    count = sum(len(one) for one in speeds) + states
    own = [
        np.array([[count - states + k, all_speeds + k]]) for k in range(states)
    ]  # of the states, which move nothing
    speeds, bodies = [*speeds, *own], linkage.links + states
    joints, gears = _groups(linkage, ends, independent.tolist(), ties)
    groups = [*_hung(joints, linkage.links), *gears]
    sizes = [len(one) for one in speeds] + [len(one.equations) for one in groups]
    beside: list[set[int]] = [set() for _ in sizes]
    for pair in ends:
        _join(beside, [k for k in pair if k != GROUND])
    for tie in ties:
        _join(beside, [*tie.links - {GROUND}, *(linkage.links + k for k in tie.states)])
    for k, group in enumerate(groups):
        _join(beside, [*group.links, bodies + k])
    sequence, later = [list(range(len(sizes)))], list[list[int]]([[]])
    if not whole:
        hangs = [one.hangs for one in groups]
        nodes, later = _sequence(sizes, beside, bodies, hangs)
        sequence = [[node] for node in nodes]
    starts = np.cumsum([0, *(sum(sizes[k] for k in nodes) for nodes in sequence)])
    place = np.full(all_speeds + states, -1)
    block_of_body = np.zeros(bodies, dtype=int)
    block_of = np.full((len(linkage.scales) + sum(one.holds for one in ties), 2), -1)
    unknown = []
    for block, nodes in enumerate(sequence):
        at = 0
        for node in nodes:
            if node < bodies:
                block_of_body[node] = block
                place[speeds[node][:, 1]] = at + np.arange(sizes[node])
                unknown += speeds[node][:, 0].tolist()
            else:
                numbers = groups[node - bodies].equations
                block_of[independent[list(numbers)]] = np.column_stack(
                    [np.full(len(numbers), block), at + np.arange(len(numbers))]
                )
                unknown += [count + k for k in numbers]
            at += sizes[node]
    wide = np.diff(starts)
    order = structs.Order(
        len(sequence),
        starts,
        np.cumsum([0, *map(len, later)]),
        np.array([k for one in later for k in one], dtype=int),
        np.cumsum([0, *(wide**2)]),
        np.cumsum([0, *(wide[p] * wide[k] for p, one in enumerate(later) for k in one)]),
    )
    of_link, of_state = block_of_body[: linkage.links], block_of_body[linkage.links :]
    return Elimination(order, place, of_link, of_state, block_of, np.array(unknown, dtype=int))


def _join(beside: list[set[int]], nodes: Sequence[int]) -> None:
    """Make nodes neighbours of each other."""
    for node in nodes:
        beside[node].update(other for other in nodes if other != node)


def _groups(
    linkage: structs.Linkage, ends: list[list[int]], independent: list[int], ties: Sequence[Tie]
) -> tuple[list[Group], list[Group]]:
    """Return the equations joint by joint, those of drivers with them, and others one by one."""
    joint_of = np.repeat(np.arange(len(ends)), np.diff(linkage.starts)).tolist()
    coordinate = {int(c): joint_of[r] for r, c in enumerate(linkage.coordinate_of) if c >= 0}
    owner = {int(e): joint_of[r] for r, e in enumerate(linkage.equation_of) if e >= 0}
    first = len(linkage.scales) - len(linkage.ratios) - len(linkage.driver_of)
    geared = np.reshape(linkage.gear_of, (-1, 2)).tolist()
    for k, number in enumerate(linkage.driver_of):
        owner[first + len(geared) + k] = coordinate[int(number)]
    conditions = [one.links - {GROUND} for one in ties if one.holds]
    own: dict[int, list[int]] = {}
    gears: list[Group] = []
    for k, equation in enumerate(independent):
        if equation in owner:
            own.setdefault(owner[equation], []).append(k)
            continue
        if equation >= len(linkage.scales):
            tied = conditions[equation - len(linkage.scales)]
            gears.append(Group((k,), tuple(sorted(tied))))
            continue
        both = [coordinate[number] for number in geared[equation - first]]
        links = {link for joint in both for link in ends[joint]} - {GROUND}
        gears.append(Group((k,), tuple(sorted(links))))
    joints = [
        Group(tuple(numbers), tuple(k for k in ends[joint] if k != GROUND))
        for joint, numbers in sorted(own.items())
    ]
    return joints, gears


def _hung(groups: list[Group], links: int) -> list[Group]:
    """Return groups that know which link hangs on them: the trees that joints make of links."""
    at: list[list[int]] = [[] for _ in range(links)]
    grounded = []
    for k, group in enumerate(groups):
        for link in group.links:
            at[link].append(k)
        if len(group.links) == 1:
            grounded.append(k)
    found, known, used = list(groups), [False] * links, set[int]()

    def grow(queue: list[int]) -> None:
        for link in queue:
            for k in at[link]:
                other = [one for one in groups[k].links if one != link]
                if k in used or len(other) != 1 or known[other[0]]:
                    continue
                used.add(k)
                known[other[0]] = True
                found[k] = Group(groups[k].equations, groups[k].links, other[0])
                queue.append(other[0])

    roots: list[int] = []
    for k in grounded:
        link = groups[k].links[0]
        if not known[link]:
            known[link] = True
            used.add(k)
            found[k] = Group(groups[k].equations, groups[k].links, link)
            roots.append(link)
    grow(roots)
    for link in range(links):
        if not known[link]:
            known[link] = True
            grow([link])
    return found


def _sequence(
    sizes: list[int], beside: list[set[int]], links: int, hangs: list[int]
) -> tuple[list[int], list[list[int]]]:
    """Return nodes in their order, and the later ones (their places) that each shares entries with.

    Of those whose turn may come, the one with the fewest unknowns beside it is next.
    """
    left = [set(one) for one in beside]
    closing = [links + k for k, link in enumerate(hangs) if link < 0]
    waiting: dict[int, list[int]] = {}
    for k, link in enumerate(hangs):
        if link >= 0:
            waiting.setdefault(link, []).append(links + k)
    heap: list[tuple[int, int]] = []
    open_nodes, done = set(range(links)), set[int]()

    def offer(node: int) -> None:
        heappush(heap, (sum(sizes[k] for k in left[node]), node))

    for node in range(links):
        offer(node)
    order: list[int] = []
    shared: list[list[int]] = []
    for last in (False, True):
        if last:
            open_nodes.update(closing)
            for node in closing:
                offer(node)
        while heap:
            weight, node = heappop(heap)
            if node in done or weight != sum(sizes[k] for k in left[node]):
                continue
            done.add(node)
            order.append(node)
            shared.append(sorted(left[node]))
            for k in left[node]:
                left[k].discard(node)
                left[k] |= left[node] - {k}
            for k in left[node]:
                if k in open_nodes:
                    offer(k)
            for k in waiting.get(node, []):
                open_nodes.add(k)
                offer(k)
    place = {node: k for k, node in enumerate(order)}
    return order, [sorted(place[k] for k in one) for one in shared]
