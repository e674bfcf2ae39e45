"""Dicts and sets that the program makes.

A dict whose keys are known is a constant whose values are operands. Where the program changes one, or asks it for a key that the run
computes, it is lowered again with the prelude's table in its place: a list of keys beside a list of values.
"""

from __future__ import annotations

import ast
import collections
from collections.abc import Mapping, Sequence
from typing import Any

from backsweep.frontend.constructs.comprehensions import comprehension, loops
from backsweep.frontend.constructs.dicts import becomes_table, is_no_item
from backsweep.frontend.constructs.going_through import place_of
from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.context.heap import Fact, virtual
from backsweep.frontend.context.inner_text import placed_at, run_and_assign
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import known_elements
from backsweep.frontend.instances.making import make_object, new
from backsweep.frontend.instances.members import store
from backsweep.ir.nodes import Const, Operand, Value
from backsweep.ir.types import Scalar
from backsweep.prelude import meaning_of
from backsweep.prelude.containers.named import Named, NamedDefault, of_key
from backsweep.prelude.language import items as of_items
from backsweep.reading.names import wrap

LOOKUPS = ("get", "items", "keys", "values", "copy")
"""The methods that change nothing."""
CHANGES = ("clear", "pop", "popitem", "setdefault", "update")
"""The methods that change a dict."""
LONGEST = 64
"""How many items may be told apart by comparisons, one after the other."""
Pairs = Sequence[tuple[Operand | None, Operand]]
"""Keys with their values; None in place of a key stands for all items of a dict."""


def dict_of(lowerer: Lowerer, node: ast.Dict | ast.DictComp) -> Operand:
    """Lower `{"a": x, **others}` and `{key: value for ...}`."""
    if isinstance(node, ast.DictComp):
        return _comprehension(lowerer, node)
    pairs: list[tuple[Operand | None, Operand]] = []
    for key, value in zip(node.keys, node.values, strict=True):
        operand = lowerer.lower(value)
        pairs.append((None if key is None else lowerer.lower(key), operand))
    for (_, operand), key, value in zip(pairs, node.keys, node.values, strict=True):
        is_dict = virtual(operand) is not None or isinstance(getattr(operand, "value", None), dict)
        if key is None and not is_dict:
            message = "`**` needs a dict whose keys are known before the program runs"
            raise lowerer.refuse("BS108", message, value, "write the keys out")
    return made_dict(lowerer, pairs, node)


def dict_of_pairs(lowerer: Lowerer, function: object, node: ast.Call) -> Operand | None:
    """Lower `dict(zip(keys, values))`, `dict([(k, v), ...])` and `dict((k, v) for ...)` as comprehensions; None for other calls."""
    if function is not dict or len(node.args) != 1 or node.keywords:
        return None
    pairs = node.args[0]
    called = (
        lowerer.lower(pairs.func)
        if isinstance(pairs, ast.Call) and isinstance(pairs.func, ast.Name)
        else None
    )
    makes_pairs = isinstance(called, Const) and any(called.value is each for each in (zip, enumerate, map))
    if not makes_pairs and not isinstance(pairs, ast.GeneratorExp | ast.ListComp | ast.List | ast.Tuple):
        return None
    key, value = ".key", ".value"
    target = ast.Tuple([ast.Name(key, ast.Store()), ast.Name(value, ast.Store())], ast.Store())
    loop = ast.comprehension(target, pairs, [], 0)
    made = ast.DictComp(ast.Name(key, ast.Load()), ast.Name(value, ast.Load()), [loop])
    return _comprehension(lowerer, placed_at(ast.copy_location(made, node), node))


