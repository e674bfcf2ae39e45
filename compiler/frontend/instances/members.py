"""Read, set and delete attributes of objects that the program makes, as Python looks them up."""

from __future__ import annotations

import ast
import dataclasses
import difflib
import functools
import types
from collections.abc import Hashable
from typing import Any

from backsweep.diagnostics import UnsupportedError
from backsweep.frontend.context import dataclasses as records
from backsweep.frontend.context.heap import Virtual, found_in, virtual
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.rounds import FoundObjectsError, test_within, write_loops_out
from backsweep.frontend.context.scope import POISON, Bound, assigned_names, given_twice, is_undefined
from backsweep.frontend.instances.classes import Property, is_frozen, is_function, method_of
from backsweep.ir.nodes import Const, Operand, Raise, Value
from backsweep.prelude.declare import is_of_prelude
from backsweep.reading.names import is_data, wrap


@dataclasses.dataclass(frozen=True, eq=False)
class Super:
    """What `super()` gives: the object, looked up after a class."""

    thing: Const
    after: type
    __name__ = "super"


def record_of(lowerer: Lowerer, thing: Virtual, node: ast.AST) -> dict[Hashable, Operand]:
    """The attributes of an object, which must be known here."""
    objects = lowerer.context.objects
    what = f"an object of the class `{thing.__name__}`"
    is_known = thing in objects.heap.records and objects.is_at_hand(thing, lowerer.builder)
    if lowerer.context.problems.found and (not is_known or thing in objects.heap.stale):
        raise UnsupportedError(())  # what was refused before has left it half done
    if not is_known:
        message = f"{what} is used outside of the expression that makes it"
        raise lowerer.refuse("BS104", message, node, "make it in a statement of its own: `item = ...`")
    if thing in objects.heap.stale:
        write_loops_out(objects, lowerer.context.expansions)
        place = objects.heap.stale[thing]
        message = f"{what} may have been changed in line {place.line} under another name: the run decides which object that is"
        remedy = "choose the attributes instead of the object, as in `s.x = a.x if c else b.x`, or change it where it has one name"
        raise lowerer.refuse("BS104", message, node, remedy)
    return objects.heap.records[thing]


def mangled(lowerer: Lowerer, name: str) -> str:
    """The name of an attribute in a class inside the function: `__x` becomes `_Class__x`, as it has become already in other texts."""
    inside = lowerer.find("__class__", lowerer.frame)
    is_private = name.startswith("__") and not name.endswith("__")
    if not is_private or not isinstance(inside, Const) or not isinstance(inside.value, type):
        return name
    return f"_{inside.value.__name__.lstrip('_')}{name}"


def attribute(lowerer: Lowerer, base: Operand, name: str, node: ast.AST) -> Operand | None:
    """Read `base.name` of an object that the program makes, of `super()`, and of a class inside the function; None for others."""
    name = mangled(lowerer, name)
    match base:
        case Const(value=Virtual()):
            return read(lowerer, base, name, node)
        case Const(value=Super() as of):
            return read_super(lowerer, of, name, node)
        case Const(value=type() as cls) if is_made_inside(cls, name):
            found = found_in(cls, name)
            return found if isinstance(found, Const) else bound(lowerer, found, Const(None), cls, name, node)
        case _:
            return None


def read(lowerer: Lowerer, base: Const, name: str, node: ast.AST) -> Operand:
    """Read `base.name` of an object."""
    thing: Virtual = base.value
    found = found_in(thing.cls, name)
    if isinstance(found, property | Property):
        return _property(lowerer, found, base, node)
    record = record_of(lowerer, thing, node)
    if name in record and thing.cls is not list:
        operand = record[name]
        lowerer.check_path(operand, f"`{ast.unparse(node)}`", node)
        if is_undefined(operand):
            message = f"`{ast.unparse(node)}` is read before it is assigned"
            raise lowerer.refuse("BS105", message, node, f"assign `{name}` in `__init__`")
        return operand
    if name == "__class__":
        return Const(thing.python_class)
    if isinstance(found, functools.cached_property):
        value = lowerer.inline(found.func, (base,), {}, node)
        store(lowerer, thing, name, value, node)
        return value
    found = None if isinstance(found, types.MemberDescriptorType) else found  # of `__slots__`
    cls: Any = thing.cls
    getter = found_in(cls, "__getattr__") if found is None and not name.startswith("__") else None
    if getter is not None:
        return lowerer.inline(method_of(getter), (base, Const(name)), {}, node)
    if found is None and is_of_prelude(cls):
        message = f"`{name}` of a `{cls.called}` has no text that could be differentiated"
        raise lowerer.refuse("BS109", message, node, cls.instead)
    if found is None:
        near = difflib.get_close_matches(name, [*map(str, record), *dir(thing.cls)], n=1)
        remedy = f"did you mean `{near[0]}`?" if near else "assign it first, in `__init__`"
        message = f"an object of the class `{thing.__name__}` has no attribute `{name}` here"
        raise lowerer.refuse("BS109", message, node, remedy)
    return bound(lowerer, found, base, thing.cls, name, node)


