"""Helpers that store under a guard, called several times: clipping, swaps, stacks, ring buffers, records of the best."""

from __future__ import annotations

import random

from tests.fuzz.program import Line, Statement, Suite
from tests.fuzz.typed.expressions import bounded, index, truth, whole
from tests.fuzz.typed.scope import Scope


def helpers(rng: random.Random) -> tuple[str, ...]:
    """`draw` and `clip` store under a guard; `order` and `sift` swap; `push` and `pop` keep a stack, `turn` a ring buffer;
    `note` keeps the best with its place; `bump` counts within bounds; `settle` stores in one of two arrays.
    """
    limit = f"{rng.uniform(0.3, 1.2):.3f}1"
    taken = rng.choice(["s[0] - {l}", "s[0] * 0.5", "s[0] - 0.5 * s[0] * s[0]", "math.sin(s[0])"]).format(
        l=limit
    )
    draw = f"def draw(s):\n    if s[0] > {limit}:\n        {rng.choice([f's[0] = {taken}', 's[0] -= 0.3', 's[0] *= 0.5'])}\n"
    draw += rng.choice(
        [
            "",
            "    else:\n        s[0] = s[0] * 1.5 + 0.1\n",
            f"    elif s[0] < 0.3:\n        s[0] += {limit}\n",
        ]
    )
    draw += f"    return {rng.choice(['s[0] * s[0]', 's[0]', 'math.cos(s[0])', 's[0] * s[-1]'])}\n"
    exchange = rng.choice(
        [
            "t = a[i]\n        a[i] = a[j]\n        a[j] = t",
            "a[i], a[j] = a[j], a[i]",
            "t = a[j]\n        a[j] = a[i]\n        a[i] = t * 1.1",
        ]
    )
    order = f"def order(a, i, j):\n    if a[i] {rng.choice('<>')} a[j]:\n        {exchange}\n"
    order += rng.choice(["", "    return a[i]\n"]) or "    return a[j] - a[i]\n"
    sift = (
        "def sift(a):\n    moved = 0\n    for i in range(a.size - 1):\n        if a[i] > a[i + 1]:\n"
        "            t = a[i]\n            a[i] = a[i + 1]\n            a[i + 1] = t\n            moved += 1\n"
        f"{rng.choice(['', '        else:' + chr(10) + '            a[i] *= 0.9' + chr(10)])}    return moved\n"
    )
    push = "def push(st, n, v):\n    if n[0] < st.size:\n        st[n[0]] = v\n        n[0] += 1\n"
    push += rng.choice(["", "        return True\n    return False\n", "    else:\n        st[0] = v\n"])
    pop = "def pop(st, n):\n    if n[0] > 0:\n        n[0] -= 1\n    return st[n[0]]\n"
    if rng.random() < 0.5:
        pop = "def pop(st, n):\n    if n[0] == 0:\n        return 0.25\n    n[0] = n[0] - 1\n    v = st[n[0]]\n    st[n[0]] = 0.0\n    return v\n"
    turn = "def turn(ring, head, v):\n    old = ring[head[0]]\n    ring[head[0]] = v\n    head[0] = (head[0] + 1) % ring.size\n    return old\n"
    if rng.random() < 0.5:
        turn = (
            "def turn(ring, head, v):\n    ring[head[0]] = v\n    head[0] += 1\n    if head[0] == ring.size:\n"
            "        head[0] = 0\n    return ring[head[0]] * v\n"
        )
    note = (
        "def note(best, at, i, v):\n    if v > best[0]:\n        best[0] = v\n        at[0] = i\n"
        f"{rng.choice(['        return True', '        return v > 0.5'])}\n    return False\n"
    )
    bump = "def bump(counts, k, v):\n    if k < counts.size and k >= 0:\n        counts[k] += v\n        return counts[k]\n    return v\n"
    if rng.random() < 0.5:
        bump = "def bump(counts, k, v):\n    if 0 <= k < counts.size:\n        if counts[k] > v:\n            counts[k] = v\n    return v * 0.5\n"
    settle = (
        "def settle(a, b, flag, v):\n    if flag:\n        a[0] = v\n    else:\n        b[0] += v\n"
        "    if a[0] > b[0]:\n        a[0], b[0] = b[0], a[0]\n    return a[0] - 0.5 * b[0]\n"
    )
    return draw, order, sift, push, pop, turn, note, bump, settle