def dict_of_arguments(
    lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """Lower `dict(d, a=x)`."""
    is_known = (
        not args or (isinstance(args[0], Const) and isinstance(args[0].value, dict)) or _is_named(args[0])
    )
    named = [(Const(name), value) for name, value in keywords.items()]
    if len(args) < 2 and is_known:
        return made_dict(lowerer, [*((None, each) for each in args), *named], node)
    if keywords or len(args) != 1:
        message = "`dict` takes one dict, or pairs of keys and values, or keywords"
        raise lowerer.refuse("BS113", message, node, "write {'a': x, 'b': y}")
    return lowerer.call(Const(meaning_of(dict)), args, {}, node)


def made_dict(lowerer: Lowerer, pairs: Pairs, node: ast.AST) -> Operand:
    """A dict of these items: a constant if the keys are known and nothing changes it."""
    fact = ("table", place_of(lowerer, node))
    is_known = all(
        isinstance(value, Const) and isinstance(value.value, dict) if key is None else _is_known(key)
        for key, value in pairs
    )
    found = lowerer.context.expansions.objects
    if not pairs and (fact in found or ("named", *fact[1:]) in found):
        return _empty(lowerer, node, fact)
    named = ("named", *fact[1:]) in found or (
        bool(pairs)
        and not is_known
        and all(
            _is_named(value) if key is None else isinstance(getattr(key, "value", None), str)
            for key, value in pairs
        )
    )
    if named or not is_known or fact in found:
        return _table(lowerer, pairs, node, Named if named else meaning_of(dict))
    items: dict[Any, Operand] = {}
    for key, operand in pairs:
        if isinstance(key, Const):
            items[key.value] = operand
        elif isinstance(operand, Const):
            items |= {name: wrap(thing) for name, thing in operand.value.items()}
    lowerer.context.made_dicts[id(items)] = (items, fact)
    return Const(items)


def default_dict(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `defaultdict(factory)`, whose first key may turn out to be a string."""
    fact = ("table", place_of(lowerer, node))
    is_named = ("named", *fact[1:]) in lowerer.context.expansions.objects
    cls = NamedDefault if is_named else meaning_of(collections.defaultdict)
    made = make_object(lowerer, cls, args, keywords, node)
    assert isinstance(made, Const)
    if not is_named:
        lowerer.context.made_dicts[id(made.value)] = (made.value, fact)
    return made


def named(lowerer: Lowerer, base: Operand, node: ast.AST) -> Operand | None:
    """A dict that exists before the program runs, whose keys are strings, as one that answers to a key that the run computes; None of any other."""
    items = base.value if isinstance(base, Const) else None
    if type(items) is not dict or not items or not all(isinstance(key, str) for key in items):
        return None
    return _table(lowerer, [(None, base)], node, Named)


def chosen(
    lowerer: Lowerer, items: Mapping[Any, Any] | Sequence[Any], key: Operand, node: ast.AST
) -> Operand | None:
    """The item by comparisons with each key; None where there are too many, or an array or a list can hold the items."""
    things = items.items() if isinstance(items, Mapping) else enumerate(items)
    operands = {each: wrap(thing) for each, thing in things}
    if len(operands) > LONGEST or not any(is_no_item(lowerer.context, each) for each in operands.values()):
        return None
    if not isinstance(items, Mapping):
        kind = asked_type(lowerer, key, node)
        if not isinstance(kind, Scalar) or not kind.dtype.startswith(("int", "uint")):
            return None
        key = lowerer.inline(of_items.place_from_either_end, (key, Const(len(operands))), {}, node)
    for each, operand in operands.items():
        if (copy := virtual(named(lowerer, operand, node))) is not None:
            lowerer.context.objects.copies.add(copy)
            operands[each] = Const(copy)
    sides = [lowerer.make_tuple(tuple(each), node) for each in (map(wrap, operands), operands.values())]
    return lowerer.inline(of_items.chosen, (*sides, key), {}, node)


def changeable(lowerer: Lowerer, given: Operand, node: ast.AST) -> Operand:
    """A dict that is an argument, of which the function may change its own copy; any other operand itself."""
    if not isinstance(given, Const) or type(given.value) is not dict or not given.value:
        return given
    if not all(isinstance(key, str) for key in given.value):
        return given
    items = {key: changeable(lowerer, wrap(each), node) for key, each in given.value.items()}
    return made_dict(lowerer, [(Const(key), each) for key, each in items.items()], node)


def _is_named(operand: Operand) -> bool:
    """Whether a dict has strings for keys, wherever it may have been changed."""
    thing = virtual(operand)
    return thing is not None and issubclass(thing.cls, Named)


def known_pairs(lowerer: Lowerer, operand: Operand, node: ast.AST) -> dict[str, Operand] | None:
    """The items of a dict whose keys are strings that are known; None of anything else."""
    if isinstance(operand, Const) and isinstance(operand.value, dict):
        return {key: wrap(value) for key, value in operand.value.items()}
    found = lowerer.attribute(operand, "names", node) if _is_named(operand) else None
    names = None if found is None else known_elements(lowerer.context, found)
    keys = [each.value if isinstance(each, Const) else None for each in names or ()]
    if names is None or not all(isinstance(key, str) for key in keys):
        return None
    return {str(key): lowerer.attribute(operand, of_key(str(key)), node) for key in keys}


def _is_known(key: Operand) -> bool:
    return isinstance(key, Const) and isinstance(key.value, str | int | bool | tuple)


def _table(lowerer: Lowerer, pairs: Pairs, node: ast.AST, kind: object) -> Operand:
    """A table of this class with these items."""
    given = [
        lowerer.make_tuple((Const(key is None), Const(None) if key is None else key, value), node)
        for key, value in pairs
    ]
    return lowerer.inline(of_items.table, (Const(kind), lowerer.make_tuple(tuple(given), node)), {}, node)


def _comprehension(lowerer: Lowerer, node: ast.DictComp) -> Operand:
    """Lower `{key: value for ...}` to a loop that fills a table."""
    name, whole = ".made", ast.copy_location(ast.ListComp(node.value, node.generators), node)
    fact = ("table", place_of(lowerer, node))
    table = _empty(lowerer, node, fact)
    put = ast.Subscript(ast.Name(name, ast.Load()), node.key, ast.Store())
    filled = ast.ListComp(node.value, node.generators)
    statements: list[ast.stmt] = [
        ast.Assign([ast.Name(name, ast.Store())], ast.Name(".table", ast.Load())),
        loops(ast.copy_location(filled, node), ast.Assign([put], node.value)),
        ast.Return(ast.Name(name, ast.Load())),
    ]
    return run_and_assign(lowerer, "dict", statements, {".table": table}, whole)


def _empty(lowerer: Lowerer, node: ast.AST, fact: Fact) -> Operand:
    """A table without items, whose first key may turn out to be a string."""
    is_named = ("named", *fact[1:]) in lowerer.context.expansions.objects
    made = _table(lowerer, (), node, Named if is_named else meaning_of(dict))
    if isinstance(made, Const) and not is_named:
        lowerer.context.made_dicts[id(made.value)] = (made.value, fact)
    return made


def union(lowerer: Lowerer, left: Operand, right: Operand, node: ast.AST) -> Operand | None:
    """The items of two dicts that are known, `d | e`; None where one of the operands is no such dict."""
    if not all(isinstance(each, Const) and isinstance(each.value, dict) for each in (left, right)):
        return None
    return made_dict(lowerer, [(None, left), (None, right)], node)


def lookup(lowerer: Lowerer, base: Const, name: str, args: tuple[Operand, ...], node: ast.Call) -> Operand:
    """Lower a method of a known dict that changes nothing: `get`, `items`, `keys`, `values`, `copy`."""
    things = {key: wrap(value) for key, value in base.value.items()}
    match name, args:
        case "get", (Const(value=key), *default) if len(default) <= 1:
            return things.get(key, default[0] if default else Const(None))
        case "items", ():
            pairs = (lowerer.make_tuple((wrap(key), value), node) for key, value in things.items())
            return lowerer.make_tuple(tuple(pairs), node)
        case "keys", ():
            return Const(tuple(things))
        case "values", ():
            return lowerer.make_tuple(tuple(things.values()), node)
        case "copy", ():
            return made_dict(lowerer, [(None, base)], node)
        case _:
            becomes_table(lowerer.context, base)
            if (answering := named(lowerer, base, node)) is not None:
                return lowerer.call(lowerer.attribute(answering, name, node), args, {}, node)
            if name == "get" and 0 < len(args) < 3 and isinstance(args[0], Value):
                given = (base, *args, Const(None))[:3]
                return lowerer.inline(of_items.item_or, given, {}, node)
            message = f"`{ast.unparse(node)}` needs a key that is known before the program runs"
            raise lowerer.refuse("BS110", message, node, "use an array, with numbers for keys")


def set_of(lowerer: Lowerer, node: ast.Set | ast.SetComp) -> Operand:
    """Make a set; of constants, those that differ are found while compiling."""
    cls = meaning_of(set)
    assert isinstance(cls, type)
    if isinstance(node, ast.SetComp):
        given = comprehension(lowerer, ast.copy_location(ast.ListComp(node.elt, node.generators), node))
    else:
        items = tuple(lowerer.spread(node.elts))
        known = {each.value: each for each in items if isinstance(each, Const)}
        if all(isinstance(each, Const) for each in items):
            base = new(lowerer, cls, node)
            listed = lowerer.make_tuple(tuple(known.values()), node, as_list=True)
            store(lowerer, base.value, "items", listed, node)
            return base
        given = lowerer.make_tuple(items, node)
    made = make_object(lowerer, cls, (given,), {}, node)
    assert made is not None
    return made
