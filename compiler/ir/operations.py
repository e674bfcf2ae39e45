"""The table of operations: one record of facts for each function that an `Apply` can hold.

A function outside the table gets its record from its own declaration: a runtime kernel through
`backsweep.runtime.support.compiled`, a NumPy ufunc by its number of operands, a recursive function of the user's by its
`Callee`. The rules (`backsweep.rules`) declare derivatives and whether a function is elementwise, because only functions
with rules need these facts.
"""

from __future__ import annotations

import enum
import math
import operator
import types
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from backsweep.ir.nodes import Callee, Custom, Tap


class Kind(enum.Enum):
    """The families of functions that passes tell apart."""

    ARITHMETIC = "+, - and *: never fails, and the machine does several at once"
    DIVISION = "/: many cycles for one, hardly more for several at once"
    INTEGER_DIVISION = "// and %: of integers it fails where the divisor is zero"
    POWER = "**"
    ROOT = "the square root: as expensive as a division"
    ELEMENTARY = "exp, log, sin and their like: a call for each number"
    COMPARISON = "<, == and their like"
    LOGIC = "and, or, not, and shifts of integers"
    CHOICE = "max, min, where: one of the operands"
    CONVERSION = "float, int, bool: the number in another type"
    PRODUCT = "products of matrices and vectors"
    EXTENT = "shape, size, number of axes: never looks at entries"
    ITEM = "an item of a tuple, and tuples of items"
    VIEW = "memory of the first operand under another shape or order"
    COPY = "fresh memory with the entries of the first operand"
    ALIKE = "fresh memory of the shape and dtype of the first operand"
    NEW = "fresh memory of a shape that is given"
    REDUCTION = "a number of an array, or an array with an axis less"
    SCAN = "an array of what was summed up or multiplied so far"
    MAGNITUDE = "the absolute value, the sign"
    REARRANGEMENT = "fresh memory with the entries in another order"
    FACTORISATION = "linear algebra that takes more than a product"
    MARK = "the value itself, with something to be told of it"
    OTHER = "any other function"


class Sharing(enum.Enum):
    """Whether the result is memory of the first operand."""

    NEVER = "never"
    ALWAYS = "always"
    CONTIGUOUS = "where it is contiguous, perhaps elsewhere"
    FORTRAN = "where it is in Fortran's order"
    PERHAPS = "perhaps"
    """This is known only when the program runs."""


class Need(enum.Enum):
    """Whether a call may be dropped, doubled or moved."""

    NOTHING = "nothing"
    """The call only computes its result, and writes to the operands in `Operation.writes`."""
    UNKNOWN = "unknown"
    """The call may be dropped if nothing reads its result, but has unknown effects, so that it keeps its place."""
    ASKED = "asked"
    """The user asks for the call, or it prints or draws a random number: it is never dropped, and keeps its place."""


@dataclass(frozen=True, slots=True)
class Operation:
    """The facts about one function.

    `writes` are the positions of the operands whose memory it changes; `in_place` says that it changes the first operand,
    if that is an array. `shape_only` are the positions of operands of which it reads only shape and dtype, `shaped_like`
    is the position of the operand with the shape of the result, `extents` are the positions of operands that are a shape
    or an extent of a shape. `canonical` is the equivalent function that passes look for: `operator.add` for `np.add` and
    `operator.iadd`, `np.exp` for `math.exp`. `of_number` is the function of the same name in `math`, and `is_total` says
    that this function raises for no number, compiled or not. `negation` is the comparison with the opposite result.
    `checks` says that it raises if its operands do not fit, so that it must run even if nothing reads its result.
    `joined` are the positions of two operands: the last axis of the first must be as long as the last but one axis, or
    the only axis, of the second, or with `joins_last` as its last one. `square` says that the first operand must be a square matrix, `fits` that its arrays must
    have shapes that fit, as those of a ufunc. `by_entry` says of a function that is no ufunc that it broadcasts like one: of
    arrays it gives what it gives of their entries. `length` is the position of an operand that says how long the vector is that it returns.
    `along` is the position of an axis: the result has the shape of the first operand, but for the extent along that axis, `length` or one.
    `of_shape` makes of a shape what the function makes of an array. `shapes` says how the shapes of the results follow from those of
    the operands, in NumPy's notation for generalised ufuncs, `(m,n),False->(m,m|n),(m|n),(m|n,n)`: an operand may be a literal,
    also by its name, or a count, `m|n` is the smaller one; there are several for operands with other axes.
    """

    kind: Kind = Kind.OTHER
    need: Need = Need.NOTHING
    sharing: Sharing = Sharing.NEVER
    writes: tuple[int, ...] = ()
    in_place: bool = False
    shape_only: tuple[int, ...] = ()
    shaped_like: int | None = None
    extents: tuple[int, ...] = ()
    canonical: Any = None
    of_number: Any = None
    negation: Any = None
    is_total: bool = False
    checks: bool = False
    joined: tuple[int, int] | None = None
    joins_last: bool = False
    square: bool = False
    by_entry: bool = False
    fits: bool = False
    along: int | None = None
    length: int | None = None
    of_shape: Any = None
    shapes: tuple[str, ...] = ()

    @property
    def is_pure(self) -> bool:
        """Whether two calls may be swapped: the function draws no random number, writes nothing, has no unknown effect."""
        return self.need is Need.NOTHING and self.writes == () and not self.in_place

    @property
    def is_fresh(self) -> bool:
        """Whether its result is new memory that nothing else refers to and that later stores may fill."""
        return self.kind in (Kind.COPY, Kind.ALIKE, Kind.NEW)


