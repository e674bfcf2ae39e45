"""How to declare a derivative rule: runnable Python, read once, kept in one ordered registry.

A rule has the form

    @rule(np.tanh, math.tanh, samples=[(-3.0, 3.0)])
    def tanh(x):
        \"\"\"Hyperbolic tangent. The adjoint reads only the result.\"\"\"
        y = np.tanh(x)
        return y, lambda y_bar: y_bar * (1.0 - y * y)

It has one assignment of the primal and one `return result, lambda result_bar: adjoints`. A function with several results
is written `w, v = np.linalg.eigh(x)` and `return (w, v), lambda w_bar, v_bar: adjoints`. A literal `None` is an adjoint
that is always zero. Rules never sum a cotangent over broadcast axes and never accumulate; the reverse transform does that
once, for all of them.

The tangent of the result is a sum of terms, one for each differentiated parameter. Three kinds of rules need not give them:

- For a parameter in `linear`, the term is the function itself, applied to the tangent. (A tuple in `linear` names
  parameters whose tangents are passed together.)
- For an elementwise function, the term is the adjoint with the tangent in place of the cotangent.
- If the result is a number, the term is the inner product of the tangent and the adjoint for the cotangent 1.

Any other rule returns its terms as well: `return result, lambda result_bar: adjoints, lambda x_dot, y_dot: terms`. If it
has several results, it returns their tangents instead.
"""

from __future__ import annotations

import ast
import functools
import importlib
import linecache
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from backsweep import requests
from backsweep.diagnostics import Loc, Problem, SourceError, UnsupportedError
from backsweep.ir.nodes import Apply
from backsweep.runtime.support.python_calls import with_hash

Definition = TypeVar("Definition", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Sample:
    """An operand for tests: an array of `shape` with random entries from `low` to `high`."""

    shape: tuple[int, ...]
    low: float = -2.0
    high: float = 2.0
    definite: bool = False  # symmetric and positive definite


@dataclass(frozen=True, slots=True)
class FixedSample:
    """An operand that tests pass unchanged: an axis, a shape, a dtype."""

    value: object


@dataclass(frozen=True, slots=True)
class Edge:
    """A nonsmooth point: for `operands` and the cotangent 1, the declared adjoints are `adjoints`."""

    operands: tuple[Any, ...]
    adjoints: tuple[Any, ...]


Domain = tuple[float, float] | Sample | FixedSample
Chooser = Callable[[object], bool]


@dataclass(frozen=True, slots=True, eq=False)
class Declaration:
    """The common part of rules and constants: the functions, and the calls of them, that the declaration is for."""

    functions: tuple[Any, ...]
    name: str
    doc: str
    parameters: tuple[str, ...]
    defaults: Mapping[str, object]
    variadic: bool
    samples: tuple[Domain, ...]
    elementwise: bool
    loc: Loc
    function: Callable[..., Any]

    @property
    def file(self) -> str:
        """The file that holds the declaration."""
        return self.loc.file

    @property
    def line(self) -> int:
        """The line of the declaration's `def`."""
        return self.loc.line

    @property
    def is_own(self) -> bool:
        """Whether it is one of Backsweep's own, not one that a user declared."""
        return self.function.__module__.startswith(f"{__package__}.")

    def bind(self, count: int, keywords: Sequence[str]) -> tuple[int, ...] | None:
        """For each operand of the call (positional, then keywords) the parameter's position; None if it does not fit."""
        if self.variadic:
            return tuple(range(count + len(keywords)))
        if count > len(self.parameters) or any(key not in self.parameters[count:] for key in keywords):
            return None
        given = {*self.parameters[:count], *keywords}
        if any(name not in given and name not in self.defaults for name in self.parameters):
            return None
        return (*range(count), *(self.parameters.index(key) for key in keywords))


@dataclass(frozen=True, slots=True, eq=False)
class Rule(Declaration):
    """A derivative rule: `adjoints` align with the parameters that are not `static`; None is always zero.

    So do `dots` and `terms`, which are empty unless the rule spells its tangent out. Where it has several results, the
    one term is a tuple of their tangents. `refused` are parameters with a derivative that is not known, and why.
    """

    static: tuple[str, ...]
    results: tuple[str, ...]
    primal: ast.expr
    cotangents: tuple[str, ...]
    adjoints: tuple[ast.expr | None, ...]
    edges: tuple[Edge, ...]
    ndim: tuple[int | None, ...] | None
    literals: Mapping[int, object | Chooser]
    of_complex: bool
    linear: tuple[tuple[str, ...], ...]
    dots: tuple[str, ...]
    terms: tuple[ast.expr | None, ...]
    refused: Mapping[str, str]

    @property
    def differentiated(self) -> tuple[str, ...]:
        """The parameters that `adjoints` align with."""
        return tuple(name for name in self.parameters if name not in self.static)

    @property
    def globals(self) -> Mapping[str, Any]:
        """The names that the rule's expressions refer to, with those of functions around it."""
        namespace: Mapping[str, Any] = self.function.__globals__
        cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True))
        return (
            {**namespace, **{name: cell.cell_contents for name, cell in cells.items()}}
            if cells
            else namespace
        )

    def fits(
        self, places: Sequence[int], ndims: Sequence[int | None], literals: Sequence[object | None]
    ) -> bool:
        """Whether the rule is meant for operands of these dimensions and literal values."""
        if self.ndim is not None:
            for place, ndim in zip(places, ndims, strict=True):
                wanted = self.ndim[place] if place < len(self.ndim) else None
                if wanted is not None and ndim != wanted:
                    return False
        known = dict(zip(places, literals, strict=True))
        return all(_chosen(choice, known.get(place)) for place, choice in self.literals.items())


