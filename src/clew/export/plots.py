"""Plots of a crawl as SVG that fits light and dark pages: text and axes take the page's own colour.

Colours are Okabe and Ito's, which people with any common colour blindness can tell apart.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec

import numpy as np
import numpy.typing as npt

from clew.text.shown import plot_label

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#8C8C8C"
INK = "#010203"
"""Stands for the page's text colour; replaced by ``currentColor`` in the finished SVG."""

WINDOW = 200

STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "clew",
    "font.family": "sans-serif",
    "font.size": 10.0,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": GREY,
    "grid.alpha": 0.3,
    "hatch.color": INK,
    "hatch.linewidth": 0.6,
    "axes.grid": True,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
}

_UNPRINTED = re.compile(r"<(metadata|pattern)\b.*?</\1>", re.DOTALL)
_HATCHED = re.compile(r"fill: url\(#[^)]*\)")
_FAMILY = re.compile(r"font-family: [^;\"]*")
_FONT = re.compile(r"\bfont: ([\d.]+px) [^;\"]*")
"""Older versions of matplotlib write size and family together."""

Parameters = ParamSpec("Parameters")


def _styled(plot: Callable[Parameters, str]) -> Callable[Parameters, str]:
    """Draw in our style, whatever the process's own settings are."""

    @wraps(plot)
    def drawn(*arguments: Parameters.args, **options: Parameters.kwargs) -> str:
        import matplotlib as mpl

        with mpl.rc_context(STYLE):
            return plot(*arguments, **options)

    return drawn


Flags = npt.NDArray[np.bool_]


@_styled
def harvest(relevant: Flags) -> str:
    """Pages judged relevant over fetches, with the line a crawl without misses would follow."""
    n = np.arange(1, len(relevant) + 1)
    found = np.cumsum(relevant)
    figure, axes = _figure()
    axes.plot(n, found, color=BLUE, linewidth=2, label="found")
    top = max(int(found[-1]) if len(found) else 0, 1)
    axes.plot([0, min(top, len(n))], [0, min(top, len(n))], color=GREY, linestyle="--", label="every page relevant")
    axes.set(xlabel="pages fetched", ylabel="pages judged relevant", ylim=(0, top * 1.08))
    axes.legend(loc="lower right")
    return _svg(figure)


@_styled
def window(relevant: Flags, relevance: npt.NDArray[np.float64]) -> str:
    """Share of pages judged relevant and mean relevance over the last 200 fetches."""
    figure, axes = _figure()
    n = np.arange(1, len(relevant) + 1)
    shares = _sliding(relevant.astype(np.float64))
    axes.plot(n, shares, color=BLUE, linewidth=2, label="share judged relevant")
    axes.plot(n, _sliding(relevance), color=ORANGE, linewidth=1.4, linestyle="-.", label="mean relevance")
    axes.set(xlabel="pages fetched", ylabel=f"over the last {WINDOW} fetches", ylim=(-0.02, 1.02))
    axes.legend(loc="lower right" if len(shares) and shares[len(shares) // 2 :].mean() > 0.5 else "upper right")
    return _svg(figure)


@_styled
def distances(depth: npt.NDArray[np.int64], relevant: Flags) -> str:
    """How far from the seeds the relevant pages were, in links."""
    figure, axes = _figure()
    top = int(depth.max()) + 1 if len(depth) else 1
    bins = np.arange(top + 1)
    good = np.bincount(depth[relevant], minlength=top)[:top]
    rest = np.bincount(depth[~relevant], minlength=top)[:top]
    axes.bar(bins[:-1], good, color=BLUE, label="relevant")
    axes.bar(bins[:-1], rest, bottom=good, color=GREY, alpha=0.55, hatch="//", edgecolor="none", label="other")
    axes.set(xlabel="links from the seeds", ylabel="pages")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.legend(loc="best")
    return _svg(figure)


@_styled
def hosts(rows: Sequence[tuple[str, int, int]]) -> str:
    """The hosts with most relevant pages: (name, relevant, fetched)."""
    figure, axes = _figure(height=0.6 + 0.3 * max(len(rows), 3))
    names = [plot_label(name) if len(name) < 32 else plot_label(name[:30]) + "…" for name, _, _ in rows]
    good = np.array([relevant for _, relevant, _ in rows])
    rest = np.array([fetched - relevant for _, relevant, fetched in rows])
    places = np.arange(len(rows))[::-1]
    axes.barh(places, good, color=BLUE, label="relevant")
    axes.barh(places, rest, left=good, color=GREY, alpha=0.55, hatch="//", edgecolor="none", label="other")
    axes.set_yticks(places, names)
    axes.set(xlabel="pages fetched")
    axes.grid(visible=False, axis="y")
    axes.legend(loc="best")
    return _svg(figure)


def _sliding(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Mean over the last WINDOW values at each place; shorter at the start."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    n = np.arange(1, len(values) + 1)
    first = np.maximum(n - WINDOW, 0)
    return np.asarray((sums[n] - sums[first]) / (n - first), np.float64)


def _figure(height: float = 2.9) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, height), layout="constrained")
    return figure, figure.subplots()


def _svg(figure: Any) -> str:
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    return text[text.index("<svg") :].replace(INK, "currentColor")


def printed(svg: str, ink: str, family: str) -> str:
    """A plot for paper: text in one colour and font family, plain areas in place of hatched ones, no metadata."""
    plain = _UNPRINTED.sub("", svg).replace("currentColor", ink)
    plain = _HATCHED.sub(f"fill: {GREY}", plain)
    plain = _FONT.sub(rf"font-size: \1; font-family: {family}", plain)
    return _FAMILY.sub(f"font-family: {family}", plain)
