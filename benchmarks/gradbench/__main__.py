"""Runs a tool of GradBench through its protocol, by itself or beside JAX, and prints times.

    python -m benchmarks.gradbench --peer                    # all evals, beside JAX
    python -m benchmarks.gradbench --only det --seconds 3
    python -m benchmarks.gradbench --tool "python3 python/gradbench/gradbench/cpp.py manual"
    python -m benchmarks.gradbench --beside "python3 GRADBENCH/python/gradbench/gradbench/tools/pytorch/run.py"

Outputs are compared with what GradBench publishes, and with the peer's. GradBench's own harness, with its inputs and its check against the
derivatives by hand, is at https://github.com/gradbench/gradbench.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from benchmarks.gradbench.inputs import EVALS, Input, known

ROOT = Path(__file__).parents[2]
OURS = [sys.executable, str(Path(__file__).parent / "tool" / "run.py")]
JAX = [sys.executable, "-m", "benchmarks.gradbench.jax_tool"]
DERIVATIVES = {"gradient", "jacobian", "dir"}
HEAD = f"{'eval':10}{'function':11}{'ms':>10}{'/primal':>9}{'prepare s':>11}{'peer ms':>10}{'peer / ours':>12}  outputs"


class Tool:
    """A child process that is asked through the protocol."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.asked = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()

    def ask(self, kind: str, **message: Any) -> dict[str, Any]:
        """Send a message, and wait for the answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"id": self.asked, "kind": kind, **message}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the tool ended at {kind} {message.get('module', '')}")
        answer = json.loads(line)
        if answer["id"] != self.asked:
            raise RuntimeError(f"the tool answers message {answer['id']} instead of {self.asked}")
        self.asked += 1
        return answer

    def evaluate(self, module: str, function: str, given: Input, seconds: float) -> dict[str, Any]:
        """The answer, with the least time of a run and that of the preparation in seconds."""
        if isinstance(given, dict):
            given = {**given, "min_runs": 3, "min_seconds": seconds}
        answer = self.ask("evaluate", module=module, function=function, input=given)
        if answer["success"]:
            times: dict[str, list[float]] = {"evaluate": [], "prepare": []}
            for timing in answer["timings"]:
                times.setdefault(timing["name"], []).append(1e-9 * timing["nanoseconds"])
            answer["took"], answer["prepared"] = min(times["evaluate"]), sum(times["prepare"])
        return answer


def differs(found: Any, expected: Any, tolerance: float, where: str = "output") -> str | None:
    """The first place where two outputs differ."""
    if isinstance(expected, dict):
        if found.keys() != expected.keys():
            return f"{where}: {sorted(found)}, not {sorted(expected)}"
        pairs = [(f"{where}.{name}", found[name], expected[name]) for name in expected]
        return next((text for w, f, e in pairs if (text := differs(f, e, tolerance, w))), None)
    a, b = np.asarray(found, float), np.asarray(expected, float)
    if a.shape != b.shape:
        return f"{where}: shape {a.shape}, not {b.shape}"
    worst = np.max(np.abs(a - b) / np.maximum(1.0, np.abs(a) + np.abs(b)), initial=0.0)
    return None if worst <= tolerance else f"{where}: off by {worst:.1e}"


def run(
    names: Sequence[str], ours: Tool, peer: Tool | None, *, tiny: bool, seconds: float
) -> list[dict[str, Any]]:
    """A row for each function of the evals; an eval that the peer lacks has no figure of it."""
    print(HEAD)
    rows = []
    for tool in (ours, peer):
        if tool is not None:
            tool.ask("start")
    for name in names:
        functions, make = EVALS[name]
        given = make(np.random.default_rng(31337), tiny)
        defined = ours.ask("define", module=name)
        beside = peer if peer is not None and peer.ask("define", module=name)["success"] else None
        primal = None
        for function in functions:
            answer = ours.evaluate(name, function, given, seconds) if defined["success"] else defined
            row = {"eval": name, "function": function, **answer}
            theirs = beside.evaluate(name, function, given, seconds) if beside else {"success": False}
            if answer["success"]:
                primal = primal or (answer["took"] if function == functions[0] else None)
                row["ratio"] = answer["took"] / primal if primal and function in DERIVATIVES else None
                said = [("the peer", theirs.get("output")), known(name, function, given)]
                expected = {pair[0]: pair[1] for pair in said if pair and pair[1] is not None}
                wrong = (differs(answer["output"], what, 1e-8) for what in expected.values())
                row["checked"], row["wrong"] = list(expected), next(filter(None, wrong), None)
                row["peer"] = theirs.get("took")
            rows.append(row)
            print(line(row), flush=True)
    return rows


def line(row: dict[str, Any]) -> str:
    """A row of the table."""
    start = f"{row['eval']:10}{row['function']:11}"
    if not row["success"]:
        return f"{start}FAILED: {row.get('error', '').strip().splitlines()[-1:]}"
    ratio = f"{row['ratio']:9.2f}" if row["ratio"] else " " * 9
    beside = f"{1e3 * row['peer']:10.3f}{row['peer'] / row['took']:12.2f}" if row["peer"] else " " * 22
    said = f"WRONG: {row['wrong']}" if row["wrong"] else "as " + " and ".join(row["checked"] or ["nobody's"])
    return f"{start}{1e3 * row['took']:10.3f}{ratio}{row['prepared']:11.2f}{beside}  {said}"


def main(words: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Run the chosen evals; ends with 1 if one fails."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gradbench", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=EVALS, default=list(EVALS), metavar="EVAL")
    parser.add_argument("--tiny", action="store_true", help="inputs for trying")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long each function is run at least")
    parser.add_argument("--peer", action="store_true", help="run JAX beside")
    parser.add_argument("--beside", type=shlex.split, default=JAX, help="the command of another peer")
    parser.add_argument("--tool", type=shlex.split, default=OURS, help="the command of a tool")
    options = parser.parse_args(words)
    with Tool(options.tool) as ours:
        if not options.peer and options.beside is JAX:
            rows = run(options.only, ours, None, tiny=options.tiny, seconds=options.seconds)
        else:
            with Tool(options.beside) as peer:
                rows = run(options.only, ours, peer, tiny=options.tiny, seconds=options.seconds)
    if any(not row["success"] or row["wrong"] for row in rows):
        sys.exit(1)
    return rows


if __name__ == "__main__":
    main()
