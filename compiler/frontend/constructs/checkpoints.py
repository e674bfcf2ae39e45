"""Lower `bs.checkpoint(f)` and `bs.checkpointed(...)`: the loops whose values the reverse sweep computes again."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from backsweep import requests
from backsweep.frontend.constructs.custom import leaves, like
from backsweep.frontend.context.heap import virtual
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import Inner, known_elements
from backsweep.ir.nodes import UNDEFINED, Checkpoint, Const, For, Kept, Operand, is_none
from backsweep.runtime.support.marks import checkpointed
from backsweep.typing.infer import typeof
from backsweep.typing.stubs import CompiledStub, typing_stub

OPTIONS = ("slots", "memory", "block")
_UNITS = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "t": 1000**4}
_BINARY_UNITS = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_AMOUNT = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?)\s*([kmgt]i?)?b?\s*", re.IGNORECASE)


class checkpoint:  # noqa: N801  a decorator, and JAX's name for it
    """Have gradients compute the calls of a function again, instead of recording what happens in them.

    Arguments:
        function: the function. Where nothing is differentiated, it runs as ever.

    For each call the forward sweep keeps what the function reads: its arguments, and the former contents of arrays that
    it writes. The reverse sweep then runs the call again, with records that live no longer than its own reversal
    (Griewank and Walther, *Evaluating Derivatives*, 2008, chapter 12). This costs one more run of the function. Calls may
    be nested, as in a checkpointed function that calls another.

    Raises:
        UnsupportedError, when it is differentiated: the function draws random numbers, or an array that it writes or
        returns may be an argument under another name.

    Forward mode records nothing, and ignores the mark. The name is that of JAX.

    >>> import numpy as np
    >>> import backsweep as bs
    >>> @bs.checkpoint
    ... def layer(x):
    ...     return np.tanh(x) * x
    >>> def cost(x):
    ...     for k in range(3):
    ...         x = layer(x)
    ...     return x
    >>> round(float(bs.grad(cost)(1.0)), 6)
    1.083898
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        requests.function("function", function)
        functools.update_wrapper(self, function)
        self.function: Any = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function itself."""
        return self.function(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """The function as a method."""
        return self if instance is None else functools.partial(self, instance)

    @functools.cached_property
    def _compiled(self) -> Any:
        return typing_stub(self.function, {}, CompiledStub)

    @property
    def _numba_type_(self) -> Any:
        return typeof(self._compiled)


def checkpoint_inner(
    lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """Lower `bs.checkpoint(f)` inside a function, where `f` may be an inner function."""
    function = args[0] if len(args) == 1 and not keywords else None
    if not isinstance(function, Const) or not (isinstance(function.value, Inner) or callable(function.value)):
        message = f"`{ast.unparse(node)}` does not mark a function that is known while compiling"
        raise lowerer.refuse(
            "BS143", message, node, "call it as bs.checkpoint(f), with the name of a function"
        )
    return marked(function)


def marked(function: Const) -> Const:
    """A function that is known while compiling, as a checkpointed one."""
    made = checkpoint.__new__(checkpoint)
    made.function = function.value
    return Const(made, function.name)


def lower_checkpoint(
    lowerer: Lowerer, function: object, called: Callable[[], Operand], node: ast.AST
) -> Operand:
    """Lower a call of a function that is computed again to a loop of one iteration that hands out the call's result.

    `called` lowers the call itself.
    """
    loc = lowerer.loc(node)
    with lowerer.builder.block() as block:
        found = called()
    if _holds_object(lowerer, found):
        message = "a function that is computed again returns an object"
        raise lowerer.refuse("BS143", message, node, "return its attributes, as a tuple")
    made = list(dict.fromkeys(leaves(lowerer, found)))
    results = {value: lowerer.builder.value(value.name, loc=loc) for value in made}
    for value, result in results.items():
        lowerer.context.merge_kinds(result, value)
        for known in (lowerer.context.booleans, lowerer.context.present):
            if value in known:
                known.add(result)
    inside = tuple(lowerer.builder.value(value.name, loc=loc) for value in made)
    block.parameters, block.yields = (lowerer.builder.value(loc=loc), *inside), tuple(made)
    name = _name(function)
    mark = Checkpoint(Kept.ARGUMENTS, name)
    given = (UNDEFINED,) * len(made)
    ends = tuple(results.values())
    lowerer.builder.add(For(Const(0), Const(1), Const(1), given, block.finish(), ends, loc, checkpoint=mark))
    handed = (results[value] for value in leaves(lowerer, found))
    return like(lowerer, found, handed, None, node)


def _holds_object(lowerer: Lowerer, operand: Operand) -> bool:
    """Whether the operand is an object that the program makes, or a tuple with one."""
    parts = known_elements(lowerer.context, operand) or ()
    return virtual(operand) is not None or any(_holds_object(lowerer, part) for part in parts)


def _name(function: Any) -> str:
    """The name of a function, as the name of an emitted one."""
    name = function.node.name if isinstance(function, Inner) and hasattr(function.node, "name") else ""
    name = name or getattr(function, "__name__", "function")
    return name if name.isidentifier() else "function"


def steps_mark(lowerer: Lowerer, node: ast.expr) -> tuple[ast.expr, Checkpoint] | None:
    """What `checkpointed(steps, ...)` marks, and the mark; None for any other expression."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
        return None
    root: ast.expr = node.func
    while isinstance(root, ast.Attribute):
        root = root.value
    found = lowerer.find(root.id, lowerer.frame) if isinstance(root, ast.Name) else None
    if not isinstance(found, Const) or not (
        found.value is checkpointed or isinstance(found.value, ModuleType)
    ):  # a method of a value is no function of ours
        return None
    function = lowerer.lower(node.func)
    if not isinstance(function, Const) or function.value is not checkpointed:
        return None
    steps, options = _options(lowerer, node)
    name = lowerer.frame.name if lowerer.frame.name.isidentifier() else "function"
    return steps, Checkpoint(Kept.SNAPSHOTS, f"{name}_steps", **options)


