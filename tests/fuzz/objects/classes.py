"""Random classes with operators, containers' methods and properties of their own, and expressions that use what they have."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.fuzz.objects.templates import Subject

HEADS = {
    "plain": "class {name}:\n    size = 2.0\n    def __init__(self, u, v=0.5):\n        self.u = u\n        self.v = v\n        self.n = 0.0\n",
    "dataclass": (
        "@dataclasses.dataclass\nclass {name}:\n    u: float\n    v: float = 0.5\n    n: float = 0.0\n"
        "    size: typing.ClassVar[float] = 2.0\n"
    ),
    "namedtuple": "class {name}(typing.NamedTuple):\n    u: float\n    v: float = 0.5\n",
}
DERIVED = "class {name}({base}):\n    size = 3.0\n"
COUNT = "self.n = self.n * 0.5 + {c}"
"""What a method does beside what it returns: nothing where objects cannot change."""


@dataclass(frozen=True)
class Method:
    """A method in its variants, and the expressions and statements that it makes possible; `reads` are methods it needs."""

    name: str
    variants: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    truths: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    changes: bool = False
    decorator: str = ""


GIVEN = "isinstance(other, A)"
METHODS = (
    Method(
        "__add__(self, other)",
        (
            f"if {GIVEN}:\n    return A(self.u + other.u, self.v * {{c}})\nreturn A(self.u + other, self.v)",
            f"if not {GIVEN}:\n    return NotImplemented\nreturn type(self)(self.u + other.u, {{c}})",
            f"return self.__class__(self.u + (other.u if {GIVEN} else other), self.v)",
        ),
        objects=("(<o> + <o>)", "(<o> + <o>)", "(<o> + <n>)"),
        statements=("p += <o>", "p = q = <o> + <o>"),
    ),
    Method(
        "__radd__(self, other)",
        (
            f"return A({{c}} + (other.u if {GIVEN} else other), self.u)",
            f"if {GIVEN}:\n    return B(other.u * {{c}}, self.v)\nreturn A(self.u * {{c}} + other, self.v)",
        ),
        objects=("(<n> + <o>)", "(<o> + <o>)", "sum([<o>, <o>], <o>)"),
        numbers=("sum([<o>, <o>]).u",),
    ),
    Method(
        "__iadd__(self, other)",
        (
            f"self.u += (other.u if {GIVEN} else other) * {{c}}\nreturn self",
            f"self.v = self.v + {{c}}\nreturn A(self.u, other.v if {GIVEN} else other)",
        ),
        statements=("p += <o>", "q += <n>", "p += <n>", "p.u += <n>"),
        changes=True,
    ),
    Method(
        "__mul__(self, other)",
        (
            f"return A(self.u * (other.u if {GIVEN} else other), self.v)",
            f"if {GIVEN}:\n    return self.u * other.u + self.v * other.v\nreturn B(self.u * other, self.v)",
        ),
        objects=("(<o> * <n>)",),
        statements=("p *= <n>",),
    ),
    Method(
        "__rmul__(self, other)",
        ("return A(self.u * other, self.v - {c})", "return B(other - self.u, self.v)"),
        objects=("(<n> * <o>)",),
    ),
    Method(
        "__sub__(self, other)",
        (f"if {GIVEN}:\n    return A(self.u - other.u, self.v)\nreturn NotImplemented",),
        objects=("(<o> - <o>)",),
        statements=("p -= <o>",),
    ),
    Method(
        "__rsub__(self, other)",
        ("return A({c}, self.v)", f"return A((other.u if {GIVEN} else other) - self.u, {{c}})"),
        objects=("(<n> - <o>)",),
    ),
    Method("__neg__(self)", ("return type(self)(-self.u, self.v)",), objects=("(-<o>)",)),
    Method(
        "__eq__(self, other)",
        (
            f"return {GIVEN} and self.u * {{c}} < other.u",
            f"return self.v == other.v if {GIVEN} else NotImplemented",
        ),
        truths=("<o> == <o>", "<o> != <o>", "p == q", "p != q", "p in (q, <o>)", "p == <n>"),
    ),
    Method(
        "__lt__(self, other)",
        (f"return self.u * {{c}} < (other.u if {GIVEN} else other)",),
        truths=("<o> < <o>", "<o> > <o>", "p < <n>", "p > <n>"),
        objects=("max(<o>, <o>)", "min(<o>, <o>)", "sorted([<o>, <o>])[0]"),
    ),
    Method("__le__(self, other)", ("return self.u <= other.u",), truths=("<o> <= <o>", "<o> >= <o>")),
    Method(
        "__bool__(self)",
        ("return self.u > {c}", "return self.u > 0.0 and self.v > {c}"),
        truths=("<o>", "p", "bool(q)", "not <o>", "(p and <t>)"),
        objects=("(<o> or <o>)", "(<o> and <o>)"),
    ),
    Method(
        "__len__(self)",
        ("return 2 if self.u > {c} else 0",),
        numbers=("len(<o>) * <n>",),
        truths=("<o>", "p", "not q"),
    ),
    Method(
        "__getitem__(self, k)",
        (
            "return self.u if k == 0 else self.v",
            "return (self.u, self.v, {c})[k % 3]",
            "return self.u * k + self.v",
        ),
        numbers=("<o>[<k>]", "p[1]", "p[mark(<k>)]"),
    ),
    Method(
        "__setitem__(self, k, v)",
        ("if k == 0:\n    self.u = v\nelse:\n    self.v = v * {c}", "self.u = self.u * 0.5 + v * k"),
        statements=("p[<k>] = <n>", "q[mark(<k>)] = mark(<n>)", "p[0] = q[1] = <n>", "p[0], q[0] = <n>, <n>"),
        changes=True,
    ),
    Method(
        "__contains__(self, v)",
        ("return v > {c} * self.u",),
        truths=("<n> in <o>", "<n> not in p", "mark(<n>) in q"),
    ),
    Method(
        "__iter__(self)",
        ("yield self.u\nyield self.v", "return iter((self.u, self.v, {c}))"),
        numbers=("sum(<o>)", "max(<o>)", "sum(v * <n> for v in p)", "sum([v * <n> for v in q])"),
        truths=("<n> in <o>", "p.u in p"),
        statements=("for v in <o>:\n    s = s * 0.5 + v", "s, t, *_ = <o>\ns = math.sin(s)"),
    ),
    Method(
        "__call__(self, w, k=1.0)",
        ("return self.u * w + self.v * k",),
        numbers=("<o>(<n>)", "p(<n>, k=<n>)", "q(k=<n>, w=<n>)"),
        objects=(),
    ),
    Method("__abs__(self)", ("return abs(self.u) + {c}",), numbers=("abs(<o>)",)),
    Method("__float__(self)", ("return self.u * 1.0",), numbers=("float(<o>)",)),
    Method(
        "area(self)",
        ("return self.u * self.size", "return self.u * self.v + {c}"),
        numbers=("<o>.area", "p.area"),
        decorator="property",
    ),
    Method(
        "grown(self, by=0.5)",
        ("return type(self)(self.u * by, self.v)", "return A(self.u + by, self.v)"),
        objects=("<o>.grown()", "<o>.grown(<n>)", "<o>.grown(by=<n>)"),
    ),
    Method(
        "push(self, w)",
        ("self.u = self.u * 0.5 + w\nreturn self", "self.v += w\nreturn self"),
        objects=("p.push(<n>)", "q.push(<n>)"),
        changes=True,
    ),
    Method(
        "made(cls, w)",
        ("return cls(w, {c})", "return cls(w * cls.size)"),
        objects=("A.made(<n>)", "B.made(<n>)", "p.made(<n>)"),
        decorator="classmethod",
    ),
    Method(
        "half(w)",
        ("return w * {c}",),
        numbers=("A.half(<n>)", "p.half(<n>)", "B.half(<n>)"),
        decorator="staticmethod",
    ),
    Method("__enter__(self)", ("self.u += {c}\nreturn self",), changes=True),
)
OBJECTS = ("p", "p", "q", "q", "A(<n>, <n>)", "B(<n>)", "A(v=<n>, u=<n>)", "objects[0]", "(p if <t> else q)")
"""Expressions for objects of every class."""
SETTER = "@area.setter\ndef area(self, w):\n    self.u = w * {c}"
EXIT = "def __exit__(self, *_):\n    self.v = self.v * 0.5 + {c}"


def indented(text: str, depth: int = 1) -> str:
    """The text with each line further to the right."""
    return "".join(f"{'    ' * depth}{line}\n" for line in text.splitlines())


def constant(rng: random.Random) -> str:
    """A number as text."""
    return f"{rng.uniform(0.2, 1.4):.2f}"


def written(rng: random.Random, method: Method, *, changeable: bool) -> str:
    """The method as text, in one of its variants."""
    body = rng.choice(method.variants)
    if changeable and method.name.startswith("_") and rng.random() < 0.3:
        body = f"{COUNT}\n{body}"
    body = body.replace("{c}", constant(rng))
    head = f"@{method.decorator}\n" if method.decorator else ""
    return indented(f"{head}def {method.name}:\n{indented(body)}")


def classes(rng: random.Random) -> tuple[tuple[str, ...], Subject]:
    """The texts of a class `A` and a class `B` that may be derived from it, and what programs do with their objects."""
    kind = rng.choice(("plain", "plain", "dataclass", "namedtuple"))
    changeable = kind != "namedtuple"
    chosen = [each for each in METHODS if (changeable or not each.changes) and rng.random() < 0.3]
    if not changeable:
        chosen = [
            each
            for each in chosen
            if each.name not in ("__len__(self)", "__iter__(self)", "__getitem__(self, k)")
        ]
    text = HEADS[kind].format(name="A") + "".join(
        written(rng, each, changeable=changeable) for each in chosen
    )
    names = [each.name.partition("(")[0] for each in chosen]
    statements = [line for each in chosen for line in each.statements]
    if "area" in names and changeable and rng.random() < 0.6:
        text += indented(SETTER.replace("{c}", constant(rng)))
        statements += ["p.area = <n>", "q.area += <n>"]
    if "__enter__" in names:
        text += indented(EXIT.replace("{c}", constant(rng)))
        statements.append("with <o> as w:\n    s = s * 0.5 + w.u")
    derived = changeable and rng.random() < 0.8
    second = DERIVED.format(name="B", base="A") if derived else "B = A\n"
    if derived:
        again = [each for each in chosen if rng.random() < 0.4]
        more = [each for each in METHODS if each not in chosen and rng.random() < 0.1]
        second += "".join(written(rng, each, changeable=True) for each in (*again, *more))
        if kind == "plain" and rng.random() < 0.4:
            second += indented(
                f"def __init__(self, u, v=0.3):\n    super().__init__(u * {constant(rng)}, v)\n    self.n = {constant(rng)}"
            )
        if kind == "plain" and rng.random() < 0.3 and "grown" in names:
            second += indented(f"def grown(self, by=0.4):\n    return super().grown(by * {constant(rng)})")
    if kind == "dataclass" and rng.random() < 0.3:
        text += indented(f"def __post_init__(self):\n    self.v = self.v * {constant(rng)}")
    if changeable:
        statements += [
            "p.u = <n>",
            "q.v += <n>",
            "p.u, q.u = q.u, <n>",
            "p.u = s = math.sin(<n>)",
            "p.n = p.n + <n>",
        ]
        statements += ["r = p\nr.u = <n>", "q = p", "p.size = <n>"]
    if kind == "namedtuple":
        statements += ["p = p._replace(u=<n>)", "s, t = p", "t = math.sin(p[0] - q[-1])"]
    statements += [
        "p = <o>",
        "q = <o>",
        "for _ in range(2):\n    p = <o>",
        "s = math.sin(sum([r.u * <n> for r in (<o>, <o>)]))",
    ]
    numbers = ["<o>.u", "p.u", "q.v", "p.size" if changeable else "p.v", "A.size" if changeable else "q.u"]
    numbers += ["p.n"] if changeable else []
    subject = Subject(
        begin=("p = A(x)", "q = B(y, x * 0.5)", "objects = [A(x, y), B(y)]"),
        numbers=(*numbers, *(line for each in chosen for line in each.numbers)),
        objects=(*OBJECTS, *(line for each in chosen for line in each.objects)),
        truths=(
            "isinstance(<o>, B)",
            "p is q",
            *(line for each in chosen for line in each.truths),
        ),
        statements=(
            *statements,
            "objects.append(<o>)",
            "objects[0] = <o>",
            "for r in objects:\n    s = s * 0.5 + r.u",
        ),
        end=(
            "p.u",
            "2.0 * p.v",
            "3.0 * q.u",
            "q.v",
            "sum([r.u for r in objects])",
            *(["p.n", "q.n"] if changeable else []),
        ),
    )
    return (text, second), subject
