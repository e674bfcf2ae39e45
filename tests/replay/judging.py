"""One recorded call: its pullback, compared with differences of the compiled function; the verdict in a word.

right     value and cotangents are those of the compiled function
wrong     the value, its structure, a cotangent or what they share is not
refused   an error of Backsweep's own, with code and reason
unworded  any other exception that the function itself does not raise
raises    the function raises for these arguments, and so does its derivative
undecided differences say nothing: kinks, jumps, edges of the domain, values that no two calls share
nothing   no floats in arguments or result
"""

from __future__ import annotations

import inspect
import math
import re
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

import backsweep as bs
from backsweep.prelude.declare import every_meaning
from backsweep.runtime.decompositions import OF_NO_VALUE
from backsweep.runtime.matrices.functions import ON_CUT, SINGULAR
from tests.replay.differences import Slope, slope
from tests.replay.recording import Group, copied, has_floats
from tests.support import checking

RELATIVE, ABSOLUTE = 1e-6, 1e-8
"""How far a cotangent may be from the difference, relative to the largest difference, and absolute."""
SINGLE = 2e-3
"""The relative tolerance where arguments or results are in single precision."""
COORDINATES = 20
"""Of more coordinates than this, this many are drawn; a direction through all of them is tried as well."""
ALL = "all arguments"
"""How the direction through all coordinates is told."""
MOST_NUMBERS = 1_000_000
"""Arguments with more are differentiated, and compared in their value alone."""
AS_THE_RUN_FINDS = r"which has no derivative$|which has no square matrix$|^Dimensions for both inputs is 2"
"""Ends of what is raised where the run finds that the types do not fit: the last is Numba's own, of `np.cross`."""
SECONDS = 20.0
"""For the differences of one point."""


@dataclass(frozen=True)
class Verdict:
    """What came of a call: the word, an error's code, and the reason or what is wrong."""

    word: str
    code: str = ""
    reason: str = ""
    place: str = ""
    """Where a refused line stands, as `file:line`."""


@njit
def _seed() -> None:
    np.random.seed(7)  # noqa: NPY002 - the generator that compiled code draws from


def prepare() -> None:
    """Load and compile what every process needs, before they part: each would take seconds for it."""
    _seed()
    every_meaning()
    _, pullback = bs.vjp(_tried, 1.5, np.ones(3), jit=False)
    pullback(1.0)


def _tried(x: Any, y: Any) -> Any:
    """A call of NumPy's that is lowered from a text, with a rule."""
    return np.median(y * y) * math.exp(x)


def judge(group: Group) -> Verdict:
    """The verdict on all points of a group: the first that is not right, if any."""
    primal = group.primal()
    verdicts = []
    for point in group.points:
        verdicts.append(judge_call(primal, point, jit=group.jit))
        if verdicts[-1].word in ("wrong", "unworded", "refused"):
            return verdicts[-1]
    for word in ("right", "undecided", "raises"):
        for verdict in verdicts:
            if verdict.word == word:
                return verdict
    return verdicts[0]


def _run(primal: Any, args: tuple[Any, ...]) -> Any:
    """The function's value for copies of the arguments, with the same random numbers in every call."""
    _seed()
    return primal(*copied(args))


