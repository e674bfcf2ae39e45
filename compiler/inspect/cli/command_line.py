"""The command line: `python -m backsweep show|emit|explain|stages|check|trace|bench module:function`, `coverage` and `demo`.

Exit codes: 0 for success, 1 if Backsweep refuses or a gradient is wrong, 2 if the command is wrong.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import inspect
import json
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import backsweep as bs
from backsweep.diagnostics import BacksweepError, InternalError

REFUSED, MISUSED = 1, 2


class UsageError(Exception):
    """The command names something that does not exist, or does not fit."""


def import_target(target: str) -> tuple[ModuleType, Callable[..., Any]]:
    """The module and the function that `module:function` or `path/file.py:function` names."""
    place, separator, name = target.rpartition(":")
    if not separator or not name:
        raise UsageError(f"{target!r} is not of the form module:function or file.py:function")
    module = import_file(Path(place)) if place.endswith(".py") else import_module(place)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise UsageError(f"{place} has no {name!r}")
        found = getattr(found, part)
    if not callable(found):
        raise UsageError(f"{target} is not a function")
    return module, found


def import_module(name: str) -> ModuleType:
    """The module of that name; the current folder is searched, too."""
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        raise UsageError(f"there is no module {name!r}") from None


def import_file(path: Path) -> ModuleType:
    """The module in the file. It can import other files of its folder, as when Python runs it."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise UsageError(f"there is no file {path}")
    sys.path.insert(0, str(path.resolve().parent))
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def read_arguments(text: str, module: ModuleType) -> tuple[Any, ...]:
    """The values of the expressions in `--args`, which may use the module's names, `np` and `math`."""
    names = {"np": np, "math": math, **vars(module)}
    try:
        # The expressions are the user's own, typed at the user's own shell.
        return tuple(eval(f"({text},)", names)) if text.strip() else ()  # noqa: S307
    except (SyntaxError, NameError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"--args {text!r}: {error}") from None


def asked(options: argparse.Namespace) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The function that the command names, and arguments that fit it."""
    module, function = import_target(options.target)
    args = read_arguments(options.args, module)
    try:
        signature = inspect.signature(getattr(function, "py_func", function))
    except (TypeError, ValueError):
        return (
            function,
            args,
        )  # a function without a signature has no source either, and is refused for that reason
    try:
        signature.bind(*args)
    except TypeError as error:
        called = f"{options.target.rpartition(':')[2]}{signature}"
        raise UsageError(f"--args {options.args!r} does not fit {called}: {error}") from None
    return function, args


def carries_derivative(value: object) -> bool:
    """Whether an argument consists of floats or complex numbers, so that it can have a derivative."""
    if isinstance(value, tuple):
        return any(map(carries_derivative, value))
    return (
        isinstance(value, float | complex | np.ndarray | np.generic) and np.asarray(value).dtype.kind in "fc"
    )


def gradient_of(function: Callable[..., Any], args: Sequence[object], wrt: str) -> Any:
    """The gradient function with respect to the names in `wrt`, or to every argument made of floats."""
    if wrt:
        names = tuple(name.strip() for name in wrt.split(","))
        return bs.value_and_grad(function, wrt=names if len(names) > 1 else names[0])
    argnums = tuple(k for k, value in enumerate(args) if carries_derivative(value))
    if not argnums:
        raise UsageError(
            "no argument in --args is made of floats, so there is nothing to differentiate with respect to"
        )
    return bs.value_and_grad(function, argnums=argnums if len(argnums) > 1 else argnums[0])


def original_source(function: Callable[..., Any]) -> str:
    """The user's text of a function, also of a compiled one."""
    try:
        return inspect.getsource(getattr(function, "py_func", function))
    except (OSError, TypeError):
        return "(its source cannot be read)\n"


def source_of(
    options: argparse.Namespace,
) -> tuple[Callable[..., Any], Any, tuple[Any, ...], Mapping[str, str]]:
    """The function, its gradient, the arguments, and the options of `source`, for `show` and `emit`."""
    function, args = asked(options)
    form = {"optimize": "readable"} if options.readable else {}
    return function, gradient_of(function, args, options.wrt), args, form


def show(options: argparse.Namespace) -> int:
    """Print the function and its emitted adjoint."""
    function, gradient, args, form = source_of(options)
    print(original_source(function))
    print(gradient.source(*args, **form))
    return 0


def emit(options: argparse.Namespace) -> int:
    """Print the emitted adjoint, or save it as a module that needs NumPy and Numba only."""
    if options.readable and options.output is not None:
        raise UsageError(
            "--readable is for reading, and --output writes the module that runs: give one of them"
        )
    _, gradient, args, form = source_of(options)
    if options.output is None:
        print(gradient.source(*args, **form), end="")
        return 0
    gradient.save(str(options.output), *args)
    print(f"wrote {options.output}")
    return 0


def explain(options: argparse.Namespace) -> int:
    """Print for each value whether it is active, whether it is stored or recomputed, and why."""
    _, gradient, args, _ = source_of(options)
    print(gradient.explain(*args))
    return 0


def stages(options: argparse.Namespace) -> int:
    """Print the program after each pass of the compiler, with the reason for the pass."""
    _, gradient, args, _ = source_of(options)
    print(gradient.stages(*args))
    return 0


