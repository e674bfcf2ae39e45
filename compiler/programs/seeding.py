"""Write the loops of Jacobians: a reverse sweep for each row or a tangent for each column, with a seed that is one in one entry.

A Jacobian has the structure of the result, and in each part of it that of the arguments: an array for each pair of a
part of the result and a part of an argument, with the axes of both.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Hashable, Iterator, Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from backsweep.ad.adjoints import bar_name
from backsweep.ad.checkpoint.records.choices import Sweeps
from backsweep.ad.tangents import Tangents
from backsweep.analysis.alias import Aliases, find_aliases
from backsweep.analysis.integers.guards import checks_on_entry
from backsweep.analysis.neutral import operand_key
from backsweep.analysis.structure import ActiveFacts
from backsweep.ir.build import Builder, dtype_argument
from backsweep.ir.effects import effect, has_effect
from backsweep.ir.nodes import (
    ZERO,
    Apply,
    Block,
    Const,
    Dots,
    For,
    Function,
    If,
    Index,
    Load,
    Node,
    Operand,
    Slice,
    Store,
    Value,
    View,
)
from backsweep.ir.operations import is_shown
from backsweep.ir.typed import type_of
from backsweep.ir.types import BOOL, INT, Array, Scalar, Tuple, Type
from backsweep.ir.walk import (
    blocks,
    free_values,
    operands,
    rename_operands,
    renewed,
    results,
    rewrite_block,
    substitute,
    walk,
    with_nodes,
)

ONE = Const(1.0)
Buffers = list[list[Operand]]
"""Arrays for the derivatives of one part of the result: with respect to each part of each argument."""


def leaves(operand: Operand, builder: Builder) -> list[Operand]:
    """The numbers and arrays that a value is made of, in order."""
    type_ = type_of(operand)
    if not isinstance(type_, Tuple):
        return [operand]
    made = next(
        (node for node in builder.current.nodes if isinstance(node, Apply) and node.result is operand), None
    )
    items: Sequence[Operand] = (
        made.operands
        if made is not None and made.function in (tuple, type_.cls)
        else [
            builder.apply(operator.getitem, operand, Const(k), type=item)
            for k, item in enumerate(type_.items)
        ]
    )
    return [leaf for item in items for leaf in leaves(item, builder)]


def leaves_of_type(type_: Type | None) -> list[Type | None]:
    """The types of the numbers and arrays that values of a type are made of, in order."""
    if not isinstance(type_, Tuple):
        return [type_]
    return [leaf for item in type_.items for leaf in leaves_of_type(item)]


def structured(type_: Type | None, parts: Iterator[Operand], builder: Builder) -> Operand:
    """A value of the structure of a type, made of parts for its numbers and arrays."""
    if not isinstance(type_, Tuple):
        return next(parts)
    items = [structured(item, parts, builder) for item in type_.items]
    types = tuple(type_of(item) or Scalar("float64") for item in items)
    return builder.apply(type_.cls or tuple, *items, type=dataclasses.replace(type_, items=types))


def jacobian_buffers(axes: Sequence[Operand], arguments: Sequence[Value], builder: Builder) -> Buffers:
    """Arrays with these axes and then those of each part of the arguments; where there are none, none is needed."""
    return [
        [
            _empty(lengths, leaf, argument, builder) if lengths else ZERO
            for leaf in leaves(argument, builder)
            for lengths in [[*axes, *extents(leaf, builder)]]
        ]
        for argument in arguments
    ]


def _empty(lengths: Sequence[Operand], leaf: Operand, argument: Value, builder: Builder) -> Value:
    type_ = type_of(leaf)
    dtype = type_.dtype if isinstance(type_, Scalar | Array) else "float64"
    shape = (
        lengths[0] if len(lengths) == 1 else builder.apply(tuple, *lengths, type=Tuple((INT,) * len(lengths)))
    )
    name = f"{leaf.name or argument.name}_jacobian"
    return builder.apply(np.empty, shape, *dtype_argument(dtype), name=name, type=Array(dtype, len(lengths)))


def extents(operand: Operand, builder: Builder) -> list[Operand]:
    """The lengths of an array's axes; a number has none."""
    if not isinstance(operand, Value) or not isinstance(operand.type, Array):
        return []
    shape = builder.apply(np.shape, operand)
    return [
        builder.apply(operator.getitem, shape, Const(axis), type=INT) for axis in range(operand.type.ndim)
    ]


