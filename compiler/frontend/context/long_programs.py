"""What stays short where it would be long: helpers that a program calls at many places stay functions, and loops over written numbers loops.

Text and compile time would grow with the calls, and with the numbers.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from backsweep.diagnostics import Loc
from backsweep.ir.nodes import Append, Apply, Grow, Node

LONG = 1200
"""How many nodes a program may have before a helper of it stays a function: shorter ones compile in seconds."""
SAVED = 0.5
"""The share of the nodes that must go with the copies of a helper. Its calls run twice, so that less is not worth it."""
LONG_LOOP = 240
"""How many nodes a loop over written numbers may make when it is written out."""


@dataclass(slots=True, eq=False)
class LongPrograms:
    """Which functions stay calls that the reverse sweep runs again, as if the user had marked them with `bs.checkpoint`; which loops are not written out.

    `wanted` says whether there is a reverse sweep. `chosen` are these functions, `loops` these loops; `refused` says that the program was
    refused with them, and is written out. `entered` are the functions whose marked calls are being lowered.
    """

    wanted: bool = False
    chosen: set[object] = field(default_factory=set)
    loops: set[Loc] = field(default_factory=set)
    refused: bool = False
    entered: set[object] = field(default_factory=set)

    def stays(self, function: object) -> bool:
        """Whether a call of the function stays a call."""
        return function in self.chosen and function not in self.entered

    @contextlib.contextmanager
    def inside(self, function: object) -> Iterator[None]:
        """A context in which a marked call of the function is lowered."""
        self.entered.add(function)
        try:
            yield
        finally:
            self.entered.discard(function)

    def choose(self, nodes: Iterable[Node], calls: Mapping[object, Sequence[Loc]]) -> bool:
        """Whether a function of this program is better left a call; it is noted, and the program is to be lowered again.

        `calls` are the places at which each function is written out.
        """
        if not self.wanted or self.refused:
            return False
        nodes = list(nodes)
        if len(nodes) < LONG or any(map(_is_of_lists, nodes)):
            return False
        within = _counts(nodes)
        saved = {function: _saved(places, within) for function, places in calls.items()}
        best = max(saved, key=lambda each: saved[each], default=None)
        if best is None or best in self.chosen or saved[best] < SAVED * len(nodes):
            return False
        self.chosen.add(best)
        return True

    def give_up(self) -> bool:
        """Whether the program was refused with helpers that stayed calls, or loops that stayed loops: it is to be written without."""
        tried = bool(self.chosen or self.loops) and not self.refused
        self.chosen.clear()
        self.loops.clear()
        self.refused = self.refused or tried
        return tried


def _is_of_lists(node: Node) -> bool:
    """Whether the node makes or lengthens a list: those do not pass between functions."""
    return isinstance(node, Append | Grow) or (isinstance(node, Apply) and node.function is list)


def _counts(nodes: Iterable[Node]) -> Mapping[int, int]:
    """How many nodes each call brings, by the identity of its place."""
    found: Counter[int] = Counter()
    for node in nodes:
        caller = node.loc.caller
        while caller is not None:
            found[id(caller)] += 1
            caller = caller.caller
    return found


def _saved(places: Iterable[Loc], within: Mapping[int, int]) -> int:
    """How many nodes go if all calls but the longest are calls of one function."""
    sizes = [within.get(id(place), 0) for place in places]
    return sum(sizes) - max(sizes, default=0)
