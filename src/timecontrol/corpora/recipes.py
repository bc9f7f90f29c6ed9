"""Recipes: RecipeNLG's CSV (Bien et al., INLG 2020) and recipe JSON lines.

The CSV has ``title``, ``ingredients``, ``directions`` and ``NER`` (the last three JSON lists in a
string), with or without an index, ``link`` and ``source``. The JSON lines have ``id``, ``title``,
``ingredients`` and ``directions``. Ingredients are one unit: their names separated by commas,
taken from ``NER`` where there is one, as in the paper.
"""

import json
from typing import Any

from timecontrol.corpora.documents import Document, Section
from timecontrol.corpora.files import BadRecord, Record, csv_table, json_lines
from timecontrol.corpora.reading import (
    Format,
    Reading,
    default_name,
    document,
    list_of,
    name_of,
    text_of,
)
from timecontrol.sentences import clean


def build(record: Record, reading: Reading) -> Document:
    """Build the document of a recipe."""
    recipe = record.value
    name = name_of(recipe, "id") if "id" in recipe else default_name(record)
    return _document(record, reading, name, recipe)


def build_row(record: Record, reading: Reading) -> Document:
    """Build the document of a RecipeNLG row, its lists still in strings."""
    row = dict(record.value)
    for key in ("ingredients", "directions", "NER"):
        if key in row:
            try:
                row[key] = json.loads(row[key])
            except (ValueError, RecursionError) as error:
                raise BadRecord(f"{key!r} is not a JSON list: {error}") from None
    row.pop("id", None)
    return build(Record(record.file, record.line, record.index, row), reading)


def _document(record: Record, reading: Reading, name: str, recipe: dict[str, Any]) -> Document:
    title = clean(text_of(recipe, "title"))
    key = "NER" if recipe.get("NER") else "ingredients"
    ingredients = ", ".join(x for i in list_of(recipe, key, str) if (x := clean(i)))
    ingredients = ingredients[:1].upper() + ingredients[1:]
    directions = reading.section("DIRECTIONS", list_of(recipe, "directions", str))
    if not title or not ingredients or not directions.sentences:
        missing = "title" if not title else "ingredients" if not ingredients else "directions"
        raise BadRecord(f"{missing!r} is empty")
    parts = [Section("TITLE", (title,)), Section("INGREDIENTS", (ingredients,)), directions]
    return document(record, name, parts)


ROWS = Format("RecipeNLG CSV", ("*.csv",), csv_table, build_row)
LINES = Format("recipe JSON lines", ("*.jsonl",), json_lines, build)