def size(parts: Sequence[Operand], builder: Builder) -> Operand:
    """How many entries numbers and arrays have together."""
    sizes = [
        builder.apply(np.size, part, type=INT) if isinstance(type_of(part), Array) else Const(1)
        for part in parts
    ]
    total, *others = sizes
    for each in others:
        total = builder.apply(operator.add, total, each, type=INT)
    return total


def _over(
    lengths: Sequence[Operand], builder: Builder, write: Callable[[Index], None], index: Index = ()
) -> None:
    """Write loops over all entries of an array; `write` gets the index of an entry and writes the body."""
    if not lengths:
        write(index)
        return
    place = builder.value("", INT)
    with builder.block(place) as body:
        _over(lengths[1:], builder, write, (*index, place))
    builder.add(For(Const(0), lengths[0], Const(1), (), body.finish(), (), builder.loc))


def _zeros(seed: Value, like: Value, builder: Builder) -> None:
    """Write a seed of the shape of an array, filled with zeros."""
    builder.add(Apply(seed, np.zeros_like, (like,), builder.loc))


def _one_hot(seed: Value, index: Index, builder: Builder, entry: Const = ONE) -> None:
    """Store a one at an index of the seed, or another `entry`, such as the zero that takes it back."""
    builder.store(seed, index or (Dots(),), entry)


def _whole(type_: Type | None) -> Index:
    """The index that selects all of an array of this type; an empty index for a number."""
    return tuple(Slice() for _ in range(type_.ndim)) if isinstance(type_, Array) else ()


# Rows: a reverse sweep for each entry of the result


def rows(
    sweeps: Sweeps, arguments: Sequence[Value], buffers: Buffers, clear: Sequence[Node], builder: Builder
) -> list[Operand]:
    """Write the loops over the entries of a result that is an array; returns its derivatives, by argument."""
    result = sweeps.result
    assert isinstance(result, Value)

    def sweep(index: Index) -> None:
        builder.add(*clear)
        _zeros(sweeps.seed, result, builder)
        _one_hot(sweeps.seed, index, builder)
        builder.add(*sweeps.reverse)
        _keep(sweeps.gradients, arguments, buffers, index, builder)

    builder.comment("a reverse sweep for each entry of the result")
    _over(extents(result, builder), builder, sweep)
    return [
        structured(argument.type, iter(own), builder)
        for argument, own in zip(arguments, buffers, strict=True)
    ]


def _keep(
    gradients: Sequence[Operand], arguments: Sequence[Value], buffers: Buffers, index: Index, builder: Builder
) -> None:
    """Store gradients into the arrays for them, at the index of the present row."""
    for argument, gradient, own in zip(arguments, gradients, buffers, strict=True):
        types = leaves_of_type(argument.type)
        for type_, leaf, array in zip(types, leaves(gradient, builder), own, strict=True):
            assert isinstance(array, Value)
            builder.store(array, (*index, *_whole(type_)) or (Dots(),), leaf)


def rows_of_numbers(
    sweeps: Sweeps, arguments: Sequence[Value], clear: Sequence[Node], builder: Builder
) -> list[list[Operand]]:
    """Write the loop over the items of a result that is a tuple of numbers; returns their derivatives, by argument.

    A loop rather than a sweep for each, so that the code is as long as that of one gradient.
    """
    result = sweeps.result
    assert isinstance(result, Value)
    assert isinstance(result.type, Tuple)
    count = len(result.type.items)
    builder.comment("a reverse sweep for each item of the result")
    if any(isinstance(type_, Array) for each in arguments for type_ in leaves_of_type(each.type)):
        buffers = jacobian_buffers([Const(count)], arguments, builder)
        item = builder.value("", INT)
        with builder.block(item) as body:
            gradients = _swept(sweeps, item, count, clear, builder)
            _keep(gradients, arguments, buffers, (item,), builder)
        builder.add(For(Const(0), Const(count), Const(1), (), body.finish(), (), builder.loc))
        return [
            [
                _entry(argument.type, own, row, builder)
                for argument, own in zip(arguments, buffers, strict=True)
            ]
            for row in range(count)
        ]
    return _carried(sweeps, arguments, count, clear, builder)


def _carried(
    sweeps: Sweeps, arguments: Sequence[Value], count: int, clear: Sequence[Node], builder: Builder
) -> list[list[Operand]]:
    """Write a loop that carries all rows, which are numbers: each iteration drops the first and appends the row that it computed."""
    inits = [_zero(argument.type, builder) for argument in arguments]
    before, after = (
        [[builder.value(bar_name(each), each.type) for each in arguments] for _ in range(count)]
        for _ in range(2)
    )
    item = builder.value("", INT)
    with builder.block(item, *(value for row in before for value in row)) as body:
        gradients = _swept(sweeps, item, count, clear, builder)
        body.yields = (*(value for row in before[1:] for value in row), *gradients)
    results = tuple(value for row in after for value in row)
    builder.add(For(Const(0), Const(count), Const(1), (*inits,) * count, body.finish(), results, builder.loc))
    return [list(row) for row in after]


