"""The command line: `backsweep show|emit|explain|stages|check|trace|bench module:function`, `coverage`, `audit`, `demo`, `help`, ...

`python -m backsweep` is the same command.

Exit codes: 0 for success, 1 if Backsweep refuses or a gradient is wrong, 2 if the command is wrong.
"""

from __future__ import annotations

import argparse
import contextlib
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
from typing import Any, NoReturn

import numpy as np

import backsweep as bs
from backsweep.diagnostics import BacksweepError, InternalError
from backsweep.display.terminal import code
from backsweep.inspect.cli import completion, pages, terminal
from backsweep.store.standalone import standalone
from backsweep.typing.infer import compiles

REFUSED, MISUSED = 1, 2


class UsageError(Exception):
    """The command names something that does not exist, or does not fit."""


def import_target(target: str) -> tuple[ModuleType, Callable[..., Any]]:
    """The module and the function that `module:function` or `path/file.py:function` names."""
    place, separator, name = target.rpartition(":")
    if not separator or not name:
        raise UsageError(f"{target!r} is not of the form module:function or file.py:function")
    # What the module prints while it is imported is no part of the answer, which may go to a file.
    with contextlib.redirect_stdout(sys.stderr):
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


def positions(args: Sequence[object]) -> tuple[int, ...]:
    """The positions of all arguments made of floats."""
    argnums = tuple(k for k, value in enumerate(args) if carries_derivative(value))
    if not argnums:
        raise UsageError(
            "no argument in --args is made of floats, so there is nothing to differentiate with respect to"
        )
    return argnums


def gradient_of(function: Callable[..., Any], args: Sequence[object], wrt: str) -> Any:
    """The gradient function with respect to the names in `wrt`, or to every argument made of floats."""
    if wrt:
        names = tuple(name.strip() for name in wrt.split(","))
        return bs.value_and_grad(function, wrt=names if len(names) > 1 else names[0])
    argnums = positions(args)
    return bs.value_and_grad(function, argnums=argnums if len(argnums) > 1 else argnums[0])


def taken(function: Callable[..., Any], args: Sequence[object], wrt: str) -> str:
    """A comment that says what the adjoint is with respect to, if the command left that open."""
    if wrt:
        return ""
    parameters = list(inspect.signature(getattr(function, "py_func", function)).parameters)
    names = ", ".join(parameters[k] for k in positions(args))
    return f"# with respect to {names}: every argument made of floats. --wrt takes others.\n\n"


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
    adjoint = gradient.source(*args, **form)
    text = f"{original_source(function)}\n{taken(function, args, options.wrt)}{adjoint}"
    print(code(text, sys.stdout))
    return 0


def emit(options: argparse.Namespace) -> int:
    """Write the adjoint as a module that needs NumPy and Numba only: to standard output, or to a file."""
    if options.readable and options.output is not None:
        raise UsageError(
            "--readable is for reading, and --output writes the module that runs: give one of them"
        )
    _, gradient, args, form = source_of(options)
    text = gradient.source(*args, **form)
    if not options.readable:
        text = standalone(text)
    if options.output is None:
        print(code(text, sys.stdout), end="")
        return 0
    options.output.write_text(text, encoding="utf-8")
    print(f"wrote {options.output}")
    return 0


def explain(options: argparse.Namespace) -> int:
    """Print for each value whether it is active, whether it is stored or recomputed, and why."""
    _, gradient, args, _ = source_of(options)
    print(terminal.table(str(gradient.explain(*args)), sys.stdout))
    return 0


def stages(options: argparse.Namespace) -> int:
    """Print the program after each pass of the compiler, with the reason for the pass."""
    _, gradient, args, _ = source_of(options)
    print(terminal.program(gradient.stages(*args), sys.stdout))
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
        wrong = terminal.styled("WRONG", terminal.RED, sys.stderr)
        print(f"{options.target}: {wrong}\n{error}", file=sys.stderr)
        return REFUSED
    print(f"{options.target}: the gradient agrees with finite differences (order {options.order})")
    return 0


