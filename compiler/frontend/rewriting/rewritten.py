"""Write statements that lowering does not know in terms of those that it knows, before control flow becomes structure.

A message is written where it is raised (`backsweep.frontend.rewriting.texts`), `match` becomes `if`, `elif` and `else`;
`try ... except` becomes branches (`backsweep.frontend.rewriting.handlers`), `try ... finally` its blocks one after the other; a loop over a
generator expression, `map` or `filter` becomes a loop over what they take their items from, whose body computes the item first, as
Python does; `z.real = x` becomes `z.real[...] = x`.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import importlib
import operator
import warnings
from collections.abc import Callable, Sequence

import numpy as np

from backsweep.frontend.constructs.going_through import as_it_changes
from backsweep.frontend.rewriting.exceptions import RefusedError, Text, caught_by, text_of_statements
from backsweep.frontend.rewriting.finally_clauses import Finals, with_final
from backsweep.frontend.rewriting.handlers import branches
from backsweep.frontend.rewriting.syntax import LEAVE, Names, Resolve, Rewriter, assign, call_of, variable
from backsweep.frontend.rewriting.texts import with_messages
from backsweep.reading.functions import ComprehensionLoop, Source
from backsweep.reading.origins import placed

EFFECTS = (*LEAVE, ast.Raise, ast.Assert)
"""What a `finally` block must not have: after an exception that leaves the function, it would show. No memory does: a derivative writes to copies."""
LENGTHS = frozenset({"append", "clear", "extend", "insert", "pop", "remove"})
"""The methods that change the length of a list."""
REFUSED = "backsweep_refused"
"""The attribute of a statement that cannot be written otherwise: a message, the place of a piece of syntax, a remedy."""


def rewritten(
    statements: Sequence[ast.stmt],
    resolve: Resolve,
    source: Source | None = None,
    looks: Callable[[ast.For], bool] = lambda _: False,
    raises: Callable[[ast.Call], frozenset[type[BaseException]]] = lambda _: frozenset(),
) -> list[ast.stmt]:
    """The statements without `match`, `try` and loops over generators; unchanged if there are none.

    `looks` tells of a loop whether its body may change the list that it runs over. Statements that cannot be written
    otherwise stay, and hold why.
    """
    given = list(statements)
    names = {part.id for each in given for part in ast.walk(each) if isinstance(part, ast.Name)}
    writer = _Rewriter(names, resolve, source, looks)
    writer.text = text_of_statements(
        given, resolve, writer.free, raises, jitted=writer.jitted, by_zero=writer.by_zero
    )
    writer.made = {name for each in given for part in ast.walk(each) for name in _made_list(part)}
    given = with_messages(given)
    if not any(writer.changes(part) for each in given for part in ast.walk(each)):
        return given
    return writer.block(copy.deepcopy(given))


class _Rewriter(Rewriter):
    """Rewrites the statements of one function; those of inner functions are rewritten where these are called."""

    def __init__(
        self, names: set[str], resolve: Resolve, source: Source | None, looks: Callable[[ast.For], bool]
    ) -> None:
        self.free = Names(names).free
        self.looks = looks
        self.text: Text
        self.tries = 0
        """How many `try` statements are around what is rewritten."""
        self.made: set[str] = set()
        """The variables that are lists of a number of items that the run decides."""
        self.resolve = resolve
        self.jitted = source is not None and source.jitted
        self.by_zero = source is None or source.by_zero

    def changes(self, node: ast.AST) -> bool:
        """Whether the node is a statement that is written otherwise."""
        match node:
            case ast.Match() | ast.Try():
                return True
            case ast.For():
                return self.generator(node.iter) or self.changing(node) is not None
            case ast.Expr():
                return self.stored(node) is not None
            case ast.Assign(targets=targets):
                return any(_is_part(each) for each in targets) or self.columns(node) is not None
            case ast.AugAssign(target=target):
                return _is_part(target)
            case _:
                return False

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AugAssign:
        """Write `z.real += x` likewise."""
        if _is_part(node.target):
            node.target = _whole(node.target)
        return node

    def stored(self, node: ast.Expr) -> ast.stmt | None:
        """The assignment or deletion that a call of `operator.setitem` or its like is; None for other expressions."""
        match node.value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name), args=args, keywords=[]):
                found = getattr(self.resolve(module), name, None)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                found = self.resolve(name)
            case _:
                return None
        match args:
            case [base, item, value] if found is operator.setitem:
                return ast.Assign([ast.Subscript(base, item, ast.Store())], value)
            case [base, item] if found is operator.delitem:
                return ast.Delete([ast.Subscript(base, item, ast.Del())])
            case _:
                return None

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        """Write `operator.setitem(a, i, x)` as a statement."""
        found = self.stored(node)
        return node if found is None else placed(found, node)

    def columns(self, node: ast.Assign) -> tuple[list[ast.expr], ast.expr] | None:
        """The targets and the list of tuples of `a, b = zip(*pairs)`; None for another statement."""
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=targets)],
                value=ast.Call(func=ast.Name(id="zip"), args=[ast.Starred(value=items)], keywords=[]),
            ):
                starred = any(isinstance(each, ast.Starred) for each in targets)
                is_made = isinstance(items, ast.Name) and items.id in self.made
                known = self.resolve("zip") is zip and (is_made or _makes_list(items))
                return (targets, items) if known and not starred else None
            case _:
                return None

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        """Write `z.real = x` as `z.real[...] = x`, which stores in a view, and `a, b = zip(*pairs)` as one list for each item of the tuples, which are as many as the targets."""
        node.targets = [_whole(each) if _is_part(each) else each for each in node.targets]
        found = self.columns(node)
        if found is None:
            return node
        targets, items = found
        held, item = self.free("pairs"), self.free("pair")
        whole = variable(held)
        first = ast.Subscript(whole, ast.Constant(0), ast.Load())
        is_empty = ast.Compare(call_of(len, whole), [ast.Eq()], [ast.Constant(0)])
        differs = ast.Compare(call_of(len, first), [ast.NotEq()], [ast.Constant(len(targets))])
        raised = ast.Call(
            ast.Constant(ValueError),  # type: ignore[arg-type]
            [ast.Constant("zip(*items) gives another number of values than there are variables")],
            [],
        )
        lists = [
            ast.ListComp(
                ast.Subscript(variable(item), ast.Constant(number), ast.Load()),
                [ast.comprehension(ast.Name(item, ast.Store()), whole, [], 0)],
            )
            for number in range(len(targets))
        ]
        made = [
            assign(held, items),
            ast.If(is_empty, [ast.Raise(raised, None)], []),
            ast.If(differs, [ast.Raise(copy.deepcopy(raised), None)], []),
            *(ast.Assign([target], each) for target, each in zip(targets, lists, strict=True)),
        ]
        return [placed(each, node) for each in made]

    def changing(self, node: ast.For) -> tuple[ast.expr, bool] | None:
        """The list that the loop's body changes while it runs over it, and whether it is enumerated; None for another loop."""
        match node.iter:
            case ast.Call(func=ast.Name(id="enumerate"), args=[base], keywords=[]):
                is_enumerated = True
            case ast.Name() | ast.Subscript() | ast.Attribute() as base:
                is_enumerated = False
            case _:
                return None
        known = self.resolve("len") is len and (not is_enumerated or self.resolve("enumerate") is enumerate)
        parts = (part for statement in node.body for part in ast.walk(statement))
        changes = isinstance(base, ast.Name) and any(_changes_list(part, base.id) for part in parts)
        return (base, is_enumerated) if known and (changes or self.looks(node)) else None

    def generator(self, node: ast.expr) -> bool:
        """Whether the expression is a generator with one loop, or calls `map` of one iterable or `filter`."""
        match node:
            case ast.GeneratorExp(generators=[_]):
                return True
            case ast.Call(func=ast.Name(id="map" | "filter" as name), args=[_, iterable], keywords=[]):
                known = {"map": map, "filter": filter}
                return self.resolve(name) is known[name] and not isinstance(iterable, ast.Starred)
            case _:
                return False

    def visit_For(self, node: ast.For) -> ast.stmt | list[ast.stmt]:
        """Write a loop over a generator as a loop over what this takes its items from."""
        self.generic_visit(node)
        changing = self.changing(node)
        if changing is not None:
            return self.counting(node, *changing)
        if not self.generator(node.iter):
            return node
        before: list[ast.stmt] = []
        if isinstance(node.iter, ast.GeneratorExp):
            (loop,) = node.iter.generators
            own = {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
            new = {name: self.free(name) for name in own}
            target, value = _renamed(loop.target, new), _renamed(node.iter.elt, new)
            tests, iterable = [_renamed(test, new) for test in loop.ifs], loop.iter
        else:
            target, iterable, before, tests, value = self.called(node.iter)
        skips = [ast.If(ast.UnaryOp(ast.Not(), test), [ast.Continue()], []) for test in tests]
        body = [*skips, ast.Assign([node.target], value), *node.body]
        made = ComprehensionLoop(target, iterable, body, node.orelse)
        made.whole = node.iter
        found = self.visit_For(made) if self.generator(iterable) else made
        return [placed(each, node) for each in (*before, *(found if isinstance(found, list) else [found]))]

    def counting(self, node: ast.For, base: ast.expr, is_enumerated: bool) -> list[ast.stmt]:
        """A `while` loop that looks at the list's length before each round, as the iterator of a list does."""
        name = base.id if isinstance(base, ast.Name) else "items"
        held, place = self.free(f"all_{name}"), self.free("place")
        read = ast.Subscript(variable(held), variable(place), ast.Load())
        taken: ast.expr = read
        if is_enumerated:
            taken = ast.Tuple([variable(place), read], ast.Load())
        test = ast.Compare(variable(place), [ast.Lt()], [ast.Call(variable("len"), [variable(held)], [])])
        body: list[ast.stmt] = [
            ast.Assign([node.target], taken),
            ast.AugAssign(ast.Name(place, ast.Store()), ast.Add(), ast.Constant(1)),
        ]
        found = [
            assign(held, call_of(as_it_changes, base)),
            assign(place, ast.Constant(0)),
            ast.While(test, [*body, *node.body], node.orelse),
        ]
        return [placed(each, node) for each in found]

    def visit_ComprehensionLoop(self, node: ComprehensionLoop) -> ast.stmt | list[ast.stmt]:
        """Write a loop of a comprehension over a generator likewise."""
        return self.visit_For(node)

    def called(self, node: ast.expr) -> tuple[ast.expr, ast.expr, list[ast.stmt], list[ast.expr], ast.expr]:
        """The target, the iterable, what comes before the loop, the conditions and the item, for `map` and `filter`."""
        assert isinstance(node, ast.Call)
        assert isinstance(node.func, ast.Name)
        function, iterable = node.args
        name = self.free("item")
        item = variable(name)
        before: list[ast.stmt] = []
        if not isinstance(function, ast.Lambda | ast.Constant):
            held = self.free("function")  # Python evaluates it once
            before = [assign(held, function)]
            function = variable(held)
        is_none = isinstance(function, ast.Constant) and function.value is None
        applied = item if is_none else ast.Call(function, [item], [])
        target = ast.Name(name, ast.Store())
        if node.func.id == "map":
            return target, iterable, before, [], applied
        return target, iterable, before, [applied], item

    def visit_Try(self, node: ast.Try) -> list[ast.stmt]:
        """Write `try ... finally` as its blocks in turn, and `try: import ...` as what the import leads to.

        An exception that no handler catches ends the whole function, so that nobody sees what a `finally` block without effects would
        compute; `Finals` has others seen to.
        """
        if not self.tries:
            Finals().visit(node)
        outside = self.text
        self.tries += 1
        self.text = dataclasses.replace(outside, around=(*caught_by(node, outside), *outside.around))
        node.body = self.block(node.body)
        self.text = outside
        node.orelse, node.finalbody = self.block(node.orelse), self.block(node.finalbody)
        for handler in node.handlers:
            handler.body = self.block(handler.body)
        self.tries -= 1
        asked = self.asks_length(node)
        if asked is not None:
            return [placed(asked, node)]
        if (inner := next((part for part in ast.walk(node) if hasattr(part, REFUSED)), None)) is not None:
            return [_refused(node, *getattr(inner, REFUSED))]
        if node.handlers:
            try:
                taken = _imports(node) or branches(node, self.text)
            except RefusedError as refused:
                return [_refused(node, *refused.why)]
            body = [placed(each, node) for each in taken]
        else:
            body = [*node.body, *node.orelse]
        if not node.finalbody:
            return body
        kept = [each for part in node.finalbody for each in ast.walk(part) if self.shows(each)]
        if kept:
            message = f"`{ast.unparse(kept[0])}` in a `finally` block cannot be differentiated"
            return [
                _refused(
                    node,
                    message,
                    kept[0],
                    "let the `finally` block only compute, and change variables and arrays",
                )
            ]
        return with_final(body, node.finalbody, self.free)

    def shows(self, node: ast.AST) -> bool:
        """Whether a part of a `finally` block does more than to compute, and to change what is in memory."""
        called = node.func if isinstance(node, ast.Call) else None
        found = self.resolve(called.id) if isinstance(called, ast.Name) else None
        is_shown = found is print or found is warnings.warn
        warns = isinstance(called, ast.Attribute) and called.attr == "warn"
        return is_shown or warns or isinstance(node, EFFECTS)

    def asks_length(self, node: ast.Try) -> ast.stmt | None:
        """The branch that `try: n = len(x)`, `except TypeError` is: a number has no length; None for another `try`."""
        match node:
            case ast.Try(
                body=[
                    ast.Assign(
                        value=ast.Call(func=ast.Name(id=name), args=[ast.Name() as asked], keywords=[])
                    )
                ]
                | [ast.Expr(value=ast.Call(func=ast.Name(id=name), args=[ast.Name() as asked], keywords=[]))],
                handlers=[ast.ExceptHandler(type=ast.Name(id="TypeError"), name=None, body=otherwise)],
                finalbody=[],
            ) if self.resolve(name) is len and self.resolve("TypeError") is TypeError:
                has_length = call_of(np.iterable, variable(asked.id))
                return ast.If(has_length, [*node.body, *node.orelse], otherwise)
            case _:
                return None

    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
        """Write the cases as the branches of one `if`."""
        self.generic_visit(node)
        subject, held = node.subject, []
        if not isinstance(subject, ast.Name):
            name = self.free("subject")
            held = [assign(name, subject)]
            subject = variable(name)
        otherwise: list[ast.stmt] = []
        for case in reversed(node.cases):
            found = self.tests(case.pattern, subject)
            if found is None:
                shown = ast.unparse(case.pattern)
                message = f"the pattern `{shown}` takes an object apart, which cannot be differentiated"
                remedy = "match literals, or write `if` and `elif`"
                return [_refused(node, message, case.pattern, remedy)]
            tests, captures = found
            bound: list[ast.expr] = [
                ast.NamedExpr(ast.Name(name, ast.Store()), part) for name, part in captures
            ]
            if case.guard is not None:
                items = [*bound, case.guard]
                last = ast.Subscript(ast.Tuple(items, ast.Load()), ast.Constant(-1), ast.Load())
                tests = [*tests, last if bound else case.guard]
                bound = []
            body = [*(ast.Expr(each) for each in bound), *case.body]
            if not tests:
                otherwise = body
                continue
            test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
            otherwise = [placed(ast.If(test, body, otherwise), case.pattern)]
        return [placed(each, node) for each in (*held, *otherwise)]

    def tests(self, pattern: ast.pattern, subject: ast.expr) -> Matched | None:
        """The conditions under which a pattern matches, and the names that it binds, to what; None if it is refused."""
        match pattern:
            case ast.MatchValue(value=value):
                return [ast.Compare(subject, [ast.Eq()], [value])], []
            case ast.MatchSingleton(value=value):
                return [ast.Compare(subject, [ast.Is()], [ast.Constant(value)])], []
            case ast.MatchOr(patterns=patterns):
                found = [self.tests(each, subject) for each in patterns]
                sides = [_all(each[0]) for each in found if each is not None and not each[1]]
                return ([ast.BoolOp(ast.Or(), sides)], []) if len(sides) == len(found) else None
            case ast.MatchAs(pattern=inner, name=name):
                within = ([], []) if inner is None else self.tests(inner, subject)
                bound = [] if name is None else [(name, subject)]
                return None if within is None else (within[0], [*within[1], *bound])
            case ast.MatchSequence(patterns=patterns):
                return self.of_sequence(patterns, subject)
            case ast.MatchClass(cls=cls):
                return self.of_class(pattern, cls, subject)
            case _:
                return None

    def of_sequence(self, patterns: Sequence[ast.pattern], subject: ast.expr) -> Matched | None:
        """The same for a pattern of items, of which one may stand for all that are left."""
        stars = [k for k, each in enumerate(patterns) if isinstance(each, ast.MatchStar)]
        wanted = ast.Constant(len(patterns) - len(stars))
        length = call_of(len, subject)
        is_sequence = call_of(isinstance, subject, ast.Constant((tuple, list)))  # type: ignore[arg-type]
        tests: list[ast.expr] = [
            is_sequence,
            ast.Compare(length, [ast.GtE() if stars else ast.Eq()], [wanted]),
        ]
        bound: list[tuple[str, ast.expr]] = []
        for number, each in enumerate(patterns):
            place = number - len(patterns) if stars and number > stars[0] else number
            if isinstance(each, ast.MatchStar):
                after = len(patterns) - number - 1
                stop = ast.Constant(-after) if after else None
                part = ast.Subscript(subject, ast.Slice(ast.Constant(number), stop), ast.Load())
                bound += [] if each.name is None else [(each.name, call_of(list, part))]
                continue
            within = self.tests(each, ast.Subscript(subject, ast.Constant(place), ast.Load()))
            if within is None:
                return None
            tests += within[0]
            bound += within[1]
        return tests, bound

    def of_class(self, pattern: ast.MatchClass, cls: ast.expr, subject: ast.expr) -> Matched | None:
        """The same for a pattern of attributes; what comes by position is named by `__match_args__`."""
        known = self.resolve(cls.id) if isinstance(cls, ast.Name) else None
        tests: list[ast.expr] = [call_of(isinstance, subject, cls)]
        bound: list[tuple[str, ast.expr]] = []
        parts = list(zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True))
        names = getattr(known, "__match_args__", None)
        pairs: list[tuple[ast.expr, ast.pattern]] = []
        if pattern.patterns and known in ITSELF and len(pattern.patterns) == 1:
            pairs.append((subject, pattern.patterns[0]))
        elif pattern.patterns and (not isinstance(names, tuple) or len(names) < len(pattern.patterns)):
            return None
        else:
            parts += zip(names or (), pattern.patterns, strict=False)
        pairs += [(ast.Attribute(subject, name, ast.Load()), each) for name, each in parts]
        for part, each in pairs:
            within = self.tests(each, part)
            if within is None:
                return None
            tests += within[0]
            bound += within[1]
        return tests, bound