def judge_call(primal: Any, args: tuple[Any, ...], *, jit: bool = True) -> Verdict:
    """The verdict on one call; `jit=False` has the derivative run as plain Python, whose numbers may be NumPy's."""
    raised: Exception | None = None
    value = None
    try:
        value = copied(_run(primal, args))
    except Exception as error:  # noqa: BLE001 - whatever the function raises, its derivative may raise
        raised = error
        if type(error).__module__.startswith("numba."):
            return Verdict("nothing", reason="Numba does not compile it")
    if raised is None and not (has_floats(args) or has_floats(value)):
        return Verdict("nothing", reason="no floats")
    given = copied(args)
    try:
        _seed()
        got, pullback = bs.vjp(primal, *given, jit=jit)
        if raised is not None:
            return _not_raised(raised, got)
        cotangent = checking.cotangent_like(value)
        back = pullback(checking.clone(cotangent))
    except bs.InternalError as error:
        return Verdict("unworded", reason=str(error)[:600])
    except bs.BacksweepError as error:
        problem = error.problems[0]
        place = "" if problem.loc is None else f"{problem.loc.file}:{problem.loc.line}"
        return Verdict("refused", problem.code, " ".join(problem.message.split()), place)
    except Exception as error:  # noqa: BLE001 - any exception that is no refusal is what is looked for
        if raised is not None and isinstance(error, type(raised)):
            return Verdict("raises", reason=type(error).__name__)
        # Only the cotangent, or the path that the run takes, tells that there is no derivative
        if str(error) in (OF_NO_VALUE, ON_CUT, SINGULAR) or re.search(AS_THE_RUN_FINDS, str(error)):
            return Verdict("refused", type(error).__name__, str(error))
        return Verdict("unworded", type(error).__name__, f"{type(error).__name__}: {error}"[:600])
    single = any(np.asarray(leaf).dtype.char in "fF" for leaf in checking.leaves(args))
    # Python's floats leave NumPy's arrays in single precision, and Numba's not: both are right
    mixed = single and not jit and any(isinstance(leaf, float | complex) for leaf in checking.leaves(args))
    text = _value_told(got, value, exact=jit, single=single, mixed=mixed)
    if text and _is_memory(primal, args, value):
        return Verdict("undecided", reason="the value is what memory held before")
    text = text or _sharing_told(back, got, given, args, cotangent)
    if text:
        return Verdict("wrong", reason=text)
    verdict = _judge_cotangents(primal, args, value, jit=jit)
    if jit or verdict.word != "right" or not all(map(_has_gradient, args)):
        return verdict
    return _judge_tangent(primal, args, cotangent, back) or verdict


def _judge_tangent(primal: Any, args: tuple[Any, ...], cotangent: Any, back: Any) -> Verdict | None:
    """The verdict on forward mode, beside what was pulled back; None if the two agree."""
    dots = checking.cotangent_like(args, seed=1)
    try:
        _, tangent = bs.jvp(primal, copied(args), dots, jit=False)
    except bs.BacksweepError as error:
        problem = error.problems[0]
        word = "unworded" if isinstance(error, bs.InternalError) else "refused"
        return Verdict(word, problem.code, f"forward mode: {' '.join(problem.message.split())}")
    except Exception as error:  # noqa: BLE001 - any exception that is no refusal is what is looked for
        return Verdict(
            "unworded", type(error).__name__, f"forward mode: {type(error).__name__}: {error}"[:600]
        )
    back = back if isinstance(back, tuple) and len(args) > 1 else (back,)
    if not all(
        bool(np.all(np.isfinite(leaf)))
        for leaf in checking.leaves((back, tangent))
        if checking.is_active(leaf)
    ):
        return None
    one, other = checking.inner(cotangent, tangent), checking.inner(back, dots)
    single = any(np.asarray(leaf).dtype.char in "fF" for leaf in checking.leaves((args, tangent)))
    if abs(one - other) <= (SINGLE if single else RELATIVE) * (1.0 + abs(one)):
        return None
    return Verdict("wrong", reason=f"forward mode: {one!r}, reverse mode {other!r}")


@njit
def _fill(count: int, byte: int) -> None:
    blocks = [np.empty(count, np.uint8) for _ in range(8)]
    for block in blocks:
        block[:] = byte


def _is_memory(primal: Any, args: tuple[Any, ...], value: Any) -> bool:
    """Whether the function's own value is what memory held before, as that of `np.empty_like` is: it follows what is written there."""
    found = []
    for byte in (21, 42):
        for leaf in checking.leaves(value):
            if isinstance(leaf, np.ndarray):
                _fill(leaf.nbytes, byte)
        found.append(_run(primal, args))
    return _differ(*found)


def _not_raised(raised: Exception, got: Any) -> Verdict:
    """The verdict where only the function raises; what is divided by zero may be nan or infinite instead."""
    floats = [leaf for leaf in checking.leaves(got) if checking.is_active(leaf)]
    if isinstance(raised, ZeroDivisionError) and not all(bool(np.all(np.isfinite(leaf))) for leaf in floats):
        return Verdict("raises", reason="ZeroDivisionError; its value is not finite")
    return Verdict("wrong", reason=f"does not raise {type(raised).__name__}: {raised}"[:300])