def bench(options: argparse.Namespace) -> int:
    """Measure what the gradient costs beside the function: time of a call, bytes that it keeps, compile time."""
    # Imported here, so that the other commands do not load what only this one needs.
    from backsweep.inspect.cli import costs

    function, gradient, args, _ = source_of(options)
    found = costs.costs(function, gradient, args, options.seconds)
    print(*costs.table_lines(found), sep="\n")
    if options.json is not None:
        saved = {"function": options.target, "args": options.args, **costs.saved(found)}
        options.json.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")
    return 0


def coverage(options: argparse.Namespace) -> int:
    """Tell of each function that the installed Numba compiles whether it is differentiated, and if not, why."""
    # Imported here, so that the other commands do not load SciPy for what only this one needs.
    from backsweep.inspect.coverage import command

    return command.run(options.names)


def audit(options: argparse.Namespace) -> int:
    """Find derivatives written by hand in a package or file, check each against Backsweep and differences, and time both."""
    # Imported here, so that the other commands do not load what only this one needs.
    from backsweep.inspect.cli import auditing

    with contextlib.redirect_stdout(sys.stderr):
        is_file = options.target.endswith(".py")
        module = import_file(Path(options.target)) if is_file else import_module(options.target)
    args = read_arguments(options.args, module) if options.args else None
    found = auditing.audit(module, options.pair, args)
    if found is None:
        raise UsageError(f"--pair {' '.join(options.pair)}: the module has no such functions")
    if options.json is not None:
        options.json.write_text(json.dumps(auditing.saved(found), indent=1) + "\n", encoding="utf-8")
    return REFUSED if any(each.verdict == "wrong" for each in found) else 0


def warm(options: argparse.Namespace) -> int:
    """Compile what most programs need, and keep it on the disk: kernels, and implementations of NumPy's and SciPy's functions."""
    if not compiles():
        raise UsageError("NUMBA_DISABLE_JIT is set, so nothing is compiled")
    # Imported here, so that the other commands do not load SciPy for what only this one needs.
    from backsweep.inspect.cli import usual, warming

    if options.list:
        print(*(f"{number:2}  {what}" for number, (what, _) in enumerate(usual.USUAL.values(), 1)), sep="\n")
        return 0
    if any(not 0 < number <= len(usual.USUAL) for number in options.numbers):
        raise UsageError(f"the numbers are 1 to {len(usual.USUAL)}; `--list` tells what each is")
    return 0 if warming.warm(options.numbers) else REFUSED


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


def help_topic(options: argparse.Namespace) -> int:
    """Print what docs/errors.md says of an error code, such as BS301, or the options of a command; all codes without a topic."""
    known, parser = pages.pages(), build_parser()
    if not options.topic:
        parser.print_help()
        print("\nerror codes:")
        print(*(f"  {code}  {page.title}" for code, page in known.items()), sep="\n")
        return 0
    commands = {each.name for each in completion.commands_of(parser)}
    for number, topic in enumerate(options.topic):
        if topic in commands:
            parser.parse_args([topic, "--help"])
        page = known.get(topic.upper())
        if page is None:
            raise UsageError(f"there is no error code or command {topic!r}; `backsweep help` lists them")
        print(("\n" if number else "") + pages.shown(page, sys.stdout))
    return 0


def print_completion(options: argparse.Namespace) -> int:
    """Print the script with which a shell completes commands and options."""
    print(completion.SCRIPTS[options.shell](build_parser()), end="")
    return 0


