# SPDX-License-Identifier: BSD-3-Clause
"""A second count of a kernel, from its C text: parsed by pycparser, loops gone through one by one.

Shares nothing with flexforge.codegen.ir.count: that one walks the IR, this one the printed text.
Operations in subscripts are integer arithmetic and not counted, nor are changes of sign and the
spreading of a scalar over the lanes, ``x - (lanes){0}``.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from pycparser import c_ast, c_parser

#: What the text uses of flexforge.h, with vectors as scalars.
PRELUDE = """
typedef void (*flexforge_function)(void);
typedef struct flexforge_kernel { int abi; } flexforge_kernel;
double sqrt(double); float sqrtf(float);
"""
#: Place of each number in a descriptor, counted from its end.
DESCRIPTOR = {"additions": -11, "products": -10, "quotients": -9, "roots": -8, "fused": -7,
              "bytes": -6, "stack": -5, "workspace": -4}  # fmt: skip


@cache
def parse(text: str) -> c_ast.FileAST:
    """Return the syntax tree of a file of kernels."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.DOTALL)
    text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"FLEXFORGE_VECTOR\((\w+), \d+\)", r"\1", text)
    text = text.replace("FLEXFORGE_LINKAGE", "").replace("FLEXFORGE_DECLARE", "extern")
    return c_parser.CParser().parse(PRELUDE + text)


def functions(text: str) -> dict[str, Counter[str]]:
    """Return the counts of every kernel of a file, by name."""
    return {
        node.decl.name: _count(node.body)
        for node in parse(text).ext
        if isinstance(node, c_ast.FuncDef)
    }


def descriptors(text: str) -> dict[str, dict[str, int]]:
    """Return the numbers in the descriptors of a file, by name of the kernel."""
    found = {}
    for node in parse(text).ext:
        if isinstance(node, c_ast.Decl) and node.init and node.name.endswith("_descriptor"):
            entries = node.init.exprs
            found[node.name.removesuffix("_descriptor")] = {
                field: int(entries[place].value) for field, place in DESCRIPTOR.items()
            }
    return found


def _count(body: c_ast.Compound) -> Counter[str]:
    total: Counter[str] = Counter()
    _run(body, {}, total, 1)
    return total


def _run(node: c_ast.Node, at: dict[str, int], total: Counter[str], times: int) -> None:
    """Execute a statement ``times`` times with the loops at their present values."""
    match node:
        case c_ast.Compound():
            for item in node.block_items or ():
                _run(item, at, total, times)
        case c_ast.For():
            (declared,) = node.init.decls
            first, last = _integer(declared.init, at), _integer(node.cond.right, at)
            if declared.name == "group":
                last = 1  # every group of lanes is other elements; an element is counted
            assert node.cond.op == "<"
            assert node.next.op == "++"
            if _has_loop(node.stmt):
                for value in range(first, last):
                    _run(node.stmt, at | {declared.name: value}, total, times)
            else:
                _run(node.stmt, at, total, times * max(0, last - first))
        case c_ast.Assignment():
            found = _operations(node.rvalue)
            if node.op == "+=":
                found["additions"] += 1
                found["fused"] += _is_product(node.rvalue)
            else:
                assert node.op == "="
            _add(total, found, times)
        case c_ast.Decl():
            _declare(node, total)
            if node.init is not None and "static" not in node.storage:
                _add(total, _operations(node.init), times)
        case c_ast.Cast() | c_ast.Typedef() | c_ast.ID():
            pass
        case _:
            raise AssertionError(f"unexpected {type(node).__name__} in a kernel")


def _declare(node: c_ast.Decl, total: Counter[str]) -> None:
    """Count local arrays by their entries and scalars by their number."""
    if "static" in node.storage:
        return
    if isinstance(node.type, c_ast.ArrayDecl):
        total["entries"] += _integer(node.type.dim, {})
    elif isinstance(node.type, c_ast.TypeDecl) and "radicand" not in node.name:
        # Each declaration is met once a pass of an outer loop: names are what counts.
        total[f"scalar {node.name}"] = 1


def _add(total: Counter[str], found: Counter[str], times: int) -> None:
    for family, number in found.items():
        total[family] += times * number


def _has_loop(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.For) or any(_has_loop(child) for _, child in node.children())


def _integer(node: c_ast.Node, at: dict[str, int]) -> int:
    return int(node.value) if isinstance(node, c_ast.Constant) else at[node.name]


def _is_product(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.BinaryOp) and node.op == "*"


def _operations(node: c_ast.Node) -> Counter[str]:
    """Return the operations of an expression."""
    found: Counter[str] = Counter()
    match node:
        case c_ast.Constant() | c_ast.ID() | c_ast.ArrayRef() | c_ast.InitList() | c_ast.Cast():
            pass
        case c_ast.UnaryOp(op="-"):
            found += _operations(node.expr)
        case c_ast.CompoundLiteral():  # square roots lane by lane
            first = node.init.exprs[0]
            if isinstance(first, c_ast.FuncCall):
                found += _operations(first)
        case c_ast.FuncCall():
            assert node.name.name in ("sqrt", "sqrtf")
            found["roots"] += 1
            found += _operations(node.args.exprs[0])
        case c_ast.BinaryOp(op="*"):
            found["products"] += 1
            found += _operations(node.left) + _operations(node.right)
        case c_ast.BinaryOp(op="/"):
            found["quotients"] += 1
            found += _operations(node.left) + _operations(node.right)
        case c_ast.BinaryOp(op="-") if isinstance(node.right, c_ast.CompoundLiteral):
            found += _operations(node.left)
        case c_ast.BinaryOp(op="+" | "-"):
            terms = [node.right]
            while isinstance(node.left, c_ast.BinaryOp) and node.left.op in "+-":
                node = node.left
                terms.append(node.right)
            terms.append(node.left)
            found["additions"] += len(terms) - 1
            found["fused"] += min(len(terms) - 1, sum(map(_is_product, terms)))
            for term in terms:
                found += _operations(term)
        case _:
            raise AssertionError(f"unexpected {type(node).__name__} in an expression")
    return found