@dataclass(frozen=True, slots=True, eq=False)
class Constant(Declaration):
    """A function whose result carries no derivative."""


REGISTRY: list[Rule | Constant] = []
HOLOMORPHIC: set[Any] = set()
"""Functions whose rules for real numbers also hold for complex numbers."""
_BY_FUNCTION: dict[Any, list[Rule | Constant]] = {}
LATE: dict[str, tuple[str, ...]] = {
    "scipy.special": tuple(
        f"backsweep.rules.scipy.{family}"
        for family in (
            "gamma_functions",
            "error_functions",
            "bessel_functions",
            "parameters",
            "distributions",
            "shapes",
            "polynomials",
            "further_functions",
            "inverses",
            "elliptic_integrals",
            "complex_numbers",
        )
    ),
    "scipy.linalg": ("backsweep.rules.scipy.linalg",),
}
"""Families of rules that are read when the program has imported the module that they are for: it loads slowly."""
READ_LATE = tuple(family for families in LATE.values() for family in families)
"""All of these families, in the order in which a page shows them."""


_AUTHORS = ("scipy.", *(f"backsweep.runtime.{room}." for room in ("special_functions", "scipy", "matrices")))
"""How the modules begin whose functions these families are for, beside SciPy's ufuncs."""


def is_elementwise(node: Apply) -> bool:
    """Whether the node's function works entry by entry and broadcasts."""
    return any(declaration.elementwise for declaration in lookup(node.function))


def lookup(function: object) -> tuple[Rule | Constant, ...]:
    """Every declaration for the function, the most specific first; empty if there is none."""
    try:
        if function not in _BY_FUNCTION and LATE and _may_be_late(function):
            read_late()
        return tuple(_BY_FUNCTION.get(function, ()))
    except TypeError:  # an unhashable callable was never declared
        return ()


def _may_be_late(function: object) -> bool:
    """Whether rules that are read late may be for the function: it is SciPy's, or one of ours that stand for such."""
    if isinstance(function, np.ufunc):
        return getattr(np, function.__name__, None) is not function
    return (getattr(function, "__module__", None) or "").startswith(_AUTHORS)


def read_late(*, every: bool = False) -> None:
    """Have the families of rules declared whose module has been imported; or `every` one."""
    for module in tuple(LATE):
        if every or module in sys.modules:
            for family in LATE.pop(module, ()):
                importlib.import_module(family)


