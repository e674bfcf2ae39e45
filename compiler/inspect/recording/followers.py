"""The uses of each number of a recorded run, and the events that the result depends on."""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.inspect.recording.backwards import partials
from backsweep.inspect.recording.recorded import Entry, Event, Recorded, is_number
from backsweep.ir.nodes import Load, Store


class Followers:
    """Finds the events that use a number, directly or through memory."""

    def __init__(self, recorded: Recorded) -> None:
        self.useful = useful(recorded)
        self.users: dict[Entry, list[Event]] = {}
        self.readers: dict[int, list[Event]] = {}
        for event in recorded.events:
            if event.number not in self.useful:
                continue
            for entry in dict.fromkeys(event.operands):
                self.users.setdefault(entry, []).append(event)
            for number in {number for group in event.sources for number in group}:
                self.readers.setdefault(number, []).append(event)

    def of(self, entry: Entry) -> list[tuple[Event, Any]] | None:
        """The events that use a number, each with its partial derivative; None if arrays or complex numbers are involved."""
        found: list[tuple[Event, Any]] = []
        event = entry.event
        if np.iscomplexobj(entry.value):
            return None  # a real result depends only on a part of a complex number
        if event is not None and isinstance(event.node, Store):
            for reader in self.readers.get(event.number, []):
                accumulates = isinstance(reader.node, Store) and event.number in reader.sources[0]
                if not isinstance(reader.node, Load) and not accumulates:
                    return None
                if not _is_real_number(reader.result):
                    return None
                found.append((reader, 1.0))
            return found
        for user in self.users.get(entry, []):
            if not _is_real_number(user.result):
                return None
            known = partials(user)
            if known is None:
                return None
            found += [(user, partial) for source, partial in known if source is entry]
        return found


def _is_real_number(entry: Entry) -> bool:
    return is_number(entry) and not np.iscomplexobj(entry.value)


def useful(recorded: Recorded) -> set[int]:
    """The events that the result depends on."""
    found: set[int] = set()
    results = recorded.result.items or [recorded.result]
    waiting = [entry.event.number for entry in results if entry.event is not None]
    while waiting:
        number = waiting.pop()
        if number in found or number < 0:
            continue
        found.add(number)
        waiting += [source for group in recorded.events[number].sources for source in group]
    return found