Matched = tuple[list[ast.expr], list[tuple[str, ast.expr]]]
"""Conditions, and names with what they are bound to."""
ITSELF = (bool, float, int, str, tuple, list)
"""The classes whose pattern by position is one of the object itself."""


def _makes_list(node: ast.expr) -> bool:
    """Whether the expression makes a list of a number of items that may depend on the run."""
    return isinstance(node, ast.ListComp) or (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("sorted", "list")
    )


def _made_list(node: ast.AST) -> list[str]:
    """The variable that the node makes, or grows as, such a list."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if _makes_list(value):
            return [name]
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append")):
            return [name]
        case _:
            return []


def _is_part(target: ast.expr) -> bool:
    """Whether the real or the imaginary part of something is assigned."""
    return isinstance(target, ast.Attribute) and target.attr in ("real", "imag")


def _whole(target: ast.expr) -> ast.Subscript:
    """All entries of a part."""
    assert isinstance(target, ast.Attribute)
    read = ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)
    every = ast.copy_location(ast.Constant(...), target)
    return ast.copy_location(ast.Subscript(read, every, ast.Store()), target)


def _changes_list(node: ast.AST, name: str) -> bool:
    """Whether the node changes how many items the list of this name has."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=changed), attr=method)) if method in LENGTHS:
            return changed == name
        case ast.Delete(targets=targets):
            return any(
                isinstance(each, ast.Subscript) and isinstance(each.value, ast.Name) and each.value.id == name
                for each in targets
            )
        case _:
            return False


