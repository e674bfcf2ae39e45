"""Plots of the figures: ratios as bars, and cost against size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter


def bars(
    figures: Mapping[str, Mapping[str, float]], title: str, what: str, path: Path, limit: float = 1.0
) -> Path:
    """A bar for each figure of each name, from a line at `limit` on a logarithmic axis."""
    labels = list(dict.fromkeys(label for each in figures.values() for label in each))
    names = list(figures)
    width = 0.8 / len(labels)
    figure = Figure(figsize=(8.0, 1.2 + 0.12 * len(names) * (len(labels) + 1)), layout="constrained")
    axes = figure.add_subplot()
    for k, label in enumerate(labels):
        places = [
            i + width * (k - (len(labels) - 1) / 2) for i, name in enumerate(names) if label in figures[name]
        ]
        heights = [figures[name][label] for name in names if label in figures[name]]
        axes.barh(places, [height - limit for height in heights], height=width, left=limit, label=label)
    axes.axvline(limit, color="black", linewidth=0.8)
    axes.set_xscale("log")
    for ticks in (axes.xaxis.set_major_formatter, axes.xaxis.set_minor_formatter):
        ticks(FuncFormatter(lambda place, _: f"{place:g}" if f"{place:g}"[-1] in "0125" else ""))
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel(what)
    axes.set_title(title)
    figure.legend(loc="outside right upper")
    return saved(figure, path)


def against_size(series: Mapping[str, Sequence[Mapping[str, Any]]], path: Path) -> Path:
    """For each kernel, the time of each function against the number of entries of the arguments, log-log."""
    figure = Figure(figsize=(4.0 * len(series), 3.8), layout="constrained")
    for axes, (name, points) in zip(
        figure.subplots(1, len(series), squeeze=False)[0], series.items(), strict=True
    ):
        for label in dict.fromkeys(label for point in points for label in point if label != "entries"):
            known = [point for point in points if label in point]
            axes.loglog(
                [point["entries"] for point in known],
                [1e3 * point[label] for point in known],
                "o-",
                label=label,
            )
        axes.set_title(name)
        axes.set_xlabel("entries of the arguments")
        axes.set_ylabel("milliseconds a call")
        axes.legend()
    return saved(figure, path)


def saved(figure: Figure, path: Path) -> Path:
    """Write the figure, without touching the user's choice of a backend."""
    path.parent.mkdir(parents=True, exist_ok=True)
    FigureCanvasAgg(figure).print_figure(str(path), dpi=120)
    return path