NUMBERS = frozenset(
    {
        Kind.ARITHMETIC,
        Kind.DIVISION,
        Kind.INTEGER_DIVISION,
        Kind.POWER,
        Kind.ROOT,
        Kind.ELEMENTARY,
        Kind.CHOICE,
        Kind.MAGNITUDE,
    }
)
"""Functions from numbers to a number."""
OPERATORS = frozenset(
    {
        Kind.ARITHMETIC,
        Kind.DIVISION,
        Kind.INTEGER_DIVISION,
        Kind.POWER,
        Kind.COMPARISON,
        Kind.LOGIC,
        Kind.MAGNITUDE,
    }
)
"""Python's operators, which are elementwise on arrays."""
OF_INTEGERS = frozenset(
    {
        Kind.ARITHMETIC,
        Kind.INTEGER_DIVISION,
        Kind.COMPARISON,
        Kind.LOGIC,
        Kind.CHOICE,
        Kind.CONVERSION,
        Kind.EXTENT,
        Kind.ITEM,
    }
)
"""Functions for loop bounds, subscripts and counts, whose results may be recomputed at another place."""
INEXPENSIVE = frozenset({*OF_INTEGERS, Kind.DIVISION, Kind.ROOT, Kind.MAGNITUDE, Kind.VIEW})
"""Functions that cost no more than storing and loading their result."""
EXPENSIVE = frozenset({Kind.ELEMENTARY, Kind.ROOT})
"""Functions whose earlier results are always worth reusing."""
COMPLEX_QUOTIENT = np.divide
"""NumPy's quotient, which is nan or infinite where the divisor is zero; `/` of complex numbers raises there when compiled."""


def operation(function: Any) -> Operation:
    """The record of a function; an unknown function gets a conservative record."""
    try:
        return TABLE[function]
    except (KeyError, TypeError):  # TypeError: it has no hash
        return _by_itself(function)


def kind(function: Any) -> Kind:
    """The family of a function."""
    return operation(function).kind


def canonical(function: Any) -> Any:
    """The equivalent function that passes look for; for most functions, the function itself."""
    found = operation(function).canonical
    return function if found is None else found


def is_random(function: Any) -> bool:
    """Whether a function draws random numbers."""
    module = getattr(function, "__module__", None) or ""
    bound = type(getattr(function, "__self__", None)).__name__
    return module.startswith(("numpy.random", "random")) or bound == "RandomState"


_TAP = Operation(Kind.MARK, Need.ASKED, Sharing.ALWAYS, shaped_like=0)
_HOOK = _TAP
_CUSTOM = Operation(Kind.MARK, Need.ASKED, shaped_like=0)
_BY_ENTRY = Operation(by_entry=True)
_UNKNOWN = Operation(need=Need.UNKNOWN)
_ASKED = Operation(need=Need.ASKED)
_IN_PLACE = Operation(need=Need.ASKED, in_place=True)


def _by_itself(function: Any) -> Operation:
    """The record of a function outside the table, from its own declaration."""
    match function:
        case Callee():
            return Operation(writes=function.writes, checks=function.checks)
        case Tap():
            return _TAP
        case Custom():
            return _HOOK if function.passes else _CUSTOM
    if getattr(function, "in_place", False):
        return _IN_PLACE
    # The declaration of a runtime kernel, or of an object that represents a function of the user's.
    declared = getattr(function, "declared", None)
    if declared is not None:
        return _declared(tuple(declared.items()))
    if isinstance(function, np.ufunc | type):
        return Operation()
    if is_random(function):
        return _ASKED
    owner = getattr(function, "__self__", None)
    if isinstance(function, types.MethodType) or not (owner is None or isinstance(owner, types.ModuleType)):
        return _UNKNOWN
    if getattr(function, "__objclass__", None) is np.ndarray:
        return Operation()
    module = getattr(function, "__module__", None) or ""
    if module == "scipy.special._basic":
        return _BY_ENTRY
    return Operation() if any(f"{module}.".startswith(f"{each}.") for each in _PURE_MODULES) else _UNKNOWN