def _refused(statement: ast.stmt, message: str, place: ast.AST, remedy: str) -> ast.stmt:
    """The statement, which holds why it cannot be written otherwise."""
    setattr(statement, REFUSED, (message, place, remedy))
    return statement


def _imports(node: ast.Try) -> list[ast.stmt] | None:
    """The statements that run where the body of `try` only imports: itself, or a handler; None for any other `try`."""
    caught = {"ImportError", "ModuleNotFoundError", "Exception"}
    handlers = [each for each in node.handlers if each.type is None or ast.unparse(each.type) in caught]
    if not handlers or not all(isinstance(each, ast.Import | ast.ImportFrom) for each in node.body):
        return None
    try:
        for each in node.body:
            if isinstance(each, ast.ImportFrom) and each.module and not each.level:
                module = importlib.import_module(each.module)
                for alias in each.names:
                    getattr(module, alias.name)
            elif isinstance(each, ast.Import):
                for alias in each.names:
                    importlib.import_module(alias.name)
    except (ImportError, AttributeError):
        return list(handlers[0].body)
    return [*node.body, *node.orelse]


def _all(tests: list[ast.expr]) -> ast.expr:
    if not tests:
        return ast.Constant(True)
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


def _renamed(node: ast.expr, names: dict[str, str]) -> ast.expr:
    """The expression with other names for its variables, also where a function or comprehension within it binds them."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            part.id = names.get(part.id, part.id)
        if isinstance(part, ast.arg):
            part.arg = names.get(part.arg, part.arg)
    return node
