"""The printer does without the classes of `ast` that Python 3.12 deprecates and 3.14 lacks."""

import subprocess
import sys
from pathlib import Path

AS_IN_3_14 = """
import ast, warnings
warnings.simplefilter("error")
for name in ("Num", "Str", "Bytes", "NameConstant", "Ellipsis"):
    if name in vars(ast):
        delattr(ast, name)
if hasattr(ast, "__getattr__"):  # it warns, and then makes them
    del ast.__getattr__
"""
PROGRAM = """
from backsweep.emit.printer import text_of
tree = ast.parse(open(r"{program}").read())
assert ast.dump(ast.parse(text_of(tree))) == ast.dump(tree)
print("written")
"""
TEXT = '''
def f(x, *rest, name="w", **more):
    """A string."""
    if x > 1.5e-3 and not rest:
        raise ValueError(f"negative: {x!r:>{len(rest)}} {{}}" "and more")
    return [x[..., 1:2, None], -3j, b"bytes", True, {"a": 1}, (lambda y: y**2)(x)]
'''


def run(program: str, *options: str) -> str:
    """What a program prints; it must not fail."""
    command = [sys.executable, *options, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout


def test_without_the_classes(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(TEXT, encoding="utf-8")
    assert run(AS_IN_3_14 + PROGRAM.format(program=path)) == "written\n"


def test_deprecations_may_be_errors() -> None:
    assert run("import backsweep.emit.printer; print(1)", "-W", "error::DeprecationWarning:astor") == "1\n"
