"""Texts that are printed or raised: f-strings, and what `+`, `%`, `.format`, `str` and `repr` make of texts.

Python formats them when the program runs, also for compiled code, or while compiling if all of their parts are known. A text that a
variable holds until the next statement raises it is written into that statement.
"""

from __future__ import annotations

import ast
import copy
import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from backsweep.frontend.context.counted import refuse_text, whole_number
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.ir.nodes import Const, Operand
from backsweep.reading.names import is_data
from backsweep.runtime.support.object_mode import formatted

_CONVERSION = re.compile(r"%([-+ #0]*)(\d*)(\.\d+)?([diouxXeEfFgGsra%])")
"""A place of a pattern for `%`: flags, width, precision and the letter."""
_WHOLE = {"d": "d", "i": "d", "u": "d", "o": "o", "x": "x", "X": "X"}
"""The letters that make a whole number of their operand, with the letters of `str.format`."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A place in a text: the expression or the operand that it shows, and how."""

    shown: ast.expr | Operand
    conversion: str = ""
    spec: str = ""
    whole: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it shows a text as the text is."""
        return not self.spec and self.conversion in ("", "!s")


_Part = str | _Place


def text_of(lowerer: Lowerer, node: ast.expr) -> Operand | None:
    """The text that an expression makes; None for an expression that makes no text, or none that is known here."""
    parts = None if isinstance(node, ast.Constant) else _parts(lowerer, node)
    if parts is None:
        return None
    pattern, values = "", []
    for part in parts:
        if isinstance(part, str):
            pattern += part.replace("{", "{{").replace("}", "}}")
            continue
        shown = lowerer.lower(part.shown) if isinstance(part.shown, ast.expr) else part.shown
        number = whole_number(lowerer, shown)
        shown = shown if number is None else Const(number)
        if part.whole and number is None:
            shown = lowerer.call(Const(int), (shown,), {}, ast.Call(ast.Name("int"), [node], []))
        pattern += "{" + part.conversion + (f":{part.spec}" if part.spec else "") + "}"
        values.append(shown)
    if all(isinstance(each, Const) and is_data(each.value) for each in values):
        return Const(pattern.format(*(each.value for each in values if isinstance(each, Const))))
    return lowerer.apply(formatted, (Const(pattern), lowerer.make_tuple(tuple(values), node)), node)


def known_text(lowerer: Lowerer, node: ast.expr) -> Operand:
    """Lower a text that must be known, as the key of a dict."""
    found = text_of(lowerer, node)
    if not isinstance(found, Const):
        raise refuse_text(lowerer, node)
    return found


def makes_text(lowerer: Lowerer, node: ast.expr) -> bool:
    """Whether an expression makes a text by how it is written, but by `+`."""
    match node:
        case ast.JoinedStr() | ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod()):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="format")):
            return True
        case ast.Call(func=ast.Name(id="str" | "repr" as name), args=[_], keywords=[]):
            return _is_builtin(lowerer, node.func, name)
        case _:
            return False


def _parts(lowerer: Lowerer, node: ast.expr) -> list[_Part] | None:
    """The parts of a text, without lowering what it shows; None for what is no text."""
    match node:
        case ast.Constant(value=str() as text):
            return [text]
        case ast.JoinedStr():
            return [each for part in node.values for each in _part_of_literal(lowerer, part)]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            sides = _parts(lowerer, left), _parts(lowerer, right)
            if sides == (None, None):
                return None
            return [
                each
                for side, made in zip((left, right), sides, strict=True)
                for each in (_known_text(lowerer, side) if made is None else made)
            ]
        case ast.BinOp(left=ast.Constant(value=str() as pattern), op=ast.Mod(), right=right):
            return _percent(lowerer, pattern, right)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as pattern), attr="format")):
            return _replaced(lowerer, pattern, node)
        case ast.Call(func=ast.Name(id="str" | "repr" as name), args=[shown], keywords=[]):
            if isinstance(shown, ast.Starred) or not _is_builtin(lowerer, node.func, name):
                return None
            return [*_shown(lowerer, _Place(shown, "!r" if name == "repr" else "!s"))]
        case _:
            return None


def _is_builtin(lowerer: Lowerer, node: ast.expr, name: str) -> bool:
    """Whether the name of `str` or `repr` means what it means in Python."""
    function = lowerer.lower(node)
    return isinstance(function, Const) and function.value is {"str": str, "repr": repr}[name]


def _shown(lowerer: Lowerer, place: _Place) -> Iterator[_Part]:
    """A place, or in its place the parts of the text that it shows."""
    parts = _parts(lowerer, place.shown) if place.is_plain and isinstance(place.shown, ast.expr) else None
    yield from [place] if parts is None else parts


def _known_text(lowerer: Lowerer, node: ast.expr) -> list[_Part]:
    """What is added to a text and is none by how it is written: a variable that holds one."""
    found = lowerer.lower(node)
    if isinstance(found, Const) and isinstance(found.value, str):
        return [found.value]
    message = f"`{ast.unparse(node)}` is added to a text, and only the run knows it"
    raise lowerer.refuse("BS102", message, node, "write the text in one f-string")


def _part_of_literal(lowerer: Lowerer, part: ast.expr) -> Iterator[_Part]:
    """The parts of a piece of an f-string."""
    if not isinstance(part, ast.FormattedValue):
        if isinstance(part, ast.Constant):
            yield str(part.value)
        return
    spec = Const("") if part.format_spec is None else text_of(lowerer, part.format_spec)
    if not isinstance(spec, Const):
        message = "the format in an f-string depends on a value that is known only when the program runs"
        raise lowerer.refuse("BS102", message, part, "write the format out, as in {x:.3f}")
    conversion = "" if part.conversion < 0 else f"!{chr(part.conversion)}"
    yield from _shown(lowerer, _Place(part.value, conversion, spec.value))


def _percent(lowerer: Lowerer, pattern: str, right: ast.expr) -> list[_Part] | None:
    """The parts of `pattern % right`; None for a pattern that `str.format` does not know, or another number of operands."""
    found = list(_CONVERSION.finditer(pattern))
    literals = _CONVERSION.split(pattern)[:: _CONVERSION.groups + 1]
    if any("%" in each for each in literals):
        return None
    wanted = sum(each[4] != "%" for each in found)
    shown: list[ast.expr | Operand] = [right]
    if isinstance(right, ast.Tuple):
        if any(isinstance(each, ast.Starred) for each in right.elts):
            return None
        shown = [*right.elts]
    if len(shown) != wanted:
        return None
    parts: list[_Part] = [literals[0]]
    for match, literal in zip(found, literals[1:], strict=True):
        if match[4] == "%":
            parts.append("%")
        else:
            made = _converted(shown.pop(0), *match.groups())
            if made is None:
                return None
            parts += _shown(lowerer, made)
        parts.append(literal)
    return parts


def _converted(
    shown: ast.expr | Operand, flags: str, width: str, precision: str | None, letter: str
) -> _Place | None:
    """A place of a pattern for `%` as `str.format` writes it; None if it has no such form."""
    is_text = letter in "sra"
    is_whole = letter in _WHOLE
    if (is_whole and precision) or (is_text and set(flags) - {"-"}):
        return None
    spec = "<" if "-" in flags and width else (">" if is_text and width else "")
    spec += "+" if "+" in flags else (" " if " " in flags else "")
    spec += "#" if "#" in flags else ""
    spec += "0" if "0" in flags and "-" not in flags and width else ""
    spec += width + (precision or "")
    if is_text:
        return _Place(shown, f"!{letter}", spec)
    return _Place(shown, "", spec + _WHOLE.get(letter, letter), is_whole)


def _replaced(lowerer: Lowerer, pattern: str, node: ast.Call) -> list[_Part] | None:
    """The parts of `pattern.format(...)`; None if a field takes objects apart or a format has fields of its own."""
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    if None in named or any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    parts: list[_Part] = []
    try:
        fields = list(string.Formatter().parse(pattern))
    except ValueError:
        return None
    following = 0
    for literal, field, spec, conversion in fields:
        parts.append(literal)
        if field is None:
            continue
        if not field:
            field, following = str(following), following + 1
        number = int(field) if field.isdecimal() else -1
        shown = node.args[number] if 0 <= number < len(node.args) else named.get(field)
        if shown is None or "{" in (spec or ""):
            return None
        parts += _shown(lowerer, _Place(shown, f"!{conversion}" if conversion else "", spec or ""))
    return parts


def with_messages(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements with each text that the next statement raises written into that statement: `text = f"..."; raise E(text)`."""
    given = list(statements)
    elsewhere, raised = set[str](), set[str]()
    for each in given:
        _note_names(each, elsewhere, raised)
    if not raised - elsewhere:
        return given
    return _with_messages(copy.deepcopy(given), raised - elsewhere)


