"""The user's classes: what lookup finds in them, why objects of some cannot be made, and classes that a function defines inside itself."""

from __future__ import annotations

import abc
import ast
import dataclasses
import sys
import typing
from types import FunctionType
from typing import Any

from backsweep.frontend.context.heap import found_in
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import Frame, Inner
from backsweep.ir.nodes import Const, Operand
from backsweep.reading.functions import has_text
from backsweep.reading.names import is_from_library, wrap

OF_A_CLASS = (
    "__setattr__",
    "__getattribute__",
    "__delattr__",
    "__new__",
    "__del__",
)
"""What a class must not define: reading and writing attributes would do more than that."""
PLAIN = (object, abc.ABC, typing.Generic, typing.Protocol)
"""The bases from the library that change nothing."""


@dataclasses.dataclass(frozen=True, eq=False)
class Property:
    """A property of a class that a function defines inside itself."""

    getter: Operand
    setter: Operand | None = None


def is_own_class(thing: object) -> bool:
    """Whether the object is a class of the user's, of whose objects lowering may know the attributes."""
    if not isinstance(thing, type) or issubclass(thing, BaseException | type):
        return False
    return thing not in PLAIN and all(base in PLAIN or not _is_of_library(base) for base in thing.__mro__)


def _is_of_library(cls: type) -> bool:
    return is_from_library(cls) or cls.__module__.partition(".")[0] in sys.stdlib_module_names


def obstacle(cls: type) -> str | None:
    """The reason, in words, why objects of the class cannot be known while compiling; None if there is none."""
    if type(cls) not in (type, abc.ABCMeta, type(typing.Protocol)):
        return f"its metaclass `{type(cls).__name__}` decides how objects are made"
    for base in cls.__mro__:
        if base in PLAIN:
            continue
        for name in OF_A_CLASS:
            if name in vars(base) and not (name in ("__setattr__", "__delattr__") and is_frozen(cls)):
                return f"`{base.__name__}` defines `{name}`"
    abstract: frozenset[str] = getattr(cls, "__abstractmethods__", frozenset())
    if abstract:
        return f"its method `{min(abstract)}` is abstract"
    init = found_in(cls, "__init__")
    if not (init is None or makes_its_own_init(cls) or is_function(init)):
        return "the text of its `__init__` cannot be read"
    return None


def makes_its_own_init(cls: type) -> bool:
    """Whether `dataclass` has written the `__init__` of the class."""
    for base in cls.__mro__:
        if "__init__" in vars(base):
            params = vars(base).get("__dataclass_params__")
            return params is not None and bool(params.init) and not has_text(vars(base)["__init__"])
    return False


def is_frozen(cls: type) -> bool:
    """Whether the class is a dataclass whose fields cannot be assigned."""
    params = getattr(cls, "__dataclass_params__", None)
    return params is not None and bool(params.frozen)


def is_function(thing: object) -> bool:
    """Whether what stands in a class is a method that can be inlined."""
    if isinstance(thing, Const):
        return isinstance(thing.value, Inner)
    return isinstance(thing, FunctionType) and has_text(thing)


def method_of(thing: Any) -> Any:
    """The function that a method is, as it can be inlined."""
    return thing.value if isinstance(thing, Const) else thing


# Classes inside of a function


def define(lowerer: Lowerer, node: ast.ClassDef) -> Operand:
    """Make the class that a statement inside the function defines; its methods are inlined like inner functions."""
    bases = [lowerer.lower(base) for base in node.bases]
    known = [base.value for base in bases if isinstance(base, Const) and isinstance(base.value, type)]
    if (
        node.keywords
        or len(known) != len(bases)
        or not all(is_own_class(each) or each in PLAIN for each in known)
    ):
        message = f"the bases of the class `{node.name}` are not plain classes"
        raise lowerer.refuse("BS101", message, node, "derive it from classes of your own, or from none")
    if any("__init_subclass__" in vars(each) for base in known for each in base.__mro__ if each not in PLAIN):
        message = f"a base of the class `{node.name}` defines `__init_subclass__`"
        raise lowerer.refuse("BS101", message, node, "define the class at module level")
    frame = lowerer.frame
    inside = Frame({}, frame.scopes, frame.source, frame.name, frame.caller, outer=frame, fixed=frame.fixed)
    namespace: dict[str, Any] = {"__annotations__": {}, "__module__": "__main__", "__qualname__": node.name}
    if any(_is_private(part) for part in ast.walk(node)):
        message = f"the class `{node.name}` inside the function has names that begin with `__`"
        raise lowerer.refuse(
            "BS101", message, node, "begin them with one underscore, or define the class at module level"
        )
    for statement in node.body:
        _enter(lowerer, inside, namespace, node, statement)
    made = type(node.name, tuple(known), namespace)
    decorators = [_decorated(lowerer, decorator) for decorator in reversed(node.decorator_list)]
    for decorator, options in decorators:
        made = dataclasses.dataclass(**options)(made) if decorator is dataclasses.dataclass else made
    inside.env["__class__"] = Const(made)
    return Const(made)


