"""Sparse Jacobians and Hessians: find the pattern, colour its columns or rows, and compute the entries.

SciPy is imported when a matrix is made, so that `import backsweep` does not wait for it.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from backsweep import requests
from backsweep.api.gradients import transformed_for
from backsweep.boundary import public, running
from backsweep.diagnostics import ArgumentError, Problem, naming_nan
from backsweep.display.matrices import shown
from backsweep.reading.callables import as_function
from backsweep.requests import Options
from backsweep.runtime.support.colouring import column_colours, star_colours
from backsweep.sending.sent import Parts, Sent
from backsweep.specialise.arguments import given_for
from backsweep.specialise.asked import Names, chosen, gradient_class, options_of, python_of
from backsweep.specialise.pushforward import check_moved
from backsweep.specialise.transformed import Transformed
from backsweep.specialise.variants import runner
from backsweep.tracebacks import hiding

Function = Callable[..., Any]
Positions = int | Sequence[int] | None
Matrix = Any  # SciPy ships no annotations
Floats = np.ndarray[Any, Any]
Integers = np.ndarray[Any, Any]
Products = Callable[[Floats], Floats]
"""The products of a Jacobian with each row of directions, as rows."""

Kind = Literal["sparsity", "jacobian", "hessian"]
"""What is returned."""

FEW = 32
"""So many products for one refinement of the pattern are few; more, and the other side is tried."""
LOOSE = "BS415"
"""The error of a pattern that lacks entries, or has another shape."""
AT_ONCE = 1 << 24
"""The most numbers in the seeds and products of one call."""


@public
def sparsity(f: Function, argnums: Positions = None, *, wrt: Names | None = None, **options: Any) -> Function:
    """The pattern of a Jacobian: the places where it may have entries that are not zero.

    Arguments:
        f: as for `jacobian`; the result is a float, an array of floats, or a tuple of these.
        argnums: the position, or a tuple of positions, of arguments that are floats or arrays of floats. The
            default is 0.
        wrt: names of arguments instead of positions; give one or the other.
        options: as for `grad`, but not `debug_nan`.

    Returns:
        A function with `f`'s signature that returns a `scipy.sparse.csr_matrix` of bools, with a row for each entry
        of the result and a column for each entry of the argument. For a tuple of positions it returns a tuple, for
        a tuple of names a namedtuple.

    Raises:
        As `jacfwd`; and ArgumentError for `debug_nan`, because the search seeds tangents with nan.

    The pattern holds for the branches that this call takes. If `c` colours are enough for the `n` columns, the search
    takes about `2 c log2(n)` tangents instead of `n`.

    >>> import numpy as np, backsweep as bs
    >>> def steps(x):
    ...     return x[1:] - x[:-1]
    >>> bs.sparsity(steps)(np.array([1.0, 2.0, 4.0])).toarray().astype(int)
    array([[1, 1, 0],
           [0, 1, 1]])
    """
    return SparseDerivative("sparsity", as_function(f), argnums, wrt, None, _unwatched(f, options))


def sparse_jacobian(
    f: Function, argnums: Positions, wrt: Names | None, pattern: Any, options: Any
) -> Function:
    """What `jacobian` returns for `sparse=True`."""
    return SparseDerivative("jacobian", f, argnums, wrt, pattern, _unwatched(f, options))


def sparse_hessian(gradient: Function, argnums: Positions, wrt: Names | None, pattern: Any) -> Function:
    """What `hessian` returns for `sparse=True`, from the gradient."""
    return SparseDerivative("hessian", gradient, argnums, wrt, pattern, options_of(gradient, {}))


class SparseDerivative(Sent):
    """A function that returns a sparse Jacobian, a sparse Hessian, or the pattern of a Jacobian. It can be pickled."""

    only_from_python = (
        "a sparse derivative is a SciPy matrix and can be computed from Python only",
        "use the dense bs.jacobian(f) or bs.hessian(f) in compiled code and in functions that are differentiated",
    )
    """Why it cannot be called inside of what is differentiated, and what to write there instead."""

    def __init__(
        self,
        kind: Kind,
        f: Function,
        argnums: Positions,
        wrt: Names | None,
        pattern: Any,
        options: Options,
    ) -> None:
        self._asked = (kind, f, argnums, wrt, pattern, options)
        self._kind, self._function, self._options = kind, f, options
        self._moved = _moved(f, argnums, wrt)
        self._colours = _colours_of_pattern(pattern)
        functools.update_wrapper(self, python_of(f))

    @hiding
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The matrix, or matrices, at these arguments."""
        place = _Place(self._function, self._moved.names, self._options, args, kwargs)
        together = self._moved.together
        match self._kind:
            case "sparsity":
                return together(place.by_argument(_searched(place)))
            case "jacobian":
                return together(place.by_argument(_sure(place, self._colours, _plan, _searched)))
            case "hessian":
                if place.is_customised():
                    matrix = _sure(place, self._colours, _plan, _searched)
                else:
                    matrix = _sure(place, self._colours, _symmetric_plan, _searched_by_columns)
                rows = map(place.by_argument, place.by_rows(matrix))
                return together([together(blocks) for blocks in rows])

    def made_from(self) -> Parts:
        """What was asked for. The namedtuple classes of the results are made at run time, so no pickle can name them."""
        return SparseDerivative, self._asked

    def __repr__(self) -> str:
        what = "sparsity" if self._kind == "sparsity" else f"sparse {self._kind}"
        return f"<backsweep {what} of {python_of(self._function).__name__}>"


