"""Vector mathematics: glibc's libmvec computes `exp`, `sin` and others for several elements of a loop at once.

LLVM's vectoriser turns a loop into one over vectors if it knows a vector form of every function that the loop calls. Numba
names none. So before a library of machine code is optimised, each call of such a function gets the attribute that lists
its forms in libmvec, and nothing else changes: the source still reads `np.exp(x)`, and where there is no libmvec (macOS,
Windows, musl, other processors) the same source calls the scalar function.

Machine code that was kept refers to libmvec by name, and crashes where it is not loaded. So it is loaded with this module, and
`mark` is part of the key of kept machine code.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

import llvmlite.binding as llvm
from numba.core import config
from numba.core.registry import cpu_target

VARIABLE = "BACKSWEEP_VECTOR_MATH"
"""The environment variable that switches vector mathematics off (0)."""
LIBRARY = "libmvec.so.1"
_UNARY = "acos acosh asin asinh atan atanh cos cosh erf exp exp2 expm1 log log10 log1p log2 sin sinh tan tanh"
_BINARY = "atan2 hypot pow"
FUNCTIONS = {
    f"{name}{suffix}": (type_, size, arity)
    for names, arity in ((_UNARY, 1), (_BINARY, 2))
    for name in names.split()
    for suffix, type_, size in (("", "double", 8), ("f", "float", 4))
}
"""The C functions whose vector forms are within 4 units in the last place: LLVM's type, its bytes, and the number of arguments."""
_WIDTHS = (("e", "avx512f", 64), ("d", "avx2", 32), ("c", "avx", 32), ("b", "sse2", 16))
"""The vectors of x86-64: the letter in the names of functions, the feature of the processor, the bytes."""
_CALL = re.compile(r"\bcall (?P<flags>[^@\n]*?)(?:double|float) @(?P<name>[a-z0-9.]+)\(")
_USED = re.compile(
    r"^@llvm\.compiler\.used = appending global \[\d+ x ptr\] \[(?P<items>[^\]]*)\].*\n", re.MULTILINE
)


def _loaded() -> bool:
    """Whether libmvec is there; if so it is loaded, and its functions can be called by name from machine code."""
    if llvm.llvm_version_info < (17,) or not llvm.get_process_triple().startswith("x86_64"):
        return False
    try:
        llvm.load_library_permanently(LIBRARY)
    except RuntimeError:
        return False
    return True


AVAILABLE = _loaded()


def is_wanted() -> bool:
    """Whether code that is compiled now may call libmvec."""
    return AVAILABLE and not config.USING_SVML and os.environ.get(VARIABLE, "1") != "0"


def mark() -> str:
    """What machine code depends on: the functions of libmvec that it may call."""
    return repr(_variants(_features())) if is_wanted() else ""


def _features() -> frozenset[str]:
    """The features of the processor that Numba compiles for."""
    _, _, names = cpu_target.target_context.codegen().magic_tuple()
    return frozenset(each.removeprefix("+") for each in names.split(",") if each.startswith("+")) | {"sse2"}


@functools.cache
def _variants(features: frozenset[str]) -> dict[str, dict[int, str]]:
    """The vector forms of each function: their names, by how many elements they take."""
    found = {}
    for name, (_, size, arity) in FUNCTIONS.items():
        forms: dict[int, str] = {}
        for letter, feature, width in _WIDTHS:
            symbol = f"_ZGV{letter}N{width // size}{'v' * arity}_{name}"
            if feature in features and llvm.address_of_symbol(symbol):
                forms.setdefault(width // size, symbol)
        if forms:
            found[name] = forms
    return found


def calls_any(module: Any) -> bool:
    """Whether an LLVM module calls a function that may have vector forms."""
    return any(each.is_declaration and _in_c(each.name) in FUNCTIONS for each in module.functions)


def with_vector_forms(text: str) -> str:
    """The text of an LLVM module with the vector forms of the functions that it calls."""
    variants = _variants(_features())
    first = 1 + max(map(int, re.findall(r"^attributes #(\d+)", text, re.MULTILINE)), default=0)
    groups: dict[str, int] = {}
    parts, at = [], 0
    for call in _CALL.finditer(text):
        name, close = _in_c(call["name"]), _closing(text, call.end())
        if name not in variants or _is_root(name, call["flags"], text[call.end() : close]):
            continue
        group = groups.setdefault(name, first + len(groups))
        parts += [text[at : call.start("name")], name, text[call.end("name") : close], f" #{group}"]
        at = close
    if not groups:
        return text
    whole = "".join([*parts, text[at:]])
    forms = {name: variants[name] for name in groups}
    lines = [*_attributes(groups, forms), *_declarations(whole, forms), _used(whole, forms)]
    return "\n".join([_USED.sub("", whole), *lines, ""])


def _attributes(groups: Mapping[str, int], forms: Mapping[str, Mapping[int, str]]) -> Iterator[str]:
    """The groups of attributes of the calls: they set no error number, and which vector forms they have."""
    for name, group in groups.items():
        arity = FUNCTIONS[name][2]
        names = ",".join(
            f"_ZGV_LLVM_N{lanes}{'v' * arity}_{name}({form})" for lanes, form in forms[name].items()
        )
        said = f'"vector-function-abi-variant"="{names}"'
        yield f"attributes #{group} = {{ nounwind willreturn memory(none) {said} }}"


def _declarations(text: str, forms: Mapping[str, Mapping[int, str]]) -> Iterator[str]:
    """The functions and their vector forms, unless the module declares them."""
    declared = set(re.findall(r"^(?:declare|define) [^@\n]*@(\w+)\(", text, re.MULTILINE))
    for name, vectors in forms.items():
        type_, _, arity = FUNCTIONS[name]
        wanted = [(name, type_), *((form, f"<{lanes} x {type_}>") for lanes, form in vectors.items())]
        for function, operand in wanted:
            if function not in declared:
                yield f"declare {operand} @{function}({', '.join([operand] * arity)})"


def _used(text: str, forms: Mapping[str, Mapping[int, str]]) -> str:
    """Keep the vector forms: nothing refers to them before the loops are vectorised, and LLVM would drop them."""
    known = _USED.search(text)
    items = dict.fromkeys(known["items"].split(", ") if known else ())
    items.update(dict.fromkeys(f"ptr @{form}" for vectors in forms.values() for form in vectors.values()))
    names = f"[{len(items)} x ptr] [{', '.join(items)}]"
    return f'@llvm.compiler.used = appending global {names}, section "llvm.metadata"'


def _in_c(name: str) -> str:
    """The C function that a function of LLVM's stands for: `exp` for `llvm.exp.f64`."""
    if not name.startswith("llvm."):
        return name
    _, function, *types = name.split(".")
    return f"{function}f" if types == ["f32"] else function


def _is_root(name: str, flags: str, operands: str) -> bool:
    """Whether it is a power with a constant exponent that LLVM may compute as a root, under `fastmath`."""
    constant = "%" not in operands.rpartition(",")[2]
    return name.startswith("pow") and constant and any(flag in flags.split() for flag in ("fast", "afn"))


def _closing(text: str, start: int) -> int:
    """The place behind the bracket that closes the arguments that begin here."""
    depth, at = 1, start
    while depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at