def match(
    function: object,
    ndims: Sequence[int | None],
    keywords: Sequence[str] = (),
    literals: Sequence[object | None] = (),
    *,
    of_complex: bool = False,
) -> Rule | Constant | None:
    """The declaration that stands for a call; `ndims` and `literals` list the operands, keywords last.

    `ndims` holds 0 for scalars and None for what is no number or array; `literals` holds the value of an
    operand that is written as a literal, else None. `of_complex` says that some operand is complex: a rule for
    complex numbers stands for it then before one for real numbers that holds for them, too, but for given literals, and
    before the declaration of a constant: the sign of a complex number is none.
    """
    general: Rule | None = None
    declared = lookup(function)
    varies = of_complex and any(isinstance(each, Rule) and each.of_complex for each in declared)
    known = tuple(literals) + (None,) * (len(ndims) - len(literals))
    for declaration in declared:
        places = declaration.bind(len(ndims) - len(keywords), keywords)
        if places is None:
            continue
        if isinstance(declaration, Constant):
            if varies:
                continue
            return declaration
        holds = of_complex and function in HOLOMORPHIC
        if (declaration.of_complex != of_complex and not holds) or not declaration.fits(places, ndims, known):
            continue
        if declaration.of_complex == of_complex or declaration.literals:
            return declaration
        general = general or declaration
    return general


def rule(
    *functions: Any,
    samples: Sequence[Domain] = (),
    edges: Sequence[Edge | tuple[tuple[Any, ...], tuple[Any, ...]]] = (),
    static: Sequence[str] = (),
    ndim: tuple[int | None, ...] | None = None,
    constant: Mapping[int, object | Chooser] | None = None,
    elementwise: bool = False,
    of_complex: bool = False,
    linear: Sequence[str | tuple[str, ...]] = (),
    refused: Mapping[str, str] | None = None,
) -> Callable[[Definition], Definition]:
    """Declare the derivative of `functions`. The rule itself calls the first of them.

    The decorated function has the parameters of `functions`, one assignment of their result, and one
    `return result, lambda result_bar: adjoints`. There is one adjoint for each parameter that is not in `static`; a literal
    `None` is an adjoint that is always zero. If an adjoint takes several steps, let the lambda call a function. A rule
    neither sums adjoints over broadcast axes nor accumulates them: the compiler does that for all rules. Forward mode
    derives the tangent of a rule that is `elementwise` or `linear` or whose result is a number. Any other rule may return
    its terms as a third item: `return y, lambda y_bar: ..., lambda x_dot: ...`, with a tangent for each parameter.

    Arguments:
        functions: the functions that the rule stands for, such as `np.tanh, math.tanh`.
        samples: for tests, the domain of each parameter, such as `(-3.0, 3.0)`.
        edges: nonsmooth points as pairs (operands, adjoints), which declare the derivative there.
        static: names of parameters that are not differentiated.
        ndim: for each parameter the number of dimensions that the rule is for; None allows any.
        constant: a dictionary from positions of parameters to literals, or to functions that accept a literal. The
            rule then holds only for calls with these literals.
        elementwise: the function works entry by entry, and the adjoint is valid for numbers and arrays.
        of_complex: the rule is for complex numbers only.
        linear: names of parameters in which the function is linear; a tuple of names for several at once.
        refused: a dictionary from names of parameters to reasons why they have no derivative. A program in which such an
            operand depends on what is differentiated is refused, and the error tells the reason.

    Returns:
        A decorator, which returns the decorated function.

    Raises:
        UnsupportedError: the function has not the form of a rule. SourceError: its source cannot be read.

    >>> import backsweep as bs, numba
    >>> @numba.njit
    ... def growth(x, rate):
    ...     return x * 2.0**rate
    >>> @bs.rule(growth, static=("rate",))
    ... def growth_rule(x, rate):
    ...     y = growth(x, rate)
    ...     return y, lambda y_bar: y_bar * 2.0**rate
    >>> bs.grad(lambda x: growth(x, 3.0) + x)(1.0)
    9.0
    """
    for each in functions:
        requests.function("functions", each)
    reasons = dict(refused or {})
    constants = (*static, *reasons)
    points = tuple(edge if isinstance(edge, Edge) else Edge(*edge) for edge in edges)

    def declare(definition: Definition) -> Definition:
        tree, loc = _read(definition)
        parameters, defaults, _ = _signature(tree, definition)
        doc, primal, results, pullback, tangent = _parse(tree, loc)
        count = sum(name not in constants for name in parameters)
        for written in (pullback, *([] if tangent is None else [tangent])):
            _check_names(written, {*parameters, *results}, loc, tree)
        _add(
            Rule(
                functions=tuple(map(with_hash, functions)),
                name=tree.name,
                doc=doc,
                parameters=parameters,
                defaults=defaults,
                variadic=False,
                samples=tuple(samples),
                elementwise=elementwise,
                loc=loc,
                function=definition,
                static=constants,
                results=results,
                primal=primal,
                cotangents=tuple(argument.arg for argument in pullback.args.args),
                adjoints=_parts(pullback, count, loc),
                edges=points,
                ndim=ndim,
                literals=constant or {},
                of_complex=of_complex,
                linear=tuple((each,) if isinstance(each, str) else each for each in linear),
                dots=() if tangent is None else tuple(argument.arg for argument in tangent.args.args),
                terms=() if tangent is None else _terms(tangent, count, len(results), loc),
                refused=reasons,
            )
        )
        return definition

    return declare