def spoil(lowerer: Lowerer, statement: ast.stmt) -> None:
    """Mark the variables and the attributes that a refused statement assigns, so that to read one is no further problem."""
    for name in assigned_names([statement]):
        lowerer.assign(name, POISON)
    for part in ast.walk(statement):
        if (
            isinstance(part, ast.Attribute)
            and isinstance(part.ctx, ast.Store)
            and isinstance(part.value, ast.Name)
        ):
            thing = virtual(lowerer.find(part.value.id, lowerer.frame))
            if thing is not None and thing in lowerer.context.objects.heap.records:
                lowerer.context.objects.heap.records[thing][part.attr] = POISON


def read_super(lowerer: Lowerer, base: Super, name: str, node: ast.AST) -> Operand:
    """Read `super().name`."""
    thing: Virtual = base.thing.value
    found = found_in(thing.cls, name, base.after)
    if found is None and name == "__init__":
        return Const(_nothing)
    if found is None:
        message = f"no base of `{base.after.__name__}` has an attribute `{name}`"
        raise lowerer.refuse("BS109", message, node, "check the spelling")
    if isinstance(found, property | Property):
        return _property(lowerer, found, base.thing, node)
    return bound(lowerer, found, base.thing, thing.cls, name, node)


def _nothing() -> None:
    """What the `__init__` of `object` does."""


def bound(lowerer: Lowerer, found: Any, base: Const, cls: type, name: str, node: ast.AST) -> Operand:
    """What an object has of its class: a method with the object, a function without it, or the class's attribute."""
    if isinstance(found, staticmethod):
        return wrap(found.__func__)
    if isinstance(found, classmethod):
        return Const(Bound(wrap(found.__func__), (Const(cls),), {}))
    if isinstance(found, Const):  # of a class inside the function
        return Const(Bound(found, (base,), {})) if is_function(found) else found
    if isinstance(found, Value):
        return found
    if is_data(found) or isinstance(found, type | dict | list) or not hasattr(type(found), "__get__"):
        lowerer.context.outside.note_attribute(lowerer.frame.source, cls, name)
        return wrap(found)
    if callable(found):
        return Const(Bound(wrap(found), (base,), {}))
    message = f"`{name}` of the class `{cls.__name__}` is a `{type(found).__name__}`, which decides itself what is read"
    raise lowerer.refuse("BS109", message, node, "use an attribute, a method or a property")


def is_made_inside(cls: type, name: str) -> bool:
    """Whether a class has this attribute from a class that a function defines inside itself."""
    found = found_in(cls, name)
    return isinstance(found, Const | Property) or (
        isinstance(found, staticmethod | classmethod) and isinstance(found.__func__, Const)
    )


def _property(lowerer: Lowerer, found: property | Property, base: Const, node: ast.AST) -> Operand:
    getter = found.fget if isinstance(found, property) else method_of(found.getter)
    if getter is None:
        raise lowerer.refuse("BS109", "the property cannot be read", node, "give it a getter")
    return lowerer.inline(getter, (base,), {}, node)


