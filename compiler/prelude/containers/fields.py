"""What makes tuples and dicts of dataclasses, dicts of keys, and views of dicts that nobody writes."""

from __future__ import annotations

import copy
import dataclasses
import types

from backsweep.prelude.declare import means


@means(dataclasses.astuple)
def astuple(obj, *, tuple_factory=tuple):
    """The fields of a dataclass."""
    return tuple_factory([_apart(getattr(obj, each.name), astuple) for each in dataclasses.fields(obj)])


@means(dataclasses.asdict)
def asdict(obj, *, dict_factory=dict):
    """The fields of a dataclass by their names."""
    return dict_factory(
        {each.name: _apart(getattr(obj, each.name), asdict) for each in dataclasses.fields(obj)}
    )


def _apart(value, of_fields):
    """What is made of a field: of a dataclass the same, of any other a copy."""
    return of_fields(value) if hasattr(value, "__dataclass_fields__") else copy.deepcopy(value)


@means(dict.fromkeys)
def fromkeys(iterable, value=None):
    """A dict with one value for all keys."""
    return {key: value for key in iterable}  # noqa: C420  that calls this


@means(types.MappingProxyType)
def read_only(mapping):
    """The dict itself: compiled code refuses what Python's view does not let through."""
    return mapping
