"""Numbers of a record computed again from what it keeps of every document or probe.

So that what is committed can be checked without the corpus, the model or a GPU. Of texts: order
and lengths, from tags and section lengths; of probes: the accuracies; of what people say: its
means. What cannot be computed from
the record alone is made again by the record's command.
"""

import math
from collections.abc import Mapping

import numpy as np

from timecontrol.decoder.facts import layout_from
from timecontrol.errors import TimeControlError
from timecontrol.reproduction.judged import values_of
from timecontrol.reproduction.outlines import Outline, structure
from timecontrol.reproduction.records import Record


def recomputed(record: Record) -> dict[str, float]:
    """Return the values of a record that can be computed from it, by name; maybe none."""
    each = record.each
    if "outlines" in each:
        layout = layout_from(each["layout"])
        outlines = [Outline.of(line, layout) for line in each["outlines"]]
        found = structure(outlines, layout, each["reference"], each["budget"])
        return {name: value.value for name, value in found.items()}
    if "ratings" in each:
        said = [(str(item), str(name), int(own)) for item, name, own in each["ratings"]]
        return {name: own.value for name, own in values_of(each["outputs"], said).items()}
    runs: Mapping[str, list[float]] = each.get("probes", {})
    return {name: 100 * float(np.mean(own)) for name, own in runs.items()}


def faults(record: Record) -> list[str]:
    """Return what of a record does not hold, a line each: its id, and its numbers."""
    found = [] if record.whole else ["no id, data or command, or they are not of its recipe"]
    try:
        again = recomputed(record)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, TimeControlError):
        return [*found, "what it keeps of its documents is damaged"]
    for name, value in again.items():
        own = record.values.get(name)
        if own is None or not math.isclose(own.value, value, rel_tol=1e-9, abs_tol=1e-9):
            found.append(f"{name} is {own.value if own else None}, computed again {value}")
    return found