@cache
def _declared(facts: tuple[tuple[str, Any], ...]) -> Operation:
    """The record for a kernel's declaration; kernels with equal declarations share one record."""
    places = dict(facts)
    need, sharing = places.pop("need", "nothing"), places.pop("sharing", "never")
    family = Kind[places.pop("kind", "OTHER")]
    return Operation(family, Need(need), Sharing(sharing), **places)


_PURE_MODULES = (
    "math",
    "cmath",
    "operator",
    "_operator",
    "numpy",
    "builtins",
    "scipy.special",
    "scipy.linalg",
    "backsweep.runtime",
)


def is_shown(function: Any) -> bool:
    """Whether a function tells the user something: that is to happen once, in the forward sweep."""
    return function is print or getattr(function, "shown", False)


def _named(names: str, *modules: Any) -> list[Any]:
    """The functions of these names, in all of the modules that have them."""
    return [getattr(module, name) for name in names.split() for module in modules if hasattr(module, name)]


_REDUCED = "->(m,m|n),(m|n),(m|n,n)"
_SHAPES = {
    "outer": ("(m),(n)->(m,n)",),
    "kron": ("(m,n),(p,q)->(m*p,n*q)", "(m),(n)->(m*n)"),
    "repeat": ("(n),times->(n*times)",),
    "append": ("(m),(n)->(m+n)",),
    "swapaxes": ("(m,n),0,1->(n,m)", "(m,n),1,0->(n,m)"),
    "rot90": ("(m,n)->(n,m)", "(m,n),1->(n,m)", "(m,n),3->(n,m)"),
    "eigh": ("(n,n)->(n),(n,n)",),
    "eig": ("(n,n)->(n),(n,n)",),
    "eigvalsh": ("(n,n)->(n)",),
    "eigvals": ("(n,n)->(n)",),
    "qr": ("(m,n)->(m,m|n),(m|n,n)",),
    "svd": (
        f"(m,n),False{_REDUCED}",
        f"(m,n),full_matrices=False{_REDUCED}",
        "(m,n)->(m,m),(m|n),(n,n)",
        "(m,n),True->(m,m),(m|n),(n,n)",
    ),
    "pinv": ("(m,n)->(n,m)",),
    "lstsq": tuple(
        f"(m,n),{b}{rcond}->{x},(?),(),(m|n)"
        for b, x in (("(m)", "(n)"), ("(m,p)", "(n,p)"))
        for rcond in ("", ",?", ",rcond=?")
    ),
}
"""How the shapes of results follow from those of operands, for functions of NumPy and its linear algebra."""