def scratch(scope: Scope) -> tuple[str, str, list[Statement]]:
    """A scratch array and an index array of this program, made where there are none."""
    found = sorted(name for name in scope.hidden if name.startswith("st"))
    if found and scope.rng.random() < 0.7:
        name = scope.rng.choice(found)
        return name, f"{name}_n", []
    name = scope.fresh("st")
    size, dtype = scope.rng.randint(1, 6), scope.rng.choice(["int64", "int64", "int32", "uint8"])
    made = [
        f"{name} = np.{scope.rng.choice(['zeros', 'ones'])}({size})",
        f"{name}_n = np.zeros(1, dtype=np.{dtype})",
    ]
    for line in made:
        scope.run(line)
    scope.hidden |= {name, f"{name}_n"}
    return name, f"{name}_n", [Line(line) for line in made]


def call(scope: Scope) -> list[Statement]:
    """One to three calls of a helper, bare, added up, or as a condition."""
    rng = scope.rng
    stack, pointer, made = scratch(scope)
    arrays = [name for name in scope.arrays("f") if scope.size(name) > 1]
    one, two = rng.choice(arrays), rng.choice(arrays)
    total = scope.fresh("s")
    i, j = index(scope, scope.size(one)), index(scope, scope.size(one))
    value, ring = bounded(scope), rng.choice([stack, one])

    def chosen() -> str:
        return rng.choice(
            [
                f"draw({rng.choice([one, stack, f'{one}[1:]'])})",
                f"order({one}, {i}, {j})",
                f"sift({one})",
                f"push({stack}, {pointer}, {value})",
                f"pop({stack}, {pointer})",
                f"turn({ring if ring == stack else stack}, {pointer}, {value})",
                f"note({one}, {pointer}, {rng.randint(0, 3)}, {value})",
                f"bump({one}, {whole(scope)}, {value})",
                f"settle({one}, {two}, {truth(scope)}, {value})",
            ]
        )

    first = chosen()
    same = first if rng.random() < 0.6 else chosen()
    lines = [Line(f"{total} = {first} + {same}")]
    if first.startswith(("push", "order")):
        lines = [Line(first), Line(same)]
    if first.startswith("push"):
        lines += [
            Line(f"{total} = pop({stack}, {pointer}) * {rng.choice(['1.0', f'pop({stack}, {pointer})'])}")
        ]
    if first.startswith("note") and rng.random() < 0.5:
        test = Suite(((f"if {first}:", (Line(f"{one}[{pointer}[0] % {scope.size(one)}] *= 0.5"),)),))
        return [*made, test]
    if not all(scope.run(line.text) for line in lines):
        return []
    return [*made, *lines]


def inline(scope: Scope) -> list[Statement]:
    """The same written out: a load, a guarded store, the load again."""
    rng = scope.rng
    name, total = rng.choice(scope.arrays("f")), scope.fresh("s")
    i, j = index(scope, scope.size(name)), index(scope, scope.size(name))
    at, other = f"{name}[{i}]", f"{name}[{rng.choice([i, j])}]"
    store = rng.choice(
        [
            f"{at} = {bounded(scope)}",
            f"{other} *= 0.5",
            f"{at}, {other} = {other}, {at}",
            f"{name}[:] = {name} * 0.5",
        ]
    )
    if not scope.run(f"{total} = {at} * {other}\n{store}"):
        return []
    guard = rng.choice([truth(scope), f"{at} > 0.5"])
    arms: list[tuple[str, tuple[Statement, ...]]] = [(f"if {guard}:", (Line(store),))]
    if rng.random() < 0.3:
        arms.append(("else:", (Line(f"{other} = {at} + 0.1"),)))
    return [Line(f"{total} = {at}"), Suite(tuple(arms)), Line(f"{total} = {total} * {at} + {other}")]
