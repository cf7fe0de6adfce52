"""_picture.py - small pictures as SVG, without any package. (`hotset report` draws complete pages.)"""
from __future__ import annotations

import html
import re
from typing import Dict, List, Optional, Sequence, Tuple

from ._library import Path

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#888888", "#000000")
_WIDE, _HIGH, _LEFT, _TOP = 640, 330, 70, 30


class Picture:
    """svg: the text of the picture. Notebooks show it."""

    def __init__(self, svg: str):
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def wide(self, inches: Optional[float]) -> Picture:
        """The same picture, so many inches wide; None: as it is, in pixels."""
        if inches is None:
            return self
        pixels, high = (float(x) for x in re.findall(r'viewBox="0 0 (\d+) (\d+)"', self.svg)[0])
        return Picture(re.sub(r'width="\d+" height="\d+"', 'width="%gin" height="%gin"' % (inches, inches * high / pixels), self.svg, count=1))

    def save(self, path: Path) -> None:
        """Writes the SVG."""
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.svg + "\n")


def _number(x: float) -> str:
    return "{:,.0f}".format(x) if abs(x) >= 1000 else "%.3g" % x


def _tag(name: str, text: str = "", **of: object) -> str:
    return "<%s %s>%s</%s>" % (name, " ".join('%s="%s"' % (k.replace("_", "-"), v) for k, v in of.items()), html.escape(text), name)


def _drawing(parts: Sequence[str], high: int) -> Picture:
    return Picture('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">'
                   '<rect width="100%%" height="100%%" fill="white"/>%s</svg>' % (_WIDE, high, _WIDE, high, "".join(parts)))


def lines(series: Dict[str, List[Tuple[float, float]]], x: str, y: str) -> Picture:
    """A line per name over x; y begins at 0."""
    every = [point for points in series.values() for point in points]
    low, most, top = min(p[0] for p in every), max(p[0] for p in every), max([p[1] for p in every] + [0.0]) or 1.0
    right, bottom = _WIDE - 150, _HIGH - 44

    def at(p: Tuple[float, float]) -> Tuple[float, float]:
        return _LEFT + (p[0] - low) / ((most - low) or 1.0) * (right - _LEFT), bottom - p[1] / top * (bottom - _TOP)

    parts = [_tag("text", y, x=4, y=12), _tag("text", x, x=(_LEFT + right) // 2, y=_HIGH - 6, text_anchor="middle")]
    for k in range(5):
        high, value = bottom - k / 4 * (bottom - _TOP), top * k / 4
        parts += [_tag("line", x1=_LEFT, x2=right, y1="%.1f" % high, y2="%.1f" % high, stroke="#dddddd"),
                  _tag("text", _number(value), x=_LEFT - 6, y="%.1f" % (high + 4), text_anchor="end")]
    for value in (low, most):
        parts.append(_tag("text", _number(value), x="%.1f" % at((value, 0.0))[0], y=bottom + 18, text_anchor="middle"))
    for k, (name, points) in enumerate(series.items()):
        colour = _COLOURS[k % len(_COLOURS)]
        places = [at(p) for p in points]
        parts.append(_tag("polyline", points=" ".join("%.1f,%.1f" % p for p in places), fill="none", stroke=colour, stroke_width=2))
        parts += [_tag("circle", cx="%.1f" % a, cy="%.1f" % b, r=3, fill=colour) for a, b in places]
        parts.append(_tag("text", name, x=right + 12, y=_TOP + 16 * k + 10, fill=colour))
    return _drawing(parts, max(_HIGH, _TOP + 16 * len(series) + 20))


def bars(values: List[Tuple[str, float]], y: str) -> Picture:
    """A bar per name; those below 0 leave the axis to the left."""
    low, most = min([v for _, v in values] + [0.0]), max([v for _, v in values] + [0.0])
    left, right = 190, _WIDE - 90

    def at(v: float) -> float:
        return left + (v - low) / ((most - low) or 1.0) * (right - left)

    parts = [_tag("text", y, x=left, y=14)]
    for k, (name, value) in enumerate(values):
        top, a, b = _TOP + 10 + 22 * k, min(at(0.0), at(value)), max(at(0.0), at(value))
        parts += [_tag("text", name[:28], x=left - 8, y=top + 13, text_anchor="end"), _tag("text", _number(value), x="%.1f" % (b + 6), y=top + 13),
                  _tag("rect", x="%.1f" % a, y=top, width="%.1f" % max(b - a, 0.5), height=16, fill=_COLOURS[0])]
    return _drawing(parts, _TOP + 22 * len(values) + 20)
