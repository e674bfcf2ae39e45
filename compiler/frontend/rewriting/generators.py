"""Write a loop over a call of a generator function as the generator's own text, with the loop's body where it yields.

`for v in walk(x): total += v` becomes the statements of `walk`, in which `yield y` is `v = y; total += y`: just what Python
runs, in the order in which it runs it, also where either side leaves early or one writes what the other reads. What takes
all items at once, as `list(walk(x))` and `sum(walk(x))`, takes them in such a loop.

A generator that is kept, `found = walk(x)`, becomes a list where nobody could tell (`frontend.generators`). Everything else that one
can do with a generator (send it something, keep one that writes) stays as it is, and is refused.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import ModuleType

from backsweep.diagnostics import SourceError
from backsweep.frontend.calls.inlining import function_frame
from backsweep.frontend.constructs.going_through import generator_at, generator_of, with_methods, yields
from backsweep.frontend.constructs.iterators import with_places
from backsweep.frontend.constructs.lists import looks
from backsweep.frontend.context.calls_in_try import raises_at
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import Frame, Inner, assigned_names, local_names, same
from backsweep.frontend.generators.arguments import goes_once
from backsweep.frontend.generators.eager import ends, only_reads
from backsweep.frontend.rewriting.context_managers import MANAGED, managed
from backsweep.frontend.rewriting.exceptions import note_implied
from backsweep.frontend.rewriting.rewritten import rewritten
from backsweep.frontend.rewriting.syntax import Names, assign, call_of, variable
from backsweep.frontend.rewriting.yields import Leaving, one_round, with_body
from backsweep.ir.nodes import UNDEFINED, Const, Operand
from backsweep.reading.control_flow import OTHER_SCOPES, own_nodes
from backsweep.reading.functions import Source, read_generator
from backsweep.reading.names import is_own, lookup_name, wrap
from backsweep.reading.origins import Origin, mark_origin, placed

MOST_YIELDS = 12
"""In how many places a generator may yield: each holds the loop's body."""
REWRITTEN = (ast.Try, ast.Match, ast.FunctionDef, ast.Dict, ast.DictComp, ast.GeneratorExp, ast.Yield)
"""The syntax that the rewritings look for, besides loops and texts that are raised."""
LENGTH, LIST, ITER = ".length", ".list", ".iter"
"""Hidden variables: the builtins `len`, `list` and `iter`."""


@dataclass(eq=False)
class Scope:
    """A text in which generators are written out: the generators that it defines, and where it is from if another function lent it."""

    inner: dict[str, ast.FunctionDef] = field(default_factory=dict)
    origin: Origin | None = None
    within: tuple[ast.FunctionDef, ...] = ()


class CannotWriteError(Exception):
    """The loop stays as it is, and is refused."""


