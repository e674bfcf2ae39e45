"""What random programs of containers and objects are made of: for each subject, how it begins, expressions and statements.

In the texts, `<n>` stands for a number, `<k>` for a whole number from 0 to 3, `<l>` for a literal key, `<t>` for a condition,
`<o>` for an object, `<c>` for a constant. Each is drawn anew. `mark(v)` gives v and notes when it was called.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Subject:
    """A kind of container or of object: statements before all others, inner functions, expressions, statements, what is returned."""

    begin: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    wholes: tuple[str, ...] = ()
    truths: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    end: tuple[str, ...] = ()


ALWAYS = Subject(
    begin=("order = 0.0", "s = x + 0.3", "t = y * 0.7"),
    inner=("def mark(v):\n    nonlocal order\n    order = order * 0.5 + v\n    return v",),
    numbers=(
        "x",
        "y",
        "s",
        "t",
        "a[<k>]",
        "<c>",
        "mark(<n>)",
        "mark(<n>)",
        "(<n> + <n>)",
        "(<n> - <n>)",
        "(<n> * <n>)",
        "math.sin(<n>)",
        "(s := math.sin(<n>))",
        "(<n> if <t> else <n>)",
        "max(<n>, <n>)",
        "(lambda v: v * <n>)(<n>)",
    ),
    wholes=("0", "1", "2", "3", "int(mark(<k>))", "int(2.5 * abs(math.sin(<n>)))", "(2 if <t> else <k>)"),
    truths=("<n> < <n>", "<n> > <n>", "(<t> and <t>)", "(<t> or <t>)", "not (<t>)", "<n> < <n> < <n>"),
    statements=(
        "s = math.sin(<n>)",
        "t += math.sin(<n>)",
        "s = t = math.sin(<n>)",
        "s, t = t, math.sin(<n>)",
        "s, *rest = <n>, <n>, <n>\nt = math.sin(rest[-1] - rest[0])",
    ),
    end=("order", "2.0 * s", "3.0 * t"),
)

LITERAL = Subject(
    begin=("d = {'a': x, 'b': y * 2.0, 'c': <c>}",),
    inner=("def put(v):\n    d['a'] = d['a'] * 0.5 + v\n    return d['b'] * v",),
    numbers=(
        "d['a']",
        "d['b']",
        "d[<l>]",
        "d.get(<l>, <n>)",
        "d.get('z', <n>)",
        "put(math.sin(<n>))",
        "sum(d.values())",
        "sum(v * len(k) for k, v in d.items())",
        "len(d) * <n>",
        "max(d.values())",
        "d.setdefault(<l>, <n>)",
        "{**d, 'a': <n>}['a']",
        "dict(a=<n>, b=<n>)['b']",
        "d[max(d, key=d.get)]",
    ),
    truths=("<l> in d", "'z' not in d", "d"),
    statements=(
        "d[<l>] = <n>",
        "d[<l>] += <n>",
        "d[<l>] -= math.sin(<n>)",
        "d['a'] *= put(<n>)",
        "d['a'], d['b'] = d['b'], <n>",
        "d['a'] = s = math.sin(<n>)",
        "s = d['b'] = math.sin(<n>)",
        "d.update(a=<n>, b=<n>)",
        "d.update({<l>: <n>})",
        "d['e'] = <n>\nt = d.pop('e') * <n>",
        "t = math.sin(d.pop('z', <n>))",
        "for k, v in d.items():\n    s = s * 0.5 + v",
        "for k in d:\n    d[k] = math.sin(d[k] + <n>)",
        "e = {**d, <l>: <n>}\ns = math.sin(sum(e.values()))",
        "e = d | {<l>: <n>}\ns = math.sin(sum(e.values()))",
        "e = {k: math.sin(v) for k, v in d.items()}\ns = e['a'] - e['b']",
        "d |= {<l>: <n>}",
        "e = dict(d)\ne['a'] = <n>\nt = math.sin(e['a'] - d['a'])",
        "e = d.copy()\nd['a'] = <n>\nt = math.sin(e['a'] - d['a'])",
    ),
    end=("d['a']", "2.0 * d['b']", "sum(d.values())"),
)

COMPUTED = Subject(
    begin=("e = {}", "for k in range(3):\n    e[k] = a[k] * (k + 1.0)"),
    inner=("def fill(k, v):\n    e[k] = v\n    return len(e) * v",),
    numbers=(
        "e[<k>]",
        "e.get(<k>, <n>)",
        "e.get(mark(<k>), mark(<n>))",
        "e.setdefault(<k>, <n>)",
        "fill(<k>, math.sin(<n>))",
        "sum(e.values())",
        "sum(k * v for k, v in e.items())",
        "len(e) * <n>",
        "max(e.values())",
        "e.pop(<k>, <n>)",
        "e[max(e, key=e.get)]",
    ),
    truths=("<k> in e", "<k> not in e", "e", "mark(<k>) in e"),
    wholes=("len(e) % 4", "max(e)", "min(e)"),
    statements=(
        "e[<k>] = <n>",
        "e[<k>] += <n>",
        "e[mark(<k>)] = mark(<n>)",
        "e[mark(<k>)] += mark(<n>)",
        "e[<k>] = s = math.sin(<n>)",
        "s = e[<k>] = math.sin(<n>)",
        "e[0], e[1] = e[1], <n>",
        "e[0] *= fill(0, <n>)",
        "e[<k>] += e.pop(<k>, <n>)",
        "e.update({<k>: <n>})",
        "e.update({<k>: <n>, <k>: <n>})",
        "if <k> in e:\n    del e[<k>]",
        "t = math.sin(e.pop(<k>, <n>))",
        "for k, v in e.items():\n    s = s * 0.5 + v * k",
        "for k in e:\n    e[k] = math.sin(e[k] + <n>)",
        "for k in list(e):\n    if e[k] < <n>:\n        del e[k]",
        "for k in sorted(e):\n    s = s * 0.5 + e[k]",
        "e = {k: math.sin(v) for k, v in e.items() if v > <n>}",
        "f = {**e, <k>: <n>}\ns = math.sin(sum(f.values()))",
        "f = e | {<k>: <n>}\ns = math.sin(sum(f.values()))",
        "f = dict(e)\nf[<k>] = <n>\nt = math.sin(sum(f.values()) - sum(e.values()))",
    ),
    end=("sum(k * v for k, v in e.items())", "sum(e.values())", "len(e)"),
)

COUNTED = Subject(
    begin=("c = collections.Counter()", "g = collections.defaultdict(float)", "c[1] += 2", "g[1] += x"),
    numbers=(
        "c[<k>] * <n>",
        "g[<k>]",
        "sum(g.values())",
        "sum(c.values()) * <n>",
        "len(c) * <n>",
        "g.get(<k>, <n>)",
    ),
    truths=("<k> in c", "<k> in g", "c[<k>] > 1"),
    wholes=("c[<k>] % 4",),
    statements=(
        "c[<k>] += 1",
        "c[mark(<k>)] += int(mark(<k>))",
        "g[<k>] += <n>",
        "g[mark(<k>)] += mark(<n>)",
        "g[<k>] = math.sin(g[<k>] + <n>)",
        "c.update([<k>, <k>, <k>])",
        "c += collections.Counter([<k>, <k>])",
        "for k in (<k>, <k>, <k>):\n    g[k] += <n>",
        "for k, v in c.items():\n    s = s * 0.5 + k * v",
        "c = collections.Counter([<k>, <k>, <k>])",
    ),
    end=("sum(k * v for k, v in c.items())", "sum((k + 1) * v for k, v in g.items())", "len(g)", "len(c)"),
)

GROUPED = Subject(
    begin=("h = collections.defaultdict(list)", "h[<k>].append(x)"),
    numbers=("sum(h[<k>])", "len(h[<k>]) * <n>", "sum(sum(v) for v in h.values())"),
    truths=("<k> in h", "h[<k>]"),
    statements=(
        "h[<k>].append(<n>)",
        "h[mark(<k>)].append(mark(<n>))",
        "for v in a:\n    h[int(3.0 * v)].append(v)",
        "for k, v in h.items():\n    s = s * 0.5 + k * sum(v)",
    ),
    end=("sum(k * sum(v) for k, v in h.items())", "len(h)"),
)

SETS = Subject(
    begin=("z = set()", "z.add(<k>)", "z.add(1)"),
    inner=("def join(k, v):\n    z.add(k)\n    return len(z) * v",),
    numbers=("len(z) * <n>", "sum(z) * <n>", "join(<k>, <n>)", "min(z) * <n>"),
    truths=("<k> in z", "<k> not in z", "z", "<k> in {1, 3}", "len(z) > 2"),
    wholes=("len(z) % 4", "min(z)", "max(z)"),
    statements=(
        "z.add(<k>)",
        "z.update((<k>, <k>))",
        "z.discard(<k>)",
        "if <k> in z:\n    z.remove(<k>)\n    z.add(<k>)",
        "for k in (<k>, <k>):\n    if k not in z:\n        z.add(k)\n        s = s * 0.5 + <n>",
        "for k in sorted(z):\n    s = s * 0.5 + k * <n>",
        "z = {<k>, <k>}",
        "z = {k + <k> for k in range(3)}",
        "z |= {<k>}",
    ),
    end=("sum(z)", "len(z)"),
)

QUEUES = Subject(
    begin=("q = collections.deque([x, y])", "r = collections.deque(maxlen=2)", "r.append(y)"),
    inner=("def push(v):\n    if len(q) < 9:\n        q.append(v)\n    return q[0] * v",),
    numbers=(
        "q[0]",
        "q[-1]",
        "r[0]",
        "sum(q)",
        "len(q) * <n>",
        "sum(r) * <n>",
        "push(math.sin(<n>))",
        "(q.popleft() if len(q) > 1 else <n>)",
        "(q.pop() if len(q) > 1 else <n>)",
    ),
    truths=("q", "len(r) > 1"),
    statements=(
        "q.append(<n>)",
        "q.appendleft(<n>)",
        "r.append(<n>)",
        "r.append(mark(<n>))",
        "q.extend((<n>, <n>))",
        "q.extendleft((<n>, <n>))",
        "q[0] = <n>",
        "q[-1] += <n>",
        "q[0] *= push(<n>)",
        "q.rotate(<k>)",
        "if len(q) > 1:\n    s = math.sin(q.popleft() - q.pop())\n    q.append(s)",
        "while len(q) > 2:\n    s = s * 0.5 + q.popleft()",
        "for v in q:\n    s = s * 0.5 + v",
        "for v in list(q):\n    q.append(v * 0.5)",
    ),
    end=("sum(v * k for k, v in enumerate(q))", "2.0 * sum(r)", "q[0]", "len(q)"),
)

LISTS = Subject(
    begin=("p = [x, y, x * y]",),
    inner=("def add(v):\n    if len(p) < 9:\n        p.append(v)\n    return p[0] * v",),
    numbers=(
        "p[0]",
        "p[-1]",
        "p[<k> % len(p)]",
        "sum(p)",
        "len(p) * <n>",
        "add(math.sin(<n>))",
        "(p.pop() if len(p) > 1 else <n>)",
        "max(p)",
        "sum([v * <n> for v in p])",
        "sum(v * <n> for v in p if v > <n>)",
        "[<n>, <n>, <n>][<k> % 3]",
        "(<n>, <n>)[1]",
        "sorted([<n>, <n>, <n>])[<k> % 3]",
    ),
    truths=("p", "len(p) > 3", "any(v > <n> for v in p)", "all([v > <n> for v in p])"),
    statements=(
        "p.append(<n>)",
        "p[0] = <n>",
        "p[-1] += <n>",
        "p[<k> % len(p)] = <n>",
        "p[<k> % len(p)] += add(<n>)",
        "p[0], p[1 % len(p)] = p[-1], <n>",
        "p[0] = s = math.sin(<n>)",
        "p += [<n>, <n>]",
        "p = [<n>, *p]",
        "p = [math.sin(v) for v in p]",
        "p.insert(0, <n>)",
        "p.extend([<n>, <n>])",
        "p.reverse()",
        "p[1:] = [<n>, <n>]",
        "first, *rest = p\ns = math.sin(first + sum(rest))",
        "*rest, last = <n>, <n>, <n>\ns = math.sin(last - rest[0])",
        "for v in p:\n    s = s * 0.5 + v",
        "for k, v in enumerate(p):\n    p[k] = math.sin(v + <n>)",
        "s = math.sin(sum(u * v for u, v in zip(p, (<n>, <n>))))",
        "s = t = math.sin(p.pop() if len(p) > 1 else <n>)",
    ),
    end=("sum(v * k for k, v in enumerate(p))", "p[0]", "len(p)"),
)

STEPS = Subject(
    inner=(
        "def steps(n, v):\n    for k in range(n):\n        if v > <c> * 2.0:\n            return\n        yield v\n        v = v * 1.3 + 0.1 * k",
        "def twice(v):\n    yield v\n    yield from steps(2, v * 0.5)",
    ),
    numbers=(
        "sum(steps(<k>, <n>))",
        "max(steps(3, 0.1))",
        "next(steps(2, math.sin(<n>) * 0.1))",
        "sum(v * v for v in steps(3, <n>))",
        "sum([v * <n> for v in twice(<n>)])",
        "next((v for v in a if v > <n>), <n>)",
        "sum(map(lambda v: v * <n>, a))",
        "len(list(steps(<k>, <n>))) * <n>",
    ),
    truths=("any(v > 0.5 for v in steps(3, <n>))", "<n> in steps(2, 0.1)"),
    statements=(
        "for v in steps(<k>, <n>):\n    s = s * 0.5 + v",
        "for v in twice(<n>):\n    t = t * 0.5 + v\n    if t > <n>:\n        break",
        "for k, v in enumerate(steps(3, <n>)):\n    s = s * 0.5 + k * v",
        "for u, v in zip(steps(3, <n>), a):\n    s = s * 0.5 + u * v",
        "i = iter(a)\ns = next(i) - math.sin(next(i))",
        "i = steps(3, 0.1 * x)\ns = next(i) + 2.0 * next(i)",
        "u, *rest = twice(<n>)\ns = math.sin(u + sum(rest))",
        "total = 0.0\nfor v in a:\n    total += v\n    if total > <n>:\n        s = total\n        break\nelse:\n    t = math.sin(total)",
    ),
)

GUARDS = Subject(
    statements=(
        "try:\n    s = math.sin(<n>)\nfinally:\n    t = t * 0.5 + s",
        "try:\n    if <t>:\n        raise ValueError('no')\n    s = math.sin(<n>)\nexcept ValueError:\n    t = math.sin(<n>)",
        "if (w := <n>) > <n>:\n    s = s * 0.5 + w",
        "s = math.sin(s + (w := <n>) * w)",
        "t = math.sin([v for v in a if (w := v * <n>) > 0.1][0] if a[0] > 0.2 and y > 0.1 else <n>)",
        "w = 0.0\nt = sum([(w := w * 0.5 + v) for v in a])\ns = math.sin(w)",
        "n = 0\nwhile (n := n + 1) < 3 and <t>:\n    s = s * 0.5 + <n>",
    ),
)

SUBJECTS = {
    "literal": LITERAL,
    "computed": COMPUTED,
    "counted": COUNTED,
    "grouped": GROUPED,
    "sets": SETS,
    "queues": QUEUES,
    "lists": LISTS,
    "steps": STEPS,
    "guards": GUARDS,
}
"""By name; objects are another one, whose expressions depend on the methods of their class (`classes.py`)."""