def assign(lowerer: Lowerer, base: Operand, name: str, operand: Operand, node: ast.AST) -> bool:
    """Lower `base.name = operand` of an object that the program makes; says whether it is one."""
    thing = virtual(base)
    name = mangled(lowerer, name)
    if thing is None:
        return _assign_record(lowerer, base, name, node)
    found = found_in(thing.cls, name)
    if isinstance(found, property | Property):
        setter = found.fset if isinstance(found, property) else found.setter
        if setter is None:
            message = f"the property `{name}` of `{thing.__name__}` has no setter"
            raise lowerer.refuse("BS111", message, node, "assign the attributes that it is computed of")
        lowerer.inline(method_of(setter), (base, operand), {}, node)
        return True
    if hasattr(type(found), "__set__") and not isinstance(found, types.MemberDescriptorType):
        message = f"`{name}` of the class `{thing.__name__}` decides itself what is assigned"
        raise lowerer.refuse("BS111", message, node, "use an attribute or a property")
    if is_frozen(thing.cls):
        _raise_frozen(lowerer, name, node)
        return True
    store(lowerer, thing, name, operand, node)
    return True


def store(lowerer: Lowerer, thing: Virtual, name: Hashable, operand: Operand, node: ast.AST) -> None:
    """Set an attribute of an object, which must be known here."""
    record_of(lowerer, thing, node)
    objects = lowerer.context.objects
    if thing in objects.copies:
        message = f"an object of the class `{thing.__name__}` changes in a function that is differentiated where it is called"
        raise lowerer.refuse("BS111", message, node, "return what changes, or count outside of the equation")
    if not thing.roots.isdisjoint(objects.copies):
        message = "a dict is written that the run chooses among those of a dict or a list"
        raise lowerer.refuse("BS111", message, node, "keep what changes in an array, with numbers for keys")
    if thing in objects.given and lowerer.context.expansions.shared:
        raise given_twice("a dict", "dict(d)", lowerer.loc(node))
    if not objects.may_change(thing, lowerer.builder):
        test_within(objects, lowerer.builder)
        message = f"an object of the class `{thing.__name__}` changes within an expression that has a block of its own"
        raise lowerer.refuse("BS111", message, node, "change it in a statement of its own")
    lowerer.check_exists(operand, node)
    objects.set(thing, name, operand, lowerer.loc(node))


def change_record(lowerer: Lowerer, thing: Virtual, record: dict[Hashable, Operand], node: ast.AST) -> None:
    """Give a list of objects other items."""
    objects = lowerer.context.objects
    first: Operand = Const(None)
    store(lowerer, thing, 0, record.get(0, first), node)
    objects.heap.records[thing] = dict(record)


def _assign_record(lowerer: Lowerer, base: Operand, name: str, node: ast.AST) -> bool:
    """Lower an assignment to a field of a dataclass that was a value so far."""
    cls = _made_value(lowerer, base)
    if cls is None:
        return False
    if is_frozen(cls):
        _raise_frozen(lowerer, name, node)
        return True
    follow(lowerer, base)
    return False


def _made_value(lowerer: Lowerer, base: Operand) -> type | None:
    """The class of an object of a dataclass that the program makes as a value; None for arguments and anything else."""
    context = lowerer.context
    cls = records.dataclass_of(context.classes.get(base)) if isinstance(base, Value) else None
    return None if cls is None or not dataclasses.is_dataclass(cls) or base in context.types else cls


def follow(lowerer: Lowerer, base: Operand) -> None:
    """Have the objects of a dataclass that were values so far known attribute by attribute, in another round: they change."""
    cls = _made_value(lowerer, base)
    fact = ("class", cls)
    if cls is not None and fact not in lowerer.context.expansions.objects:
        raise FoundObjectsError([fact])


def _raise_frozen(lowerer: Lowerer, name: str, node: ast.AST) -> None:
    error = Const(dataclasses.FrozenInstanceError)
    text = (Const(f"cannot assign to field {name!r}"),)
    lowerer.builder.add(Raise(error, text, lowerer.loc(node)))


def delete(lowerer: Lowerer, base: Operand, name: str, node: ast.AST) -> bool:
    """Lower `del base.name` of an object that the program makes; says whether it is one."""
    thing = virtual(base)
    if thing is None:
        return False
    record = record_of(lowerer, thing, node)
    if name not in record:
        message = f"an object of the class `{thing.__name__}` has no attribute `{name}` here"
        raise lowerer.refuse("BS109", message, node, "assign it first")
    message = f"`del {ast.unparse(node)}` takes an attribute away"
    raise lowerer.refuse("BS111", message, node, "assign None instead")