def plain_statements(lowerer: Lowerer, definition: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function in terms of those that lowering knows."""
    if _is_ours(lowerer) and not _may_need_rewriting(definition):
        return definition.body

    def known_name(name: str) -> object:
        """What a name means where the function begins; None if that is not known."""
        found = lowerer.find(name, lowerer.frame)
        return found.value if isinstance(found, Const) and found is not UNDEFINED else None

    note_implied(lowerer, definition.body, known_name)
    definition = managed(definition, known_name, {*lowerer.frame.env})
    return rewritten(
        with_generators(lowerer, definition),
        known_name,
        lowerer.frame.source,
        functools.partial(looks, lowerer),
        functools.partial(raises_at, lowerer),
    )


@functools.lru_cache(maxsize=512)
def _may_need_rewriting(definition: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether a text of ours, which uses no dicts and sets by other names, has something that is rewritten: most are inlined often."""
    return any(_is_rewritten(part) for part in ast.walk(definition) if part is not definition)


def _is_rewritten(node: ast.AST) -> bool:
    """Whether a rewriting may look for a node: loops over ranges and texts that are raised as they are it leaves alone."""
    match node:
        case ast.For(iter=ast.Call(func=ast.Name(id="range" | "prange"))):
            return False
        case ast.Raise(exc=ast.Call(args=args)):
            return not all(isinstance(each, ast.Constant) for each in args)
        case _:
            return isinstance(node, (*REWRITTEN, ast.For, ast.Raise))


def _is_ours(lowerer: Lowerer) -> bool:
    """Whether the text that is lowered is the prelude's or the runtime's, of which many are inlined often."""
    source = lowerer.frame.source
    home = None if source is None else getattr(source.function, "__module__", None)
    return lowerer.frame.fixed is not None or (home or "").startswith("backsweep.runtime")


def with_statements(
    lowerer: Lowerer, definition: ast.FunctionDef | ast.Lambda
) -> ast.FunctionDef | ast.Lambda:
    """A function with statements in place of a lambda that calls generators, or is called within `try`; any other function itself."""
    is_ours = _is_ours(lowerer)
    if not isinstance(definition, ast.Lambda) or (is_ours and not _may_need_rewriting(definition)):
        return definition
    returned = placed(ast.Return(definition.body), definition.body)
    is_watched = bool(lowerer.context.catching) and not is_ours
    if not is_watched and not _Expander(lowerer, set(), Counter(), []).concerns([returned], Scope()):
        return definition
    return placed(ast.FunctionDef("lambda", definition.args, [returned], []), definition)


def with_generators(lowerer: Lowerer, definition: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function, in which generators that are looped over are written out; the given ones are not changed."""
    parts = list(ast.walk(definition))
    names = {part.id for part in parts if isinstance(part, ast.Name)} | set(lowerer.frame.env)
    names |= {part.arg for part in parts if isinstance(part, ast.arg)}
    names |= {part.name for part in parts if isinstance(part, ast.FunctionDef)}
    scope = Scope(_generators_in(definition.body))
    uses = Counter(part.id for part in parts if isinstance(part, ast.Name))
    expander = _Expander(lowerer, names, uses, definition.body)
    if not expander.concerns(definition.body, scope):
        return definition.body
    return expander.block(copy.deepcopy(definition.body), scope)


def _known(name: str, frame: Frame) -> Operand | None:
    """What a name means in a frame; that the program reads it is noted where it does."""
    if name in frame.env or name in frame.locals:
        return frame.env.get(name)
    return lookup_name(name, *frame.scopes) if frame.outer is None else _known(name, frame.outer)


def _generators_in(statements: Sequence[ast.stmt]) -> dict[str, ast.FunctionDef]:
    """The generators that a function defines, each once and among its own statements."""
    found = {each.name: each for each in statements if isinstance(each, ast.FunctionDef) and yields(each)}
    assigned = [*assigned_names(statements)]
    assigned += [each.name for each in statements if isinstance(each, ast.FunctionDef)]
    return {name: each for name, each in found.items() if assigned.count(name) == 1}


class _Expander:
    """Writes the generators out that the functions of one frame loop over."""

    def __init__(
        self, lowerer: Lowerer, names: set[str], uses: Counter[str], statements: Sequence[ast.stmt]
    ) -> None:
        self.lowerer = lowerer
        self.names = names
        self.free = Names(names).free
        self.uses = uses
        self.statements = statements

    # What a call means

    def meaning(self, node: ast.expr) -> object | None:
        """The compile-time object that a name, or an attribute of a module, is where the function begins."""
        match node:
            case ast.Name(id=name):
                found = _known(name, self.lowerer.frame)
                return found.value if isinstance(found, Const) else None
            case ast.Attribute(value=base, attr=name):
                holder = self.meaning(base)
                return getattr(holder, name, None) if isinstance(holder, ModuleType) else None
            case ast.Constant():
                known: object = node.value  # which a rewriting may have put there
                return known if callable(known) else None
            case _:
                return None

    def called(self, node: ast.AST, scope: Scope) -> ast.FunctionDef | Source | None:
        """The generator function that a call calls; None for other expressions."""
        if not isinstance(node, ast.Call):
            return None
        if isinstance(node.func, ast.Name) and node.func.id in scope.inner:
            return scope.inner[node.func.id]
        found = self.meaning(node.func)
        if isinstance(found, Inner) and isinstance(found.node, ast.FunctionDef) and yields(found.node):
            return found.node
        function = generator_of(found)
        try:
            return None if function is None else read_generator(function)
        except SourceError:
            return None

    def concerns(self, statements: Sequence[ast.stmt], scope: Scope) -> bool:
        """Whether the statements call a generator function, or keep a generator expression."""
        parts = own_nodes(statements)
        return any(
            self.called(part, scope) is not None
            or generator_at(self.lowerer, part) is not None
            or (isinstance(part, ast.Assign) and isinstance(part.value, ast.GeneratorExp))
            for part in parts
        )

    # Statements

    def block(self, statements: Sequence[ast.stmt], scope: Scope) -> list[ast.stmt]:
        """The statements with the generators written out."""
        return [
            each for statement in self.held(statements, scope) for each in self.statement(statement, scope)
        ]

    def held(self, statements: Sequence[ast.stmt], scope: Scope) -> list[ast.stmt]:
        """The statements, in which `g = walk(x)` before the only `for v in g` evaluates the arguments, and the loop calls it."""
        found = list(statements)
        for k, node in enumerate(statements):
            match node:
                case ast.Assign(targets=[ast.Name(id=name) as target], value=ast.GeneratorExp() as made) if (
                    self.is_taken(name, made, statements[k + 1 :])
                ):
                    self.lowerer.frame.env[ITER] = Const(iter)
                    kept: ast.expr = ast.ListComp(made.elt, made.generators)
                    if not goes_once(statements[k + 1 :], name, self.meaning):
                        kept = ast.Call(variable(ITER), [kept], [])
                    found[found.index(node)] = placed(ast.Assign([target], kept), node)
                    continue
                case ast.Assign(
                    targets=[ast.Name(id=name)], value=ast.Call(args=args, keywords=keywords) as call
                ):
                    pass
                case _:
                    continue
            generator = self.called(call, scope) if self.is_asked(name) else None
            if generator is not None:
                if self.is_early([generator], scope):
                    self.lowerer.frame.env |= {LIST: Const(list), ITER: Const(iter)}
                    whole = ast.Call(variable(LIST), [call], [])
                    kept = ast.Call(variable(ITER), [whole], [])
                    found[found.index(node)] = placed(assign(name, kept), node)
                continue
            loops = [
                each
                for each in statements[k + 1 :]
                if isinstance(each, ast.For) and isinstance(each.iter, ast.Name) and each.iter.id == name
            ]
            is_used_once = self.uses[name] == 2
            if len(loops) == 1 and is_used_once and self.called(call, scope) is not None:
                before = []
                given: dict[ast.expr, ast.expr] = {}
                for each in (*args, *(keyword.value for keyword in keywords)):
                    held = self.free(f"{name}_argument")
                    before.append(placed(assign(held, each), node))
                    given[each] = placed(variable(held), each)
                named = [ast.keyword(each.arg, given[each.value]) for each in keywords]
                loops[0].iter = placed(ast.Call(call.func, [given[each] for each in args], named), call)
                found[found.index(node) : found.index(node) + 1] = before
        return found

    def is_taken(self, name: str, made: ast.GeneratorExp, after: Sequence[ast.stmt]) -> bool:
        """Whether all items of a generator expression may be computed where it is made: only statements after it use it, and they change nothing that it reads."""
        used = sum(
            isinstance(part, ast.Name) and part.id == name for each in after for part in ast.walk(each)
        )
        own = {
            part.id
            for part in ast.walk(made)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
        read = {part.id for part in ast.walk(made) if isinstance(part, ast.Name)} - own
        return (
            used == self.uses[name] - 1
            and not read & set(assigned_names(after))
            and ends([made], self.meaning)
            and (only_reads([made, *after], self.meaning) or only_reads(self.statements, self.meaning))
        )

    def is_asked(self, name: str) -> bool:
        """Whether a variable that is assigned once is asked for its next item, and read there and by loops alone."""
        parts = list(own_nodes(self.statements))
        stores = [part for part in parts if isinstance(part, ast.Name) and part.id == name]
        asked = [part for part in parts if isinstance(part, ast.Call) and self.meaning(part.func) is next]
        named = [part.args[0] for part in asked if len(part.args) == 1]
        looped = [part.iter for part in parts if isinstance(part, ast.For)]
        read = [each for each in stores if isinstance(each.ctx, ast.Load)]
        is_read_so = all(any(each is other for other in (*named, *looped)) for each in read)
        return len(stores) == len(read) + 1 and is_read_so and any(each in read for each in named)

    def statement(self, node: ast.stmt, scope: Scope) -> list[ast.stmt]:
        """What stands in the place of one statement."""
        if isinstance(node, OTHER_SCOPES):
            return [node]
        for name in ("body", "orelse", "finalbody"):
            inside = getattr(node, name, None)
            if inside:
                setattr(node, name, self.block(inside, scope))
        for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            part.body = self.block(part.body, scope)
        given = node.iter if isinstance(node, ast.For) else None
        if isinstance(node, ast.For):
            node.iter = with_methods(self.lowerer, node.iter, self.free)
        match node:
            case ast.For(iter=ast.Call()):
                try:
                    return self.loop(node, scope)
                except CannotWriteError:
                    node.iter = given or node.iter
                    return [node]
            case ast.Expr(value=ast.YieldFrom(value=iterable)):
                name = self.free("item")
                again = ast.Expr(ast.Yield(variable(name)))
                loop = ast.For(ast.Name(name, ast.Store()), iterable, [again], [])
                return self.statement(placed(loop, node), scope)
            case _:
                return [node]

    def loop(self, node: ast.For, scope: Scope) -> list[ast.stmt]:
        """A loop over a generator, or over the enumerated items of one."""
        assert isinstance(node.iter, ast.Call)
        generator = self.called(node.iter, scope)
        if generator is not None:
            return self.expansion(node, node.iter, generator, scope)
        if self.meaning(node.iter.func) is zip and not node.iter.keywords:
            return self.side_by_side(node, node.iter, scope)
        inner = node.iter.args[0] if node.iter.args else None
        is_enumerated = self.meaning(node.iter.func) is enumerate and inner is not None
        generator = self.called(inner, scope) if is_enumerated and inner is not None else None
        if generator is None:
            return [node]
        starts = [*node.iter.args[1:], *(each.value for each in node.iter.keywords)]
        number, item = self.free("number"), self.free("item")
        begin = assign(number, starts[0] if starts else ast.Constant(0))
        pair = ast.Tuple([variable(number), variable(item)], ast.Load())
        taken = [
            ast.Assign([node.target], pair),
            ast.AugAssign(ast.Name(number, ast.Store()), ast.Add(), ast.Constant(1)),
        ]
        assert inner is not None
        plain = ast.For(ast.Name(item, ast.Store()), inner, [*taken, *node.body], node.orelse)
        return [placed(begin, node), *self.loop(placed(plain, node), scope)]

    def side_by_side(self, node: ast.For, pairs: ast.Call, scope: Scope) -> list[ast.stmt]:
        """A loop over `zip` of a generator and what has a length: the loop over the generator counts, and ends with the others."""
        made = [self.called(each, scope) for each in pairs.args]
        first = next((k for k, each in enumerate(made) if each is not None), None)
        if first is None:
            return [node]
        generators = [each for each in made if each is not None]
        if len(generators) > 1 and not self.is_early(generators, scope):
            raise CannotWriteError
        if _leaves(node.orelse):
            raise CannotWriteError
        if first > 0 and not (self.is_early(generators, scope) or self.is_harmless(generators[0])):
            raise CannotWriteError
        number, item = self.free("number"), self.free("item")
        before: list[ast.stmt] = []
        items: list[ast.expr] = []
        tests: list[ast.stmt] = []
        for k, each in enumerate(pairs.args):
            if k == first:
                items.append(variable(item))
                continue
            name = self.free("items")
            place = variable(number)
            items.append(ast.Subscript(variable(name), place, ast.Load()))
            is_held = isinstance(each, ast.Name | ast.Attribute | ast.Subscript)
            whole = ast.Call(variable(LIST), [each], [])
            held = call_of(with_places, each) if is_held else whole
            before += self.statement(placed(assign(name, held), pairs), scope)
            length = ast.Call(variable(LENGTH), [variable(name)], [])
            is_over = ast.Compare(variable(number), [ast.GtE()], [length])
            tests.append(ast.If(is_over, [*copy.deepcopy(node.orelse), ast.Break()], []))
        self.lowerer.frame.env |= {LENGTH: Const(len), LIST: Const(list)}
        before.append(assign(number, ast.Constant(0)))
        taken = [
            ast.Assign([node.target], ast.Tuple(items, ast.Load())),
            ast.AugAssign(ast.Name(number, ast.Store()), ast.Add(), ast.Constant(1)),
        ]
        target = ast.Name(item, ast.Store())
        loop = ast.For(target, pairs.args[first], [*tests, *taken, *node.body], node.orelse)
        return [*(placed(each, node) for each in before), *self.loop(placed(loop, node), scope)]

    def is_early(self, generators: Sequence[ast.FunctionDef | Source], scope: Scope) -> bool:
        """Whether all items of the generators may be computed before the first is taken."""
        definitions = [each.node if isinstance(each, Source) else each for each in generators]

        def meaning(node: ast.expr) -> object:
            made = self.called(ast.Call(node, [], []), scope)
            is_theirs = (made.node if isinstance(made, Source) else made) in definitions
            return len if is_theirs else self.meaning(node)

        return only_reads(self.statements, meaning) and all(
            isinstance(each, ast.FunctionDef)
            and ends(each.body, self.meaning)
            and only_reads(each.body, self.meaning)
            for each in definitions
        )

    def is_harmless(self, generator: ast.FunctionDef | Source) -> bool:
        """Whether nobody could tell that a generator is asked for one item more: it only reads numbers, and raises nothing."""
        definition = generator.node if isinstance(generator, Source) else generator
        if isinstance(definition, ast.Lambda) or (
            isinstance(generator, Source) and is_own(generator.function)
        ):
            return True
        raising = (ast.Raise, ast.Assert, ast.Subscript, ast.Call, ast.Div, ast.FloorDiv, ast.Mod)
        may_raise = any(isinstance(each, raising) for each in own_nodes(definition.body))
        return only_reads(definition.body, self.meaning) and not may_raise

    # A loop over a generator

    def expansion(
        self, node: ast.For, call: ast.Call, generator: ast.FunctionDef | Source, scope: Scope
    ) -> list[ast.stmt]:
        """The generator's statements with the loop's body in them."""
        definition = generator.node if isinstance(generator, Source) else generator
        if not isinstance(definition, ast.FunctionDef) or definition in scope.within:
            raise CannotWriteError
        is_managed = hasattr(node, MANAGED)
        if is_managed:
            definition = managed(definition, functools.partial(self.known_to, generator), self.names)
        if _is_unfit(definition, is_managed=is_managed):
            raise CannotWriteError
        if isinstance(call.func, ast.Name):
            self.lowerer.find(call.func.id, self.lowerer.frame)  # which notes that another may take its place
        given = self.arguments(call, definition, generator)
        body = copy.deepcopy(definition.body)
        renamed, origin = self.renamed(definition, body, generator, call, scope)
        mark_origin(body, origin)
        inner = scope.inner if isinstance(generator, ast.FunctionDef) else {}
        body = self.block(body, Scope(inner | _generators_in(body), origin, (*scope.within, definition)))
        before = [
            placed(ast.Assign([ast.Name(renamed[name], ast.Store())], value), call)
            for name, value in given.items()
        ]
        leaving = Leaving(self.free("ended"), self.free("left"))
        found = with_body(body, node, leaving, in_loop=False)
        if leaving.uses_loop:
            found = [one_round(self.free("once"), found, call)]
        found = [*before, *leaving.begin(node), *found]
        if not node.orelse:
            return found
        if not leaving.breaks:
            return [*found, *node.orelse]
        rest = ast.If(ast.UnaryOp(ast.Not(), variable(leaving.left)), node.orelse, [])
        return [*found, placed(rest, node)]

    def known_to(self, generator: ast.FunctionDef | Source, name: str) -> object:
        """What a name means in a generator where it begins; None if that is not known."""
        frame = function_frame(generator, None) if isinstance(generator, Source) else self.lowerer.frame
        found = self.lowerer.find(name, frame)
        return found.value if isinstance(found, Const) else None

    def arguments(
        self, call: ast.Call, definition: ast.FunctionDef, generator: ast.FunctionDef | Source
    ) -> dict[str, ast.expr]:
        """The expression that each parameter is given, those of the call in its order."""
        parameters = definition.args
        starred = any(isinstance(each, ast.Starred) for each in call.args)
        if starred or parameters.kwarg or any(each.arg is None for each in call.keywords):
            raise CannotWriteError
        positional = [each.arg for each in (*parameters.posonlyargs, *parameters.args)]
        named = [each.arg for each in parameters.kwonlyargs]
        given: dict[str, ast.expr] = dict(zip(positional, call.args, strict=False))
        extra = call.args[len(positional) :]
        if extra and parameters.vararg is None:
            raise CannotWriteError
        if parameters.vararg is not None:
            given[parameters.vararg.arg] = placed(ast.Tuple(list(extra), ast.Load()), call)
        for each in call.keywords:
            assert each.arg is not None
            if each.arg in given or each.arg not in {*positional[len(parameters.posonlyargs) :], *named}:
                raise CannotWriteError
            given[each.arg] = each.value
        for name in (*positional, *named):
            if name not in given:
                given[name] = self.default(name, definition, generator, call)
        return given

    def default(
        self, name: str, definition: ast.FunctionDef, generator: ast.FunctionDef | Source, call: ast.Call
    ) -> ast.expr:
        """What a parameter is that the call does not give."""
        if isinstance(generator, Source):
            if name not in generator.defaults:
                raise CannotWriteError
            new = self.free(name)
            self.lowerer.frame.env[new] = wrap(generator.defaults[name], name)
            return placed(variable(new), call)
        parameters = definition.args
        positional = [*parameters.posonlyargs, *parameters.args]
        ends = positional[len(positional) - len(parameters.defaults) :]
        known = dict(zip([each.arg for each in ends], parameters.defaults, strict=True))
        for each, value in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True):
            if value is not None:
                known[each.arg] = value
        if not isinstance(known.get(name), ast.Constant):  # others are computed where the function is defined
            raise CannotWriteError
        return copy.deepcopy(known[name])

    def renamed(
        self,
        definition: ast.FunctionDef,
        body: list[ast.stmt],
        generator: ast.FunctionDef | Source,
        call: ast.AST,
        scope: Scope,
    ) -> tuple[dict[str, str], Origin | None]:
        """Give the generator's variables names of their own, also what it reads around it; what each is called, and where it is from.

        A generator that the function itself defines sees what the function sees.
        """
        parameters = [each.arg for each in ast.walk(definition.args) if isinstance(each, ast.arg)]
        own = {*parameters, *local_names(definition)}
        self.names |= {
            part.id for each in body for part in ast.walk(each) if isinstance(part, ast.Name)
        } - own
        new = {name: self.free(name) for name in [*parameters, *sorted(local_names(definition))]}
        origin = scope.origin
        if isinstance(generator, Source):
            self.lowerer.context.outside.note_defaults(generator)
            outer = self.lowerer.frame.source  # what compiled code calls is compiled, too
            is_compiled = generator.jitted or (outer is not None and outer.jitted)
            source = dataclasses.replace(generator, jitted=is_compiled)
            frame = function_frame(source, None)
            origin = Origin(source, call, scope.origin)
            read = {part.id for each in body for part in ast.walk(each) if isinstance(part, ast.Name)}
            for name in sorted(read - set(new)):
                there, here = self.lowerer.find(name, frame), self.lowerer.find(name, self.lowerer.frame)
                if there is not None and (here is None or not same(there, here)):
                    new[name] = self.free(name)
                    self.lowerer.frame.env[new[name]] = there
        for each in body:
            for part in ast.walk(each):
                _rename(part, new)
        return new, origin


def _is_unfit(definition: ast.FunctionDef, *, is_managed: bool) -> bool:
    """Whether a generator does what cannot be written out: it is sent to, it catches, or it yields in too many places.

    That of a manager may have `try` with `finally`.
    """
    own = list(own_nodes(definition.body))
    places = [part for part in own if isinstance(part, ast.Yield | ast.YieldFrom)]
    plain = [part.value for part in own if isinstance(part, ast.Expr)]
    if len(places) > MOST_YIELDS or any(each not in plain for each in places):
        return True
    unknown = ast.Try | ast.With | ast.Match | ast.Global | ast.Nonlocal | ast.Import | ast.ImportFrom
    return any(
        isinstance(part, unknown) and not (is_managed and isinstance(part, ast.Try) and not part.handlers)
        for part in own
    )


def _leaves(statements: Sequence[ast.stmt]) -> bool:
    """Whether statements may end a loop around them, or its round."""
    return any(isinstance(part, ast.Break | ast.Continue) for part in own_nodes(statements))


def _rename(part: ast.AST, new: dict[str, str]) -> None:
    match part:
        case ast.Name():
            part.id = new.get(part.id, part.id)
        case ast.arg():
            part.arg = new.get(part.arg, part.arg)
        case ast.FunctionDef():
            part.name = new.get(part.name, part.name)
        case _:
            pass
