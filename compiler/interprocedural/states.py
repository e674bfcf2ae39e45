"""Find what a snapshot of a checkpointed loop must hold, and refuse loops whose state cannot be restored."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from backsweep.analysis.alias import Aliases
from backsweep.analysis.integers.dependence import subscripts_of
from backsweep.diagnostics import Problem, UnsupportedError
from backsweep.ir.effects import effect
from backsweep.ir.nodes import Apply, Block, For, Function, Load, Node, Operand, Store, Value, View, While
from backsweep.ir.operations import Sharing, operation
from backsweep.ir.types import Array, Scalar
from backsweep.ir.walk import carried_parameters, free_values, walk


class States:
    """The states of the marked loops of one program."""

    def __init__(self, function: Function, aliases: Aliases) -> None:
        self.function = function
        self.aliases = aliases
        self.fresh = {
            node.result
            for node in walk(function.body)
            if isinstance(node, Apply) and operation(node.function).sharing is Sharing.NEVER
        }

    def settled(self, loop: For | While) -> set[Value]:
        """The memory that needs no snapshot, because no element of it is overwritten after it was read or written.

        When an iteration runs again, such memory still holds all that the iteration has read.
        """
        subscripts = subscripts_of(self.function)
        stores = [node for node in walk(self.function.body) if isinstance(node, Store)]
        views: set[Value] = set()
        found: dict[Value, bool] = {}
        for node in walk(loop.body):
            touched, written = effect(node).touched, effect(node).writes
            if isinstance(node, Load | View | Store) and isinstance(node.buffer, Value):
                later = [each for each in stores if self.aliases.same(each.buffer, node.buffer)]
                fits = not any(subscripts.may_overwrite_later(node, each) for each in later)
                fits = fits and not (isinstance(node, Store) and node.accumulate)
                views.update([node.result] if isinstance(node, View) else [])
                touched = tuple(each for each in touched if each is not node.buffer)
                written = ()
                found[self.aliases.of(node.buffer)] = fits and found.get(self.aliases.of(node.buffer), True)
            found.update((self.aliases.of(each), False) for each in (*touched, *written) if each not in views)
        return {each for each, fits in found.items() if fits and each not in self.aliases.merged}

    def of(self, node: For | While, inits: Sequence[Operand], settled: AbstractSet[Value]) -> list[Operand]:
        """The operands that a snapshot holds: what the loop carries and reads, and the arrays from outside that it writes."""
        read = read_of(node)
        carried = [init for init, value in zip(inits, carried_parameters(node), strict=True) if value in read]
        free = free_values(node.body)
        written = {each for inner in walk(node.body) for each in effect(inner).writes}
        roots = {self.aliases.of(each) for each in written} - settled
        return [*carried, *(value for value in free if self.aliases.of(value) in roots)]

    def check(self, node: For | While) -> None:
        """Refuse arrays that the loop carries and writes if they have other names, which would not see the writes."""
        parameters = carried_parameters(node)
        for value in parameters:
            if not isinstance(value.type, Scalar | Array):
                message = (
                    f"a checkpointed loop carries `{value.name}`, which is neither a number nor an array"
                )
                remedy = "use numbers and arrays for what an iteration hands to the next."
                raise UnsupportedError(Problem("BS144", message, node.loc, remedy))
        if isinstance(node, While) and any(effect(each).writes for each in walk(node.condition)):
            message = "the condition of a checkpointed `while` loop writes into an array"
            remedy = "write at the end of the loop's body instead."
            raise UnsupportedError(Problem("BS144", message, node.loc, remedy))
        written = [
            (init, value)
            for init, value in zip(node.inits, parameters, strict=True)
            if isinstance(value.type, Array) and self.aliases.is_buffer(value)
        ]
        inits = [init for init, _ in written]
        inside = set(free_values(node.body))
        changed = {self.aliases.of(each) for inner in walk(node.body) for each in effect(inner).writes}
        after = self._read_after(node)
        for number, (init, value) in enumerate(written):
            others = {
                each
                for each in inside | after
                if isinstance(each.type, Array) and self.aliases.same(each, value)
            }
            shared = init not in self.fresh and self.aliases.of(value) in changed
            if others or init in inits[:number] or shared:
                name = f"`{value.name}`" if value.name else "an array"
                message = f"a checkpointed loop assigns and writes {name}, which may have another name"
                remedy = f"write into it with {name.strip('`')}[...] = ..., or begin with a copy of it."
                raise UnsupportedError(Problem("BS146", message, node.loc, remedy))

    def _read_after(self, loop: Node) -> set[Value]:
        """The values from before a loop at the top that the program reads after it."""
        nodes = self.function.body.nodes
        place = next(k for k, node in enumerate(nodes) if node is loop)
        rest = Block(
            loop.results if isinstance(loop, For | While) else (),
            nodes[place + 1 :],
            self.function.body.yields,
        )
        return set(free_values(rest))


def read_of(node: For | While) -> set[Value]:
    """The carried values that an iteration reads: the others are assigned before they are read."""
    read = set(
        free_values(
            Block((), node.body.nodes, (*node.body.yields, *([] if node.exit is None else [node.exit])))
        )
    )
    if isinstance(node, While):
        tests = free_values(Block((), node.condition.nodes, node.condition.yields))
        pairs = zip(node.condition.parameters, node.body.parameters, strict=True)
        read |= {value for test, value in pairs if test in tests}
    return read