def _is_private(part: ast.AST) -> bool:
    """Whether a name is one that Python changes within a class: `__x`, but not `__x__`."""
    name = part.name if isinstance(part, ast.FunctionDef) else part.id if isinstance(part, ast.Name) else ""
    return name.startswith("__") and not name.endswith("__")


def _decorated(lowerer: Lowerer, decorator: ast.expr) -> tuple[object, dict[str, Any]]:
    """The decorator of an inner class and its options: `dataclass` alone."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    function = lowerer.lower(called)
    options: dict[str, Any] = {}
    given = decorator.keywords if isinstance(decorator, ast.Call) else []
    for keyword in given:
        option = lowerer.lower(keyword.value)
        options[keyword.arg or ""] = option.value if isinstance(option, Const) else None
    is_plain = isinstance(function, Const) and function.value is dataclasses.dataclass
    if not is_plain or (isinstance(decorator, ast.Call) and decorator.args) or "" in options:
        message = f"the decorator `{ast.unparse(decorator)}` changes a class inside the function"
        raise lowerer.refuse("BS101", message, decorator, "define the class at module level")
    return dataclasses.dataclass, options


def _enter(
    lowerer: Lowerer, inside: Frame, namespace: dict[str, Any], node: ast.ClassDef, statement: ast.stmt
) -> None:
    """Enter what a statement of a class body defines."""
    match statement:
        case ast.FunctionDef(name=name):
            inner = Const(Inner(statement, inside, lowerer.defaults(statement.args)))
            namespace[name] = _method(lowerer, namespace, inner, statement)
        case ast.AnnAssign(target=ast.Name(id=name), value=value):
            namespace["__annotations__"][name] = object
            if value is not None:
                namespace[name] = _field(lowerer, value)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            known = namespace.get(value.id) if isinstance(value, ast.Name) else None
            namespace[name] = lowerer.lower(value) if known is None else known
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            pass
        case _:
            message = f"the body of the class `{node.name}` does more than define methods and attributes"
            raise lowerer.refuse("BS101", message, statement, "define the class at module level")


def _field(lowerer: Lowerer, value: ast.expr) -> Any:
    """The default of a field, or what `dataclasses.field` says of it."""
    if not isinstance(value, ast.Call):
        return lowerer.lower(value)
    called = lowerer.lower(value.func)
    if not (isinstance(called, Const) and called.value is dataclasses.field):
        return lowerer.lower(value)
    options = {keyword.arg or "": lowerer.lower(keyword.value) for keyword in value.keywords}
    plain = {
        name: option if name in ("default", "default_factory") else getattr(option, "value", None)
        for name, option in options.items()
    }
    return dataclasses.field(**plain)


def _method(lowerer: Lowerer, namespace: dict[str, Any], inner: Const, node: ast.FunctionDef) -> Any:
    """A method of an inner class with its decorators."""
    made: Any = inner
    for decorator in reversed(node.decorator_list):
        if isinstance(decorator, ast.Attribute) and decorator.attr == "setter":
            before = namespace.get(node.name)
            if isinstance(before, Property):
                made = Property(before.getter, made)
                continue
        found = lowerer.lower(decorator)
        kind = found.value if isinstance(found, Const) else None
        if kind is property:
            made = Property(made)
        elif kind in (staticmethod, classmethod):
            made = kind(made)
        else:
            message = f"the decorator `{ast.unparse(decorator)}` changes a method of an inner class"
            raise lowerer.refuse("BS101", message, decorator, "define the class at module level")
    return made


def defaults_of(cls: type, name: str) -> Operand | None:
    """The default of a dataclass's field as an operand; None if it has none."""
    field = getattr(cls, "__dataclass_fields__")[name]  # noqa: B009  only a dataclass has it
    return None if field.default is dataclasses.MISSING else wrap(field.default)
