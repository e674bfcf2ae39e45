"""HTML for notebooks: one style in light and dark, escaped text, tables, and blocks of code whose lines light one another."""

from __future__ import annotations

import hashlib
import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from backsweep.display.highlight import lines_as_html

COLOURS: dict[str, tuple[str, str]] = {
    "paper": (
        "var(--jp-layout-color0, var(--vscode-editor-background, #ffffff))",
        "var(--jp-layout-color0, var(--vscode-editor-background, #161b22))",
    ),
    "ink": ("#1f2328", "#dde3ea"),
    "faint": ("#656d76", "#8d96a0"),
    "rule": ("#d4d9df", "#373e47"),
    "shade": ("#f3f5f7", "#1f262e"),
    "lit": ("#ffe9a8", "#574611"),
    "keyword": ("#8a2fa8", "#d39af0"),
    "builtin": ("#1f5fa8", "#82b7ff"),
    "string": ("#22683a", "#8ccf9b"),
    "number": ("#9a5b00", "#e5b567"),
    "comment": ("#656d76", "#8d96a0"),
    "defined": ("#1f5fa8", "#82b7ff"),
    "value": ("#1f5fa8", "#82b7ff"),
    "adjoint": ("#b3401a", "#ff9d76"),
    "partial": ("#7a3db8", "#c9a2f5"),
    "good": ("#1a7f37", "#56d364"),
    "bad": ("#c0262d", "#ff7b72"),
    "leaf": ("#e8f1fa", "#1c2f45"),
    "folded": ("#f3f0e6", "#35301f"),
    "result": ("#fdeee6", "#43291d"),
}
"""The colours of all displays, in light and in dark."""

LIGHT = ('[data-theme="light"]', '[data-jp-theme-light="true"]', ".vscode-light")
DARK = ('[data-theme="dark"]', '[data-jp-theme-light="false"]', ".vscode-dark")
"""How pages say that they are light or dark: pages of Sphinx, JupyterLab, Visual Studio Code."""

MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

COMMON = f"""
.bs-display {{ color: var(--bs-ink); background: var(--bs-paper); font: 13px/1.5 system-ui, -apple-system, 'Segoe UI', sans-serif;
  border: 1px solid var(--bs-rule); border-radius: 6px; margin: 4px 0; overflow: hidden; }}
.bs-display .bs-title {{ padding: 5px 10px; border-bottom: 1px solid var(--bs-rule); background: var(--bs-shade); }}
.bs-display .bs-faint {{ color: var(--bs-faint); }}
.bs-display .bs-text {{ padding: 4px 10px; }}
.bs-display .bs-line {{ display: inline-block; min-width: 2.6em; padding-right: 1em; text-align: right; }}
.bs-display summary {{ cursor: pointer; padding: 2px 10px; color: var(--bs-faint); }}
.bs-display code, .bs-display .bs-code, .bs-display .bs-mono {{ font: 12px/1.5 {MONO}; }}
.bs-display code {{ background: none; color: inherit; padding: 0; }}
"""

TABLE = f"""
.bs-display .bs-scroll {{ overflow: auto; max-height: 56em; }}
.bs-display table.bs-table {{ border-collapse: collapse; color: inherit; margin: 0; border: 0; font: 12px/1.5 {MONO}; }}
.bs-display table.bs-table thead th {{ position: sticky; top: 0; background: var(--bs-shade); color: var(--bs-faint); font-weight: 600; }}
.bs-display table.bs-table tr {{ background: var(--bs-paper); }}
.bs-display table.bs-table tbody tr:nth-child(n) {{ background: var(--bs-paper); }}
.bs-display table.bs-table tbody tr.bs-head {{ background: var(--bs-shade); }}
.bs-display table.bs-table tbody tr:nth-child(n):hover {{ background: var(--bs-shade); }}
.bs-display table.bs-table :is(th, td) {{ text-align: left; vertical-align: top; padding: 2px 10px; border: 0;
  white-space: nowrap; max-width: none; }}
.bs-display table.bs-table td.bs-wide {{ white-space: normal; min-width: 18em; }}
.bs-display table.bs-table td.bs-right {{ text-align: right; font-variant-numeric: tabular-nums; }}
.bs-display table.bs-table td.bs-pre {{ white-space: pre; }}
"""

CODE = """
.bs-display .bs-code { overflow: auto; max-height: 56em; }
.bs-display .bs-lines { display: inline-block; min-width: 100%; padding: 4px 0; box-sizing: border-box; }
.bs-display .bs-row { white-space: pre; padding: 0 10px 0 0; min-height: 1.5em; }
.bs-display .bs-no { display: inline-block; box-sizing: border-box; width: 3.8em; padding-right: 1em; text-align: right; color: var(--bs-faint);
  user-select: none; position: sticky; left: 0; background: var(--bs-paper); }
.bs-display .bs-code summary { padding: 0 0 0 3.8em; }
.bs-display .bs-row.bs-part { font-weight: 700; }
.bs-display .bs-row.bs-part .bs-comment { font-style: normal; }
.bs-display .bs-comment { font-style: italic; }
"""
TOKENS = ("keyword", "builtin", "string", "number", "comment", "defined")
COLOURED = (*TOKENS, "value", "adjoint", "partial", "good", "bad")