class KeptPattern:
    """A function that returns a sparse matrix. Its pattern is found in the first call, and widened where it does not fit."""

    def __init__(self, search: Function, make: Callable[[Matrix], Function], *, mirrored: bool) -> None:
        self._search, self._make, self._mirrored = search, make, mirrored
        self.pattern: Matrix = None
        self.made: Function = self

    def __call__(self, *args: Any) -> Matrix:
        """The matrix at these arguments."""
        if self.pattern is None:
            self.widen(args)
        try:
            return self.made(*args)
        except ArgumentError as error:
            if error.problems[0].code != LOOSE:
                raise
        self.widen(args)
        return self.made(*args)

    def widen(self, args: tuple[Any, ...]) -> None:
        """Add the places of the entries at these arguments."""
        found = self._search(*args)
        found = found + found.T if self._mirrored else found
        if self.pattern is not None and self.pattern.shape == found.shape:
            found = found + self.pattern
        found.sort_indices()
        self.pattern, self.made = found, self._make(found)


def _unwatched(f: Function, given: dict[str, Any]) -> Options:
    """The options; raises ArgumentError for `debug_nan`: where entries are is found by seeds that are nan."""
    options = options_of(f, given)
    if given.get("debug_nan"):
        message = "debug_nan cannot be combined with a sparse matrix, whose entries are found with seeds that are nan"
        remedy = "look for the nan with bs.grad, bs.vjp or bs.jvp."
        raise ArgumentError(Problem("BS405", message, remedy=remedy))
    return options


@dataclass(frozen=True)
class _Moved:
    """The names of the arguments that are moved; what is found for each is one thing, a tuple, or a namedtuple."""

    names: tuple[str, ...]
    single: bool
    record: type | None

    def together(self, found: Sequence[Any]) -> Any:
        """What was found for each argument in the structure that the caller asked for."""
        if self.single:
            return found[0]
        return tuple(found) if self.record is None else self.record(*found)


def _moved(f: Function, argnums: Positions, wrt: Names | None) -> _Moved:
    """The arguments that are moved; raises ArgumentError for a variable."""
    names, single = chosen(f, argnums, wrt)
    check_moved(python_of(f), names)
    return _Moved(names, single, gradient_class(names, wrt))


