"""Lower statements to nodes: assignments, branches, loops, definitions; problems are collected."""

from __future__ import annotations

import ast
import collections.abc
import contextlib
import functools
import operator
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from backsweep.diagnostics import Loc, UnsupportedError
from backsweep.frontend import branches, loops, subscripts, updates
from backsweep.frontend.arrays.growth import growth
from backsweep.frontend.arrays.memory import instead_of_assignment
from backsweep.frontend.arrays.unpacking import aligned, unpacked
from backsweep.frontend.calls.inlining import decorate
from backsweep.frontend.constructs.checkpoints import checkpoint, marked, steps_mark
from backsweep.frontend.constructs.comprehensions import listed, taken_apart
from backsweep.frontend.constructs.custom import stopped, tapped
from backsweep.frontend.constructs.going_through import place_of
from backsweep.frontend.constructs.iterate import Grid, Items, Steps, iteration
from backsweep.frontend.constructs.lists import LISTED, changes_list, growing_list
from backsweep.frontend.context.calls_in_try import ONCE, note_raised
from backsweep.frontend.context.rounds import FoundObjectsError
from backsweep.frontend.context.scope import (
    POISON,
    Frame,
    Inner,
    assigned_names,
    shared_names,
)
from backsweep.frontend.declared import converted, signature_of
from backsweep.frontend.expressions import ExpressionLowerer
from backsweep.frontend.imports import imported
from backsweep.frontend.instances.classes import define
from backsweep.frontend.instances.lists import check_looped, counting, display, written_out
from backsweep.frontend.instances.managers import ALLOWED, Entering, check_manager
from backsweep.frontend.instances.members import assign, delete, spoil
from backsweep.frontend.rewriting.generators import plain_statements, with_statements
from backsweep.frontend.rewriting.rewritten import REFUSED as WHY
from backsweep.ir.build import Builder, OpenBlock, christen
from backsweep.ir.effects import has_effect
from backsweep.ir.nodes import UNDEFINED, Checkpoint, Const, For, Operand, Raise, Value, While
from backsweep.reading.control_flow import (
    RESULT,
    exit_name,
    loop_number,
    may_leave,
    structured,
    structured_body,
    with_test_within,
)
from backsweep.reading.functions import ComprehensionLoop
from backsweep.runtime.support.marks import no_grad

REFUSED: Mapping[type[ast.stmt], tuple[str, str]] = {
    ast.With: ("a `with` statement", "move it outside the function"),
    ast.TryStar: ("`try ... except*`", "test for the error before it happens"),
    ast.AsyncFunctionDef: ("an asynchronous function", "write a plain function"),
    ast.AsyncFor: ("`async for`", "write a plain loop"),
    ast.AsyncWith: ("`async with`", "move it outside the function"),
}
WIDE = 4
"""Bytes of a whole number that holds any count of a loop."""


class FunctionLowerer(ExpressionLowerer):
    """Lowers a whole function: its statements and their expressions."""

    def run(self, definition: ast.FunctionDef | ast.Lambda, frame: Frame) -> Operand:
        """Lower a function body whose parameters are bound in the frame, and return the operand for its result."""
        inner = FunctionLowerer(self.context, frame)
        declared = signature_of(inner, frame, definition)
        for name, kind in zip([*frame.env], declared.arguments if declared else (), strict=False):
            frame.env[name] = converted(inner, frame.env[name], kind, definition)
        definition = with_statements(inner, definition)
        if names := shared_names(definition):
            inner.share(names, definition)
        if isinstance(definition, ast.Lambda):
            frame.statement = definition.body
            result = inner.lower(definition.body)
        else:
            body = plain_statements(inner, definition)
            is_whole = body is definition.body
            StatementLowerer(inner).run(
                structured_body(definition) if is_whole else structured(body, definition)
            )
            result = frame.env.get(RESULT, UNDEFINED)
        if declared is None or result is UNDEFINED:
            return result
        return converted(inner, result, declared.result, definition)