def _options(lowerer: Lowerer, node: ast.Call) -> tuple[ast.expr, dict[str, Operand]]:
    """The argument of `checkpointed` that holds the steps, and its options, checked."""
    given: Mapping[str, ast.expr] = {
        **dict(zip(("steps", *OPTIONS), node.args, strict=False)),
        **{keyword.arg or "**": keyword.value for keyword in node.keywords},
    }
    fits = len(given) == len(node.args) + len(node.keywords) and "steps" in given
    if (
        not fits
        or not set(given) <= {"steps", *OPTIONS}
        or any(isinstance(a, ast.Starred) for a in node.args)
    ):
        message = f"`{ast.unparse(node)}` does not fit `checkpointed`"
        raise lowerer.refuse("BS143", message, node, "write bs.checkpointed(range(n), slots=k)")
    options: dict[str, Operand] = {}
    for name in OPTIONS:
        operand = lowerer.lower(given[name]) if name in given else Const(None)
        options[name] = _size(lowerer, name, operand, given.get(name, node))
    nothing = [is_none(options[name]) for name in ("slots", "memory")]
    if nothing[0] == nothing[1]:
        message = "`checkpointed` needs either `slots` or `memory`"
        raise lowerer.refuse("BS143", message, node, 'write slots=10, or memory="1 GiB"')
    return given["steps"], options


def _size(lowerer: Lowerer, name: str, operand: Operand, node: ast.expr) -> Operand:
    """An option of `checkpointed` as a whole number; None where it is not given."""
    if not isinstance(operand, Const):
        return operand
    value = operand.value
    if value is None:
        return Const(None)
    if name == "memory" and isinstance(value, str):
        value = amount(value)
    if not requests.is_whole(value) or value < 1:
        wanted = (
            'a number of bytes, or text such as "1 GiB"' if name == "memory" else "a whole number, 1 or more"
        )
        message = f"`{name}` of `checkpointed` is {requests.shown(operand.value)}, but it must be {wanted}"
        raise lowerer.refuse("BS143", message, node, f"give {wanted}")
    return Const(int(value)) if operand.value is not value else operand


def amount(text: str) -> int | None:
    """The bytes that a text such as "1 GiB" or "500 MB" means; None if it means none."""
    found = _AMOUNT.fullmatch(text)
    if found is None:
        return None
    unit = (found[2] or "").lower()
    return int(float(found[1]) * (_UNITS | _BINARY_UNITS)[unit])


def refuse_elsewhere(
    lowerer: Lowerer, _args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call
) -> Operand:
    """Refuse `checkpointed` where it is not what a loop runs over: it could not mark that loop."""
    message = f"`{ast.unparse(node)}` stands where it marks no loop"
    remedy = "write it in the head of the loop, as in `for t in bs.checkpointed(range(n), slots=k):`"
    raise lowerer.refuse("BS143", message, node, remedy)