def _value_told(
    got: Any, value: Any, *, exact: bool = True, single: bool = False, mixed: bool = False
) -> str:
    """What is wrong with the value; empty if nothing is.

    The kinds of numbers count if they are to be `exact`; Python's may hold what was computed in `single` precision. Of operands of `mixed`
    precision the result may have either.
    """
    got_leaves, leaves = checking.leaves(got), checking.leaves(value)
    if len(got_leaves) != len(leaves):
        return f"the value is {got!r} instead of {value!r}"
    for one, other in zip(got_leaves, leaves, strict=True):
        if isinstance(other, np.ndarray) and other.ndim == 0 and not isinstance(one, np.ndarray):
            other = other.item()
        if (exact and type(one) is not type(other)) or np.shape(one) != np.shape(other):
            return (
                f"the value is {one!r} ({type(one).__name__}) instead of {other!r} ({type(other).__name__})"
            )
        if not isinstance(other, np.ndarray | int | float | complex | np.generic):
            continue
        kinds = [np.asarray(each).dtype for each in (one, other)]
        is_either = mixed and kinds[0].kind == kinds[1].kind
        if (exact or np.ndim(other)) and kinds[0] != kinds[1] and not is_either:
            return f"the value has dtype {np.asarray(one).dtype} instead of {np.asarray(other).dtype}"
        rough = kinds[1].char in "fF" or (single and np.ndim(other) == 0)
        if np.asarray(other).dtype.kind in "fc":
            pair = (
                np.asarray(one),
                np.asarray(other),
            )  # the absolute value of Python's numbers may raise OverflowError
            with np.errstate(over="ignore", invalid="ignore"):
                same = np.allclose(
                    *pair, rtol=1e-4 if rough else 1e-9, atol=1e-5 if rough else 1e-12, equal_nan=True
                )
        else:
            same = np.array_equal(one, other)
        if not same:
            return f"the value is {one!r} instead of {other!r}"
    return ""


def _sharing_told(back: Any, got: Any, given: Any, args: Any, cotangent: Any) -> str:
    """What is wrong with memory: cotangents that share it, arguments that were changed."""
    try:
        checking.assert_own(back, given, got, cotangent)
        _assert_same(args, given)
    except AssertionError as error:
        return f"memory: {error}"[:300]
    return ""


def _assert_same(args: Any, given: Any) -> None:
    """The arguments were not changed."""
    for old, new in zip(checking.leaves(args), checking.leaves(given), strict=True):
        if isinstance(old, np.ndarray) and old.dtype.kind in "biufc":
            assert np.array_equal(old, new, equal_nan=True), f"an argument {old!r} became {new!r}"


def _judge_cotangents(primal: Any, args: tuple[Any, ...], value: Any, *, jit: bool) -> Verdict:
    """Compare the pullback with differences at the recorded point, and beside it where that says nothing."""
    if _differ(value, _run(primal, args)):
        return Verdict("undecided", reason="no two calls have the same value")
    if not any(map(_has_gradient, args)):
        return Verdict("right", reason="the value alone: no argument has a gradient")
    if sum(leaf.size for leaf in checking.leaves(args) if isinstance(leaf, np.ndarray)) > MOST_NUMBERS:
        return Verdict("undecided", reason="too many numbers to move")
    decided, reason = 0, "no coordinate"
    for move in (0.0, 0.02, -0.02):
        at = _moved(args, move)
        try:
            count, undecided, text = _compare(primal, at, jit=jit)
        except bs.InternalError as error:
            return Verdict("unworded", reason=str(error)[:600])
        except bs.BacksweepError as error:
            return Verdict("refused", error.problems[0].code, " ".join(error.problems[0].message.split()))
        except AssertionError as error:
            return Verdict("wrong", reason=str(error))
        except Exception as error:  # noqa: BLE001 - a point beside the recorded one may have no value
            if not move:
                return Verdict("unworded", type(error).__name__, f"{type(error).__name__}: {error}"[:600])
            continue
        if text:
            return Verdict("wrong", reason=f"{text} at {at!r}"[:500])
        decided += count
        reason = undecided or reason
        if count and not undecided:
            break
    return Verdict("right") if decided else Verdict("undecided", reason=reason)