def trace(options: argparse.Namespace) -> int:
    """Run once and print every variable with its value and its adjoint; with --graph, draw the run as well."""
    function, args = asked(options)
    found = bs.trace(function)(*args)
    loops = int(options.loops) if options.loops.isdigit() else options.loops
    print(found.table(loops=loops, depth=options.depth))
    if options.graph is not None:
        unrolled = 0 if loops == "ends" else loops
        found.graph(depth=options.depth, loops=unrolled).save(str(options.graph))
        print(f"wrote {options.graph}")
    return 0


def check(options: argparse.Namespace) -> int:
    """Compare the gradient with finite differences."""
    function, args = asked(options)
    try:
        bs.check_grads(function, args, order=options.order, modes=("rev",))
    except AssertionError as error:
        print(f"{options.target}: WRONG\n{error}", file=sys.stderr)
        return REFUSED
    print(f"{options.target}: the gradient agrees with finite differences (order {options.order})")
    return 0


def bench(options: argparse.Namespace) -> int:
    """Measure what the gradient costs beside the function: time of a call, bytes of records, compile time."""
    # Imported here, so that the other commands do not load what only this one needs.
    from backsweep.inspect.cli import costs

    function, gradient, args, _ = source_of(options)
    found = costs.costs(function, gradient, args, options.seconds)
    print(*costs.told(found), sep="\n")
    if options.json is not None:
        saved = {"function": options.target, "args": options.args, **costs.saved(found)}
        options.json.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")
    return 0


def coverage(options: argparse.Namespace) -> int:
    """Tell of each function that the installed Numba compiles whether it is differentiated, and if not, why."""
    # Imported here, so that the other commands do not load SciPy for what only this one needs.
    from backsweep.inspect.coverage import command

    return command.run(options.names)


def seconds(text: str) -> float:
    """A positive number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number of seconds")
    return value


def run_demo(options: argparse.Namespace) -> int:
    """Fit the predator-prey equations to the Hudson's Bay Company's records of hare and lynx pelts."""
    # Imported here, so that the other commands do not wait for the import of the optimizer.
    from backsweep.inspect.cli import demo

    return demo.run(options.output)


def build_parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    parser = argparse.ArgumentParser(prog="python -m backsweep", description=bs.__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for action, summary in (
        (show, "print a function and its adjoint"),
        (emit, "write the adjoint as a module"),
        (explain, "explain what is active, stored and recomputed, and why"),
        (stages, "print the program after each pass"),
        (bench, "measure what the gradient costs beside the function"),
    ):
        command = commands.add_parser(action.__name__, help=summary, description=action.__doc__)
        add_target(command)
        command.add_argument(
            "--wrt",
            default="",
            help="names to differentiate with respect to, as in x,w (default: every argument made of floats)",
        )
        command.set_defaults(action=action, readable=False)
        if action in (show, emit):
            command.add_argument(
                "--readable", action="store_true", help="show array statements instead of loops"
            )
        if action is emit:
            command.add_argument("-o", "--output", type=Path, help="file to write (default: standard output)")
        if action is bench:
            command.add_argument(
                "--seconds",
                type=seconds,
                default=1.0,
                help="how long to call each of both; three calls at least (default: 1)",
            )
            command.add_argument("--json", type=Path, help="file to save the figures to")
    command = commands.add_parser(
        "trace", help="print the values and adjoints of a run", description=trace.__doc__
    )
    add_target(command)
    command.add_argument(
        "--loops",
        default="ends",
        help='"ends" (first and last iteration, the default), "all", or how many levels of loops to show in full',
    )
    command.add_argument("--depth", type=int, help="how many levels of calls to show (default: all)")
    command.add_argument("--graph", type=Path, help="file to draw the graph to: .html, .svg, .png or .dot")
    command.set_defaults(action=trace)
    command = commands.add_parser(
        "check", help="compare the gradient with finite differences", description=check.__doc__
    )
    add_target(command)
    command.add_argument(
        "--order", type=int, default=1, help="1: the gradient; 2: its gradient, too (default: 1)"
    )
    command.set_defaults(action=check)
    command = commands.add_parser(
        "coverage",
        help="list what is differentiated of all that Numba compiles",
        description=coverage.__doc__,
    )
    command.add_argument(
        "names", nargs="*", help="how names begin, as in np.linalg (default: all, as a page)"
    )
    command.set_defaults(action=coverage)
    command = commands.add_parser(
        "demo", help="fit a model of hares and lynxes", description=run_demo.__doc__
    )
    command.add_argument(
        "--output",
        type=Path,
        default=Path("backsweep-demo.png"),
        help="file for the plot (default: %(default)s)",
    )
    command.set_defaults(action=run_demo)
    return parser


def add_target(command: argparse.ArgumentParser) -> None:
    """Add the function and its arguments to a command."""
    command.add_argument("target", help="the function: module:function or path/file.py:function")
    command.add_argument("--args", default="", help='arguments, such as "1.0, np.ones(3)"')


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    options = build_parser().parse_args(argv)
    try:
        code = int(options.action(options))
        sys.stdout.flush()  # here, so that a closed pipe raises inside this `try`
    except (
        BrokenPipeError
    ):  # the reader, such as `| head`, has closed the pipe; Python would report this again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except UsageError as error:
        print(f"python -m backsweep {options.command}: {error}", file=sys.stderr)
        return MISUSED
    except InternalError:
        raise  # a report needs the traceback
    except BacksweepError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return REFUSED
    return code
