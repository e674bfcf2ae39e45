"""What is made of a function and sent to other processes: its pickle, and the one object that a process makes of equal pickles."""

from __future__ import annotations

import abc
import contextlib
import copy
import hashlib
import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from backsweep.sending.by_value import UNSENDABLE, Places, dumps, found_at, loads

Parts = tuple[Callable[..., Any], tuple[Any, ...]]
"""A callable and arguments that make an equal object."""
MOST = 64
MOST_BYTES = 2**26
"""How many received objects a process keeps for the next task, and how large their pickles may be together."""


class Sent(abc.ABC):
    """An object that is pickled by what it is made from.

    Equal pickles are one object in a process, so that the tasks of a worker share what it has compiled.
    """

    @abc.abstractmethod
    def made_from(self) -> str | Parts:
        """What makes an equal object; a text is the name of the object in its module."""

    def is_as_made(self) -> bool:
        """Whether nobody has changed the object, so that it may stand for others of the same pickle."""
        return True

    def __reduce__(self) -> str | tuple[Any, ...]:
        parts = self.made_from()
        if isinstance(parts, str):
            return parts
        try:
            return received, dumps(parts, _parts_of)
        except UNSENDABLE as error:
            with contextlib.suppress(*UNSENDABLE):
                pickle.dumps(parts)
                return parts  # by the names of a script's functions, which processes of Python's own know
            raise error from None

    def __copy__(self) -> Any:
        parts = self.made_from()
        return self if isinstance(parts, str) else parts[0](*parts[1])

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        parts = self.made_from()
        return self if isinstance(parts, str) else parts[0](*copy.deepcopy(parts[1], memo))


def _parts_of(thing: Any) -> str | Parts | None:
    return thing.made_from() if isinstance(thing, Sent) else None


@dataclass(frozen=True, slots=True)
class _Received:
    """An object that came in a pickle of a size, and the functions that the pickle names."""

    thing: Any
    size: int
    places: Places

    def stands(self) -> bool:
        """Whether the pickle would give an equal object now: a module that was loaded anew has other functions."""
        return bool(self.thing.is_as_made()) and all(
            found_at(module, name) is function for module, name, function in self.places
        )


_kept: OrderedDict[tuple[bytes, tuple[type, ...]], _Received] = OrderedDict()
"""By the hashes of pickles and the classes beside them, the last used at the end."""
_lock = threading.Lock()


def received(content: bytes, classes: tuple[type, ...]) -> Any:
    """The object of a pickle: the one that was made before, or a new one."""
    key = (hashlib.sha256(content).digest(), classes)
    with _lock:
        found = _kept.get(key)
    if found is None or not found.stands():
        (make, arguments), places = loads(content, classes)
        found = _Received(make(*arguments), len(content), places)
        with _lock:
            now = _kept.get(key)  # another thread may have been quicker
            found = now if now is not None and now.stands() else found
            _kept[key] = found
    with _lock:
        _kept[key] = found
        _kept.move_to_end(key)
        while len(_kept) > 1 and (
            len(_kept) > MOST or sum(each.size for each in _kept.values()) > MOST_BYTES
        ):
            _kept.popitem(last=False)
    return found.thing