def escape(text: object) -> str:
    """Text for an element or an attribute."""
    return html.escape(str(text), quote=True)


def _variables(place: int) -> str:
    return " ".join(f"--bs-{name}: {both[place]};" for name, both in COLOURS.items())


def theme() -> str:
    """The colours: those that the page asks for, else those that the reader's system asks for."""

    def within(pages: Sequence[str]) -> str:
        return ", ".join(f"{page} .bs-display" for page in pages)

    light, dark = _variables(0), _variables(1)
    return (
        f"\n.bs-display {{ {light} }}\n@media (prefers-color-scheme: dark) {{ .bs-display {{ {dark} }} }}\n"
        f"{within(LIGHT)} {{ {light} }}\n{within(DARK)} {{ {dark} }}\n"
    )


def display(body: str, *style: str, scoped: str = "") -> str:
    """A display: its body, with the style that it needs.

    In `scoped`, `&` stands for this display; what it says holds for no other on the page. The display's id is made from
    what it shows, so that the same display is the same text.
    """
    own = f"bs-{hashlib.sha256(body.encode()).hexdigest()[:10]}"
    colours = "".join(f".bs-display .bs-{name} {{ color: var(--bs-{name}); }}\n" for name in COLOURED)
    rules = "".join((theme(), COMMON, colours, *style, scoped.replace("&", f"#{own}")))
    return f'<div class="bs-display" id="{own}"><style>{rules}</style>{body}</div>'


def title(text: str, aside: str = "") -> str:
    """The heading of a display; both texts are escaped here."""
    shown = f' <span class="bs-faint">{escape(aside)}</span>' if aside else ""
    return f'<div class="bs-title"><b>{escape(text)}</b>{shown}</div>'


def note(text: str, kind: str = "faint") -> str:
    """A sentence below the heading; it is escaped here."""
    return f'<div class="bs-text bs-{kind}">{escape(text)}</div>'


def fold(summary: str, body: str, *, opened: bool = False) -> str:
    """A part that opens with a click; the summary is escaped here."""
    return f"<details{' open' if opened else ''}><summary>{escape(summary)}</summary>{body}</details>"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table. `text` is escaped, unless it is `ready`: HTML that was made here."""

    text: str
    kind: str = ""
    hover: str = ""
    span: int = 1
    indent: int = 0
    ready: bool = False

    def html(self) -> str:
        """The cell as HTML."""
        parts = []
        if self.kind:
            kinds = " ".join(f"bs-{each}" for each in self.kind.split())
            parts.append(f' class="{kinds}"')
        if self.span > 1:
            parts.append(f' colspan="{self.span}"')
        if self.indent:
            parts.append(f' style="padding-left:{10 + 14 * self.indent}px"')
        if self.hover:
            parts.append(f' title="{escape(self.hover)}"')
        return f"<td{''.join(parts)}>{self.text if self.ready else escape(self.text)}</td>"


def table(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A table that scrolls; a row that is one cell heads the rows below it."""
    heads = "".join(f"<th>{escape(each)}</th>" for each in head)
    top = f"<thead><tr>{heads}</tr></thead>" if heads else ""
    body = "".join(_table_row(row) for row in rows)
    return f'<div class="bs-scroll"><table class="bs-table">{top}<tbody>{body}</tbody></table></div>'


def _table_row(row: Sequence[Cell]) -> str:
    kind = ' class="bs-head"' if len(row) == 1 else ""
    return f"<tr{kind}>{''.join(cell.html() for cell in row)}</tr>"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of code. Lines with a key in common light one another; `number` is shown before it, unless it is 0."""

    text: str
    number: int = 0
    keys: tuple[int, ...] = ()
    part: bool = False
    """Whether it heads a part of the code."""


def code(lines: Sequence[Line], header: int = 0, summary: str = "") -> str:
    """A block of Python, whose first lines may be a folded header."""
    shown = lines_as_html("\n".join(line.text for line in lines))
    rows = [_row(line, each) for line, each in zip(lines, shown, strict=True)]
    folded = fold(summary, "".join(rows[:header])) if header else ""
    return f'<div class="bs-code"><div class="bs-lines">{folded}{"".join(rows[header:])}</div></div>'


def _row(line: Line, shown: str) -> str:
    joined = " ".join(map(str, line.keys))
    keys = f' data-k="{joined}"' if joined else ""
    kind = "bs-row bs-part" if line.part else "bs-row"
    number = f'<span class="bs-no">{line.number or ""}</span>'
    return f'<div class="{kind}"{keys}>{number}{shown}</div>'


def lighting(keys: Iterable[int]) -> str:
    """The rules that light all lines of a key where the mouse is over one of them; for `scoped` of a display."""
    return "".join(
        f'&:has(.bs-row[data-k~="{key}"]:hover) :is(.bs-row[data-k~="{key}"], .bs-row[data-k~="{key}"] > .bs-no) '
        "{ background: var(--bs-lit); }\n"
        for key in sorted(set(keys))
    )