def _swept(
    sweeps: Sweeps, item: Value, count: int, clear: Sequence[Node], builder: Builder
) -> tuple[Operand, ...]:
    """Write the reverse sweep for one item of the result; returns the gradients."""
    builder.add(*clear)
    seeds = [_chosen(item, k, sweeps.seed, builder) for k in range(count)]
    known: dict[Value, Operand] = {}
    others: list[Node] = []
    for node in sweeps.reverse:
        if isinstance(node, Apply) and node.function is operator.getitem and node.operands[0] is sweeps.seed:
            assert isinstance(node.operands[1], Const)
            known[node.result] = seeds[node.operands[1].value]
        else:
            others.append(node)
    written = substitute(Block((), tuple(others), sweeps.gradients), known)
    builder.add(*written.nodes)
    return written.yields


def _zero(type_: Type | None, builder: Builder) -> Operand:
    """Zeros of the structure of a type of numbers."""
    zeros: list[Operand] = [
        builder.apply(np.float32, ZERO, type=leaf) if leaf == Scalar("float32") else ZERO
        for leaf in leaves_of_type(type_)
    ]
    return structured(type_, iter(zeros), builder)


def _entry(type_: Type | None, buffers: Sequence[Operand], row: int, builder: Builder) -> Operand:
    """Read a gradient, in the structure of its argument, from a row of the arrays."""
    found: list[Operand] = []
    for leaf, array in zip(leaves_of_type(type_), buffers, strict=True):
        assert isinstance(array, Value)
        assert isinstance(array.type, Array)
        if isinstance(leaf, Array):
            found.append(builder.view(array, (Const(row),), type=leaf))
        else:
            found.append(builder.load(array, (Const(row),), type=Scalar(array.type.dtype)))
    return structured(type_, iter(found), builder)


def _chosen(item: Value, number: int, whole: Value, builder: Builder) -> Value:
    """The seed of one item of a tuple: one in the iteration whose `item` is this number, else zero."""
    here = builder.apply(operator.eq, item, Const(number), type=BOOL)
    seed = builder.value(whole.name, Scalar("float64"))
    builder.add(If(here, Block((), (), (ONE,)), Block((), (), (ZERO,)), (seed,), builder.loc))
    return seed


# Columns: a tangent for each entry of the arguments


def columns(
    primal: Function,
    arguments: Sequence[Value],
    written: Sequence[Tangents],
    shared: AbstractSet[Node],
    buffers: Sequence[Buffers],
    builder: Builder,
    *,
    symmetric: bool,
) -> list[list[Operand]]:
    """Write the loops over the entries of the arguments; returns the derivatives of each part of the result, by argument.

    The primal has been computed before, and what is `shared` is not computed again. `written` are the tangents along each
    argument; `buffers` are arrays for the derivatives of each part of the result: those with respect to numbers need none. Of a
    `symmetric` Jacobian, whose parts are those of the arguments, a column is kept as a row: its entries lie one beside the other.
    """
    types = leaves_of_type(type_of(primal.body.yields[0]))
    found: list[list[Operand]] = [[] for _ in types]
    for number, (argument, along) in enumerate(zip(arguments, written, strict=True)):
        tangent = renewed(Block((), without(along.nodes, shared), (along.result_dot,)))
        arrays = [of_part[number] for of_part in buffers]
        if isinstance(argument.type, Array):
            stored = [
                buffers[number][part] if symmetric and isinstance(type_, Array) else own_buffer
                for part, (type_, own_buffer) in enumerate(zip(types, arrays, strict=True))
            ]
            how = ", kept as a row: the Hessian is symmetric" if symmetric else ""
            before, within = alike(primal, along, tangent, shared)
            builder.add(*before)
            write = _column(argument, along.dots[0], within, types, stored, builder, as_row=symmetric)
            lengths = extents(argument, builder)
            builder.comment(f"a tangent for each entry of {argument.name}{how}")
            _over(lengths, builder, write)
            dots = [array for (array,) in arrays]
        else:
            builder.comment(f"the tangent along {argument.name}")
            alone = substitute(tangent, {along.dots[0]: ONE})
            builder.add(*alone.nodes)
            dots = leaves(alone.yields[0], builder)
            _store_column(dots, (), types, arrays, builder, as_row=False)
        for parts, dot, array in zip(found, dots, arrays, strict=True):
            parts.append(array[0] if array else dot)
    return found