elementwise = functools.partial(rule, elementwise=True)
"""`rule` for a function of numbers that NumPy applies entry by entry."""


def constant(
    *functions: Any, samples: Sequence[Domain] = (), elementwise: bool = False
) -> Callable[[Definition], Definition]:
    """Declare that the results of `functions` have no derivative."""

    def declare(definition: Definition) -> Definition:
        tree, loc = _read(definition)
        parameters, defaults, variadic = _signature(tree, definition)
        _add(
            Constant(
                functions=functions,
                name=tree.name,
                doc=ast.get_docstring(tree) or "",
                parameters=parameters,
                defaults=defaults,
                variadic=variadic,
                samples=tuple(samples),
                elementwise=elementwise,
                loc=loc,
                function=definition,
            )
        )
        return definition

    return declare


def _add(declaration: Rule | Constant) -> None:
    """Enter the declaration for each of its functions, once for functions with several names."""
    REGISTRY.append(declaration)
    for function in dict.fromkeys(declaration.functions):
        _BY_FUNCTION.setdefault(function, []).append(declaration)


def declared_by_users() -> list[Rule | Constant]:
    """The declarations that are not Backsweep's own, in their order."""
    return [each for each in REGISTRY if not each.is_own]


def know(declaration: Rule | Constant) -> None:
    """Enter a declaration that another process has made, unless it is known."""
    if not any(_is_same(declaration, each) for each in declared_by_users()):
        _add(declaration)


def _is_same(one: Rule | Constant, other: Rule | Constant) -> bool:
    """Whether two declarations are of one text, for the same functions."""
    return type(one) is type(other) and (one.functions, one.loc) == (other.functions, other.loc)


def _chosen(choice: object | Chooser, literal: object | None) -> bool:
    """Whether the literal of a call is the one that a variant is meant for."""
    if literal is None:
        return False
    if callable(choice):
        return bool(choice(literal))
    return type(literal) in (int, float) and literal == choice


@functools.cache
def _definitions(text: str) -> Mapping[int, ast.FunctionDef]:
    """The function definitions of a file's text by their first line, decorators included."""
    tree = ast.parse(text)
    found: dict[int, ast.FunctionDef] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            found[min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])] = node
    return found


def _read(definition: Callable[..., Any]) -> tuple[ast.FunctionDef, Loc]:
    """The syntax tree of a declaration, and where it is."""
    code = definition.__code__
    linecache.checkcache(code.co_filename)  # a file that was written anew
    text = "".join(linecache.getlines(code.co_filename))
    tree = _definitions(text).get(code.co_firstlineno)
    if tree is None:
        place = Loc(code.co_filename, definition.__name__, code.co_firstlineno)
        message = f"the source of the rule `{definition.__name__}` cannot be read"
        raise SourceError(
            Problem("BS201", message, place, "declare rules with `def` in a file, not in exec'd text")
        )
    return tree, _loc(tree, code.co_filename, tree)


def _loc(node: ast.stmt | ast.expr, file: str, tree: ast.FunctionDef) -> Loc:
    """Where a part of a declaration is."""
    text = linecache.getline(file, node.lineno).rstrip("\n")
    end = (node.end_col_offset or 0) if node.end_lineno == node.lineno else len(text)
    return Loc(file, tree.name, node.lineno, node.col_offset, end, text)


