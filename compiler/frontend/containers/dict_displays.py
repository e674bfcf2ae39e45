"""What makes a dict, written as a display: calls of `dict`, comprehensions over literals, unions."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Sequence

from backsweep.frontend.containers.placing import Resolve, placed


def is_union(node: ast.AST) -> bool:
    """Whether the node may be the union of two displays."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.BitOr)
        and any(isinstance(side, ast.Dict | ast.BinOp) for side in (node.left, node.right))
    )


class Displays(ast.NodeTransformer):
    """Writes calls of `dict`, dict comprehensions over literals, and unions of displays as displays."""

    def __init__(self, resolve: Resolve, statements: Sequence[ast.stmt] = ()) -> None:
        self.resolve = resolve
        self.tuples = _tuples_of_literals(statements)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Leave an inner function as it is."""
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Leave an inner function as it is."""
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`dict(a=x)`, `dict([("a", x)])` and `dict(zip(("a", "b"), (x, y)))`."""
        self.generic_visit(node)
        items = items_of(self.with_known_keys(node), self.resolve)
        if items is None:
            return node
        return ast.copy_location(
            ast.Dict([placed(key, node) for key, _ in items], [value for _, value in items]), node
        )

    def with_known_keys(self, node: ast.Call) -> ast.Call:
        """`dict(zip(names, x))` with the names written out, where they are a tuple of literals."""
        match node.args:
            case [ast.Call(args=[ast.Name(id=name) as names, other], keywords=given) as zipped]:
                place, found = self.tuples.get(name, ((0, 0), self.resolve(name)))
            case _:
                return node
        if (
            (names.lineno, names.col_offset) < place
            or not isinstance(found, tuple)
            or not all(isinstance(each, str | int) for each in found)
        ):
            return node
        display = ast.Tuple([placed(ast.Constant(each), names) for each in found], ast.Load())
        shown = ast.Call(zipped.func, [placed(display, names), other], given)
        return ast.copy_location(ast.Call(node.func, [placed(shown, zipped)], node.keywords), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """`{"a": x} | {"b": y}`."""
        self.generic_visit(node)
        if (
            isinstance(node.op, ast.BitOr)
            and isinstance(node.left, ast.Dict)
            and isinstance(node.right, ast.Dict)
        ):
            joined = ast.Dict([*node.left.keys, *node.right.keys], [*node.left.values, *node.right.values])
            return ast.copy_location(joined, node)
        return node

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        """`{k: x[k] for k in range(3)}`, or over a tuple of literals."""
        self.generic_visit(node)
        match node.generators:
            case [ast.comprehension(target=ast.Name(id=name), iter=numbers, ifs=[])]:
                found = _literals(numbers, self.resolve)
            case _:
                found = None
        own = [
            part
            for part in ast.walk(node)
            if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)
        ]
        if found is None or len(found) > LONGEST or len(own) > 1:
            return node
        keys, values = [], []
        for each in found:
            given = _Given(name, each)
            keys.append(given.visit(copy.deepcopy(node.key)))
            values.append(given.visit(copy.deepcopy(node.value)))
        return ast.copy_location(ast.Dict(keys, values), node)


def _tuples_of_literals(
    statements: Sequence[ast.stmt],
) -> dict[str, tuple[tuple[int, int], tuple[object, ...]]]:
    """The variables that are assigned once, by one of these statements, to a tuple of literals, with its place."""
    stored = Counter(
        part.id
        for each in statements
        for part in ast.walk(each)
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load)
    )
    found: dict[str, tuple[tuple[int, int], tuple[object, ...]]] = {}
    for each in statements:
        match each:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Tuple(elts=items)) if stored[name] == 1:
                values = [item.value for item in items if isinstance(item, ast.Constant)]
                if len(values) == len(items):
                    found[name] = ((each.lineno, each.col_offset), tuple(values))
            case _:
                pass
    return found


LONGEST = 64
"""The largest number of items of a comprehension that is written out."""


class _Given(ast.NodeTransformer):
    """Writes a literal in place of a variable."""

    def __init__(self, name: str, value: object) -> None:
        self.name = name
        self.value = value

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """The variable."""
        return ast.copy_location(ast.Constant(self.value), node) if node.id == self.name else node  # type: ignore[arg-type]


def _literals(node: ast.expr, resolve: Resolve) -> list[object] | None:
    """The numbers and strings that a loop over literals takes; None for any other expression."""
    try:
        match node:
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if resolve(name) is range and args:
                return list(range(*map(ast.literal_eval, args)))
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                found = [ast.literal_eval(each) for each in elts]
                return found if all(isinstance(each, str | int) for each in found) else None
            case _:
                return None
    except (ValueError, TypeError):
        return None


def calls_dict(node: ast.AST, resolve: Resolve) -> bool:
    """Whether the node calls `dict`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and resolve(node.func.id) is dict