def _differ(first: Any, second: Any) -> bool:
    """Whether two values of the same call differ."""
    return bool(_value_told(first, second))


def _moved(args: tuple[Any, ...], move: float) -> tuple[Any, ...]:
    """The arguments with each float moved a little, each by another amount."""
    rng = np.random.default_rng(1)

    def change(leaf: Any) -> Any:
        if not move or not checking.is_active(leaf):
            return leaf
        by = move * rng.uniform(0.5, 1.5, np.shape(leaf)) * np.maximum(1.0, np.abs(leaf))
        if not isinstance(leaf, np.ndarray):
            return type(leaf)(leaf + by)
        with np.errstate(all="ignore"):
            made = leaf + by.astype(leaf.real.dtype)
        # What is in order stays in order: a grid that is not has no value in functions such as np.interp
        return np.sort(made) if made.ndim == 1 and np.all(leaf[:-1] <= leaf[1:]) else made

    def kept(leaf: Any) -> Any:
        made = change(leaf)
        if isinstance(leaf, np.ndarray) and made is not leaf:
            like = checking.clone(leaf)
            like[...] = made
            like.flags.writeable = leaf.flags.writeable
            return like
        return made

    return tuple(checking.map_leaves(kept, arg) for arg in args)


def _compare(primal: Any, args: tuple[Any, ...], *, jit: bool) -> tuple[int, str, str]:
    """How many directions agree, why one says nothing, and what is wrong."""
    value = _run(primal, args)
    finite = all(
        bool(np.all(np.isfinite(leaf))) for leaf in checking.leaves(value) if checking.is_active(leaf)
    )
    _seed()
    _, pullback = bs.vjp(primal, *copied(args), jit=jit)
    cotangent = _without_infinite(checking.cotangent_like(value), value)
    back = pullback(checking.clone(cotangent))
    moving = [k for k, arg in enumerate(args) if _has_gradient(arg)]
    cotangents = _by_argument(primal, args, back)
    wide, tolerance = _widened(primal, args, value)
    weight = checking.widened(cotangent)
    until = time.monotonic() + SECONDS
    slopes: list[tuple[str, float, Slope, Any, float]] = []
    reason = ""
    for text, direction, scale in _directions(wide, moving):
        # Beside a kink, a line through it may be straight all the same
        if time.monotonic() > until or (reason and text == ALL):
            break

        def along(step: float, part: int | None = None, direction: Any = direction) -> float:
            try:
                reached = _run(primal, _stepped(wide, direction, step))
            except Exception:  # noqa: BLE001 - beside the point the function may have no value, whatever it raises
                return math.nan
            return _inner(weight, reached, value, part)

        products = [_product(_with_zeros(cotangents[k], args[k]), direction[k]) for k in moving]
        got = math.fsum(products) if all(map(math.isfinite, products)) else sum(products)
        found = slope(along, scale)
        if found.undecided or not (finite or math.isfinite(got)):
            reason = found.undecided or "a value is not finite"
        else:
            slopes.append((text, got, found, along, scale))
    largest = max((abs(found.value) for _, _, found, _, _ in slopes), default=0.0)
    count = 0
    for text, got, found, along, scale in slopes:
        if found.error > 1e-4 * (1.0 + largest) + 1e-3 * abs(found.value):
            reason = "the differences do not converge"
            continue
        allowed = tolerance * (1.0 + largest) + ABSOLUTE + 10.0 * found.error
        if not abs(got - found.value) <= allowed:
            doubt = _doubt(along, scale, got, found, allowed, len(checking.leaves(value)))
            if not doubt:
                return (
                    count,
                    reason,
                    f"{text}: {got!r}, differences {found.value!r} (error {found.error:.1e})",
                )
            reason = doubt
            continue
        count += 1
    return count, reason, ""