class _Place:
    """The Jacobian of a function at some arguments, of which products with directions are known."""

    def __init__(
        self,
        f: Function,
        names: tuple[str, ...],
        options: Options,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> None:
        self.function, self.names = f, names
        self.options = dataclasses.replace(options, debug_nan=False)  # the search's own seeds are nan
        self.args, self.kwargs = args, kwargs
        self._runs: dict[tuple[str, bool], tuple[Function, tuple[Any, ...]]] = {}
        self._compiled: dict[str, Function] = {}
        self._ready("pushforwards")  # refuses arguments that are neither numbers nor arrays
        given = (
            transformed_for("pushforwards", f, names, False, self.options)
            .special(*args, **kwargs)[1]
            .arguments
        )
        self.inputs = [np.asarray(given[name]) for name in names]
        self.columns = sum(each.size for each in self.inputs)
        self.rows = self.along(np.empty((0, self.columns))).shape[1]
        self.dtype = np.result_type(*self.inputs)

    def _ready(self, mode: str, *, search: bool = False) -> tuple[Function, tuple[Any, ...]]:
        """The emitted function of a mode, and the arguments that it takes before the seeds.

        In a search it has no strong zeros, because a product with one would hide a seed of nan.
        """
        key = mode, search
        if key not in self._runs:
            strong = self.options.strong_zeros and not search
            options = dataclasses.replace(self.options, strong_zeros=strong)
            transformed = transformed_for(mode, self.function, self.names, False, options)
            special, given = transformed.special(*self.args, **self.kwargs)
            emitted = special.emitted_for(given.args, given.kwargs)
            values = special.with_defaults(*given.args, **given.kwargs)
            text = emitted.text.replace(emitted.names[0], mode)
            if text not in self._compiled:
                self._compiled[text] = runner(emitted, 0, options)
            self._runs[key] = self._compiled[text], tuple(given_for("", value)[1] for value in values)
        return self._runs[key]

    def is_customised(self) -> bool:
        """Whether the function is a gradient that in part is what the user says, and its Jacobian not surely symmetric."""
        assert isinstance(self.function, Transformed)
        special, given = self.function.special(*self.args, **self.kwargs)
        return special.customised(special.argument_types(given))

    def along(self, seeds: Floats, *, search: bool = False) -> Floats:
        """The tangent of the result along each row of seeds."""
        run, values = self._ready("pushforwards", search=search)
        ends = np.cumsum([each.size for each in self.inputs])[:-1]
        parts = [
            np.ascontiguousarray(part, dtype=each.dtype)
            for part, each in zip(np.split(seeds, ends, axis=1), self.inputs, strict=True)
        ]
        with running(self.function), naming_nan():  # those of a gradient may be watched
            products: Floats = run(*values, *parts)
        return products

    def across(self, seeds: Floats, *, search: bool = False) -> Floats:
        """The adjoint of the arguments for each row of seeds for the result."""
        run, values = self._ready("pullbacks", search=search)
        with running(self.function):
            products: Floats = run(*values, seeds)
        return products

    def by_argument(self, matrix: Matrix) -> tuple[Matrix, ...]:
        """The columns of each argument."""
        return self._split(matrix, 1)

    def by_rows(self, matrix: Matrix) -> tuple[Matrix, ...]:
        """The rows of each argument's part of the gradient."""
        return self._split(matrix, 0)

    def _split(self, matrix: Matrix, axis: int) -> tuple[Matrix, ...]:
        if len(self.inputs) == 1:
            return (shown(matrix),)
        ends = np.cumsum([0, *(each.size for each in self.inputs)])
        pieces = [slice(begin, end) for begin, end in itertools.pairwise(ends)]
        return tuple(shown(matrix[:, piece] if axis else matrix[piece]) for piece in pieces)


# The pattern


def _searched(place: _Place) -> Matrix:
    """The pattern of the Jacobian, found by columns with tangents or by rows with pullbacks.

    A row that has an entry in every column makes the search by columns as long as a dense Jacobian. So each side is
    tried with a bound on the number of products, and the bound grows until one of them is done.
    """
    few = FEW
    while few < place.columns:
        found = _searched_by_columns(place, few)
        if found is not None:
            return found
        if few < place.rows and _has_pullbacks(place):
            found = _refined(functools.partial(place.across, search=True), place.rows, place.columns, few)
            if found is not None:
                return found
        few *= 8
    return _searched_by_columns(place)


def _searched_by_columns(place: _Place, few: int | None = None) -> Matrix | None:
    """The pattern by its columns; None if that takes more than a few products at a time."""
    found = _refined(
        functools.partial(place.along, search=True),
        place.columns,
        place.rows,
        place.columns if few is None else few,
    )
    return None if found is None else found.T.tocsr()


def _has_pullbacks(place: _Place) -> bool:
    """Whether there is a reverse mode for the function."""
    try:
        place.across(np.empty((0, place.rows)))
    except ArgumentError:
        return False
    return True


def _refined(products: Products, inputs: int, outputs: int, few: int) -> Matrix | None:
    """For each input the outputs that depend on it; None if that takes more than a few products at a time.

    A seed of nan turns all that depends on it into nan: nan times zero is nan. Groups of inputs are halved again and
    again. Those which share no output so far are told apart in one product. Where a kernel refuses nan, every output
    may depend on every input.
    """
    from scipy.sparse import csr_matrix

    begins, ends = np.array([0]), np.array([inputs])
    known = csr_matrix(np.ones((1, outputs), dtype=bool))
    if inputs == 0 or outputs == 0:
        return csr_matrix((inputs, outputs), dtype=bool)
    while True:
        colours = _column_colours(csr_matrix(known.T))
        count = _number(colours)
        if count > few:
            return None
        owner = np.repeat(np.arange(len(begins)), np.diff(known.indptr))
        hit = np.empty(known.nnz, dtype=bool)
        for first, last in _portions(count, inputs + outputs):
            seeds = np.zeros((last - first, inputs))
            colour = np.repeat(colours, ends - begins)
            own = np.flatnonzero((colour >= first) & (colour < last))
            seeds[colour[own] - first, own] = np.nan
            within = (colours[owner] >= first) & (colours[owner] < last)
            try:
                with np.errstate(all="ignore"):
                    touched = np.isnan(products(seeds))
            except np.linalg.LinAlgError:
                return csr_matrix(np.ones((inputs, outputs), dtype=bool))
            hit[within] = touched[colours[owner[within]] - first, known.indices[within]]
        known = csr_matrix((hit[hit], (owner[hit], known.indices[hit])), shape=(len(begins), outputs))
        if np.all(ends - begins == 1):
            return known
        middles = (begins + ends + 1) // 2
        larger = ends - begins > 1
        parent = np.concatenate((np.arange(len(begins)), np.flatnonzero(larger)))
        begins, ends = np.concatenate((begins, middles[larger])), np.concatenate((middles, ends[larger]))
        order = np.argsort(begins, kind="stable")
        begins, ends, known = begins[order], ends[order], known[parent[order]]


def _portions(count: int, width: int) -> list[tuple[int, int]]:
    """Ranges of rows of seeds that go into one call."""
    step = max(1, AT_ONCE // max(width, 1))
    return [(first, min(first + step, count)) for first in range(0, count, step)]


# The colours


@dataclass(frozen=True)
class _Plan:
    """A pattern, and colours of its columns and of its rows; of a symmetric one, perhaps a star colouring instead."""

    pattern: Matrix
    columns: Integers
    rows: Integers | None = None
    mirrored: bool = False


Planner = Callable[[Matrix], _Plan]
"""What finds the colours for a pattern."""


def _plan(pattern: Matrix) -> _Plan:
    """The colours for a Jacobian."""
    return _Plan(pattern, _column_colours(pattern), _column_colours(pattern.T.tocsr()))


def _symmetric_plan(pattern: Matrix) -> _Plan:
    """The colours for a Hessian: of an entry and its mirror image one is enough."""
    from scipy.sparse import csr_matrix, identity

    whole = csr_matrix(pattern + pattern.T)
    columns = _column_colours(whole)
    with_diagonal = csr_matrix(whole + identity(whole.shape[0], dtype=bool, format="csr"))
    starred = star_colours(*_layout(with_diagonal), _largest_first(with_diagonal.indptr))
    if _number(starred) < _number(columns):
        return _Plan(whole, starred, mirrored=True)
    return _Plan(whole, columns)


def _colours_of_pattern(pattern: Any) -> Callable[[_Place, Planner], _Plan] | None:
    """The colours for a pattern that the caller gave, for all arguments together; found once by each planner."""
    if pattern is None:
        return None
    for part in pattern if isinstance(pattern, tuple) else (pattern,):
        array = np.asarray(part) if isinstance(part, list) else part
        kind = getattr(getattr(array, "dtype", None), "kind", None)
        wanted = "a sparse matrix or an array of truth values, or a tuple of these"
        requests.expect("sparsity", part, wanted, fits=kind is not None and kind in "biuf")
    made: dict[Planner, _Plan] = {}

    def check(whole: Matrix, place: _Place) -> None:
        if whole.shape != (place.rows, place.columns):
            wanted = (place.rows, place.columns)
            message = f"the pattern has shape {whole.shape}, but the derivatives have shape {wanted}"
            remedy = "give a row for each entry of the result, and a column for each entry of the arguments."
            raise ArgumentError(Problem(LOOSE, message, remedy=remedy))

    def planned(place: _Place, plan: Planner) -> _Plan:
        from scipy.sparse import csr_matrix, hstack, issparse

        if plan not in made:
            parts = pattern if isinstance(pattern, tuple) else (pattern,)
            whole = csr_matrix(
                hstack(
                    [
                        each if issparse(each) else csr_matrix(np.atleast_2d(np.asarray(each, dtype=bool)))
                        for each in parts
                    ]
                ),
                dtype=bool,
            )
            whole.sum_duplicates()
            check(whole, place)
            made[plan] = plan(whole)
        check(made[plan].pattern, place)
        return made[plan]

    return planned


def _column_colours(pattern: Matrix) -> Integers:
    """Colours of a matrix's columns so that columns of one colour share no row, those with most entries first."""
    by_columns = pattern.tocsc()
    order = _largest_first(by_columns.indptr)
    colours: Integers = column_colours(*_layout(by_columns), *_layout(pattern), order)
    return colours


def _layout(matrix: Matrix) -> tuple[Integers, Integers]:
    """Where the rows or columns of a matrix start, and their entries, in the one type that the kernels are compiled for."""
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)


def _largest_first(starts: Integers) -> Integers:
    """The columns in the order of their numbers of entries, the largest first."""
    return np.argsort(-np.diff(starts), kind="stable")


def _number(colours: Integers) -> int:
    """How many colours there are."""
    return int(colours.max(initial=-1)) + 1


# The entries


def _sure(
    place: _Place,
    colours: Callable[[_Place, Planner], _Plan] | None,
    plan: Planner,
    search: Callable[[_Place], Matrix],
) -> Matrix:
    """The entries in a pattern, given or sought; raises ArgumentError where a given one lacks some.

    What the product in a random direction does not confirm is looked into: a kernel may have hidden from the search
    what depends on what, so that all entries are computed, or the function rounds more than its types tell. Where a
    function has no second derivative, that of its gradient need not be symmetric.
    """
    from scipy.sparse import csr_matrix

    own = plan(search(place)) if colours is None else colours(place, plan)
    matrix, fits = _entries(place, own)
    if own.mirrored and not fits:
        matrix, fits = _entries(place, _plan(own.pattern))
    if fits:
        return matrix
    if colours is None:
        return _entries(place, plan(csr_matrix(np.ones(matrix.shape, dtype=bool))))[0]
    if (search(place) > own.pattern).nnz:
        message = "the derivatives have entries where the given pattern has none"
        remedy = "leave `sparsity` out, so that each call finds the pattern, or give a pattern that holds for these arguments, too."
        raise ArgumentError(Problem(LOOSE, message, remedy=remedy))
    return matrix


def _entries(place: _Place, plan: _Plan) -> tuple[Matrix, bool]:
    """The entries by columns or by rows, whichever have fewer colours, and whether a further product agrees."""
    if plan.rows is not None and _number(plan.rows) < _number(plan.columns) and _has_pullbacks(place):
        matrix, fits = _compressed(place.across, plan.pattern.T.tocsr(), plan.rows, place.dtype)
        return matrix.T.tocsr(), fits
    return _compressed(place.along, plan.pattern, plan.columns, place.dtype, mirrored=plan.mirrored)


def _compressed(
    products: Products,
    pattern: Matrix,
    colours: Integers,
    dtype: Any,
    *,
    mirrored: bool = False,
) -> tuple[Matrix, bool]:
    """The entries, read from one product for each colour, and whether they agree with one more, in a random direction.

    Where `mirrored`, an entry that does not stand alone in its colour is read where its mirror image does.
    """
    from scipy.sparse import csr_matrix

    outputs, inputs = pattern.shape
    count = _number(colours)
    direction = np.random.default_rng(0).uniform(0.5, 1.5, inputs).astype(dtype)
    compressed = np.empty((count + 1, outputs))
    for first, last in _portions(count + 1, inputs + outputs):
        seeds = np.zeros((last - first, inputs), dtype=dtype)
        own = np.flatnonzero((colours >= first) & (colours < last))
        seeds[colours[own] - first, own] = 1.0
        if last == count + 1:
            seeds[-1] = direction
        compressed[first:last] = products(seeds)
    rows = np.repeat(np.arange(outputs), np.diff(pattern.indptr))
    entries = compressed[colours[pattern.indices], rows]
    if mirrored:
        alone = _alone(rows, colours[pattern.indices], count)
        entries = np.where(alone, entries, compressed[colours[rows], pattern.indices])
    matrix = csr_matrix((entries.astype(dtype), pattern.indices, pattern.indptr), shape=pattern.shape)
    matrix.sort_indices()
    return matrix, _agree(matrix, direction, compressed[-1])


def _agree(matrix: Matrix, direction: Floats, product: Floats) -> bool:
    """Whether a matrix has this product with a direction, but for rounding."""
    precision = np.finfo(matrix.dtype).eps
    off, size = np.abs(matrix @ direction - product), abs(matrix) @ np.abs(direction)
    known = np.isfinite(off) & np.isfinite(size)
    largest = np.max(size[known], initial=0.0)
    return bool(np.all(off[known] <= np.sqrt(precision) * size[known] + 100.0 * precision * largest))


def _alone(rows: Integers, colours: Integers, count: int) -> Integers:
    """For each entry whether no other of its row has its colour."""
    _, which, numbers = np.unique(rows * max(count, 1) + colours, return_inverse=True, return_counts=True)
    alone: Integers = numbers[which] == 1
    return alone