def _table() -> dict[Any, Operation]:
    """The records, by function."""
    found: dict[Any, Operation] = {}

    def put(functions: Iterable[Any], record: Operation) -> None:
        found.update(dict.fromkeys(functions, record))

    op, linalg = operator, np.linalg
    put([op.add, op.sub, op.mul, op.neg, op.pos], Operation(Kind.ARITHMETIC))
    put([op.truediv], Operation(Kind.DIVISION))
    put([op.floordiv, op.mod, divmod], Operation(Kind.INTEGER_DIVISION))
    put([op.pow, pow], Operation(Kind.POWER, canonical=op.pow))
    put(_named("sqrt", math, np), Operation(Kind.ROOT, canonical=np.sqrt, of_number=math.sqrt))
    names = "sin cos tan exp log tanh sinh cosh log1p expm1"
    for name in names.split():
        same, number = getattr(np, name), getattr(math, name)
        put(
            [same, number],
            Operation(Kind.ELEMENTARY, canonical=same, of_number=number, is_total=name == "tanh"),
        )
    for name in ("log2", "log10", "floor", "ceil", "hypot", "isnan", "isinf"):
        found[getattr(np, name)] = Operation(of_number=getattr(math, name))
    found[np.arctan] = Operation(of_number=math.atan, is_total=True)
    found[np.arctan2] = Operation(of_number=math.atan2, is_total=True)
    for one, other in ((op.lt, op.ge), (op.le, op.gt), (op.eq, op.ne)):
        found[one] = Operation(Kind.COMPARISON, negation=other)
        found[other] = Operation(Kind.COMPARISON, negation=one)
    put(_named("and_ or_ xor not_ invert lshift rshift", op), Operation(Kind.LOGIC))
    put([min, max], Operation(Kind.CHOICE))
    put([abs, op.abs], Operation(Kind.MAGNITUDE, canonical=abs))
    put(_named("abs fabs sign", np), Operation(Kind.MAGNITUDE))
    put([math.fabs], Operation(Kind.MAGNITUDE))
    put(
        [float, int, bool, complex, np.float64, np.float32, np.int64, np.bool_, np.complex64],
        Operation(Kind.CONVERSION),
    )
    for function, same in (
        (np.add, op.add),
        (np.subtract, op.sub),
        (np.multiply, op.mul),
        (np.negative, op.neg),
        (np.divide, op.truediv),
        (np.floor_divide, op.floordiv),
        (np.mod, op.mod),
        (np.power, op.pow),
    ):
        found[function] = replace(found[same], canonical=same)
    found[np.square] = Operation(Kind.ARITHMETIC)
    put([np.maximum, np.minimum], Operation(Kind.CHOICE))
    put([op.matmul, np.dot, np.matmul], Operation(Kind.PRODUCT, canonical=op.matmul, joined=(0, 1)))
    for name in [
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "matmul",
        "and_",
        "or_",
        "xor",
        "lshift",
        "rshift",
    ]:
        same = getattr(op, name)
        found[getattr(op, f"i{name.rstrip('_')}")] = replace(_IN_PLACE, canonical=same)

    put([np.shape, np.size, np.ndim, len], Operation(Kind.EXTENT, shape_only=(0,)))
    put([tuple, op.getitem, getattr], Operation(Kind.ITEM))
    alike = Operation(Kind.ALIKE, shape_only=(0,), shaped_like=0)
    for name in ("zeros", "ones", "empty", "full"):
        found[getattr(np, f"{name}_like")] = replace(alike, of_shape=getattr(np, name))
    put([np.empty, np.zeros, np.ones, np.full], Operation(Kind.NEW, extents=(0,)))
    found[np.eye] = Operation(extents=(0, 1))
    found[np.identity] = Operation(extents=(0,))
    put([np.copy], Operation(Kind.COPY, shaped_like=0))
    view = Operation(Kind.VIEW, sharing=Sharing.ALWAYS)
    names = "transpose atleast_1d atleast_2d atleast_3d broadcast_to expand_dims squeeze swapaxes rot90"
    put(_named(names, np), view)
    put(_named("real imag flip fliplr flipud asarray", np), replace(view, shaped_like=0))
    put([np.ravel], replace(view, sharing=Sharing.CONTIGUOUS))
    put([np.reshape], replace(view, sharing=Sharing.CONTIGUOUS, extents=(1,)))
    put([np.ascontiguousarray], replace(view, sharing=Sharing.CONTIGUOUS, shaped_like=0))
    put([np.asfortranarray], replace(view, sharing=Sharing.FORTRAN, shaped_like=0))
    put(_named("sum mean prod max min any all var std argmax argmin", np), Operation(Kind.REDUCTION))
    put(_named("cumsum cumprod", np), Operation(Kind.SCAN))
    put(_named("sort roll", np), Operation(Kind.REARRANGEMENT, shaped_like=0))
    put(_named("inv cholesky", linalg), Operation(Kind.FACTORISATION, shaped_like=0, square=True))
    put([linalg.solve], Operation(Kind.FACTORISATION, shaped_like=1, joined=(0, 1), square=True))
    put([np.vdot], Operation(joined=(0, 1)))
    put([np.inner], Operation(joined=(0, 1), joins_last=True))
    put([np.interp], Operation(joined=(1, 2), shaped_like=0))
    put(_named("tril triu argsort argpartition partition", np), Operation(shaped_like=0))
    put(_named("searchsorted", np), Operation(shaped_like=1))
    put(_named("linspace", np), Operation(length=2))
    put([linalg.det], Operation(Kind.FACTORISATION, square=True))
    together = "where clip concatenate hstack vstack dstack column_stack stack append"
    put(_named(together, np), Operation(fits=True))
    writer = Operation(need=Need.ASKED, writes=(0,))
    put(_named("copyto put place putmask put_along_axis fill_diagonal", np), writer)
    put(_named("sort partition put fill", np.ndarray), writer)
    put([np.random.shuffle], writer)
    put([print], _ASKED)
    put([input, open, setattr, next], _UNKNOWN)
    for name, shapes in _SHAPES.items():
        function = getattr(np if hasattr(np, name) else linalg, name)
        found[function] = replace(found.get(function, Operation()), shapes=shapes)
    return found


TABLE = _table()
"""The records of Python's, math's and NumPy's functions."""

HALVES = frozenset({"bool", "int8", "uint8", "int16", "uint16"})
"""Integer dtypes for which NumPy's functions return floats of less than double precision."""