def _doubt(along: Any, scale: float, got: float, found: Slope, allowed: float, parts: int) -> str:
    """Why a difference that the cotangent is not says nothing after all; empty if it does.

    The bend of one part of the result hides the kink of another. And steps leap over kinks that lie closer together than they are long:
    steps that are finer still then see another slope, which the cotangent has.
    """
    if any(slope(lambda step, part=part: along(step, part), scale).undecided for part in range(parts)):
        return "a part of the result has no slope"
    base, quotients, bends = along(0.0), [], []
    if got == 0.0 and along(1e-9 * scale) == base == along(-1e-9 * scale):
        return "the differences leap over steps"
    for step in (1e-5 * scale, 1e-6 * scale):
        right, left = along(step), along(-step)
        quotients.append((right - left) / (2.0 * step))
        bends.append(abs(right - 2.0 * base + left) / step)
    if bends[1] > 0.5 * bends[0] and abs(got - quotients[1]) <= bends[1]:
        return "the slopes of the two sides differ"
    apart = abs(quotients[0] - found.value)
    if abs(quotients[1] - quotients[0]) <= 0.1 * apart and abs(got - quotients[1]) <= max(
        0.1 * apart, allowed
    ):
        return "the differences leap over kinks"
    return ""


def _by_argument(primal: Any, args: tuple[Any, ...], back: Any) -> dict[int, Any]:
    """What `vjp` pulled back to, by the arguments' positions: a tuple stands for those that `*args` takes."""
    kinds = [
        parameter.kind
        for parameter in inspect.signature(getattr(primal, "py_func", primal)).parameters.values()
    ]
    star = (
        kinds.index(inspect.Parameter.VAR_POSITIONAL)
        if inspect.Parameter.VAR_POSITIONAL in kinds
        else len(args)
    )
    moving = [k for k in range(min(star, len(args))) if _has_gradient(args[k])]
    rest = range(star, len(args)) if any(map(_has_gradient, args[star:])) else range(0)
    parts = back if len(moving) + bool(rest) > 1 else (back,)
    assert len(parts) == len(moving) + bool(rest), (
        f"{len(parts)} cotangents for {len(moving) + bool(rest)} parameters"
    )
    found = dict(zip(moving, parts, strict=False))
    return found | dict(zip(rest, parts[-1], strict=True)) if rest else found


def _without_infinite(cotangent: Any, value: Any) -> Any:
    """The cotangent, zero where the value is not finite."""
    values = iter(checking.leaves(value))

    def one(leaf: Any) -> Any:
        own = next(values)
        if not checking.is_active(own):
            return leaf
        if isinstance(leaf, np.ndarray):
            return np.where(np.isfinite(own), leaf, 0).astype(leaf.dtype)
        return leaf if np.isfinite(own) else leaf * 0

    return checking.map_leaves(one, cotangent)


def _inner(weight: Any, result: Any, value: Any, part: int | None = None) -> float:
    """The product with the weight, where the value is finite, or that of one part; nan if the result has another form nearby."""
    total = 0.0
    for at, (w, r, v) in enumerate(
        zip(checking.leaves(weight), checking.leaves(result), checking.leaves(value), strict=True)
    ):
        if not checking.is_active(v) or part not in (None, at):
            continue
        if np.shape(r) != np.shape(v):
            return math.nan
        mask = np.isfinite(v)
        total += float(np.sum(np.real(np.asarray(w)[mask] * np.asarray(r)[mask])))
    return total


def _has_gradient(arg: Any) -> bool:
    """Whether an argument has floats that `vjp` pulls back to."""
    return any(checking.is_active(leaf) for leaf in checking.leaves(arg))


def _widened(primal: Any, args: tuple[Any, ...], value: Any) -> tuple[tuple[Any, ...], float]:
    """The arguments in double precision where the function takes them so, and the tolerance."""
    leaves = [leaf for leaf in checking.leaves((args, value)) if checking.is_active(leaf)]
    if all(np.asarray(leaf).dtype.char in "dD" for leaf in leaves):
        return args, RELATIVE
    try:
        wide = tuple(checking.widened(copied(arg)) for arg in args)
        reached = checking.leaves(_run(primal, wide))
    except Exception:  # noqa: BLE001 - a function with given types takes no others
        return args, 10.0 * SINGLE
    # In double precision an eigenvector, say, may have the other sign: then that is another function
    same = all(
        np.shape(one) == np.shape(other) and np.allclose(one, other, SINGLE, SINGLE, equal_nan=True)
        for one, other in zip(reached, checking.leaves(value), strict=True)
        if checking.is_active(other)
    )
    return (wide, SINGLE) if same else (args, 10.0 * SINGLE)


