# SPDX-License-Identifier: BSD-3-Clause
"""Pairs: partial sums and products that several longer ones have in common, most frequent first.

The expressions of a body become nodes with mutable lists of operands. The number of occurrences of
each pair of operands is updated incrementally, so that extracting a pair costs only its changes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from heapq import heapify, heappop, heappush
from itertools import combinations

from flexforge.codegen.ir.expression import Add, Expr, Graph, Mul, Temp, is_sign
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
        # Operands of all expressions, and how often each occurs in a sum or product.
        self._operands: dict[int, list[int]] = {}
        self._many: dict[int, Mapping[int, int]] = {}
        self._users: defaultdict[int, set[int]] = defaultdict(set)
        self._products: set[int] = set()
        # A change of sign costs nothing, so that it is in no pair.
        self._signs: set[int] = set()
        # Pairs of sums, and of products.
        self._counts: dict[bool, Counter[tuple[int, int]]] = {False: Counter(), True: Counter()}
        # The pairs of two operands, counted at the end and at once.
        alone: dict[bool, list[tuple[int, int]]] = {False: [], True: []}
        for node in postorder(expressions(body)):
            self._originals[node.number] = node
            if not node.args:
                if is_sign(node):
                    self._signs.add(node.number)
                continue
            self._operands[node.number] = args = [a.number for a in node.args]
            if isinstance(node, Add | Mul):
                if isinstance(node, Mul):
                    self._products.add(node.number)
                for arg in args:
                    self._users[arg].add(node.number)
                many = self._many[node.number] = self._multiplicities(args)
                if len(many) == len(args) == 2:
                    alone[isinstance(node, Mul)].append((min(args), max(args)))
                else:
                    self._counts[isinstance(node, Mul)].update(_pairs(many))
        for product, pairs in alone.items():
            self._counts[product].update(pairs)
        self._heap = [
            (-n, *pair, product)
            for product, counts in self._counts.items()
            for pair, n in counts.items()
            if n > 1
        ]
        heapify(self._heap)

    def most_frequent(self) -> Iterator[Pair]:
        """Yield pairs that occur more than once, until there are none."""
        while self._heap:
            count, a, b, product = heappop(self._heap)
            now = self._counts[product][a, b]
            if now == -count:
                yield a, b, product
            elif now > 1:
                heappush(self._heap, (-now, a, b, product))

    def take_out(self, pair: Pair, name: str) -> None:
        """Replace the pair by a name wherever it occurs."""
        a, b, product = pair
        temp = self.graph.temp(name)
        self._originals[temp.number] = temp
        self.named[temp.number] = pair
        for user in sorted(self._users[a] & self._users[b]):
            if (user in self._products) == product:
                self._contract(user, a, b, temp.number)
        self._operands[temp.number] = [a, b]

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

    def _multiplicities(self, args: list[int]) -> Mapping[int, int]:
        """Return the number of occurrences of each operand of a sum or product, ignoring signs."""
        if not self._signs.isdisjoint(args):
            args = [a for a in args if a not in self._signs]
        once = dict.fromkeys(args, 1)
        return once if len(once) == len(args) else Counter(args)

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
        for arg in self._operands[number]:
            self._users[arg].discard(number)
        self._operands[number] = args
        for arg in args:
            self._users[arg].add(number)
        before, after = self._many[number], self._multiplicities(args)
        self._many[number] = after
        self._recount(before, after, number in self._products)
        if len(args) == 1:
            for user in sorted(self._users[number]):
                changed = [args[0] if a == number else a for a in self._operands[user]]
                self._change(user, changed)

    def _recount(self, before: Mapping[int, int], after: Mapping[int, int], product: bool) -> None:
        """Update the numbers of occurrences of the pairs of one sum or product."""
        counts = self._counts[product]
        present = before.keys() | after.keys()
        # Only pairs with an operand of changed multiplicity can change.
        rest = present - {a for a in present if before.get(a) == after.get(a)}
        while rest:
            a = rest.pop()
            old, new = before.get(a, 0), after.get(a, 0)
            for b in present:
                if b == a:
                    change = new // 2 - old // 2
                else:
                    change = min(new, after.get(b, 0)) - min(old, before.get(b, 0))
                if change:
                    pair = (a, b) if a < b else (b, a)
                    counts[pair] += change
                    if change > 0 and counts[pair] > 1:
                        heappush(self._heap, (-counts[pair], *pair, product))
            present.discard(a)

    def _close(self, root: int, done: dict[int, Expr], result: list[Statement]) -> Expr:
        """Return an expression again, after the statements that compute the names in it."""
        stack = [root]
        while stack:
            number = stack[-1]
            needed = [k for k in self._operands.get(number, ()) if k not in done]
            if needed:
                stack += needed
                continue
            stack.pop()
            if number not in done:
                done[number] = self._rebuild(number, done, result)
        return done[root]

    def _rebuild(self, number: int, done: dict[int, Expr], result: list[Statement]) -> Expr:
        original = self._originals[number]
        args = tuple([done[k] for k in self._operands.get(number, ())])
        if number in self.named:
            product = self.named[number][2]
            value = self.graph.mul(*args) if product else self.graph.add(*args)
            assert isinstance(original, Temp)  # made by take_out
            result.append(Let(original.name, value))
            return original
        return self.graph.rebuild(original, args) if args else original


def _pairs(many: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """Yield each pair as often as it can be taken out of a sum or product."""
    yield from combinations(sorted(many), 2)
    if not isinstance(many, Counter):
        return  # no operand is repeated
    repeated = sorted(a for a, times in many.items() if times > 1)
    for a, b in combinations(repeated, 2):
        yield from [(a, b)] * (min(many[a], many[b]) - 1)
    for a in repeated:
        yield from [(a, a)] * (many[a] // 2)
