"""Backsweep as a tool of GradBench: answers the messages on standard input, one line of JSON each, on standard output.

python run.py [--multithreaded]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from typing import Any

from timed import Function

# What is written on standard output is the protocol's alone.
ANSWERS = sys.stdout


def functions(module: str) -> dict[str, Function]:
    """The functions of an eval by their names; an unknown eval raises ImportError."""
    return import_module(module).FUNCTIONS


def answer(
    message: dict[str, Any], find: Callable[[str], dict[str, Function]], tool: str
) -> dict[str, Any]:
    """What to say to a message, without its number."""
    try:
        match message["kind"]:
            case "start":
                return {"tool": tool}
            case "define":
                find(message["module"])
                return {"success": True}
            case "evaluate":
                function = find(message["module"])[message["function"]]
                return {"success": True, **function.timed(message["input"])}
    except Exception:
        # Whatever goes wrong is told to the eval, and the next message is served.
        return {"success": False, "error": traceback.format_exc()}
    return {}


def written(number: int, said: dict[str, Any]) -> str:
    """An answer as JSON, which has no nan and no infinity: an output with one is told as an error."""
    try:
        return json.dumps({"id": number, **said}, allow_nan=False)
    except ValueError as error:
        return json.dumps({"id": number, "success": False, "error": str(error)})


def serve(
    find: Callable[[str], dict[str, Function]] = functions, tool: str = "backsweep"
) -> None:
    """Answer until standard input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--multithreaded", action="store_true", help="use every core that there is"
    )
    if not parser.parse_args().multithreaded and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    sys.stdout = sys.stderr
    for line in sys.stdin:
        message = json.loads(line)
        print(
            written(message["id"], answer(message, find, tool)),
            file=ANSWERS,
            flush=True,
        )


if __name__ == "__main__":
    serve()