def _is_typed_dict(thing: object) -> bool:
    """Whether the object is Numba's `typed.Dict`."""
    module = getattr(thing, "__module__", None) or ""
    return isinstance(thing, type) and thing.__name__ == "Dict" and module.startswith("numba.typed")


def items_of(node: ast.expr, resolve: Resolve) -> list[tuple[ast.expr, ast.expr]] | None:
    """The keys and values of a dict that is written out; None for any other expression."""
    match node:
        case ast.Dict(keys=keys, values=values):
            return None if None in keys else list(zip([key for key in keys if key], values, strict=True))
        case ast.Call(func=ast.Name(id=name), args=[], keywords=[]) if _is_typed_dict(resolve(name)):
            return []
        case ast.Call(args=[], keywords=named) if calls_dict(node, resolve):
            pairs = [(ast.Constant(each.arg), each.value) for each in named if each.arg is not None]
            return [*pairs] if len(pairs) == len(named) else None
        case ast.Call(args=[ast.List(elts=pairs) | ast.Tuple(elts=pairs)], keywords=[]) if calls_dict(
            node, resolve
        ):
            found = [
                (each.elts[0], each.elts[1])
                for each in pairs
                if isinstance(each, ast.Tuple) and len(each.elts) == 2
            ]
            return found if len(found) == len(pairs) else None
        case ast.Call(
            args=[ast.Call(func=ast.Name(id=name), args=[one, other], keywords=named)], keywords=[]
        ):
            is_known = calls_dict(node, resolve) and resolve(name) is zip
            if not is_known or any(each.arg != "strict" for each in named):
                return None
            return _side_by_side(one, other) or ([] if named else _of_variable(one, other)) or None
        case _:
            return None


def _of_variable(one: ast.expr, other: ast.expr) -> list[tuple[ast.expr, ast.expr]] | None:
    """The items of literal keys and a variable, which has as many or more items: a subscript raises where it has fewer."""
    if not isinstance(one, ast.Tuple | ast.List) or not isinstance(other, ast.Name):
        return None
    if not all(isinstance(each, ast.Constant) for each in one.elts):
        return None
    return [
        (
            key,
            ast.copy_location(
                ast.Subscript(other, ast.copy_location(ast.Constant(k), other), ast.Load()), other
            ),
        )
        for k, key in enumerate(one.elts)
    ]


def _side_by_side(one: ast.expr, other: ast.expr) -> list[tuple[ast.expr, ast.expr]] | None:
    """The items of two displays, the first of literals; None for other expressions."""
    if not isinstance(one, ast.Tuple | ast.List) or not isinstance(other, ast.Tuple | ast.List):
        return None
    is_known = len(one.elts) == len(other.elts) and all(isinstance(each, ast.Constant) for each in one.elts)
    if not is_known or any(isinstance(each, ast.Starred) for each in other.elts):
        return None
    return list(zip(one.elts, other.elts, strict=True))
