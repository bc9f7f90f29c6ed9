from html.parser import HTMLParser
from typing import Any

from timecontrol.app.manual import curl, manual

FORM = {
    "required": ["text"],
    "properties": {
        "text": {"type": "string", "maxLength": 9, "description": "What <b>it</b> says."},
        "seed": {"type": "integer", "minimum": 0, "exclusiveMaximum": 5, "default": 0},
        "ways": {"type": "array", "items": {"$ref": "#/components/schemas/Way"}},
        "goal": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
}
SCHEMA: dict[str, Any] = {
    "info": {"title": "T & C", "version": "1", "description": "It <does> it."},
    "components": {
        "schemas": {
            "Form": FORM,
            "Way": {"type": "object", "properties": {"at": {"type": "number", "minimum": 1.0}}},
        }
    },
    "paths": {
        "/api/x": {
            "post": {
                "description": "Do x.",
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {"$ref": "#/components/schemas/Form"},
                            "example": {"text": "it's"},
                        }
                    }
                },
                "responses": {
                    "200": {
                        "description": "Good.",
                        "content": {"application/json": {"example": {"x": [1, "é"]}}},
                    },
                    "413": {"description": "Too long."},
                },
            }
        }
    },
}


class Reader(HTMLParser):
    """Collects what a page says, and checks that its tags close."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert tag not in ("script", "link", "img", "iframe")
        if tag != "meta":
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


def test_the_page_has_a_row_for_each_field_and_each_code() -> None:
    read = Reader(manual(SCHEMA, "http://localhost:1", token=False))
    assert read.open == []
    assert read.rows[1:] == [
        ["text", "What <b>it</b> says. (string, at most 9 characters; needed)"],
        ["seed", " (integer, at least 0, below 5; otherwise 0)"],
        ["ways", " (list of object)"],
        ["ways[].at", " (number, at least 1)"],
        ["goal", " (string)"],
        ["200", "Good."],
        ["413", "Too long."],
    ]
    assert "It <does> it." in read.words
    assert '{\n  "x": [1, "é"]\n}' in read.words


def test_the_example_can_be_pasted_into_a_shell() -> None:
    assert curl("http://localhost:1", "/api/x", {"text": "it's"}, token=True) == (
        "curl http://localhost:1/api/x \\\n"
        '  -H "Authorization: Bearer $TOKEN" \\\n'
        "  -H 'Content-Type: application/json' \\\n"
        """  -d '{"text": "it'\\''s"}'"""
    )
    assert (
        curl("http://localhost:1", "/api/x", None, token=False) == "curl http://localhost:1/api/x"
    )
