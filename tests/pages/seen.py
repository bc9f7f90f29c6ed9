"""What is to be seen in the markup of a page: its elements, their numbers and places."""

import xml.etree.ElementTree as ET

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def parsed(markup: str) -> ET.Element:
    """Return markup with one element about all of it."""
    return ET.fromstring(markup)


def of(chart: ET.Element, tag: str, kind: str) -> list[ET.Element]:
    """Return the elements of a chart that have a class."""
    return [e for e in chart.iter(tag) if kind in (e.get("class") or "").split()]


def numbers(element: ET.Element, *names: str) -> list[float]:
    """Return attributes that are numbers, or percentages."""
    return [float((element.get(name) or "nan").rstrip("%")) for name in names]


def places(element: ET.Element) -> Array:
    """Return the points of a line or an area, (n, 2)."""
    pairs = [p.split(",") for p in (element.get("points") or "").split()]
    return np.array(pairs, np.float64).reshape(-1, 2)


def drawn_at(chart: ET.Element) -> Array:
    """Return every point, corner and end that is drawn in a chart, (n, 2)."""
    found = [places(e) for e in chart.iter() if e.tag in ("polyline", "polygon")]
    for names in (("cx", "cy"), ("x1", "y1"), ("x2", "y2"), ("x", "y")):
        found += [np.array([numbers(e, *names)]) for e in chart.iter() if e.get(names[0])]
    return np.concatenate(found)