def _directions(args: tuple[Any, ...], moving: list[int]) -> Iterator[tuple[str, dict[int, Any], float]]:
    """Coordinates, drawn if there are many, then one direction through all: how each is told, itself, and its scale."""
    rng = np.random.default_rng(3)
    places = []
    for k in moving:
        for position, leaf in enumerate(checking.leaves(args[k])):
            if checking.is_active(leaf):
                for index in np.ndindex(np.shape(leaf)):
                    if np.isfinite(np.asarray(leaf)[index]):
                        places += [(k, position, index, 1.0)]
                        places += [(k, position, index, 1j)] if checking.is_complex(leaf) else []
    if len(places) > COORDINATES:
        drawn = sorted(rng.choice(len(places), COORDINATES, replace=False))
        chosen = [places[n] for n in drawn]
    else:
        chosen = places
    for k, position, index, amount in chosen:
        scale = max(1.0, float(np.abs(np.asarray(checking.leaves(args[k])[position])[index])))
        yield (
            f"argument {k} at {index} by {amount}",
            _unit(args, moving, [(k, position, index, amount)]),
            scale,
        )
    if len(places) > 1:
        yield (
            ALL,
            _unit(args, moving, [(*p[:3], p[3] * rng.uniform(0.5, 1.0)) for p in places]),
            0.1,
        )


def _unit(args: tuple[Any, ...], moving: list[int], places: list[Any]) -> dict[int, Any]:
    """A direction: zero but at these places."""
    made = {}
    for k in moving:
        zeros = [
            np.zeros(np.shape(leaf), complex if checking.is_complex(leaf) else float)
            if checking.is_active(leaf)
            else None
            for leaf in checking.leaves(args[k])
        ]
        for at, position, index, amount in places:
            if at == k:
                zeros[position][index] += amount
        made[k] = zeros
    return made


def _stepped(args: tuple[Any, ...], direction: dict[int, Any], step: float) -> tuple[Any, ...]:
    """The arguments, moved along a direction."""
    changed = list(copied(args))
    for k, parts in direction.items():
        own = iter(parts)

        def move(leaf: Any, own: Any = own) -> Any:
            part = next(own)
            return leaf if part is None or not np.any(part) else _added(leaf, step * part)

        changed[k] = checking.map_leaves(move, changed[k])
    return tuple(changed)


def _added(leaf: Any, step: Any) -> Any:
    """A number or array and a step; where that is zero even the zeros' signs stay, which tell the side of a branch cut."""
    is_apart = isinstance(leaf, np.ndarray) and 0 not in leaf.strides  # else one place has several entries
    whole = checking.clone(leaf) if is_apart else np.array(leaf)
    for part, by in (
        [(whole.real, step.real), (whole.imag, step.imag)] if checking.is_complex(leaf) else [(whole, step)]
    ):
        np.add(part, by.astype(part.dtype), out=part, where=by != 0)
    if not isinstance(leaf, np.ndarray):
        return type(leaf)(whole[()])
    whole.flags.writeable = leaf.flags.writeable
    return whole


def _with_zeros(back: Any, arg: Any) -> Any:
    """The cotangent of an argument, with zeros for the entries of parts without floats, which have one zero together."""
    if not isinstance(arg, tuple | list):
        return back
    if not _has_gradient(arg):
        return (0.0,) * len(checking.leaves(arg))
    return tuple(_with_zeros(one, part) for one, part in zip(back, arg, strict=True))


def _product(back: Any, parts: list[Any]) -> float:
    """The cotangents times a direction."""
    total = 0.0
    for leaf, part in zip(checking.leaves(back), parts, strict=True):
        if part is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                moved = part != 0
                total += float(np.sum(np.real(np.asarray(leaf)[moved] * part[moved])))
    return total