def _column(
    argument: Value,
    dot: Value,
    tangent: Block,
    types: Sequence[Type | None],
    arrays: Sequence[list[Operand]],
    builder: Builder,
    *,
    as_row: bool,
) -> Callable[[Index], None]:
    """A function that writes the tangent along the entry at an index. All entries share one seed, unless the tangent writes to it."""
    alone = Function("", Block((argument, dot), tangent.nodes, tangent.yields), builder.loc)
    lasts = not find_aliases(alone).is_buffer(dot)
    if lasts:
        _zeros(dot, argument, builder)

    def write(index: Index) -> None:
        if not lasts:
            _zeros(dot, argument, builder)
        _one_hot(dot, index, builder)
        builder.add(*tangent.nodes)
        _store_column(leaves(tangent.yields[0], builder), index, types, arrays, builder, as_row=as_row)
        if lasts:
            _one_hot(dot, index, builder, ZERO)

    return write


def _store_column(
    dots: Sequence[Operand],
    index: Index,
    types: Sequence[Type | None],
    arrays: Sequence[list[Operand]],
    builder: Builder,
    *,
    as_row: bool,
) -> None:
    """Store the tangents of all parts of the result at an index: as a column (the last axes), or `as_row` (the first)."""
    for dot, type_, own in zip(dots, types, arrays, strict=True):
        for array in own:
            assert isinstance(array, Value)
            place = (*index, *_whole(type_)) if as_row else (*_whole(type_), *index)
            builder.store(array, place or (Dots(),), dot)


def before_tangents(
    primal: Function, facts: ActiveFacts, shared: AbstractSet[Node], builder: Builder
) -> list[Operand]:
    """Write what runs once before the tangents; returns, for each part of the result, an operand of its shape.

    That is the whole primal where a shape must be computed or something is printed, else what the tangents have `shared`.
    """
    whole = Builder(loc=primal.loc)
    whole.add(*primal.body.nodes)
    parts = [_of_same_shape(part, primal, facts) for part in leaves(primal.body.yields[0], whole)]
    known = all(part in primal.body.parameters or not isinstance(type_of(part), Array) for part in parts)
    if known and not any(isinstance(node, Apply) and is_shown(node.function) for node in walk(primal.body)):
        builder.add(*(node for node in primal.body.nodes if node in shared))
    else:
        builder.add(*whole.current.nodes)
    return parts


def _of_same_shape(part: Operand, primal: Function, facts: ActiveFacts) -> Operand:
    """An argument that has the shape of this part of the result, if there is one, else the part: the shape then costs nothing."""
    return next((value for value in primal.body.parameters if facts.shapes.same(value, part)), part)


def steady(primal: Function, written: Sequence[Tangents], facts: ActiveFacts) -> set[Node]:
    """The statements that run once, before the loops over tangents, and the stores in them.

    What they compute depends on nothing that these loops change; memory that they write has its last contents there, so that no
    tangent may read it before. A loop among them has its tangents in a copy of itself, without these stores.
    """
    aliases = facts.aliases
    changing = {aliases.of(value) for value in primal.body.parameters if aliases.in_memory(value)}
    changing |= _lasting(primal, aliases) & _made_inside(primal, aliases)
    while True:
        found = _independent(primal, aliases, changing)
        more = _read_before_the_last(primal, written, aliases, found) - changing
        if not more:
            return found
        changing |= more


def without(nodes: Sequence[Node], shared: AbstractSet[Node]) -> tuple[Node, ...]:
    """The nodes, without those that are shared."""
    own = tuple(node for node in nodes if node not in shared)
    return rewrite_block(Block((), own, ()), lambda node: [] if node in shared else [node]).nodes


