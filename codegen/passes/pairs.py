# SPDX-License-Identifier: BSD-3-Clause
"""Pairs: partial sums and products that several longer ones have in common, most frequent first.

The expressions of a body become nodes with mutable lists of operands. The number of occurrences of
each pair of operands is updated incrementally, so that extracting a pair costs only its changes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator
from heapq import heapify, heappop, heappush

from flexforge.codegen.ir.expression import Add, Const, Expr, Graph, Mul, Temp, operands
from flexforge.codegen.ir.program import Accumulate, Let, Statement, Store, expressions
from flexforge.codegen.ir.traversal import postorder
from flexforge.codegen.passes.rewriting import Body, with_value

Pair = tuple[int, int, bool]
"""Numbers of two operands, the smaller first, and whether the pair is a product."""


def extract_pairs(body: Body, graph: Graph, fresh: Callable[[], str]) -> Body:
    """Give names to pairs of operands that several sums, or several products, share."""
    opened = _Opened(body, graph)
    for pair in opened.most_frequent():
        opened.take_out(pair, fresh())
    return opened.closed(body) if opened.named else body


class _Opened:
    """The sums and products of a body, by their numbers, and the pairs they hold."""

    def __init__(self, body: Body, graph: Graph) -> None:
        self.graph = graph
        self.named: dict[int, Pair] = {}
        self._originals: dict[int, Expr] = {}
        self._operands: dict[int, list[int]] = {}
        self._users: defaultdict[int, set[int]] = defaultdict(set)
        self._counts: Counter[Pair] = Counter()
        for node in postorder(expressions(body)):
            self._originals[node.number] = node
            if isinstance(node, Add | Mul):
                self._operands[node.number] = [a.number for a in operands(node)]
                for arg in operands(node):
                    self._users[arg.number].add(node.number)
                product = isinstance(node, Mul)
                many = self._many(node.number)
                self._counts.update(_pairs(many, many, product))
        self._heap = [(-n, *pair) for pair, n in self._counts.items() if n > 1]
        heapify(self._heap)

    def most_frequent(self) -> Iterator[Pair]:
        """Yield pairs that occur more than once, until there are none."""
        while self._heap:
            count, *rest = heappop(self._heap)
            pair: Pair = (rest[0], rest[1], bool(rest[2]))
            now = self._counts[pair]
            if now == -count:
                yield pair
            elif now > 1:
                heappush(self._heap, (-now, *pair))

    def take_out(self, pair: Pair, name: str) -> None:
        """Replace the pair by a name wherever it occurs."""
        a, b, product = pair
        temp = self.graph.temp(name)
        self._originals[temp.number] = temp
        self.named[temp.number] = pair
        for user in sorted(self._users[a] & self._users[b]):
            if self._is_product(user) == product:
                self._contract(user, a, b, temp.number)

    def closed(self, body: Body) -> Body:
        """Return the body with the names inserted, each computed before its first use."""
        result: list[Statement] = []
        done: dict[int, Expr] = {}
        for statement in body:
            if isinstance(statement, Let | Accumulate | Store):
                value = self._close(statement.value.number, done, result)
                statement = with_value(statement, value)
            result.append(statement)
        return tuple(result)

    def _is_product(self, number: int) -> bool:
        return isinstance(self._originals[number], Mul)

    def _is_sign(self, number: int) -> bool:
        """Whether a factor only changes the sign, which costs nothing."""
        node = self._originals[number]
        return isinstance(node, Const) and node.value == -1

    def _many(self, number: int) -> Counter[int]:
        """Return the number of occurrences of each operand of a sum or product, ignoring signs."""
        return Counter(a for a in self._operands[number] if not self._is_sign(a))

    def _contract(self, number: int, a: int, b: int, temp: int) -> None:
        """Replace every occurrence of a and b together in one sum or product."""
        args = list(self._operands[number])
        found = 0
        while a in args:
            rest = list(args)
            rest.remove(a)
            if b not in rest:
                break
            rest.remove(b)
            args, found = rest, found + 1
        if found:
            self._change(number, [*args, *[temp] * found])

    def _change(self, number: int, args: list[int]) -> None:
        """Replace the operands of a sum or product; a single operand replaces the node itself."""
        before = self._many(number)
        for arg in self._operands[number]:
            self._users[arg].discard(number)
        self._operands[number] = args
        for arg in args:
            self._users[arg].add(number)
        after = self._many(number)
        # Only pairs with an operand of changed multiplicity can change.
        differing = {a for a in before.keys() | after.keys() if before[a] != after[a]}
        product = self._is_product(number)
        self._recount(_pairs(before, differing, product), _pairs(after, differing, product))
        if len(args) == 1:
            for user in sorted(self._users[number]):
                changed = [args[0] if a == number else a for a in self._operands[user]]
                self._change(user, changed)

    def _recount(self, before: dict[Pair, int], after: dict[Pair, int]) -> None:
        for pair in before.keys() | after.keys():
            change = after.get(pair, 0) - before.get(pair, 0)
            if change:
                self._counts[pair] += change
                if change > 0 and self._counts[pair] > 1:
                    heappush(self._heap, (-self._counts[pair], *pair))

    def _close(self, root: int, done: dict[int, Expr], result: list[Statement]) -> Expr:
        """Return an expression again, after the statements that compute the names in it."""
        stack = [root]
        while stack:
            number = stack[-1]
            needed = [k for k in self._needed(number) if k not in done]
            if needed:
                stack += needed
                continue
            stack.pop()
            if number not in done:
                done[number] = self._rebuild(number, done, result)
        return done[root]

    def _needed(self, number: int) -> list[int]:
        if number in self.named:
            return list(self.named[number][:2])
        if number in self._operands:
            return self._operands[number]
        return [a.number for a in operands(self._originals[number])]

    def _rebuild(self, number: int, done: dict[int, Expr], result: list[Statement]) -> Expr:
        original = self._originals[number]
        args = tuple(done[k] for k in self._needed(number))
        if number in self.named:
            product = self.named[number][2]
            value = self.graph.mul(*args) if product else self.graph.add(*args)
            assert isinstance(original, Temp)  # made by take_out
            result.append(Let(original.name, value))
            return original
        return self.graph.rebuild(original, args) if args else original


def _pairs(many: Counter[int], wanted: Collection[int], product: bool) -> dict[Pair, int]:
    """Return how often each pair with a wanted operand can be taken out of a sum or product."""
    pairs: dict[Pair, int] = {}
    for a in wanted:
        times = many[a]
        if not times:
            continue
        for b, others in many.items():
            pairs[(a, b, product) if a < b else (b, a, product)] = min(times, others)
        if times > 1:
            pairs[a, a, product] = times // 2
        else:
            del pairs[a, a, product]
    return pairs