EXAMPLES = {
    "": """\
examples:
  backsweep demo
  backsweep show smooth.py:smooth --args "np.ones(4), 0.7"
  backsweep emit smooth.py:smooth --args "np.ones(4), 0.7" --wrt w > smooth_adjoint.py
  backsweep check smooth.py:smooth --args "np.linspace(0.0, 1.0, 5), 0.7"
  backsweep help BS101
""",
    "show": "example:\n  backsweep show smooth.py:smooth --args 'np.ones(4), 0.7' --wrt w\n",
    "emit": "example:\n  backsweep emit smooth.py:smooth --args 'np.ones(4), 0.7' > smooth_adjoint.py\n",
    "explain": "example:\n  backsweep explain smooth.py:smooth --args 'np.ones(4), 0.7'\n",
    "stages": "example:\n  backsweep stages smooth.py:smooth --args 'np.ones(4), 0.7' | less\n",
    "bench": "example:\n  backsweep bench smooth.py:smooth --args 'np.linspace(0.0, 1.0, 100001), 0.6'\n",
    "trace": "example:\n  backsweep trace smooth.py:smooth --args 'np.ones(4), 0.7' --graph run.html\n",
    "coverage": "examples:\n  backsweep coverage > coverage.md\n  backsweep coverage np.linalg scipy.special\n",
    "audit": """\
examples:
  backsweep audit umap.distances
  backsweep audit model.py --pair loss:loss_by_hand --args "np.ones(4), 0.7"
""",
    "warm": "examples:\n  backsweep warm\n  backsweep warm --list\n  backsweep warm 1 2 8\n",
    "check": "example:\n  backsweep check smooth.py:smooth --args 'np.linspace(0.0, 1.0, 5), 0.7' --order 2\n",
    "help": "examples:\n  backsweep help BS301\n  backsweep help show\n",
    "completion": """\
examples:
  eval "$(backsweep completion bash)"
  eval "$(backsweep completion zsh)"
  backsweep completion fish | source
""",
}


def name_of_program() -> str:
    """The command as the user called it."""
    by_module = Path(sys.argv[0]) == Path(bs.__file__).with_name("__main__.py")
    return "python -m backsweep" if by_module else "backsweep"


def build_parser() -> argparse.ArgumentParser:
    """The commands and their options, with examples of each."""
    parser = _parser()
    parsers = {"": parser}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            parsers |= action.choices
    for name, text in EXAMPLES.items():
        parsers[name].epilog = text
        parsers[name].formatter_class = argparse.RawDescriptionHelpFormatter
    return parser


def _parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    parser = argparse.ArgumentParser(prog=name_of_program(), description=bs.__doc__)
    parser.add_argument("--version", action="version", version=f"backsweep {bs.__version__}")
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
        "audit", help="check derivatives written by hand", description=audit.__doc__
    )
    command.add_argument("target", help="a package, a module, or a file.py")
    command.add_argument(
        "--pair",
        action="append",
        default=[],
        metavar="F:G",
        help="a function and its derivative (default: all that are found by their names)",
    )
    command.add_argument("--args", default="", help="arguments to compare at (default: random ones)")
    command.add_argument("--json", type=Path, help="file to save the findings to")
    command.set_defaults(action=audit)
    command = commands.add_parser("warm", help="compile what most programs need", description=warm.__doc__)
    command.add_argument("numbers", nargs="*", type=int, help="some of the list (default: all)")
    command.add_argument("--list", action="store_true", help="print what is compiled, and compile nothing")
    command.set_defaults(action=warm)
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
    command = commands.add_parser(
        "help", help="print the page of an error code", description=help_topic.__doc__
    )
    command.add_argument("topic", nargs="*", help="error codes, such as BS301, or a command")
    command.set_defaults(action=help_topic)
    command = commands.add_parser(
        "completion", help="print a script for the shell", description=print_completion.__doc__
    )
    command.add_argument("shell", choices=tuple(completion.SCRIPTS), help="which shell")
    command.set_defaults(action=print_completion)
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
        print(f"{name_of_program()} {options.command}: {error}", file=sys.stderr)
        return MISUSED
    except InternalError:
        raise  # a report needs the traceback
    except BacksweepError as error:
        print(terminal.error(f"{type(error).__name__}: {error}", sys.stderr), file=sys.stderr)
        return REFUSED
    return code


def entry() -> NoReturn:
    """The command `backsweep` of the shell."""
    sys.exit(main())