def _note_names(node: ast.AST, elsewhere: set[str], raised: set[str], *, is_raised: bool = False) -> None:
    """Note the names that are read in a statement that raises, and those that are read elsewhere."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        (raised if is_raised else elsewhere).add(node.id)
    if isinstance(node, ast.Global | ast.Nonlocal):
        elsewhere.update(node.names)
    inner = isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef)
    for each in ast.iter_child_nodes(node):
        in_raise = isinstance(node, ast.Raise) or is_raised
        _note_names(each, elsewhere, elsewhere if inner else raised, is_raised=in_raise)


def _with_messages(statements: list[ast.stmt], names: set[str]) -> list[ast.stmt]:
    """The statements of a block, with the texts of these variables written where they are raised."""
    made: list[ast.stmt] = []
    for each in statements:
        match made, each:
            case [*_, ast.Assign(targets=[ast.Name(id=name)], value=text)], ast.Raise(exc=ast.Call() as call):
                places = [
                    k for k, arg in enumerate(call.args) if isinstance(arg, ast.Name) and arg.id == name
                ]
                reads = [part for part in ast.walk(each) if isinstance(part, ast.Name) and part.id == name]
                if name in names and not isinstance(text, ast.Constant) and len(places) == len(reads) == 1:
                    made.pop()
                    call.args[places[0]] = text
            case _:
                pass
        made.append(each)
        if not isinstance(each, ast.FunctionDef | ast.ClassDef):
            _rewrite_blocks(each, names)
    return made


def _rewrite_blocks(node: ast.AST, names: set[str]) -> None:
    """Write messages where they are raised in the blocks of a statement."""
    for field, value in ast.iter_fields(node):
        if not isinstance(value, list):
            continue
        if value and isinstance(value[0], ast.stmt):
            setattr(node, field, _with_messages(value, names))
        for each in value:
            if isinstance(each, ast.excepthandler | ast.match_case):
                _rewrite_blocks(each, names)