class StatementLowerer:
    """Lowers the statements of one function into the builder's open block."""

    def __init__(self, expressions: FunctionLowerer) -> None:
        self.expressions = expressions
        self.context = expressions.context
        self.frame = expressions.frame

    @property
    def builder(self) -> Builder:
        """Where nodes go."""
        return self.context.builder

    def run(self, statements: Sequence[ast.stmt]) -> None:
        """Lower statements in order; note the problems of a refused one, and mark the names that it assigns; a text of ours ends there."""
        for statement in statements:
            self.frame.statement = statement
            try:
                self.statement(statement)
            except UnsupportedError as error:
                for problem in error.problems:
                    self.context.problems.add(UnsupportedError, problem)
                spoil(self.expressions, statement)
                self.frame.is_refused |= bool(error.problems) and self.frame.fixed is not None
            if self.frame.is_refused:
                return  # so that the user has one problem, that of the call

    def refuse(self, code: str, message: str, node: ast.AST, remedy: str) -> UnsupportedError:
        """The error to raise for a piece of syntax."""
        return self.expressions.refuse(code, message, node, remedy)

    def statement(self, node: ast.stmt) -> None:
        """Lower one statement."""
        match node:
            case ast.Assign() | ast.If() if (found := growth(self.expressions, node)) is not None:
                self.builder.add(found)
            case ast.Assign(targets=targets, value=value):
                self.assignment(targets, value)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self.assignment([target], value)
            case ast.AugAssign():
                updates.augmented(self, node)
            case Entering():
                check_manager(self.expressions, node)
            case ast.Expr(value=value):
                if not isinstance(value, ast.Constant):
                    self.expressions.lower(value)
            case ast.If():
                self.if_(node)
            case ast.For():
                self.for_(node)
            case ast.While():
                self.while_(node)
            case ast.FunctionDef():
                self.define(node)
            case ast.ClassDef(name=name):
                self.expressions.assign(name, define(self.expressions, node))
            case ast.Global(names=names):
                if changed := self.frame.locals.intersection(names):
                    self.frame.env.update(dict.fromkeys(changed, POISON))
                    message = f"a function that assigns the global `{min(changed)}` cannot be differentiated"
                    raise self.refuse(
                        "BS101", message, node, "give it the value as an argument, and return the new one"
                    )
            case ast.Nonlocal(names=names):
                self.expressions.share_outer(names, node)
            case ast.Raise():
                self.raise_(node)
            case ast.Assert():
                self.check(node)
            case ast.Import() | ast.ImportFrom():
                for name, thing in imported(self.expressions, node).items():
                    self.expressions.assign(name, thing)
            case ast.With():
                self.with_(node)
            case ast.Delete(targets=targets):
                self.delete(targets)
            case ast.Pass():
                pass
            case ast.Match() | ast.Try():
                message, place, remedy = getattr(node, WHY)
                raise self.refuse("BS101", message, place, remedy)
            case _:
                what, remedy = REFUSED.get(
                    type(node), (f"`{type(node).__name__.lower()}`", "write it differently")
                )
                raise self.refuse("BS101", f"{what} cannot be differentiated", node, remedy)

    # Assignments

    def assignment(self, targets: Sequence[ast.expr], value: ast.expr) -> None:
        """Lower `a = b = value`; a tuple display is unpacked without being built."""
        target = targets[0]
        if (
            len(targets) == 1
            and isinstance(target, ast.Tuple | ast.List)
            and isinstance(value, ast.Tuple | ast.List)
        ):
            starred = any(isinstance(item, ast.Starred) for item in value.elts)
            takes_rest = any(isinstance(item, ast.Starred) for item in target.elts)
            if not starred and not takes_rest and len(target.elts) == len(value.elts):
                items = [self.lower_for(*pair) for pair in zip(target.elts, value.elts, strict=True)]
                self.unpack(target, tuple(items))
                return
            if not starred:
                given = tuple(self.expressions.spread(value.elts))
                self.unpack(target, aligned(self.expressions, target, given, value))
                return
        operand = self.lower_for(target, value)
        for each in targets:
            self.assign(each, operand, value)

    def lower_for(self, target: ast.expr, value: ast.expr) -> Operand:
        """Lower an expression that is assigned to `target`."""
        if isinstance(target, ast.Tuple | ast.List):
            items = taken_apart(self.expressions, value)
            return self.expressions.lower(value) if items is None else items
        if (objects := display(self.expressions, value)) is not None:
            return objects
        listed = growing_list(self.expressions, value) if isinstance(target, ast.Name) else None
        return self.expressions.lower(value) if listed is None else listed

    def assign(self, target: ast.expr, operand: Operand, value: ast.AST) -> None:
        """Assign an operand to one target: bind a name, unpack, or store an element."""
        match target:
            case ast.Name(id=name):
                self.bind(name, self.as_declared(name, operand, target))
            case ast.Tuple() | ast.List():
                self.unpack(target, unpacked(self.expressions, target, operand, value))
            case ast.Subscript():
                subscripts.write(self.expressions, target, operand)
            case ast.Attribute(value=base, attr=name) if assign(
                self.expressions, self.expressions.lower(base), name, self.kept(name, operand, target), target
            ):
                pass
            case ast.Attribute():
                what = f"the attribute `{ast.unparse(target)}`"
                raise self.refuse("BS111", f"{what} is assigned", target, instead_of_assignment(target))
            case _:
                message = f"`{ast.unparse(target)}` cannot be assigned"
                raise self.refuse("BS101", message, target, "assign a variable")

    def kept(self, name: str, operand: Operand, node: ast.AST) -> Operand:
        """The operand that an attribute gets; a value that has no name yet takes the attribute's."""
        if isinstance(operand, Value):
            christen(operand, name)
        return stopped(self.expressions, operand, node)

    def as_declared(self, name: str, operand: Operand, node: ast.AST) -> Operand:
        """The operand in the type that Numba's option `locals` declares for the variable, if it does."""
        frame = self.frame
        kind = None if frame.source is None or frame.outer is not None else frame.source.kinds.get(name)
        return operand if kind is None else self.expressions.apply(kind, (operand,), node)

    def counts_as_declared(self, name: str, iterated: ast.expr) -> bool:
        """Whether a variable that counts through a range has a declared type which holds any count: then it needs no conversion."""
        kind = None if self.frame.source is None else self.frame.source.kinds.get(name)
        is_range = isinstance(iterated, ast.Call) and ast.unparse(iterated.func).endswith("range")
        return (
            is_range and kind is not None and issubclass(kind, np.integer) and np.dtype(kind).itemsize >= WIDE
        )

    def bind(self, name: str, operand: Operand) -> None:
        """Bind a variable to its operand; the hidden result names its value only in the differentiated function itself."""
        shown = branches.shown_name(name, self.frame)
        if operand in self.context.flats and self.frame.statement is not None:
            message = f"`{name}` is the `.flat` of an array that may not be contiguous, and sees what is written to it"
            raise self.refuse(
                "BS111", message, self.frame.statement, "index the array itself, or use np.ravel(a)"
            )
        if isinstance(operand, Value) and shown:
            christen(operand, shown)
        if self.frame.statement is not None and (name == RESULT or not name.startswith(".")):
            operand = stopped(self.expressions, operand, self.frame.statement)
        self.expressions.assign(name, tapped(self.expressions, name, operand))

    def bind_changed(self, name: str, operand: Operand, node: ast.AST) -> None:
        """Bind a variable to what it holds after it has changed in place."""
        declared = self.as_declared(name, operand, node)
        self.expressions.assign(name, tapped(self.expressions, name, declared, updates=True))

    def unpack(self, target: ast.Tuple | ast.List, items: tuple[Operand, ...]) -> None:
        """Assign an item to each target."""
        for each, item in zip(target.elts, items, strict=True):
            self.assign(each.value if isinstance(each, ast.Starred) else each, item, target)

    def delete(self, targets: Sequence[ast.expr]) -> None:
        """Lower `del name`, after which the name is undefined, and `del items[k]` of a list."""
        for target in targets:
            match target:
                case ast.Name(id=name):
                    self.expressions.name(ast.copy_location(ast.Name(name, ast.Load()), target))
                    self.expressions.assign(name, UNDEFINED)
                case ast.Tuple(elts=items) | ast.List(elts=items):
                    self.delete(items)
                case ast.Subscript() if subscripts.delete(self.expressions, target):
                    pass
                case ast.Attribute(value=base, attr=name) if delete(
                    self.expressions, self.expressions.lower(base), name, target
                ):
                    pass
                case _:
                    message = f"`del {ast.unparse(target)}` changes an object, which cannot be differentiated"
                    raise self.refuse("BS101", message, target, "leave the item out when you make the object")

    # Branches and loops

    def if_(self, node: ast.If) -> None:
        """Lower a branch; if the condition is known, lower only the branch taken."""
        condition = self.expressions.test(node.test)
        if isinstance(condition, Const):
            if isinstance(condition.value, np.ndarray):
                raise self.refuse(
                    "BS106", "an array is used as a condition", node.test, "use .any() or .all()"
                )
            self.run(node.body if condition.value else node.orelse)
            return
        loc = self.expressions.loc(node)
        branches.branch(
            self.context,
            self.frame,
            condition,
            lambda: self.run(node.body),
            lambda: self.run(node.orelse),
            loc,
        )

    def for_(self, node: ast.For) -> None:
        """Lower a loop over a range or an array; a loop over known items is unrolled."""
        loc = self.expressions.loc(node)
        found = steps_mark(self.expressions, node.iter)
        steps, mark = (node.iter, None) if found is None else found
        started = len(self.context.objects.looped)
        over = iteration(self.expressions, steps, node.target)
        over = loops.as_table(self.expressions, node, over) or over
        names = branches.carried_names(list(assigned_names([*node.body, node.target])))
        match over:
            case Items(items) if isinstance(node, ComprehensionLoop) and node.item is not None:
                check = functools.partial(loops.check_length, self, node, items)
                self.frame.env[LISTED] = listed(self.expressions, node, node.item, items, self.assign, check)
            case Items(items):
                try:
                    self.unrolled(node, items, loc, may_stay=len(self.context.objects.looped) == started)
                finally:
                    del self.context.objects.looped[started:]
            case Steps() if (numbers := written_out(self.expressions, over, loc)) is not None:
                self.unrolled(node, numbers, loc, element=over.element)
            case Steps():
                run = functools.partial(self.run_step, node, over)
                others = functools.partial(self.loop, names=names, run=run, node=node, mark=mark)
                with counting(self.expressions, over, loc):
                    if loops.has_first_apart(self, node):
                        loops.first_and_others(self, node, over, run, others)
                    else:
                        loops.note_numbers(self, node, self.frame.env, names)
                        others(over)
            case Grid(lengths, element):
                self.nest(
                    lengths,
                    names,
                    lambda indices: self.run_iteration(node, element(indices)),
                    node,
                    mark=mark,
                )

    def run_step(self, node: ast.For, over: Steps, index: Operand) -> None:
        """Lower the body of a loop for an index."""
        self.run_iteration(node, over.element(index))

    def loop(
        self,
        over: Steps,
        names: Sequence[str],
        run: Callable[[Value], None],
        node: ast.For,
        mark: Checkpoint | None = None,
    ) -> None:
        """Lower one loop; `run` lowers its body for an index, `names` are the variables that it carries."""
        loc = self.expressions.loc(node)
        before = self.frame.env
        index = self.builder.value(loc=loc)
        with self.builder.block(index) as block, self.inside(node, block):
            loop = branches.enter_loop(self.context, self.frame, before, names, block, loc)
            run(index)
            leave = branches.exit_operand(self.frame.env, exit_name(loop_number(node)))
            results = branches.leave_loop(self.context, self.frame, loop, loc)
        bounds = (over.start, over.stop, over.step)
        made = For(*bounds, loop.inits, block.finish(), results, loc, leave, mark, over.parallel)
        self.builder.add(made)

    @contextlib.contextmanager
    def inside(self, loop: ast.stmt, block: OpenBlock) -> collections.abc.Iterator[None]:
        """A context in which the body of a loop is lowered."""
        self.context.loops.append(loop)
        try:
            with self.context.objects.joining(block):
                yield
        finally:
            self.context.loops.pop()

    def nest(
        self,
        lengths: tuple[Operand, ...],
        names: Sequence[str],
        run: Callable[[tuple[Value, ...]], None],
        node: ast.For,
        outer: tuple[Value, ...] = (),
        mark: Checkpoint | None = None,
    ) -> None:
        """Lower a nest of loops; the flag of a `break` is passed outwards from each loop to the next."""
        if not lengths:
            run(outer)
            return
        leave = exit_name(loop_number(node))

        def inside(index: Value) -> None:
            self.frame.env[leave] = Const(False)
            self.nest(lengths[1:], names, run, node, (*outer, index))

        handed_on = [*names, leave] if outer and may_leave(node) else names
        steps = Steps(Const(0), lengths[0], Const(1), lambda index: index)
        self.loop(steps, handed_on, inside, node, mark)

    def run_iteration(self, node: ast.For, element: Operand) -> None:
        """Bind the target and lower the body; a target that cannot be bound is noted like a refused statement."""
        try:
            if isinstance(node.target, ast.Name) and self.counts_as_declared(node.target.id, node.iter):
                self.bind(node.target.id, element)
            else:
                self.assign(node.target, element, node.iter)
        except UnsupportedError as error:
            for problem in error.problems:
                self.context.problems.add(UnsupportedError, problem)
        self.run(node.body)

    def unrolled(
        self,
        node: ast.For,
        items: tuple[Operand, ...],
        loc: Loc,
        first: int = 0,
        element: Callable[[Operand], Operand] = lambda item: item,
        may_stay: bool = False,
    ) -> None:
        """Lower the body once for each item; after one that may leave the loop, the others go into a branch. It `may_stay` a loop if that is long."""
        for k, item in enumerate(items):
            begun, self.frame.statement = len(self.builder.current.nodes), node
            check_looped(self.expressions, node, first + k)
            with self.context.expansions.at_item(first + k):
                self.assign(node.target, element(item), node.iter)
                self.run(node.body)
            if may_stay and first + k == 1:  # the first may be an easy one
                loops.check_length(self, node, items, begun)
            leave = branches.exit_operand(self.frame.env, exit_name(loop_number(node)))
            if leave is None:
                continue
            if isinstance(leave, Value) and k + 1 < len(items):
                left = (items[k + 1 :], loc, first + k + 1, element, may_stay)
                go_on = functools.partial(self.unrolled, node, *left)
                branches.branch(self.context, self.frame, leave, lambda: None, go_on, loc)
            return

    def while_(self, node: ast.While, *, is_other: bool = False) -> None:
        """Lower a `while` loop; the condition has a block of its own. With `is_other`, its first round is lowered before."""
        loc = self.expressions.loc(node)
        tests_within = ("tested", place_of(self.expressions, node))
        if tests_within in self.context.expansions.objects:
            node = with_test_within(node)
        names = branches.carried_names(list(assigned_names(node.body)))
        if loops.has_first_apart(self, node) and not is_other:
            others = functools.partial(self.while_, node, is_other=True)
            test = self.expressions.test(node.test)
            loops.first_while(self, node, test, functools.partial(self.run, node.body), others)
            return
        before = self.frame.env
        loops.note_numbers(self, node, before, names)
        found = steps_mark(self.expressions, node.test)
        condition_, mark = (node.test, None) if found is None else found
        objects = self.context.objects.heap
        with self.builder.block() as condition:
            self.context.objects.conditions |= {} if mark else {condition: tests_within}
            tested = branches.enter_loop(self.context, self.frame, before, names, condition, loc)
            lower = functools.partial(self.expressions.test, condition_)
            test = branches.condition_of_loop(self.context, lower, loc)
            if tested.objects.has_changed() or changes_list(self.context, condition):
                if mark is None:
                    raise FoundObjectsError([tests_within])
                message = "the condition of a `while` loop that is checkpointed changes an object"
                raise self.refuse("BS111", message, node.test, "change it in the body of the loop")
            # A condition that is known to be false but has effects, such as raising, cannot be dropped: refuse it.
            raised = isinstance(test, Const) and not test.value and any(map(has_effect, condition.nodes))
            self.expressions.check_exists(UNDEFINED if raised else test, node.test)
            condition.yields = (test,)
        self.context.objects.heap = objects
        if isinstance(condition.yields[0], Const) and not condition.yields[0].value:
            self.frame.env = before
            return
        with self.builder.block() as body, self.inside(node, body):
            loop = branches.enter_loop(self.context, self.frame, before, names, body, loc)
            self.run(node.body)
            leave = branches.exit_operand(self.frame.env, exit_name(loop_number(node)))
            at_end = dict(self.frame.env) if hasattr(node, ONCE) and isinstance(leave, Const) else {}
            results = branches.leave_loop(self.context, self.frame, loop, loc)
        for name in names:
            end = at_end.get(name, UNDEFINED)
            if isinstance(end, Const) and (end.value is None or isinstance(end.value, bool)):
                self.frame.env[name] = end
        new = len(loop.inits) - len(condition.parameters)  # what only the body makes
        condition.parameters += tuple(self.builder.value(loc=loc) for _ in range(new))
        self.builder.add(While(loop.inits, condition.finish(), body.finish(), results, loc, leave, mark))

    # Definitions and checks

    def with_(self, node: ast.With) -> None:
        """Lower `with no_grad():`, and the body of `with np.errstate(...)` that asks only for silence or warnings."""
        stops = 0
        for item in node.items:
            context = item.context_expr
            called = self.expressions.lower(context.func) if isinstance(context, ast.Call) else None
            known = called.value if isinstance(called, Const) and not item.optional_vars else None
            if known is no_grad:
                stops = 1
            elif type(known).__name__ == "_ParallelChunksize":
                pass  # how Numba shares out a loop changes no result
            elif known is not np.errstate or not isinstance(context, ast.Call) or not self.is_quiet(context):
                message = f"`with {ast.unparse(item)}` cannot be differentiated"
                remedy = ALLOWED
                if isinstance(context, ast.Call) and ast.unparse(context.func).endswith("objmode"):
                    message = "a block in object mode, which Python runs, cannot be differentiated"
                    remedy = (
                        "make a function of it, `called = bs.pure_python(f, result=1.0)` with a result as it returns "
                        "one, and give `called` its derivative by bs.rule or bs.custom_vjp"
                    )
                raise self.refuse("BS101", message, node, remedy)
        self.context.stopped += stops
        self.run(node.body)
        self.context.stopped -= stops

    def is_quiet(self, node: ast.Call) -> bool:
        """Whether `np.errstate(...)` lets every operation go on: compiled code neither warns nor raises."""
        given = [
            self.expressions.lower(each) for each in (*node.args, *(each.value for each in node.keywords))
        ]
        known = [each.value for each in given if isinstance(each, Const)]
        return len(known) == len(given) and all(each in ("ignore", "warn", None) for each in known)

    def define(self, node: ast.FunctionDef) -> None:
        """Define an inner function, which is inlined where it is called."""
        is_marked, around = False, list[ast.expr]()
        for decorator in node.decorator_list:
            found = self.expressions.lower(getattr(decorator, "func", decorator))
            if isinstance(found, Const) and found.value in (functools.lru_cache, functools.cache):
                continue  # it remembers results, and changes none
            module = getattr(found.value, "__module__", "") if isinstance(found, Const) else ""
            if isinstance(found, Const) and found.value is checkpoint:
                is_marked = True
                continue
            if not module.startswith("numba"):
                around.append(decorator)
        inner = Const(Inner(node, self.frame, self.expressions.defaults(node.args)))
        self.expressions.assign(node.name, marked(inner) if is_marked else inner)
        decorate(self.expressions, node.name, around)

    def raise_(self, node: ast.Raise) -> None:
        """Lower `raise E("text")`, which ends the path; nobody sees a cause, as in `raise E from error`."""
        if node.exc is None:
            raise self.refuse(
                "BS101", "`raise` alone has no exception to raise", node, 'write raise ValueError("...")'
            )
        called = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        exception = self.expressions.lower(called)
        if not (isinstance(exception, Const) and isinstance(exception.value, type)):
            raise self.refuse(
                "BS101", "what is raised is not an exception class", node, "raise a built-in exception"
            )
        items = node.exc.args if isinstance(node.exc, ast.Call) else []
        note_raised(self.expressions, exception, node)
        arguments = tuple(self.message(item) for item in items)
        self.builder.add(Raise(exception, arguments, self.expressions.loc(node)))

    def message(self, node: ast.expr) -> Operand:
        """Lower an argument of an exception."""
        text = self.expressions.text(node)
        return self.expressions.runtime(self.expressions.lower(node), node) if text is None else text

    def check(self, node: ast.Assert) -> None:
        """Lower `assert` to a branch that raises."""
        condition = self.expressions.test(node.test)
        loc = self.expressions.loc(node)

        def fail() -> None:  # Python computes the message only here
            note_raised(self.expressions, Const(AssertionError), node)
            arguments = () if node.msg is None else (self.message(node.msg),)
            self.builder.add(Raise(Const(AssertionError), arguments, loc))

        if isinstance(condition, Const):
            if not condition.value:
                fail()
            return
        failed = self.expressions.apply(operator.not_, (condition,), node)
        branches.branch(self.context, self.frame, failed, fail, lambda: None, loc)