def _signature(
    tree: ast.FunctionDef, definition: Callable[..., Any]
) -> tuple[tuple[str, ...], Mapping[str, object], bool]:
    """The parameters' names, the default values of some of them, and whether there are any number."""
    names = tuple(argument.arg for argument in tree.args.args)
    values: tuple[object, ...] = definition.__defaults__ or ()
    return (
        names,
        dict(zip(names[len(names) - len(values) :], values, strict=True)),
        tree.args.vararg is not None,
    )


def _parse(
    tree: ast.FunctionDef, loc: Loc
) -> tuple[str, ast.expr, tuple[str, ...], ast.Lambda, ast.Lambda | None]:
    """Docstring, primal, results' names, pullback and tangent of a rule; refuses what is not of the grammar."""
    body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    arguments = tree.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
        raise _refusal("a rule takes plain positional parameters only", loc, loc, tree)
    match body:
        case [
            ast.Assign(targets=[target], value=primal),
            ast.Return(value=ast.Tuple(elts=[returned, ast.Lambda() as pullback, *others])),
        ] if _names(target) and _names(target) == _names(returned) and _is_tangent(others):
            if len(pullback.args.args) != len(_names(target)):
                raise _refusal("a rule's pullback takes one cotangent for each result", loc, body[-1], tree)
            tangent = next((each for each in others if isinstance(each, ast.Lambda)), None)
            return ast.get_docstring(tree) or "", primal, _names(target), pullback, tangent
        case _:
            wrong: ast.stmt = next(
                (each for each in body if not isinstance(each, ast.Assign | ast.Return)), tree
            )
            message = f"the rule `{tree.name}` is not one assignment and one `return result, lambda`"
            raise _refusal(message, loc, wrong, tree)


def _names(node: ast.expr) -> tuple[str, ...]:
    """The names of a rule's results; none if it is neither a name nor a tuple of names."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    names = tuple(part.id for part in parts if isinstance(part, ast.Name))
    return names if len(names) == len(parts) else ()


def _is_tangent(others: Sequence[ast.expr]) -> bool:
    """Whether this is what may stand behind the pullback: nothing, or the tangent."""
    return not others or (len(others) == 1 and isinstance(others[0], ast.Lambda))


def _terms(tangent: ast.Lambda, count: int, results: int, loc: Loc) -> tuple[ast.expr | None, ...]:
    """The term of each differentiated parameter; of several results, the tuple of their tangents."""
    return (tangent.body,) if results > 1 else _parts(tangent, count, loc, "terms of the tangent")


def _parts(written: ast.Lambda, count: int, loc: Loc, what: str = "adjoints") -> tuple[ast.expr | None, ...]:
    """The expression for each differentiated parameter; None where it is always zero."""
    body = written.body
    parts: list[ast.expr] = list(body.elts) if isinstance(body, ast.Tuple) else [body]
    if len(parts) != count:
        message = f"the rule `{loc.function}` has {count} differentiated parameters and {len(parts)} {what}"
        raise UnsupportedError(
            Problem("BS206", message, loc, "give one adjoint for each, `None` where it is zero")
        )
    return tuple(None if isinstance(part, ast.Constant) and part.value is None else part for part in parts)


def _check_names(written: ast.Lambda, known: set[str], loc: Loc, tree: ast.FunctionDef) -> None:
    """Refuse an expression that reads a variable around the rule: emitted code would keep the value that it has now."""
    known = known | {argument.arg for argument in written.args.args}
    parents = {child: node for node in ast.walk(written) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(written):
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or node.id in known:
            continue
        parent = parents[node]
        if isinstance(parent, ast.Attribute) or (isinstance(parent, ast.Call) and parent.func is node):
            continue  # a module, or a function
        message = (
            f"the rule `{tree.name}` reads `{node.id}`, which is no parameter, result or cotangent of it"
        )
        remedy = "write the number itself; or give the function a parameter for it, which the rule names in `static`"
        raise UnsupportedError(Problem("BS205", message, _loc(node, loc.file, tree), remedy))


def _refusal(message: str, loc: Loc, wrong: Loc | ast.stmt, tree: ast.FunctionDef) -> UnsupportedError:
    """The error for a declaration outside the grammar, pointing at what is wrong."""
    place = wrong if isinstance(wrong, Loc) else _loc(wrong, loc.file, tree)
    remedy = "write `y = primal` and `return y, lambda y_bar: (x_bar, ...)`; move other code to a function it calls"
    return UnsupportedError(Problem("BS205", message, place, remedy))
