"""The place of an event in a run: the calls and the iterations of loops around it."""

from __future__ import annotations

from dataclasses import dataclass

from backsweep.diagnostics import Loc
from backsweep.inspect.recording.recorded import Event, Loop, Round
from backsweep.ir.nodes import Apply


@dataclass(frozen=True, slots=True)
class Call:
    """A call of one of the user's functions; `place` is the place of the call."""

    place: Loc
    function: str
    run: int
    """A number that distinguishes calls at the same place, which is lowered or run several times."""


@dataclass(frozen=True, slots=True)
class Iteration:
    """An iteration of a loop."""

    loop: Loop
    trip: int


Frame = Call | Iteration
Path = tuple[Frame, ...]


class Paths:
    """The paths of events, outermost frame first."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, int], Path] = {}

    def of(self, event: Event) -> Path:
        """The calls and iterations around an event."""
        return self.at(event.loc, event.round)

    def at(self, loc: Loc, around: Round | None) -> Path:
        """The calls and iterations around a place, during one iteration."""
        key = (id(loc.caller), id(around))
        if key not in self.known:
            self.known[key] = self._found(loc, around)
        return self.known[key]

    def _found(self, loc: Loc, around: Round | None) -> Path:
        """The calls and loops around a place, outermost first; a recursive call follows the path of its caller."""
        loops: list[Round] = []
        while around is not None and not isinstance(around.loop.node, Apply):
            loops.insert(0, around)
            around = around.loop.outer
        frames: list[Frame] = []
        for depth, (caller, function) in enumerate(_callers(loc)):
            frames += [_iteration(each) for each in loops if len(_callers(each.loop.node.loc)) == depth]
            frames.append(Call(caller, function, id(caller)))
        deepest = len(_callers(loc))
        frames += [_iteration(each) for each in loops if len(_callers(each.loop.node.loc)) >= deepest]
        if around is None:
            return tuple(frames)
        node = around.loop.node
        assert isinstance(node, Apply)
        call = Call(node.loc, node.function.name, id(around))
        return (*self.at(node.loc, around.loop.outer), call, *frames)


def _iteration(around: Round) -> Iteration:
    return Iteration(around.loop, around.trip)


def _callers(loc: Loc) -> list[tuple[Loc, str]]:
    """The places of the calls that lead to a place, outermost first, each with the called function."""
    found: list[tuple[Loc, str]] = []
    while loc.caller is not None:
        found.insert(0, (loc.caller, loc.function))
        loc = loc.caller
    return found