def alike(
    primal: Function, along: Tangents, tangent: Block, shared: AbstractSet[Node]
) -> tuple[list[Node], Block]:
    """What the tangents along all entries compute alike, of the primal's values that are shared: factors, mostly; and the rest."""
    before = [node for node in primal.body.nodes if node in shared]
    whole = Block((*primal.body.parameters, *along.dots), (*before, *tangent.nodes), ())
    aliases = find_aliases(Function("", whole, primal.loc))
    known: set[Operand] = {value for value in primal.body.parameters if not aliases.is_buffer(value)}
    known.update(value for node in before for value in results(node))
    # not of memory that is written: it may have had other contents then
    computed = {
        _formula(node): node.result
        for node in before
        if isinstance(node, Apply) and not any(map(aliases.in_memory, operands(node)))
    }
    found: list[Node] = []
    left: list[Node] = []
    again: dict[Value, Operand] = {}
    for node in tangent.nodes:
        renamed = rename_operands(
            node, lambda each: again.get(each, each) if isinstance(each, Value) else each
        )
        if (
            not isinstance(renamed, Apply | View)
            or not _only_stores(renamed)
            or aliases.in_memory(renamed.result)
            or not known.issuperset(free_values(Block((), (renamed,), ())))
        ):
            left.append(node)
        elif (
            isinstance(renamed, Apply)
            and (same := computed.get(_formula(renamed))) is not None
            and not aliases.in_memory(same)
        ):
            again[renamed.result] = same
        else:
            found.append(renamed)
            known.add(renamed.result)
            if isinstance(renamed, Apply):
                computed[_formula(renamed)] = renamed.result
    return found, substitute(with_nodes(tangent, left), again)


def _formula(node: Apply) -> Hashable:
    """What a call computes: that of two calls of the same is equal."""
    keywords = tuple((name, operand_key(each)) for name, each in node.keywords)
    return node.function, *map(operand_key, node.operands), keywords


def _independent(primal: Function, aliases: Aliases, changing: AbstractSet[Value]) -> set[Node]:
    """The statements that compute from what does not vary with the tangent, without memory that is `changing`."""
    known: set[Operand] = {value for value in primal.body.parameters if aliases.of(value) not in changing}
    found: set[Node] = set()
    lasting = _lasting(primal, aliases)
    on_entry = primal.body.nodes[: checks_on_entry(primal)]
    for node in primal.body.nodes:
        made = results(node)
        if not known.issuperset(free_values(Block((), (node,), ()))):
            continue
        if isinstance(node, If) and node in on_entry and not made:
            found.add(node)
        elif _only_stores(node) and not any(
            aliases.of(value) in changing or aliases.is_listed(value) for value in made
        ):
            found.add(node)
            found.update(
                each
                for each in walk(Block((), (node,), ()))
                if isinstance(each, Store) and aliases.of(each.buffer) in lasting
            )
            known.update(made)
    return found


def _lasting(primal: Function, aliases: Aliases) -> set[Value]:
    """The memory that is there outside of loops: what an iteration makes for itself is made in each copy of the loop."""
    made = [value for node in primal.body.nodes for value in results(node)]
    return {aliases.of(value) for value in (*primal.body.parameters, *made)}


def _made_inside(primal: Function, aliases: Aliases) -> set[Value]:
    """The memory that loops and branches make, or choose: a copy of them has other memory for it."""
    inside = [block for node in primal.body.nodes for block in blocks(node)]
    values = [value for block in inside for value in block.parameters]
    values += [value for block in inside for node in walk(block) for value in results(node)]
    values += [
        value
        for block in inside
        for node in walk(block)
        for inner in blocks(node)
        for value in inner.parameters
    ]
    return {aliases.of(value) for value in values if value not in aliases.bases}


def _only_stores(node: Node) -> bool:
    """Whether all that a statement does is to compute, and to store in arrays."""
    match node:
        case Apply():
            return not has_effect(node)
        case Load() | View() | Store():
            return True
        case For(checkpoint=None) | If():
            return all(_only_stores(each) for block in blocks(node) for each in block.nodes)
        case _:
            return False


def _read_before_the_last(
    primal: Function, written: Sequence[Tangents], aliases: Aliases, found: AbstractSet[Node]
) -> set[Value]:
    """The memory that other statements than those `found` write, or read before it has its last contents."""
    changing: set[Value] = set()
    last: dict[Value, Node] = {}
    lasting = _lasting(primal, aliases)
    for node in walk(primal.body):
        for memory in () if blocks(node) else lasting.intersection(map(aliases.of, effect(node).writes)):
            last[memory] = node
            if node not in found:
                changing.add(memory)
    for each in written:
        everything = Block((*primal.body.parameters, *each.dots), each.nodes, ())
        names = find_aliases(Function("", everything, primal.loc))
        place = {
            inner: number for number, node in enumerate(each.nodes) for inner in walk(Block((), (node,), ()))
        }
        for number, node in enumerate(each.nodes):
            read = {names.of(value) for left in without([node], found) for value in effect(left).touched}
            changing.update(
                memory
                for memory, writer in last.items()
                if names.of(memory) in read and number <= place.get(writer, number)
            )
    return changing
