"""The displays of notebooks, and screenshots of them in light and dark.

`python -m tests.inspect.displays FOLDER` writes each display as a page into the folder, and takes its pictures with
Playwright if a browser is found: Playwright's own, or the program that BACKSWEEP_BROWSER names.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import backsweep as bs
from backsweep.api.checking import Report


def smooth(x, w):
    y = x.copy()
    loss = 0.0
    for i in range(1, y.shape[0]):
        d = y[i] - w * y[i - 1]
        if d > 0.0:
            loss += d * d
        y[i] = np.tanh(d)
    return loss


def hostile(x):
    name = len("<script>alert('&')</script>")  # </div><b>
    return x * x if name < 3 else np.sin(x)


def decay(p, n):
    k, a = p
    u = a
    for _ in range(n):
        u -= 0.01 * k * u
    return u * u


def tridiagonal(x):
    return x[1:] * x[:-1] + x[1:] ** 3


def mixed(x, w):
    return np.array([w * x[0] - x[1], np.exp(3.0 * x[2]) * x[1], 1e-3 * x[3] ** 2])


def coupled(x):
    total = 0.0
    for i in range(x.size):
        for j in range(max(0, i - 4), i):
            total += np.sin(x[i] * x[j]) / (1.0 + i - j) ** 2
    return total


X = np.array([0.5, -0.2, 0.8, 1.1])


def pair(function: Callable[..., Any], *args: Any) -> str:
    """A function and its gradient side by side."""
    gradient = bs.value_and_grad(function, jit=False)
    gradient(*args)
    return str(gradient._repr_html_())


DISPLAYS: dict[str, Callable[[], str]] = {
    "pair": lambda: pair(smooth, X, 0.7),
    "source": lambda: bs.grad(smooth, jit=False).source(X, 0.7)._repr_html_(),
    "hostile": lambda: pair(hostile, 0.7),
    "explain": lambda: bs.grad(smooth, wrt=("x", "w"), jit=False).explain(X, 0.7)._repr_html_(),
    "stages": lambda: bs.grad(smooth, jit=False).stages(X, 0.7)._repr_html_(),
    "check": lambda: Report("tridiagonal", ("x",), 1, 3, 4, 1e-6, 1e-8, 0.0123, ("rev", "fwd"))._repr_html_(),
    "sparsity": lambda: bs.sparsity(tridiagonal, jit=False)(np.linspace(0.1, 2.0, 40))._repr_html_(),
    "jacobian": lambda: bs.jacobian(tridiagonal, sparse=True, jit=False)(X)._repr_html_(),
    "dense": lambda: bs.jacobian(mixed, (0, 1), jit=False).show(X, 0.7)._repr_html_(),
    "hessian": lambda: bs.hessian(coupled, jit=False).show(np.linspace(-1.0, 1.0, 40))._repr_html_(),
    "trace": lambda: bs.trace(smooth)(X, 0.7)._repr_html_(),
    "graph": lambda: bs.trace(decay)((0.5, 2.0), 2).graph(loops=1)._repr_html_(),
    "long": lambda: bs.trace(decay)((0.5, 2.0), 100).graph(loops=1)._repr_html_(),
    "all": lambda: bs.trace(decay)((0.5, 2.0), 100).graph(loops="all")._repr_html_(),
}
"""Small examples of each display, by name."""


def page(body: str) -> str:
    """A page that shows a display as a notebook does."""
    head = '<meta charset="utf-8"><title>display</title><style>:root { color-scheme: light dark }</style>'
    return f'<!DOCTYPE html><html lang="en"><head>{head}</head><body>{body}</body></html>'


@contextmanager
def browser() -> Iterator[Any]:
    """A browser without a window; raises LookupError if there is none."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError as error:
        raise LookupError("Playwright is not installed") from error
    with sync_playwright() as playwright:
        try:
            found = playwright.chromium.launch(executable_path=os.environ.get("BACKSWEEP_BROWSER") or None)
        except Error as error:
            raise LookupError(str(error).splitlines()[0]) from error
        yield found
        found.close()


def pictures(folder: Path) -> None:
    """Write all displays as pages, and take their pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    bodies = {name: display() for name, display in DISPLAYS.items()}
    for name, body in bodies.items():
        (folder / f"{name}.html").write_text(page(body), encoding="utf-8")
    with browser() as found:
        for scheme in ("light", "dark"):
            view = found.new_page(color_scheme=scheme, viewport={"width": 1000, "height": 700})
            for name in bodies:
                view.goto((folder / f"{name}.html").resolve().as_uri())
                view.screenshot(path=str(folder / f"{name}.{scheme}.png"), full_page=True)


if __name__ == "__main__":
    pictures(Path(sys.argv[1]))
